//! Voxels that lie close together.

use barchan_volume::brick::{VOXELS, brick_of, voxel_index};
use glam::IVec3;
use rustc_hash::FxHashMap;

/// A set of voxels, kept as one bit each in the bricks they lie in.
pub(super) struct VoxelSet {
    bricks: Vec<[u64; VOXELS / 64]>,
    places: FxHashMap<IVec3, u32>,
    /// The brick that was asked for last and its place: the next voxel mostly lies in the same.
    last: (IVec3, u32),
    len: usize,
}

impl VoxelSet {
    pub fn new() -> Self {
        // Not a brick of any world, so that the first look finds one.
        Self { bricks: Vec::new(), places: FxHashMap::default(), last: (IVec3::MAX, 0), len: 0 }
    }

    /// How many voxels there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds voxel `p`; false when it was there before.
    pub fn insert(&mut self, p: IVec3) -> bool {
        let (word, bit) = self.bit(p);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// True when voxel `p` is there.
    pub fn contains(&mut self, p: IVec3) -> bool {
        let (word, bit) = self.bit(p);
        *word & bit != 0
    }

    #[inline]
    fn bit(&mut self, p: IVec3) -> (&mut u64, u64) {
        let coord = brick_of(p);
        if coord != self.last.0 {
            let next = self.bricks.len() as u32;
            let place = *self.places.entry(coord).or_insert(next);
            if place == next {
                self.bricks.push([0; VOXELS / 64]);
            }
            self.last = (coord, place);
        }
        let at = voxel_index(p);
        (&mut self.bricks[self.last.1 as usize][at / 64], 1 << (at % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voxels_are_in_it_once() {
        let mut set = VoxelSet::new();
        let voxels = [IVec3::ZERO, IVec3::new(-1, 7, 8), IVec3::new(7, 7, 7), IVec3::new(0, 0, 1)];
        assert!(voxels.iter().all(|p| set.insert(*p)));
        assert!(!set.insert(voxels[1]));
        assert!(voxels.iter().all(|p| set.contains(*p)) && !set.contains(IVec3::new(8, 7, 7)));
        assert_eq!(set.len(), voxels.len());
    }
}
