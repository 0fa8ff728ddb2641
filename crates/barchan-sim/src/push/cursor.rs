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
    here: Entered<'a>,
    /// Bricks that it was in before, where it comes back to them; else none.
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

/// How many bricks are kept where many ways lie beside each other: those of some ways, whatever their direction.
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
        Self { voxels, shares, materials, bounds, here: Entered::NOWHERE, before: Vec::new(), full }
    }

    /// One that keeps what it has looked up, for many ways that lie beside each other.
    pub(super) fn for_many(self) -> Self {
        Self { before: vec![Entered::NOWHERE; KEPT], ..self }
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
        if coord != self.here.coord {
            self.enter(coord);
        }
        match self.here.kind {
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
        let Entered { brick, body, .. } = self.here;
        let voxel = brick.map_or(Voxel::AIR, |brick| brick.get(at));
        self.free(&voxel, body.map_or(0, |shares| u32::from(shares.get(at))))
    }

    fn enter(&mut self, coord: IVec3) {
        if self.before.is_empty() {
            self.here = self.look_up(coord);
            return;
        }
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
                self.free(&voxel, 0).map_or(BrickKind::Mixed, BrickKind::Even)
            }
            _ => BrickKind::Mixed,
        };
        Entered { coord, brick, body, kind }
    }

    #[inline]
    fn free(&self, voxel: &Voxel, body: u32) -> Option<u32> {
        let solid = voxel.rock_share(self.materials) + body;
        (solid < SOLID).then(|| LOOSE_FULL.saturating_sub(solid + voxel.soil_share()))
    }
}
