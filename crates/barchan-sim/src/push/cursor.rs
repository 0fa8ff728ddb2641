//! Reading voxel after voxel along a way, most of which lie in the brick of the one before.

use barchan_volume::brick::{brick_of, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;

use crate::bodies::BodyFill;
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// From this share on, rock and bodies let no soil pass (1/32,768). Half a voxel: a plate may lie in two voxels and fill
/// neither.
const SOLID: u32 = LOOSE_FULL / 2;

/// Ground and bodies, as soil on its way sees them.
pub(super) struct Cursor<'a> {
    voxels: &'a Grid<Voxel>,
    shares: &'a Grid<u16>,
    materials: &'a Materials,
    bounds: Option<VoxelBox>,
    coord: IVec3,
    brick: Option<&'a Brick<Voxel>>,
    body: Option<&'a Brick<u16>>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(ground: &'a Ground, body_fill: &'a BodyFill, materials: &'a Materials) -> Self {
        let (voxels, shares) = (ground.voxels(), body_fill.shares());
        let coord = IVec3::ZERO;
        let (brick, body) = (voxels.stored(coord), shares.stored(coord));
        Self { voxels, shares, materials, bounds: ground.bounds(), coord, brick, body }
    }

    /// True where soil cannot pass: wall, and voxels that rock and bodies fill.
    #[inline]
    pub(super) fn is_blocked(&mut self, p: IVec3) -> bool {
        if self.bounds.is_some_and(|bounds| !bounds.contains(p)) {
            return true;
        }
        let (voxel, body) = self.look(p);
        voxel.rock_share(self.materials) + body >= SOLID
    }

    /// The share of voxel `p` that is free (1/32,768).
    #[inline]
    pub(super) fn free(&mut self, p: IVec3) -> u32 {
        let (voxel, body) = self.look(p);
        LOOSE_FULL.saturating_sub(voxel.rock_share(self.materials) + voxel.soil_share() + body)
    }

    #[inline]
    fn look(&mut self, p: IVec3) -> (Voxel, u32) {
        let (coord, at) = (brick_of(p), voxel_index(p));
        if coord != self.coord {
            self.coord = coord;
            self.brick = self.voxels.stored(coord);
            self.body = self.shares.stored(coord);
        }
        let voxel = self.brick.map_or(Voxel::AIR, |brick| brick.get(at));
        (voxel, self.body.map_or(0, |shares| u32::from(shares.get(at))))
    }
}
