//! Integer boxes of voxels (or of bricks), half-open: `min` is inside, `max` is not.

use glam::IVec3;
use serde::{Deserialize, Serialize};

/// A half-open box of grid cells. Empty when any side is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoxelBox {
    /// Lowest cell inside (cells).
    pub min: IVec3,
    /// First cell beyond, on each axis (cells).
    pub max: IVec3,
}

impl VoxelBox {
    /// The box from `min` (inside) to `max` (outside).
    pub const fn new(min: IVec3, max: IVec3) -> Self {
        Self { min, max }
    }

    /// The one cell `p`.
    pub fn cell(p: IVec3) -> Self {
        Self::new(p, p + IVec3::ONE)
    }

    /// Number of cells along each axis, zero where the box is empty.
    pub fn size(&self) -> [usize; 3] {
        let side = |a: i32, b: i32| (i64::from(b) - i64::from(a)).max(0) as usize;
        [side(self.min.x, self.max.x), side(self.min.y, self.max.y), side(self.min.z, self.max.z)]
    }

    /// Number of cells in the box; never overflows (three sides of at most 2³² each).
    pub fn volume(&self) -> u128 {
        self.size().iter().map(|&side| side as u128).product()
    }

    /// True when no cell is inside.
    pub fn is_empty(&self) -> bool {
        self.volume() == 0
    }

    /// True when `p` is inside.
    pub fn contains(&self, p: IVec3) -> bool {
        self.min.cmple(p).all() && p.cmplt(self.max).all()
    }

    /// True when every cell of `other` is inside.
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (self.min.cmple(other.min).all() && other.max.cmple(self.max).all())
    }

    /// The cells that are in both.
    pub fn intersect(&self, other: &Self) -> Self {
        Self::new(self.min.max(other.min), self.max.min(other.max))
    }

    /// The smallest box around both; an empty one adds nothing.
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            *other
        } else if other.is_empty() {
            *self
        } else {
            Self::new(self.min.min(other.min), self.max.max(other.max))
        }
    }

    /// The box with `margin` cells more on every side.
    pub fn grow(&self, margin: i32) -> Self {
        let m = IVec3::splat(margin);
        Self::new(self.min.saturating_sub(m), self.max.saturating_add(m))
    }

    /// The box of bricks that hold these voxels.
    pub fn to_bricks(&self) -> Self {
        if self.is_empty() {
            return Self::new(IVec3::ZERO, IVec3::ZERO);
        }
        Self::new(self.min >> 3, ((self.max - IVec3::ONE) >> 3) + IVec3::ONE)
    }

    /// Every cell, x slowest and z fastest: the order of all dense arrays in this crate.
    pub fn cells(&self) -> impl Iterator<Item = IVec3> + use<> {
        let Self { min, max } = *self;
        (min.x..max.x).flat_map(move |x| {
            (min.y..max.y).flat_map(move |y| (min.z..max.z).map(move |z| IVec3::new(x, y, z)))
        })
    }

    /// Where cell `p` lies in a dense array of this box. `p` must be inside.
    pub fn index(&self, p: IVec3) -> usize {
        debug_assert!(self.contains(p));
        let [_, sy, sz] = self.size();
        let d = p - self.min;
        (d.x as usize * sy + d.y as usize) * sz + d.z as usize
    }
}
