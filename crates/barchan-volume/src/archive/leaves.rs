//! All leaves, each stored once, in pieces of memory that never move.

use super::chains::{Chained, Chains, NONE, finish, mix};
use super::leaf_words::{BESIDE, FREE, length, one_material};
use super::subtree::FIRST_ID;

/// Words of a piece; an id is a piece and a place in it.
const PIECE_WORDS: usize = 1 << 16;
/// Ids stay below this: the bit above tells even leaves from others.
const MOST_PIECES: usize = 1 << 15;
const MARK: u64 = 1 << 31;
const NEXT: u64 = MARK - 1;

/// The leaves of an archive.
#[derive(Clone, Debug)]
pub(super) struct Leaves {
    pieces: Vec<Vec<u64>>,
    /// The first free place of every length (words).
    free: Vec<u32>,
    chains: Chains,
    words_in_use: u64,
}

impl Leaves {
    pub fn new() -> Self {
        let mut first = Vec::with_capacity(PIECE_WORDS);
        first.resize(FIRST_ID as usize, 0);
        Self { pieces: vec![first], free: Vec::new(), chains: Chains::new(), words_in_use: 0 }
    }

    /// The words of leaf `id`.
    #[inline]
    pub fn words(&self, id: u32) -> &[u64] {
        let (piece, at) = place(id);
        let words = &self.pieces[piece][at..];
        &words[..length(words[1])]
    }

    /// The leaf of these words. A new one is born with mark `born`; one that is there already gets `found`, if given.
    pub fn intern(&mut self, words: &[u64], born: bool, found: Option<bool>) -> u32 {
        let hash = hash_words(words);
        let mut id = self.first_of(hash);
        while id != NONE {
            if is_same(self.words(id), words) {
                if let Some(mark) = found {
                    self.set_mark(id, mark);
                }
                return id;
            }
            id = self.next_of(id);
        }
        let id = self.place_for(words.len());
        let (piece, at) = place(id);
        self.pieces[piece][at..at + words.len()].copy_from_slice(words);
        self.chain(id, hash);
        self.set_mark(id, born);
        self.words_in_use += words.len() as u64;
        id
    }

    /// True when leaf `id` is of these words.
    pub fn holds(&self, id: u32, words: &[u64]) -> bool {
        is_same(self.words(id), words)
    }

    pub fn set_mark(&mut self, id: u32, mark: bool) {
        let header = self.header_mut(id);
        *header = if mark { *header | MARK } else { *header & !MARK };
    }

    pub fn count(&self) -> usize {
        self.chains.records()
    }

    /// Memory of what is stored (bytes).
    pub fn bytes_in_use(&self) -> u64 {
        self.words_in_use * 8
    }

    /// Memory that is set aside (bytes).
    pub fn bytes(&self) -> u64 {
        let words: usize = self.pieces.iter().map(Vec::capacity).sum();
        words as u64 * 8 + self.chains.bytes()
    }

    /// Looks at some leaves from place `from` on and frees those that do not bear `live`. The place to go on from; none: no more.
    pub fn sweep(&mut self, from: u64, mut some: usize, live: bool) -> Option<u64> {
        let (mut piece, mut at) = ((from >> 16) as usize, (from & 0xffff) as usize);
        if from == 0 {
            at = FIRST_ID as usize;
        }
        while piece < self.pieces.len() {
            while at + 1 < self.pieces[piece].len() {
                if some == 0 {
                    return Some((piece as u64) << 16 | at as u64);
                }
                some -= 1;
                let header = self.pieces[piece][at + 1];
                if header & FREE == 0 && (header & MARK != 0) != live {
                    self.free_leaf((piece as u32) << 16 | at as u32);
                }
                at += length(header);
            }
            (piece, at) = (piece + 1, 0);
        }
        None
    }

    fn free_leaf(&mut self, id: u32) {
        self.unchain(id);
        let (piece, at) = place(id);
        let length = length(self.pieces[piece][at + 1]);
        if self.free.len() <= length {
            self.free.resize(length + 1, NONE);
        }
        self.pieces[piece][at] = u64::from(std::mem::replace(&mut self.free[length], id));
        self.pieces[piece][at + 1] |= FREE;
        self.words_in_use -= length as u64;
    }

    /// A place for so many words, free or new.
    fn place_for(&mut self, length: usize) -> u32 {
        let free = self.free.get(length).copied().unwrap_or(NONE);
        if free != NONE {
            let (piece, at) = place(free);
            self.free[length] = self.pieces[piece][at] as u32;
            return free;
        }
        if self.pieces.last().is_none_or(|piece| piece.len() + length > PIECE_WORDS) {
            assert!(self.pieces.len() < MOST_PIECES, "an archive holds at most 16 GiB of leaves");
            self.pieces.push(Vec::with_capacity(PIECE_WORDS.max(length)));
        }
        let piece = self.pieces.len() - 1;
        let words = &mut self.pieces[piece];
        let at = words.len();
        words.resize(at + length, 0);
        (piece as u32) << 16 | at as u32
    }

    #[inline]
    fn header(&self, id: u32) -> &u64 {
        let (piece, at) = place(id);
        &self.pieces[piece][at + 1]
    }

    fn header_mut(&mut self, id: u32) -> &mut u64 {
        let (piece, at) = place(id);
        &mut self.pieces[piece][at + 1]
    }

    /// Solid voxels as a mask, and the one material that they are of; 0: of several.
    #[inline]
    pub fn solid(&self, id: u32) -> (u64, u8) {
        let (piece, at) = place(id);
        let words = &self.pieces[piece][at..at + 2];
        (words[0], one_material(words[1]))
    }
}

impl Chained for Leaves {
    fn chains(&self) -> &Chains {
        &self.chains
    }

    fn chains_mut(&mut self) -> &mut Chains {
        &mut self.chains
    }

    fn next_of(&self, id: u32) -> u32 {
        (self.header(id) & NEXT) as u32
    }

    fn set_next_of(&mut self, id: u32, next: u32) {
        let header = self.header_mut(id);
        *header = *header & !NEXT | u64::from(next);
    }

    fn hash_of(&self, id: u32) -> u32 {
        hash_words(self.words(id))
    }
}

#[inline]
fn place(id: u32) -> (usize, usize) {
    ((id >> 16) as usize, (id & 0xffff) as usize)
}

fn hash_words(words: &[u64]) -> u32 {
    let start = mix(mix(0, words[0]), words[1] & !BESIDE);
    finish(words[2..].iter().fold(start, |hash, word| mix(hash, *word)))
}

fn is_same(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a[0] == b[0] && (a[1] ^ b[1]) & !BESIDE == 0 && a[2..] == b[2..]
}
