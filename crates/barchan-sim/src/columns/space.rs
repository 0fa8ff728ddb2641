//! Ground and bodies together: where soil fits, and what carries it.

use barchan_volume::Grid;
use glam::{IVec3, Vec3};

use crate::ground::Ground;
use crate::material::Materials;
use crate::reader::BARRIER_SHARE;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Voxel;

/// Free share of a voxel below which it counts as full (1/32,768): more than rounding leaves, less than anyone sees.
pub(crate) const FULL_SLACK: u32 = LOOSE_FULL / 128;

/// By how much rock and bodies must take less of the voxel above than of a voxel itself for their upper side to lie
/// in it (1/32,768). Soil rests on an upper side; along a wall that merely cuts the voxel it comes down.
pub(crate) const LEDGE_SHARE: u32 = LOOSE_FULL / 8;

/// How strong gravity is where it points mainly down, so that soil falls and slides (m/s²); none where it does not, or
/// is not a number.
pub(crate) fn downward(gravity: Vec3) -> Option<f32> {
    (-gravity.z > gravity.truncate().length()).then_some(-gravity.z)
}

/// True when the upper side of what takes `solid` of a voxel, and `above` of the next, lies in the voxel.
#[inline]
pub(crate) fn is_ledge(solid: u32, above: u32) -> bool {
    solid >= LEDGE_SHARE && solid >= above + LEDGE_SHARE
}

/// Tells voxels that soil alone fills from others, soonest for soil like that of the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullSoil {
    void_ratio: VoidRatio,
    /// A voxel with more soil than this is full (units).
    nearly_full: u32,
}

impl Default for FullSoil {
    fn default() -> Self {
        Self::like(VoidRatio::REFERENCE)
    }
}

impl FullSoil {
    fn like(void_ratio: VoidRatio) -> Self {
        Self { void_ratio, nearly_full: void_ratio.units_in(LOOSE_FULL - FULL_SLACK) }
    }

    /// True when the soil of `voxel` takes all of it but for the slack.
    #[inline]
    pub fn is_full(&mut self, voxel: &Voxel) -> bool {
        if voxel.top_void_ratio != self.void_ratio {
            // Air says nothing about the soil to come.
            if !voxel.has_soil() {
                return false;
            }
            *self = Self::like(voxel.top_void_ratio);
        }
        if voxel.under == 0 {
            u32::from(voxel.top) > self.nearly_full
        } else {
            voxel.soil_share() > LOOSE_FULL - FULL_SLACK
        }
    }
}

/// The space that soil may take: inside the walls, beside rock and bodies.
#[derive(Clone, Copy)]
pub struct Space<'a> {
    /// The ground.
    pub ground: &'a Ground,
    /// The share of each voxel that bodies take (1/32,768).
    pub body_shares: &'a Grid<u16>,
    /// The materials.
    pub materials: &'a Materials,
    /// The lowest voxel that anything falls to (voxels).
    pub lowest: i32,
}

impl<'a> Space<'a> {
    /// The space in `ground` that `body_shares` leave.
    pub fn new(ground: &'a Ground, body_shares: &'a Grid<u16>, materials: &'a Materials) -> Self {
        Self { ground, body_shares, materials, lowest: ground.floor_z() }
    }

    /// True where there can never be soil: in the walls and below the lowest voxel.
    #[inline]
    pub fn is_outside(&self, p: IVec3) -> bool {
        p.z < self.lowest || self.ground.is_wall(p)
    }

    /// The share of voxel `p` that rock and bodies take (1/32,768).
    #[inline]
    pub fn solid_share(&self, p: IVec3) -> u32 {
        self.solid(&self.ground.get(p), self.body_shares.get(p))
    }

    /// How many more units of soil at `void_ratio` fit into voxel `p`.
    pub fn room(&self, p: IVec3, void_ratio: VoidRatio) -> u32 {
        if self.is_outside(p) {
            return 0;
        }
        self.ground.get(p).room(void_ratio, u32::from(self.body_shares.get(p)), self.materials)
    }

    /// True when soil from above can enter voxel `p`.
    pub fn is_open(&self, p: IVec3) -> bool {
        self.is_open_as(p, &mut self.clone())
    }

    /// True when something carries the soil of voxel `p`: what is below is full, or rock or a body ends in it.
    pub fn is_carried(&self, p: IVec3) -> bool {
        self.is_carried_as(p, &mut self.clone())
    }

    /// True when soil in voxel `p` hangs in the air.
    pub fn hangs(&self, p: IVec3) -> bool {
        self.hangs_as(p, &mut self.clone())
    }

    /// True when soil in voxel `p` hangs in the air where the ground is as `look` says.
    pub(crate) fn hangs_as(&self, p: IVec3, look: &mut impl Look) -> bool {
        look.look(p).0.has_soil() && !self.is_carried_as(p, look)
    }

    pub(crate) fn is_carried_as(&self, p: IVec3, look: &mut impl Look) -> bool {
        let solid = self.solid_as(p, look);
        !self.is_open_below(p - IVec3::Z, look, |_| solid) || self.is_ledge_at(p, solid, look)
    }

    pub(crate) fn is_open_as(&self, p: IVec3, look: &mut impl Look) -> bool {
        self.is_open_below(p, look, |look| self.solid_as(p + IVec3::Z, look))
    }

    /// True when soil can enter voxel `p` from the voxel above it, of which rock and bodies take what `solid_above` says.
    #[inline]
    fn is_open_below<L: Look>(
        &self,
        p: IVec3,
        look: &mut L,
        solid_above: impl FnOnce(&mut L) -> u32,
    ) -> bool {
        if self.is_outside(p) {
            return false;
        }
        let (voxel, body) = look.look(p);
        let solid = self.solid(&voxel, body);
        LOOSE_FULL.saturating_sub(solid + voxel.soil_share()) >= FULL_SLACK
            && (solid < BARRIER_SHARE || is_ledge(solid, solid_above(look)))
    }

    /// True when what takes `solid` of voxel `p` ends in it.
    #[inline]
    fn is_ledge_at(&self, p: IVec3, solid: u32, look: &mut impl Look) -> bool {
        // Most voxels hold neither rock nor body: the one above need not be looked at.
        solid >= LEDGE_SHARE && is_ledge(solid, self.solid_as(p + IVec3::Z, look))
    }

    #[inline]
    fn solid_as(&self, p: IVec3, look: &mut impl Look) -> u32 {
        let (voxel, body) = look.look(p);
        self.solid(&voxel, body)
    }

    /// The share of a voxel that rock and bodies take (1/32,768).
    #[inline]
    pub(crate) fn solid(&self, voxel: &Voxel, body: u16) -> u32 {
        (voxel.rock_share(self.materials) + u32::from(body)).min(LOOSE_FULL)
    }
}

/// Ground and bodies to look at, voxel by voxel.
pub(crate) trait Look {
    /// Voxel `p` and the share that bodies take of it (1/32,768).
    fn look(&mut self, p: IVec3) -> (Voxel, u16);
}

impl Look for Space<'_> {
    fn look(&mut self, p: IVec3) -> (Voxel, u16) {
        (self.ground.get(p), self.body_shares.get(p))
    }
}
