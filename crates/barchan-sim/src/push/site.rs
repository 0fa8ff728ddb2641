//! Ground and bodies, where soil makes room.

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use glam::IVec3;

use super::cursor::Cursor;
use crate::bodies::BodyFill;
use crate::columns::FULL_SLACK;
use crate::ground::Ground;
use crate::material::{MaterialId, Materials};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// Columns that soil rolls across at most: enough for no tower to stand. The rest is left to slipping, which is cheaper.
const LONGEST_ROLL: usize = 16;

/// Soil that does not fit beside the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    pub voxel: IVec3,
    /// How much is too much (units).
    pub units: u16,
    pub kind: MaterialId,
}

/// Ground and bodies, where soil makes room.
pub(super) struct Site<'a> {
    pub ground: &'a mut Ground,
    pub body_fill: &'a BodyFill,
    pub materials: &'a Materials,
}

impl Site<'_> {
    pub(super) fn voxel_size_m(&self) -> f32 {
        self.ground.voxel_size_m()
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.ground, self.body_fill, self.materials)
    }

    /// The voxels of a brick whose soil does not fit beside the bodies.
    pub(super) fn overfull(&self, coord: IVec3) -> Vec<Excess> {
        let (Some(shares), Some(ground)) =
            (self.body_fill.shares().stored(coord), self.ground.voxels().stored(coord))
        else {
            return Vec::new();
        };
        if matches!(ground, Brick::Uniform(voxel) if voxel.soil == 0) {
            return Vec::new();
        }
        let over = |at: usize| {
            let (voxel, body) = (ground.get(at), u32::from(shares.get(at)));
            if voxel.soil == 0 || body == 0 {
                return None;
            }
            let solid = voxel.rock_share(self.materials) + body;
            if solid + voxel.soil_share() <= LOOSE_FULL {
                return None;
            }
            let fits = voxel.void_ratio.units_in(LOOSE_FULL.saturating_sub(solid));
            let units = u32::from(voxel.soil).saturating_sub(fits) as u16;
            (units > 0).then(|| Excess { voxel: voxel_at(coord, at), units, kind: voxel.soil_kind })
        };
        (0..VOXELS).filter_map(over).collect()
    }

    /// Takes soil out of its voxel and loosens it.
    pub(super) fn take(&mut self, excess: &Excess) -> Parcel {
        let parcel = self.ground.voxel_mut(excess.voxel).take_soil(u32::from(excess.units));
        Parcel { void_ratio: self.loose(parcel.kind).max(parcel.void_ratio), ..parcel }
    }

    fn loose(&self, kind: MaterialId) -> VoidRatio {
        VoidRatio::from_f32(self.materials[kind].void_ratio_loose)
    }

    /// Puts soil that fits nowhere back where it was, as dense as it was squeezed: a voxel always holds its own soil.
    pub(super) fn put_back(&mut self, p: IVec3, parcel: Parcel) {
        let dense = VoidRatio::from_f32(self.materials[parcel.kind].void_ratio_dense);
        self.ground.voxel_mut(p).add_soil(Parcel { void_ratio: dense, ..parcel });
    }

    /// Lets `parcel` go in voxel `p`: it falls to the ground below and fills the column from there up to `p`.
    pub(super) fn drop_at(&mut self, p: IVec3, parcel: &mut Parcel) {
        let bottom = self.landing(p);
        for z in bottom..=p.z {
            if parcel.units > 0 {
                self.deposit(p.with_z(z), parcel);
            }
        }
    }

    /// Where soil in voxel `p` comes to rest when it rolls down whatever is steeper than a voxel, the lowest way first.
    pub(super) fn roll_from(&self, p: IVec3) -> IVec3 {
        let mut cursor = self.cursor();
        let mut is_open = |q: IVec3| cursor.probe(q).is_some_and(|free| free >= FULL_SLACK);
        let mut at = p.with_z(self.landing(p));
        for _ in 0..LONGEST_ROLL {
            let sides = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y].map(|side| at + side);
            let ways = sides.into_iter().filter(|q| is_open(*q) && is_open(q - IVec3::Z));
            let Some(next) = ways.map(|q| q.with_z(self.landing(q))).min_by_key(|q| q.z) else { break };
            at = next;
        }
        at
    }

    /// Height of the lowest voxel that soil falling from `p` reaches.
    fn landing(&self, p: IVec3) -> i32 {
        let mut cursor = self.cursor();
        let mut is_open = |z: i32| cursor.probe(p.with_z(z)).is_some_and(|free| free >= FULL_SLACK);
        let mut bottom = p.z;
        if !is_open(bottom - 1) {
            return bottom;
        }
        let lowest = self.ground.floor_z();
        while bottom > lowest && is_open(bottom - 1) {
            bottom -= 1;
        }
        bottom
    }

    /// Lets as much of `parcel` stay in voxel `p` as fits.
    fn deposit(&mut self, p: IVec3, parcel: &mut Parcel) {
        let body = u32::from(self.body_fill.shares().get(p));
        let room = self.ground.get(p).room(parcel.void_ratio, body, self.materials);
        let units = room.min(u32::from(parcel.units)) as u16;
        if units > 0 {
            self.ground.voxel_mut(p).add_soil(Parcel { units, ..*parcel });
            parcel.units -= units;
        }
    }

    /// Angle of internal friction of a soil (rad).
    pub(super) fn friction_angle(&self, kind: MaterialId) -> f32 {
        self.materials[kind].friction_angle
    }
}

/// The voxel at place `index` of a brick.
fn voxel_at(coord: IVec3, index: usize) -> IVec3 {
    let (x, rest) = (index as i32 / (EDGE * EDGE), index as i32 % (EDGE * EDGE));
    brick_box(coord).min + IVec3::new(x, rest / EDGE, rest % EDGE)
}
