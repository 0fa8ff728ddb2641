//! Reading voxel after voxel along a way, most of which lie in the brick of the one before.

use barchan_volume::brick::{VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;

use crate::bodies::BodyFill;
use crate::columns::FullSoil;
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
    kind: BrickKind<'a>,
    full: FullSoil,
}

/// How the voxels of a brick are read.
#[derive(Clone, Copy)]
enum BrickKind<'a> {
    /// No wall and no body; this much is free in each (1/32,768).
    Even(u32),
    /// No wall and no body.
    Open(&'a [Voxel; VOXELS]),
    /// Anything.
    Mixed,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(ground: &'a Ground, body_fill: &'a BodyFill, materials: &'a Materials) -> Self {
        let (voxels, shares) = (ground.voxels(), body_fill.shares());
        let bounds = ground.bounds();
        // Not a brick of any world, so that the first look fetches one.
        let coord = IVec3::MAX;
        let (kind, full) = (BrickKind::Mixed, FullSoil::default());
        Self { voxels, shares, materials, bounds, coord, brick: None, body: None, kind, full }
    }

    /// True where soil cannot pass: wall, and voxels that rock and bodies fill.
    pub(super) fn is_blocked(&mut self, p: IVec3) -> bool {
        self.probe(p).is_none()
    }

    /// The share of voxel `p` that is free (1/32,768), 0 where soil fills it but for the slack; none where soil cannot
    /// pass.
    #[inline]
    pub(super) fn probe(&mut self, p: IVec3) -> Option<u32> {
        let coord = brick_of(p);
        if coord != self.coord {
            self.enter(coord);
        }
        match self.kind {
            BrickKind::Even(free) => Some(free),
            BrickKind::Open(voxels) => {
                let voxel = &voxels[voxel_index(p)];
                let is_full = voxel.rock == 0 && self.full.is_full(voxel);
                if is_full { Some(0) } else { self.free(voxel, 0) }
            }
            BrickKind::Mixed => self.probe_mixed(p),
        }
    }

    fn probe_mixed(&self, p: IVec3) -> Option<u32> {
        if self.bounds.is_some_and(|bounds| !bounds.contains(p)) {
            return None;
        }
        let at = voxel_index(p);
        let voxel = self.brick.map_or(Voxel::AIR, |brick| brick.get(at));
        self.free(&voxel, self.body.map_or(0, |shares| u32::from(shares.get(at))))
    }

    fn enter(&mut self, coord: IVec3) {
        self.coord = coord;
        self.brick = self.voxels.stored(coord);
        self.body = self.shares.stored(coord);
        let is_inside = self.bounds.is_none_or(|bounds| bounds.contains_box(&brick_box(coord)));
        let is_plain = is_inside && self.body.is_none();
        self.kind = match self.brick {
            Some(Brick::Dense(voxels)) if is_plain => BrickKind::Open(voxels),
            brick if is_plain => {
                let voxel = brick.and_then(Brick::uniform).unwrap_or(Voxel::AIR);
                self.free(&voxel, 0).map_or(BrickKind::Mixed, BrickKind::Even)
            }
            _ => BrickKind::Mixed,
        };
    }

    #[inline]
    fn free(&self, voxel: &Voxel, body: u32) -> Option<u32> {
        let solid = voxel.rock_share(self.materials) + body;
        (solid < SOLID).then(|| LOOSE_FULL.saturating_sub(solid + voxel.soil_share()))
    }
}
