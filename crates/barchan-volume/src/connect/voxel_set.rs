//! A sparse set of voxels, one mask per brick.

use glam::IVec3;
use rustc_hash::FxHashMap;

use super::mask::Mask;
use crate::brick::{brick_of, voxel_index};

/// A set of voxels. Bricks that hold none cost nothing.
#[derive(Clone, Debug, Default)]
pub struct VoxelSet {
    bricks: FxHashMap<IVec3, Mask>,
}

impl VoxelSet {
    /// The voxels of brick `coord`, if there are any.
    pub fn mask(&self, coord: IVec3) -> Option<&Mask> {
        self.bricks.get(&coord).filter(|mask| !mask.is_empty())
    }

    /// True when voxel `p` is in the set.
    pub fn contains(&self, p: IVec3) -> bool {
        self.bricks.get(&brick_of(p)).is_some_and(|mask| mask.contains(voxel_index(p)))
    }

    /// Adds voxel `p`; false when it was there already.
    pub fn insert(&mut self, p: IVec3) -> bool {
        self.bricks.entry(brick_of(p)).or_default().insert(voxel_index(p))
    }

    /// Adds the voxels of `mask` in brick `coord`.
    pub fn insert_mask(&mut self, coord: IVec3, mask: Mask) {
        if !mask.is_empty() {
            let all = self.bricks.entry(coord).or_default();
            *all = all.or(&mask);
        }
    }

    /// Takes voxel `p` out.
    pub fn remove(&mut self, p: IVec3) {
        if let Some(mask) = self.bricks.get_mut(&brick_of(p)) {
            mask.remove(voxel_index(p));
        }
    }

    /// The voxels that are not in `other`.
    pub fn without(mut self, other: &Self) -> Self {
        for (coord, mask) in &other.bricks {
            if let Some(own) = self.bricks.get_mut(coord) {
                *own = own.without(mask);
            }
        }
        self
    }

    /// Number of voxels in the set.
    pub fn len(&self) -> usize {
        self.bricks.values().map(Mask::len).sum()
    }

    /// True when no voxel is in the set.
    pub fn is_empty(&self) -> bool {
        self.bricks.values().all(Mask::is_empty)
    }

    /// The bricks that hold any, ordered by x, then y, then z.
    pub fn bricks_in_order(&self) -> Vec<(IVec3, Mask)> {
        let mut bricks: Vec<_> = self.bricks.iter().map(|(coord, mask)| (*coord, *mask)).collect();
        bricks.retain(|(_, mask)| !mask.is_empty());
        bricks.sort_unstable_by_key(|(coord, _)| coord.to_array());
        bricks
    }

    /// Every voxel, brick by brick in order.
    pub fn voxels_in_order(&self) -> impl Iterator<Item = IVec3> {
        let voxel = |coord: IVec3, index: usize| {
            coord * 8 + IVec3::new((index >> 6) as i32, (index >> 3 & 7) as i32, (index & 7) as i32)
        };
        self.bricks_in_order()
            .into_iter()
            .flat_map(move |(coord, mask)| mask.indices().map(move |index| voxel(coord, index)))
    }
}

impl PartialEq for VoxelSet {
    /// Equal when both hold the same voxels.
    fn eq(&self, other: &Self) -> bool {
        self.bricks_in_order() == other.bricks_in_order()
    }
}

impl FromIterator<IVec3> for VoxelSet {
    fn from_iter<I: IntoIterator<Item = IVec3>>(voxels: I) -> Self {
        let mut set = Self::default();
        for p in voxels {
            set.insert(p);
        }
        set
    }
}
