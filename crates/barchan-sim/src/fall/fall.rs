//! The process: look for soil that hangs in the air, from the bottom up, and let it down.

use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use barchan_volume::{Brick, Grid};
use glam::{IVec3, Vec3};
use rayon::prelude::*;

use crate::ground::Ground;
use crate::material::Materials;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Parcel, Voxel};

/// Free share of a voxel below which it counts as full (1/32,768): more than rounding leaves, less than anyone sees.
const FULL_SLACK: u32 = LOOSE_FULL / 512;
/// Share of rock and body in a voxel from which on they carry its soil (1/32,768).
const CARRYING_SHARE: u32 = LOOSE_FULL / 8;

/// What falling did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FallReport {
    /// Soil that fell (units).
    pub fell: i64,
}

/// The process that lets soil down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fall {}

impl Fall {
    /// Lets all soil down that hangs in an awake brick.
    pub fn step(
        &self,
        gravity: Vec3,
        body_shares: &Grid<u16>,
        materials: &Materials,
        ground: &mut Ground,
    ) -> FallReport {
        let mut report = FallReport::default();
        // Also false for gravity that is not a number.
        let points_down = -gravity.z > gravity.truncate().length();
        if !points_down {
            return report;
        }
        let awake: Vec<IVec3> = ground.awake().bricks().collect();
        let lowest = ground.floor_z();
        let view = View { ground, body_shares, materials, lowest };
        let mut hanging: Vec<IVec3> = awake.par_iter().flat_map_iter(|coord| view.hanging(*coord)).collect();
        // Lower soil makes room for what is above it.
        hanging.sort_unstable_by_key(|p| (p.z, p.x, p.y));
        let mut above = Vec::new();
        for p in hanging {
            above.push(p);
            // What rested on soil that fell hangs now, too.
            while let Some(p) = above.pop() {
                let view = View { ground, body_shares, materials, lowest };
                let Some(bottom) = view.hangs(p).then(|| view.landing(p)) else { continue };
                let fell = let_down(p, bottom, body_shares, materials, ground);
                report.fell += i64::from(fell);
                if fell > 0 {
                    above.push(p + IVec3::Z);
                }
            }
        }
        report
    }
}

/// Lets the soil of voxel `p` down into its column from `bottom` on. Returns how much of it left the voxel (units).
fn let_down(
    p: IVec3,
    bottom: IVec3,
    body_shares: &Grid<u16>,
    materials: &Materials,
    ground: &mut Ground,
) -> u16 {
    let parcel = ground.voxel_mut(p).take_soil(u32::MAX);
    let loose = VoidRatio::from_f32(materials[parcel.kind].void_ratio_loose);
    let mut rest = Parcel { void_ratio: loose.max(parcel.void_ratio), ..parcel };
    for z in bottom.z..p.z {
        let q = p.with_z(z);
        let body = u32::from(body_shares.get(q));
        let room = ground.get(q).room(rest.void_ratio, body, materials);
        let units = room.min(u32::from(rest.units)) as u16;
        if units > 0 {
            ground.voxel_mut(q).add_soil(Parcel { units, ..rest });
            rest.units -= units;
        }
    }
    // What does not fit below keeps the density it had, and with it the room it had.
    ground.voxel_mut(p).add_soil(Parcel { units: rest.units, ..parcel });
    parcel.units - rest.units
}

/// Ground and bodies, as falling soil sees them.
struct View<'a> {
    ground: &'a Ground,
    body_shares: &'a Grid<u16>,
    materials: &'a Materials,
    /// [`Ground::floor_z`], looked up once.
    lowest: i32,
}

impl View<'_> {
    /// The voxels of a brick whose soil hangs in the air.
    fn hanging(&self, coord: IVec3) -> Vec<IVec3> {
        let Some(brick) = self.ground.voxels().stored(coord) else { return Vec::new() };
        let bodies = self.body_shares.stored(coord);
        let cells = brick_box(coord);
        // In a brick of one full soil only the lowest layer can hang.
        let solid_soil = matches!(brick, Brick::Uniform(voxel) if self.free(voxel, 0) < FULL_SLACK);
        let layers = if solid_soil && bodies.is_none() { 1 } else { EDGE };
        let mut found = Vec::new();
        for column in (0..VOXELS as i32).step_by(EDGE as usize) {
            for z in 0..layers {
                let at = (column + z) as usize;
                let voxel = brick.get(at);
                if voxel.soil == 0 {
                    continue;
                }
                let p = cells.min + IVec3::new(column / (EDGE * EDGE), column / EDGE % EDGE, z);
                let body = bodies.map_or(0, |shares| u32::from(shares.get(at)));
                let carried = if z == 0 {
                    self.is_carried(p, &voxel, body)
                } else {
                    let below = bodies.map_or(0, |shares| u32::from(shares.get(at - 1)));
                    self.carries_itself(&voxel, body) || self.free(&brick.get(at - 1), below) < FULL_SLACK
                };
                if !carried {
                    found.push(p);
                }
            }
        }
        found
    }

    fn hangs(&self, p: IVec3) -> bool {
        let voxel = self.ground.get(p);
        voxel.soil > 0 && !self.is_carried(p, &voxel, u32::from(self.body_shares.get(p)))
    }

    fn is_carried(&self, p: IVec3, voxel: &Voxel, body: u32) -> bool {
        self.carries_itself(voxel, body) || !self.is_open(p - IVec3::Z)
    }

    fn carries_itself(&self, voxel: &Voxel, body: u32) -> bool {
        voxel.rock_share(self.materials) + body >= CARRYING_SHARE
    }

    /// True when soil from above can enter voxel `p`.
    fn is_open(&self, p: IVec3) -> bool {
        p.z >= self.lowest
            && !self.ground.is_wall(p)
            && self.free(&self.ground.get(p), u32::from(self.body_shares.get(p))) >= FULL_SLACK
    }

    fn free(&self, voxel: &Voxel, body: u32) -> u32 {
        LOOSE_FULL.saturating_sub(voxel.rock_share(self.materials) + voxel.soil_share() + body)
    }

    /// The lowest voxel that soil falling from `p` reaches.
    fn landing(&self, p: IVec3) -> IVec3 {
        let mut bottom = p;
        while self.is_open(bottom - IVec3::Z) {
            bottom -= IVec3::Z;
            let voxel = self.ground.get(bottom);
            let body = u32::from(self.body_shares.get(bottom));
            if voxel.soil > 0 && self.is_carried(bottom, &voxel, body) || self.carries_itself(&voxel, body) {
                break;
            }
        }
        bottom
    }
}
