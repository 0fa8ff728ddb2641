//! Loops shared out among threads.

use rayon::iter::{IndexedParallelIterator, MaxLen, MinLen};

/// Parts that each thread has at least, where there is enough to do: at the end of a loop one of them is left to wait for, and
/// the loops of a small world are short.
const PARTS_PER_THREAD: usize = 16;

/// How many of `count` make a part: `most`, or fewer where there are not enough for all threads.
pub(crate) fn part_len(count: usize, most: usize) -> usize {
    (count / (PARTS_PER_THREAD * rayon::current_num_threads())).clamp(1, most)
}

/// Loops in parts of one size to the end.
///
/// Left alone, rayon hands out some large parts and divides only what another thread takes over: a thread that is held up in
/// one keeps all of it from the others.
pub(crate) trait InParts: IndexedParallelIterator {
    /// In parts of so many, or fewer where there are not enough for all threads.
    fn in_parts_of(self, most: usize) -> MaxLen<MinLen<Self>> {
        let count = part_len(self.len(), most);
        self.with_min_len(count).with_max_len(count)
    }
}

impl<I: IndexedParallelIterator> InParts for I {}
