//! Cubes of the archive's space: the whole of it, halved level by level.

use glam::IVec3;

use crate::voxel_box::VoxelBox;

/// Voxels along an edge of the archive's space; its middle is the origin.
pub const SPAN: i32 = 1 << TOP;
/// Level of the whole space.
pub(super) const TOP: u32 = 17;
/// Level of a leaf.
pub(super) const LEAF: u32 = 2;
/// Level of the cubes that are as large as a [`Brick`](crate::Brick).
pub(super) const BRICK: u32 = 3;

/// A cube of 2^level voxels a side, whose corner is a multiple of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cube {
    /// Its lowest voxel.
    pub min: IVec3,
    /// Exponent of its edge.
    pub level: u32,
}

impl Cube {
    /// The whole space.
    pub const ALL: Self = Self { min: IVec3::splat(-SPAN / 2), level: TOP };

    /// The cube of this level that holds voxel `p`.
    pub fn around(p: IVec3, level: u32) -> Self {
        Self { min: (p >> level as i32) << level as i32, level }
    }

    /// Voxels along an edge.
    #[inline]
    pub fn edge(self) -> i32 {
        1 << self.level
    }

    /// Voxels in it.
    #[inline]
    pub fn volume(self) -> u64 {
        volume(self.level)
    }

    /// Its voxels as a box.
    #[inline]
    pub fn voxels(self) -> VoxelBox {
        VoxelBox::new(self.min, self.min + self.edge())
    }

    /// Its eighth number `at`: x slowest, z fastest.
    #[inline]
    pub(super) fn eighth(self, at: usize) -> Self {
        let offset = IVec3::new(at as i32 >> 2, at as i32 >> 1 & 1, at as i32 & 1);
        Self { min: self.min + (offset << (self.level as i32 - 1)), level: self.level - 1 }
    }
}

/// Voxels in a cube of this level.
#[inline]
pub(super) fn volume(level: u32) -> u64 {
    1 << (3 * level)
}

/// The number of voxel `p` in its leaf: x slowest, z fastest.
#[inline]
pub(super) fn leaf_index(p: IVec3) -> usize {
    ((p.x & 3) << 4 | (p.y & 3) << 2 | (p.z & 3)) as usize
}
