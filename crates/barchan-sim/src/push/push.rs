//! The process: find the soil that no longer fits, and carry it to where it does.

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use glam::{IVec3, Vec3};

use super::path::{Path, direction};
use crate::bodies::{Bodies, BodyFill};
use crate::ground::Ground;
use crate::material::{MaterialId, Materials};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// How soil is pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushParams {
    /// Voxels that soil is carried at most before the nearest free place is looked for (voxels).
    pub longest_path: u32,
    /// How far around its place such a free place is looked for (voxels).
    pub search_reach: i32,
}

impl Default for PushParams {
    fn default() -> Self {
        Self { longest_path: 4096, search_reach: 24 }
    }
}

/// What pushing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushReport {
    /// Soil that was moved (units).
    pub moved: i64,
    /// Soil that found no room anywhere and stayed beside or inside a body (units).
    pub trapped: i64,
}

/// The process that makes room for bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// How.
    pub params: PushParams,
}

impl Push {
    /// Makes room in `bricks`, whose body shares changed.
    pub fn step(
        &self,
        bricks: &[IVec3],
        bodies: &Bodies,
        body_fill: &BodyFill,
        materials: &Materials,
        ground: &mut Ground,
    ) -> PushReport {
        let mut site = Site { ground, body_fill, materials };
        let mut report = PushReport::default();
        for coord in bricks {
            for (p, excess) in site.overfull(*coord) {
                let parcel = site.take(p, excess);
                let course = direction(p, parcel.kind, bodies, &site);
                // Where one search found nothing, the next would find nothing either.
                let search_reach = if report.trapped > 0 { 0 } else { self.params.search_reach };
                let left = self.carry(p, course, parcel, search_reach, &mut site);
                report.moved += i64::from(parcel.units - left.units);
                report.trapped += i64::from(left.units);
                site.put_back(p, left);
            }
        }
        report
    }

    /// Carries `parcel` from `p` to where it fits; gives back what fits nowhere.
    fn carry(
        &self,
        p: IVec3,
        course: Vec3,
        mut parcel: Parcel,
        search_reach: i32,
        site: &mut Site<'_>,
    ) -> Parcel {
        let mut path = Path::new(p, course);
        for _ in 0..self.params.longest_path {
            let Some(next) = path.next(|q| site.is_blocked(q)) else { break };
            site.drop_at(next, &mut parcel);
            if parcel.units == 0 {
                return parcel;
            }
        }
        for reach in 1..=search_reach {
            for q in shell(p, reach) {
                if !site.is_blocked(q) {
                    site.drop_at(q, &mut parcel);
                }
                if parcel.units == 0 {
                    return parcel;
                }
            }
        }
        parcel
    }
}

/// The voxels at Chebyshev distance `reach` from `p`, the highest first.
fn shell(p: IVec3, reach: i32) -> impl Iterator<Item = IVec3> {
    let span = -reach..=reach;
    span.clone().rev().flat_map(move |z| {
        let span = span.clone();
        span.clone().flat_map(move |x| {
            let whole = z.abs() == reach || x.abs() == reach;
            let step = if whole { 1 } else { 2 * reach as usize };
            span.clone().step_by(step).map(move |y| p + IVec3::new(x, y, z))
        })
    })
}

/// Ground and bodies, as a parcel on its way sees them.
pub(super) struct Site<'a> {
    ground: &'a mut Ground,
    pub(super) body_fill: &'a BodyFill,
    pub(super) materials: &'a Materials,
}

impl Site<'_> {
    pub(super) fn voxel_size_m(&self) -> f32 {
        self.ground.voxel_size_m()
    }

    /// The voxels of a brick whose soil does not fit beside the bodies, with how much is too much (units).
    fn overfull(&self, coord: IVec3) -> Vec<(IVec3, u16)> {
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
            let free = LOOSE_FULL.saturating_sub(voxel.rock_share(self.materials) + body);
            let excess = u32::from(voxel.soil).saturating_sub(voxel.void_ratio.units_in(free));
            (excess > 0).then(|| (voxel_at(coord, at), excess as u16))
        };
        (0..VOXELS).filter_map(over).collect()
    }

    /// Takes soil out of a voxel and loosens it.
    fn take(&mut self, p: IVec3, units: u16) -> Parcel {
        let parcel = self.ground.voxel_mut(p).take_soil(u32::from(units));
        let loose = VoidRatio::from_f32(self.materials[parcel.kind].void_ratio_loose);
        Parcel { void_ratio: loose.max(parcel.void_ratio), ..parcel }
    }

    /// Puts soil that fits nowhere back where it was, as dense as it was squeezed: a voxel always holds its own soil.
    fn put_back(&mut self, p: IVec3, parcel: Parcel) {
        let dense = VoidRatio::from_f32(self.materials[parcel.kind].void_ratio_dense);
        self.ground.voxel_mut(p).add_soil(Parcel { void_ratio: dense, ..parcel });
    }

    /// Lets `parcel` go in voxel `p`: it falls to the ground below and fills the column from there up to `p`.
    fn drop_at(&mut self, p: IVec3, parcel: &mut Parcel) {
        let mut bottom = p;
        if self.room(p, parcel.void_ratio) == 0 {
            return;
        }
        let lowest = self.ground.floor_z();
        while bottom.z > lowest {
            let below = bottom - IVec3::Z;
            if self.is_blocked(below) || self.room(below, parcel.void_ratio) == 0 {
                break;
            }
            bottom = below;
        }
        for z in bottom.z..=p.z {
            self.deposit(p.with_z(z), parcel);
        }
    }

    fn room(&self, p: IVec3, void_ratio: VoidRatio) -> u32 {
        let body = u32::from(self.body_fill.shares().get(p));
        self.ground.get(p).room(void_ratio, body, self.materials)
    }

    /// Lets as much of `parcel` stay in voxel `p` as fits.
    fn deposit(&mut self, p: IVec3, parcel: &mut Parcel) {
        let units = self.room(p, parcel.void_ratio).min(u32::from(parcel.units)) as u16;
        if units > 0 {
            self.ground.voxel_mut(p).add_soil(Parcel { units, ..*parcel });
            parcel.units -= units;
        }
    }

    /// True where soil cannot pass: wall, and voxels that rock and bodies fill.
    fn is_blocked(&self, p: IVec3) -> bool {
        let solid = || {
            let voxel = self.ground.get(p);
            voxel.rock_share(self.materials) + u32::from(self.body_fill.shares().get(p))
        };
        self.ground.is_wall(p) || solid() >= LOOSE_FULL
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn shells_are_complete_and_apart() {
        let mut seen = BTreeSet::new();
        for reach in 1..=3 {
            for q in shell(IVec3::new(5, -2, 7), reach) {
                assert_eq!((q - IVec3::new(5, -2, 7)).abs().max_element(), reach);
                assert!(seen.insert(q.to_array()), "{q} twice");
            }
        }
        assert_eq!(seen.len(), 7 * 7 * 7 - 1);
    }
}
