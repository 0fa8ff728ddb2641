//! The process: soil in the air gathers speed, moves by it and lands.

use barchan_volume::Grid;
use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::aslant::fall_aslant;
use super::hanging::hanging;
use super::straight::{fall_straight, is_straight};
use crate::columns::{Space, downward};
use crate::ground::Ground;
use crate::material::Materials;

/// Most parts that a step is cut into.
const MOST_PARTS: u32 = 64;

/// What falling did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FallReport {
    /// Soil that moved to another voxel, as often as it did (units).
    pub fell: i64,
    /// Voxels of soil that are in the air after the step.
    pub in_the_air: usize,
    /// True when soil was so fast that it would have crossed more voxels than a step has parts; it was slowed down.
    pub hit_limit: bool,
}

/// Soil in the air.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moving {
    /// Which voxel.
    pub at: [i32; 3],
    /// Its velocity (m/s).
    pub velocity_m_s: [f32; 3],
}

/// The process that lets soil fall, and the soil that is falling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fall {
    /// From the lowest voxel up.
    moving: Vec<Moving>,
}

/// Places from the lowest up, with a velocity (m/s).
pub(super) type Velocities = Vec<([i32; 3], Vec3)>;

impl Fall {
    /// The soil that is in the air, from the lowest voxel up.
    pub fn moving(&self) -> &[Moving] {
        &self.moving
    }

    /// True when every velocity is a number.
    pub fn is_sound(&self) -> bool {
        self.moving.iter().flat_map(|moving| moving.velocity_m_s).all(f32::is_finite)
    }

    /// Adds what decides the future to a digest.
    pub(crate) fn digest(&self, hasher: &mut Xxh3) {
        for moving in &self.moving {
            moving.at.iter().for_each(|at| hasher.update(&at.to_le_bytes()));
            moving.velocity_m_s.iter().for_each(|v| hasher.update(&v.to_bits().to_le_bytes()));
        }
    }

    /// Lets soil fall for `dt_s` (s) under `gravity` (m/s²).
    pub fn step(
        &mut self,
        dt_s: f64,
        gravity: Vec3,
        body_shares: &Grid<u16>,
        materials: &Materials,
        ground: &mut Ground,
    ) -> FallReport {
        let mut report = FallReport::default();
        if downward(gravity).is_none() {
            self.moving.clear();
            return report;
        }
        let mut velocities = self.in_the_air(&Space::new(ground, body_shares, materials));
        if !velocities.is_empty() {
            let course = Course::new(&velocities, gravity, dt_s as f32, ground.voxel_size_m());
            report.hit_limit = course.hits_limit;
            let fall = if is_straight(&velocities, gravity) { fall_straight } else { fall_aslant };
            (report.fell, velocities) = fall(velocities, &course, body_shares, materials, ground);
        }
        let moving =
            velocities.iter().map(|(at, v)| Moving { at: from_key(*at), velocity_m_s: v.to_array() });
        self.moving = moving.collect();
        report.in_the_air = self.moving.len();
        report
    }

    /// What was in the air and still is, and what has come to hang there.
    fn in_the_air(&self, space: &Space<'_>) -> Velocities {
        let mut velocities: Velocities = hanging(space).into_iter().map(|p| (key(p), Vec3::ZERO)).collect();
        let mut asleep = Velocities::new();
        // The first of two in one voxel counts, which only a damaged file could hold.
        for moving in self.moving.iter().rev() {
            let (p, velocity) = (IVec3::from_array(moving.at), Vec3::from_array(moving.velocity_m_s));
            match velocities.binary_search_by_key(&key(p), |(at, _)| *at) {
                Ok(place) => velocities[place].1 = velocity,
                Err(_) if space.hangs(p) => asleep.push((key(p), velocity)),
                Err(_) => {}
            }
        }
        velocities.extend(asleep.into_iter().rev());
        velocities.sort_by_key(|(at, _)| *at);
        velocities.dedup_by_key(|(at, _)| *at);
        velocities
    }
}

