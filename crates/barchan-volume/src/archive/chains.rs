//! The index by content: chains of records of like hash. It grows one chain at a time (linear hashing, Litwin1980), so that no
//! edit ever waits for a table to be doubled.

use super::segments::Segments;

/// No record.
pub(super) const NONE: u32 = 0;
/// Chains at the beginning.
const FEWEST: u32 = 16;

/// The first record of every chain.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    heads: Segments<u32>,
    /// Chains in this round, a power of two.
    round: u32,
    /// Chains of the round that were split already.
    split: u32,
    /// Records in all chains.
    records: usize,
}

impl Chains {
    pub fn new() -> Self {
        let mut heads = Segments::new();
        (0..FEWEST).for_each(|_| heads.push(NONE));
        Self { heads, round: FEWEST, split: 0, records: 0 }
    }

    /// Records in all chains.
    pub fn records(&self) -> usize {
        self.records
    }

    pub fn bytes(&self) -> u64 {
        self.heads.bytes()
    }

    #[inline]
    fn chain_of(&self, hash: u32) -> usize {
        let chain = hash & (self.round - 1);
        (if chain < self.split { hash & (2 * self.round - 1) } else { chain }) as usize
    }
}

/// Records that know the next one of their chain.
pub(super) trait Chained {
    fn chains(&self) -> &Chains;
    fn chains_mut(&mut self) -> &mut Chains;
    fn next_of(&self, id: u32) -> u32;
    fn set_next_of(&mut self, id: u32, next: u32);
    fn hash_of(&self, id: u32) -> u32;

    /// The first record that may have this hash.
    #[inline]
    fn first_of(&self, hash: u32) -> u32 {
        let chains = self.chains();
        *chains.heads.get(chains.chain_of(hash))
    }

    /// Puts a record into its chain, and splits one chain when there are more records than chains.
    fn chain(&mut self, id: u32, hash: u32) {
        self.put(id, hash);
        let chains = self.chains_mut();
        chains.records += 1;
        if chains.records > (chains.round + chains.split) as usize && chains.round < 1 << 30 {
            self.split_one();
        }
    }

    /// Takes a record out of its chain.
    fn unchain(&mut self, id: u32) {
        let next = self.next_of(id);
        let chain = self.chains().chain_of(self.hash_of(id));
        let mut at = *self.chains().heads.get(chain);
        if at == id {
            *self.chains_mut().heads.get_mut(chain) = next;
        } else {
            while self.next_of(at) != id {
                at = self.next_of(at);
            }
            self.set_next_of(at, next);
        }
        self.chains_mut().records -= 1;
    }

    fn put(&mut self, id: u32, hash: u32) {
        let chain = self.chains().chain_of(hash);
        let head = std::mem::replace(self.chains_mut().heads.get_mut(chain), id);
        self.set_next_of(id, head);
    }

    fn split_one(&mut self) {
        let chains = self.chains_mut();
        let mut at = std::mem::replace(chains.heads.get_mut(chains.split as usize), NONE);
        chains.heads.push(NONE);
        chains.split += 1;
        if chains.split == chains.round {
            (chains.round, chains.split) = (2 * chains.round, 0);
        }
        while at != NONE {
            let next = self.next_of(at);
            self.put(at, self.hash_of(at));
            at = next;
        }
    }
}

/// Mixes one more word into a hash.
#[inline]
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The bits of a hash that choose a chain.
#[inline]
pub(super) fn finish(hash: u64) -> u32 {
    let hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (hash >> 32) as u32
}
