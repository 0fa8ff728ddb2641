//! Some of the 512 voxels of a brick, one bit each.

use crate::brick::VOXELS;

/// A set of voxels of one brick. Word x holds bit 8 y + z, the order of [`voxel_index`](crate::brick::voxel_index).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mask([u64; 8]);

/// Bits of a word at the lowest and the highest z, and at the lowest y.
const Z_LOW: u64 = 0x0101_0101_0101_0101;
const Z_HIGH: u64 = Z_LOW << 7;
const Y_LOW: u64 = 0xff;

impl Mask {
    /// No voxel.
    pub const EMPTY: Self = Self([0; 8]);
    /// All 512.
    pub const FULL: Self = Self([u64::MAX; 8]);

    /// The voxels whose index `is_in` accepts.
    pub fn from_fn(mut is_in: impl FnMut(usize) -> bool) -> Self {
        Self(std::array::from_fn(|x| {
            (0..64).fold(0, |word, bit| word | u64::from(is_in(x * 64 + bit)) << bit)
        }))
    }

    /// True when voxel `index` is in the set.
    pub fn contains(&self, index: usize) -> bool {
        self.0[index >> 6] >> (index & 63) & 1 == 1
    }

    /// Adds voxel `index`; false when it was there already.
    pub fn insert(&mut self, index: usize) -> bool {
        let is_new = !self.contains(index);
        self.0[index >> 6] |= 1 << (index & 63);
        is_new
    }

    /// Takes voxel `index` out.
    pub fn remove(&mut self, index: usize) {
        self.0[index >> 6] &= !(1 << (index & 63));
    }

    /// True when no voxel is in the set.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// True when all voxels are in the set.
    pub fn is_full(&self) -> bool {
        *self == Self::FULL
    }

    /// Number of voxels in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The voxels in ascending order of their index.
    pub fn indices(self) -> impl Iterator<Item = usize> {
        (0..8).flat_map(move |x| {
            let mut word = self.0[x];
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(x * 64 + bit)
            })
        })
    }

    /// The voxels in both.
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|x| self.0[x] & other.0[x]))
    }

    /// The voxels in either.
    pub fn or(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|x| self.0[x] | other.0[x]))
    }

    /// The voxels that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|x| self.0[x] & !other.0[x]))
    }

    /// The set and the voxels of `open` that can be reached from it through faces, within the brick.
    pub(super) fn flooded(&self, open: &Self) -> Self {
        let mut now = self.and(open);
        loop {
            let next = now.or(&now.beside()).and(open);
            if next == now {
                return now;
            }
            now = next;
        }
    }

    /// The voxels of this brick that share a face with one of the set.
    fn beside(&self) -> Self {
        Self(std::array::from_fn(|x| {
            let word = self.0[x];
            let along_z = (word & !Z_HIGH) << 1 | (word & !Z_LOW) >> 1;
            let along_y = word << 8 | word >> 8;
            let below = if x > 0 { self.0[x - 1] } else { 0 };
            let above = if x < 7 { self.0[x + 1] } else { 0 };
            along_z | along_y | below | above
        }))
    }

    /// The voxels of the brick next door, on `axis` upwards or downwards, that share a face with one of the set.
    pub(super) fn across(&self, axis: usize, up: bool) -> Self {
        let mut out = [0; 8];
        match (axis, up) {
            (0, true) => out[0] = self.0[7],
            (0, false) => out[7] = self.0[0],
            (1, true) => out = self.0.map(|word| word >> 56),
            (1, false) => out = self.0.map(|word| (word & Y_LOW) << 56),
            (_, true) => out = self.0.map(|word| (word & Z_HIGH) >> 7),
            (_, false) => out = self.0.map(|word| (word & Z_LOW) << 7),
        }
        Self(out)
    }
}

const _: () = assert!(VOXELS == 8 * 64);
