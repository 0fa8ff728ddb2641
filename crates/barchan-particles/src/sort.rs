//! Stable sorting by cell.
//!
//! What is sorted are words of 64 bits: the cell's number within the box of all cells above, the particle's slot
//! below. No two words are equal, so there is one right order, whoever finds it: words are shared out among
//! threads by their upper digits, and each share is sorted by counting, lower digits first.

use std::ops::Range;

use glam::IVec3;
use rayon::prelude::*;

use crate::Place;

/// Binary digits by which one pass sorts: their counters fit into the fastest cache.
const DIGIT_BITS: u32 = 11;

/// Words below which a second thread costs more than it brings.
const WORTH_SHARING: usize = 8192;

/// Particles that one task looks at when it is about cells only.
const AT_ONCE: usize = 8192;

/// How words are made of cells and slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words {
    low: IVec3,
    bits: [u32; 3],
    slot_bits: u32,
}

impl Words {
    /// Words for all `places`, or none if cells are spread so wide that a word cannot hold their numbers.
    pub fn for_places(places: &[Place], fineness: u32) -> Option<Words> {
        let boxes = places.par_chunks(AT_ONCE).map(|places| {
            let cells = places.iter().map(|place| place.cell(fineness));
            cells.fold((IVec3::MAX, IVec3::MIN), |(low, high), cell| (low.min(cell), high.max(cell)))
        });
        let (low, high) = boxes.reduce(|| (IVec3::MAX, IVec3::MIN), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (low, size) = if places.is_empty() { (IVec3::ZERO, IVec3::ZERO) } else { (low, high - low) };
        let bits = size.to_array().map(|extent| u32::BITS - extent.leading_zeros());
        let slot_bits = usize::BITS - places.len().leading_zeros();
        (bits.iter().sum::<u32>() + slot_bits <= u64::BITS).then_some(Words { low, bits, slot_bits })
    }

    fn word(&self, cell: IVec3, slot: usize) -> u64 {
        let [x, y, z] = (cell - self.low).to_array().map(|x| x as u64);
        let [_, y_bits, z_bits] = self.bits;
        (((((x << y_bits) | y) << z_bits) | z) << self.slot_bits) | slot as u64
    }

    /// The cell's number of a word.
    pub fn number(&self, word: u64) -> u64 {
        word >> self.slot_bits
    }

    /// The cell of a word.
    pub fn cell(&self, word: u64) -> IVec3 {
        let number = self.number(word);
        let [_, y_bits, z_bits] = self.bits;
        let z = number & ((1 << z_bits) - 1);
        let y = (number >> z_bits) & ((1 << y_bits) - 1);
        let x = number >> (z_bits + y_bits);
        self.low + IVec3::new(x as i32, y as i32, z as i32)
    }

    /// The slot of a word.
    pub fn slot(&self, word: u64) -> u32 {
        (word & ((1 << self.slot_bits) - 1)) as u32
    }

    fn number_bits(&self) -> Range<u32> {
        self.slot_bits..self.slot_bits + self.bits.iter().sum::<u32>()
    }
}

/// Sorted words, and what sorting needs.
#[derive(Clone, Debug, Default)]
pub struct Sorter {
    words: Vec<u64>,
    other: Vec<u64>,
}

impl Sorter {
    /// The words of all places in rising order: by cell, x slowest and z fastest, then by slot.
    pub fn sort(&mut self, places: &[Place], fineness: u32, words: Words) -> &[u64] {
        self.words.resize(places.len(), 0);
        self.other.resize(places.len(), 0);
        if rayon::current_num_threads() == 1 || places.len() < WORTH_SHARING {
            for (slot, (word, place)) in self.words.iter_mut().zip(places).enumerate() {
                *word = words.word(place.cell(fineness), slot);
            }
            sort_by_counting(&mut self.words, &mut self.other, words.number_bits());
        } else {
            self.sort_shared(places, fineness, words);
        }
        &self.words
    }

    /// Memory in use (bytes).
    pub fn memory_bytes(&self) -> usize {
        (self.words.capacity() + self.other.capacity()) * size_of::<u64>()
    }

