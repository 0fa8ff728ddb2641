//! Loops shared out among threads.

use rayon::iter::{IndexedParallelIterator, MaxLen, MinLen};

/// Loops in parts of one size to the end.
///
/// Left alone, rayon hands out some large parts and divides only what another thread takes over: a thread that is held up in
/// one keeps all of it from the others.
pub(crate) trait InParts: IndexedParallelIterator {
    /// In parts of so many, which are worth a thread's while.
    fn in_parts_of(self, count: usize) -> MaxLen<MinLen<Self>> {
        self.with_min_len(count).with_max_len(count)
    }
}

impl<I: IndexedParallelIterator> InParts for I {}