/// How a step is cut, and what soil gains in each part.
pub(super) struct Course {
    /// Parts of the step: nothing crosses more than a voxel in one of them.
    pub parts: u32,
    /// Velocity that gravity adds in a part (m/s).
    pub gain: Vec3,
    /// Way in a part by speed (voxels per m/s).
    pub voxels_per_speed: f32,
    hits_limit: bool,
}

impl Course {
    fn new(velocities: &Velocities, gravity: Vec3, dt_s: f32, voxel_size_m: f32) -> Self {
        let fastest = velocities.iter().map(|(_, v)| v.abs().max_element()).fold(0.0, f32::max);
        let voxels = (fastest + gravity.length() * dt_s) * dt_s / voxel_size_m;
        let parts = (voxels.ceil() as u32).clamp(1, MOST_PARTS);
        let part_s = dt_s / parts as f32;
        let hits_limit = voxels > MOST_PARTS as f32;
        Self { parts, gain: gravity * part_s, voxels_per_speed: part_s / voxel_size_m, hits_limit }
    }
}

/// Voxels in the order in which they fall: lower soil makes room for what is above it.
pub(super) fn key(p: IVec3) -> [i32; 3] {
    [p.z, p.x, p.y]
}

pub(super) fn from_key([z, x, y]: [i32; 3]) -> [i32; 3] {
    [x, y, z]
}

#[cfg(test)]
mod tests {
    use barchan_volume::VoxelBox;

    use super::*;
    use crate::material::MaterialId;
    use crate::units::{LOOSE_FULL, VoidRatio};
    use crate::voxel::{Parcel, Voxel};

    /// Lumps of sand in the air beside and above plates of a body, some of it already falling.
    fn scene() -> (Ground, Grid<u16>, Velocities) {
        let walls = VoxelBox::new(IVec3::ZERO, IVec3::splat(24));
        let (mut ground, mut shares) = (Ground::new(0.1, Some(walls)), Grid::new(0));
        let mut seed = 1_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for p in walls.cells() {
            if random(60) == 0 {
                shares.set(p, random(32_769) as u16);
            }
            if random(3) > 0 {
                let units = random(LOOSE_FULL - u32::from(shares.get(p)) + 1) as u16;
                let parcel =
                    Parcel { units, kind: MaterialId(0), void_ratio: VoidRatio::REFERENCE, moisture: 0 };
                ground.voxel_mut(p).add_soil(parcel);
            }
        }
        let (materials, mut fall) = (Materials::builtin(), Fall::default());
        ground.wake_all();
        let hanging = hanging(&Space::new(&ground, &shares, &materials));
        let moving = hanging.iter().step_by(3).map(|p| {
            let speed = -(random(800) as f32) * 0.01;
            Moving { at: p.to_array(), velocity_m_s: [0.0, 0.0, speed] }
        });
        fall.moving = moving.collect();
        let velocities = fall.in_the_air(&Space::new(&ground, &shares, &materials));
        (ground, shares, velocities)
    }

    #[test]
    fn columns_by_themselves_fall_as_all_of_them_together() {
        let (start, shares, velocities) = scene();
        let (materials, gravity) = (Materials::builtin(), Vec3::new(0.0, 0.0, -9.81));
        let run = |fall: fn(_, &Course, &Grid<u16>, &Materials, &mut Ground) -> (i64, Velocities)| {
            let (mut ground, mut velocities, mut sums) = (start.clone(), velocities.clone(), Vec::new());
            for dt_s in [0.01, 0.03, 0.001, 0.02] {
                let course = Course::new(&velocities, gravity, dt_s, 0.1);
                let (fell, after) = fall(velocities, &course, &shares, &materials, &mut ground);
                velocities = after;
                sums.push((fell, velocities.clone()));
            }
            (ground.voxels().clone(), sums)
        };
        let (straight, aslant) = (run(fall_straight), run(fall_aslant));
        assert!(straight.1.iter().all(|(fell, _)| *fell > 0));
        assert_eq!(straight.1, aslant.1);
        assert!(straight.0 == aslant.0, "the same ground");
        assert_ne!(straight.0.get(IVec3::ZERO), Voxel::AIR);
    }
}
