//! Reading voxel after voxel along a way, most of which lie in the brick of the one before.

use barchan_volume::brick::{VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;

use super::path::Path;
use crate::bodies::BodyFill;
use crate::columns::{FULL_SLACK, FullSoil};
use crate::ground::Ground;
use crate::material::Materials;
use crate::reader::BARRIER_SHARE;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Ground and bodies, as soil on its way sees them.
pub(super) struct Cursor<'a> {
    voxels: &'a Grid<Voxel>,
    shares: &'a Grid<u16>,
    materials: &'a Materials,
    bounds: Option<VoxelBox>,
    here: Entered<'a>,
    /// Bricks that it was in before: many ways lie beside each other.
    before: Vec<Entered<'a>>,
    full: FullSoil,
}

/// A brick that was looked up.
#[derive(Clone, Copy)]
struct Entered<'a> {
    coord: IVec3,
    brick: Option<&'a Brick<Voxel>>,
    body: Option<&'a Brick<u16>>,
    kind: BrickKind<'a>,
}

impl Entered<'_> {
    /// Not a brick of any world, so that the first look fetches one.
    const NOWHERE: Self = Self { coord: IVec3::MAX, brick: None, body: None, kind: BrickKind::Mixed };
}

/// How many bricks are kept: those of some ways, whatever their direction.
const KEPT: usize = 256;

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
        let (bounds, full) = (ground.bounds(), FullSoil::default());
        let before = vec![Entered::NOWHERE; KEPT];
        Self { voxels, shares, materials, bounds, here: Entered::NOWHERE, before, full }
    }

    /// The share of voxel `p` that is free (1/32,768), 0 where soil fills it but for the slack; none where soil cannot
    /// pass.
    #[inline]
    pub(super) fn probe(&mut self, p: IVec3) -> Option<u32> {
        let coord = brick_of(p);
        if coord != self.here.coord {
            self.enter(coord);
        }
        match self.here.kind {
            BrickKind::Even(free) => Some(free),
            BrickKind::Open(voxels) => {
                let voxel = &voxels[voxel_index(p)];
                let is_full = voxel.rock == 0 && self.full.is_full(voxel);
                if is_full { Some(0) } else { free_share(voxel, 0, self.materials) }
            }
            BrickKind::Mixed => self.probe_mixed(p),
        }
    }

    fn probe_mixed(&self, p: IVec3) -> Option<u32> {
        if self.bounds.is_some_and(|bounds| !bounds.contains(p)) {
            return None;
        }
        let at = voxel_index(p);
        let Entered { brick, body, .. } = self.here;
        let voxel = brick.map_or(Voxel::AIR, |brick| brick.get(at));
        free_share(&voxel, body.map_or(0, |shares| shares.get(at)), self.materials)
    }

    /// Lets a path go on through soil that leaves no room, as far as it stays in the brick that was looked at last.
    pub(super) fn pass_full(&mut self, path: &mut Path) {
        let Entered { coord, brick, body, kind } = self.here;
        let full = &mut self.full;
        let mut is_full = |voxel: &Voxel| voxel.rock == 0 && full.is_full(voxel);
        match (brick, body) {
            (Some(Brick::Dense(voxels)), None) => path.pass(coord, |at| is_full(&voxels[at])),
            (Some(Brick::Dense(voxels)), Some(shares)) => {
                path.pass(coord, |at| shares.get(at) == 0 && is_full(&voxels[at]));
            }
            _ if matches!(kind, BrickKind::Even(free) if free < FULL_SLACK) => path.pass(coord, |_| true),
            _ => {}
        }
    }

    /// The share of voxel `p` that bodies take (1/32,768).
    #[inline]
    pub(super) fn body_share(&mut self, p: IVec3) -> u16 {
        let coord = brick_of(p);
        if coord != self.here.coord {
            self.enter(coord);
        }
        self.here.body.map_or(0, |shares| shares.get(voxel_index(p)))
    }

    fn enter(&mut self, coord: IVec3) {
        // Neighbours do not share a place.
        let slot = (coord.x ^ coord.y << 3 ^ coord.z << 5) as usize % KEPT;
        if self.before[slot].coord != coord {
            self.before[slot] = self.look_up(coord);
        }
        self.here = self.before[slot];
    }

    fn look_up(&self, coord: IVec3) -> Entered<'a> {
        let (brick, body) = (self.voxels.stored(coord), self.shares.stored(coord));
        let is_inside = self.bounds.is_none_or(|bounds| bounds.contains_box(&brick_box(coord)));
        let is_plain = is_inside && body.is_none();
        let kind = match brick {
            Some(Brick::Dense(voxels)) if is_plain => BrickKind::Open(voxels),
            brick if is_plain => {
                let voxel = brick.and_then(Brick::uniform).unwrap_or(Voxel::AIR);
                free_share(&voxel, 0, self.materials).map_or(BrickKind::Mixed, BrickKind::Even)
            }
            _ => BrickKind::Mixed,
        };
        Entered { coord, brick, body, kind }
    }
}

/// The share of a voxel that is free beside a body that takes `body` of it (1/32,768); none where soil cannot pass.
#[inline]
pub(super) fn free_share(voxel: &Voxel, body: u16, materials: &Materials) -> Option<u32> {
    let solid = voxel.rock_share(materials) + u32::from(body);
    (solid < BARRIER_SHARE).then(|| LOOSE_FULL.saturating_sub(solid + voxel.soil_share()))
}