    fn sort_shared(&mut self, places: &[Place], fineness: u32, words: Words) {
        let threads = rayon::current_num_threads();
        let at_once = places.len().div_ceil(threads);
        let top = top_digit(&words.number_bits());
        let mut counts: Vec<Vec<u32>> = Vec::new();
        let chunks = places.par_chunks(at_once).zip(self.other.par_chunks_mut(at_once)).enumerate();
        let counted = chunks.map(|(chunk, (places, made))| {
            let mut count = vec![0; 1 << DIGIT_BITS];
            for (index, (word, place)) in made.iter_mut().zip(places).enumerate() {
                *word = words.word(place.cell(fineness), chunk * at_once + index);
                count[digit(*word, &top)] += 1;
            }
            count
        });
        counted.collect_into_vec(&mut counts);
        let shares = shares(&counts, places.len(), 2 * threads);
        let pieces: Vec<_> = self.other.par_chunks(at_once).map(|made| deal(made, &top, &shares)).collect();

        let mut tasks = Vec::with_capacity(shares.len());
        let (mut words_left, mut other_left) = (&mut self.words[..], &mut self.other[..]);
        for share in 0..shares.len() {
            let len = pieces.iter().map(|pieces| pieces[share].len()).sum();
            let (sorted, rest) = words_left.split_at_mut(len);
            let (other, other_rest) = other_left.split_at_mut(len);
            tasks.push((share, sorted, other));
            (words_left, other_left) = (rest, other_rest);
        }
        tasks.into_par_iter().with_max_len(1).for_each(|(share, sorted, other)| {
            let mut start = 0;
            for piece in pieces.iter().map(|pieces| &pieces[share]) {
                sorted[start..start + piece.len()].copy_from_slice(piece);
                start += piece.len();
            }
            sort_by_counting(sorted, other, words.number_bits());
        });
    }
}

/// The upper digits of numbers, by which words are shared out.
fn top_digit(bits: &Range<u32>) -> Range<u32> {
    bits.end.saturating_sub(DIGIT_BITS).max(bits.start)..bits.end
}

fn digit(word: u64, bits: &Range<u32>) -> usize {
    // All bits of a word may be its slot: then there is one cell, and one digit.
    if bits.is_empty() { 0 } else { (word >> bits.start) as usize & ((1 << bits.len()) - 1) }
}

/// Ranges of the top digit that hold about as many words each, as the first digit beyond each.
fn shares(counts: &[Vec<u32>], words: usize, shares: usize) -> Vec<usize> {
    let mut ends = Vec::with_capacity(shares);
    let mut seen = 0;
    for digit in 0..1 << DIGIT_BITS {
        seen += counts.iter().map(|count| count[digit] as usize).sum::<usize>();
        if seen * shares >= words * (ends.len() + 1) && ends.len() + 1 < shares {
            ends.push(digit + 1);
        }
    }
    ends.push(1 << DIGIT_BITS);
    ends
}

/// The words of each share, in their order.
fn deal(words: &[u64], top: &Range<u32>, ends: &[usize]) -> Vec<Vec<u64>> {
    let mut share_of = vec![0u8; 1 << DIGIT_BITS];
    for (share, range) in std::iter::once(&0).chain(ends).zip(ends).map(|(a, b)| *a..*b).enumerate() {
        share_of[range].fill(share as u8);
    }
    let mut pieces = vec![Vec::with_capacity(words.len() / ends.len() * 5 / 4 + 16); ends.len()];
    for &word in words {
        pieces[usize::from(share_of[digit(word, top)])].push(word);
    }
    pieces
}

/// Sorts words by the digits in `bits`, stably. What is sorted already is left alone.
fn sort_by_counting(words: &mut [u64], other: &mut [u64], bits: Range<u32>) {
    if words.is_sorted() {
        return;
    }
    let passes = (bits.len() as u32).div_ceil(DIGIT_BITS).max(1);
    let width = (bits.len() as u32).div_ceil(passes);
    let (mut from, mut to) = (words, other);
    for pass in 0..passes {
        let start = bits.start + pass * width;
        count_and_place(from, to, &(start..(start + width).min(bits.end)));
        (from, to) = (to, from);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
}

fn count_and_place(from: &[u64], to: &mut [u64], bits: &Range<u32>) {
    let mut next = [0u32; 1 << DIGIT_BITS];
    for &word in from {
        next[digit(word, bits)] += 1;
    }
    let mut start = 0;
    for count in &mut next {
        (*count, start) = (start, start + *count);
    }
    for &word in from {
        let place = &mut next[digit(word, bits)];
        to[*place as usize] = word;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_and_passes_find_the_one_right_order(
            cells in prop::collection::vec([0i64..90, -40i64..40, -3000i64..3000], 0..400),
            repeats in 1usize..60,
        ) {
            let places: Vec<_> = cells.iter().cycle().take(cells.len() * repeats)
                .map(|cell| Place(cell.map(|x| (x << 32) + 5))).collect();
            let words = Words::for_places(&places, 0).expect("few cells");
            let mut expected: Vec<_> = (0..places.len() as u32).collect();
            expected.sort_by_key(|&slot| places[slot as usize].cell(0).to_array());
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut sorter = Sorter::default();
                let sorted = pool.install(|| sorter.sort(&places, 0, words).to_vec());
                let order: Vec<_> = sorted.iter().map(|&word| words.slot(word)).collect();
                prop_assert_eq!(&order, &expected);
                prop_assert!(sorted.iter().all(|&word| words.cell(word) == places[words.slot(word) as usize].cell(0)));
            }
        }
    }

    #[test]
    fn cells_too_far_apart_for_a_word_are_told() {
        let end = Place::LIMIT << 32;
        let places = vec![Place([-end; 3]), Place([end - 1; 3])];
        assert!(Words::for_places(&places, 0).is_some());
        assert!(Words::for_places(&places.repeat(20_000), 2).is_none());
    }
}
