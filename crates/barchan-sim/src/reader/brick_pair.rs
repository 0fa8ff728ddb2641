//! One brick of the ground, together with what bodies take of it.

use barchan_volume::{Brick, Grid};
use glam::IVec3;

use crate::voxel::Voxel;

/// A brick of ground and body shares; none of either where there is nothing.
#[derive(Clone, Copy)]
pub(crate) struct BrickPair<'a> {
    pub ground: Option<&'a Brick<Voxel>>,
    pub bodies: Option<&'a Brick<u16>>,
}

impl<'a> BrickPair<'a> {
    /// Nothing in it.
    pub const EMPTY: Self = Self { ground: None, bodies: None };

    /// The bricks at `coord`.
    pub fn at(coord: IVec3, voxels: &'a Grid<Voxel>, shares: &'a Grid<u16>) -> Self {
        Self { ground: voxels.stored(coord), bodies: shares.stored(coord) }
    }

    /// A voxel and what bodies take of it (1/32,768).
    #[inline]
    pub fn get(&self, at: usize) -> (Voxel, u16) {
        (self.voxel(at), self.body_share(at))
    }

    /// A voxel.
    #[inline]
    pub fn voxel(&self, at: usize) -> Voxel {
        self.ground.map_or(Voxel::AIR, |brick| brick.get(at))
    }

    /// What bodies take of a voxel (1/32,768).
    #[inline]
    pub fn body_share(&self, at: usize) -> u16 {
        self.bodies.map_or(0, |brick| brick.get(at))
    }
}
