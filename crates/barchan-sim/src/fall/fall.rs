//! The process: soil in the air gathers speed, moves by it and lands.

use barchan_volume::{Brick, Grid};
use glam::{IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::hanging::hanging;
use super::riders::with_riders;
use super::straight::{self, is_straight};
use crate::columns::{Patch, Space, downward};
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::VoidRatio;
use crate::voxel::Parcel;

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
        let still = self.moving.iter().filter(|moving| space.hangs(IVec3::from_array(moving.at)));
        let mut velocities: Velocities = still
            .map(|moving| (key(IVec3::from_array(moving.at)), Vec3::from_array(moving.velocity_m_s)))
            .collect();
        velocities.extend(hanging(space).into_iter().map(|p| (key(p), Vec3::ZERO)));
        // Stable: what has a velocity comes before what is found hanging without one.
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

/// Lets soil fall whose columns cannot meet: tile by tile, on all threads. Returns how much left its voxel (units), and
/// what is in the air then.
fn fall_straight(
    mut velocities: Velocities,
    course: &Course,
    body_shares: &Grid<u16>,
    materials: &Materials,
    ground: &mut Ground,
) -> (i64, Velocities) {
    let tile = |[_, x, y]: [i32; 3]| (x >> 3, y >> 3);
    velocities.sort_unstable_by_key(|(at, _)| (tile(*at), at[1], at[2], at[0]));
    let groups: Vec<_> = velocities.chunk_by(|a, b| tile(a.0) == tile(b.0)).collect();
    let space = Space::new(ground, body_shares, materials);
    let fallen: Vec<_> =
        groups.par_iter().with_min_len(2).map(|group| straight::fall(group, course, space)).collect();
    let (mut sum, mut after) = (0, Velocities::with_capacity(velocities.len()));
    for (fell, group, bricks) in fallen {
        sum += fell;
        after.extend(group);
        for (coord, voxels) in bricks {
            ground.replace_brick(coord, Brick::Dense(voxels));
        }
    }
    after.sort_unstable_by_key(|(at, _)| *at);
    (sum, after)
}

/// Lets soil fall in any direction, all of it together. As [`fall_straight`], of which it is the plain version.
fn fall_aslant(
    mut velocities: Velocities,
    course: &Course,
    body_shares: &Grid<u16>,
    materials: &Materials,
    ground: &mut Ground,
) -> (i64, Velocities) {
    let mut sum = 0;
    for _ in 0..course.parts {
        let space = Space::new(ground, body_shares, materials);
        let group = with_riders(&velocities, &space);
        let (fell, after, patch) = Air::new(space).fall(&group, course);
        (sum, velocities) = (sum + fell, after);
        patch.commit(ground);
    }
    (sum, velocities)
}

/// Voxels in the order in which they fall: lower soil makes room for what is above it.
pub(super) fn key(p: IVec3) -> [i32; 3] {
    [p.z, p.x, p.y]
}

pub(super) fn from_key([z, x, y]: [i32; 3]) -> [i32; 3] {
    [x, y, z]
}

/// The ground while soil moves through the air.
struct Air<'a> {
    space: Space<'a>,
    patch: Patch,
    /// Soil that moved or stayed: units and momentum (units m/s).
    after: FxHashMap<[i32; 3], (f32, Vec3)>,
}

impl<'a> Air<'a> {
    fn new(space: Space<'a>) -> Self {
        Self { space, patch: Patch::default(), after: FxHashMap::default() }
    }

    /// Moves all soil of `group` by its velocity and what gravity adds to it. Returns how much left its voxel (units),
    /// what is in the air then, and the changed ground.
    fn fall(mut self, group: &Velocities, course: &Course) -> (i64, Velocities, Patch) {
        // What arrives in a voxel before its own soil has moved does not move on with it.
        let snapshot: Vec<(IVec3, Vec3, u16)> = group
            .iter()
            .map(|(at, v)| {
                let p = IVec3::from_array(from_key(*at));
                (p, *v + course.gain, self.space.ground.get(p).soil)
            })
            .collect();
        let mut fell = 0;
        for (p, velocity, units) in snapshot {
            let shift = (velocity * course.voxels_per_speed).clamp(Vec3::NEG_ONE, Vec3::ONE);
            fell += self.shift(p, velocity, shift, units);
        }
        let velocities = self.settle_velocities(group);
        (fell, velocities, self.patch)
    }

    /// Moves `units` of the soil of voxel `p` by `shift` (voxels).
    fn shift(&mut self, p: IVec3, velocity: Vec3, shift: Vec3, units: u16) -> i64 {
        let (step, part) = (IVec3::from_array(shift.to_array().map(|s| s.signum() as i32)), shift.abs());
        let (mut left, mut locked) = (units, 0);
        // The furthest corner first: there is room in the direction of motion, if anywhere.
        for corner in (1..8).rev() {
            let along = |axis: i32| corner >> axis & 1 == 1;
            let share: f32 = (0..3)
                .map(|axis| if along(axis) { part[axis as usize] } else { 1.0 - part[axis as usize] })
                .product();
            let wanted = (f32::from(units) * share + 0.5) as u16;
            if wanted > 0 {
                let q = p + step * IVec3::from_array([0, 1, 2].map(|axis| i32::from(along(axis))));
                let went = self.carry(p, q, wanted.min(left), velocity);
                locked += wanted.min(left) - went;
                left -= went;
            }
        }
        // What found its way locked has lost its speed, what lags behind has not.
        let free = 1.0 - f32::from(locked.min(left)) / f32::from(left.max(1));
        self.note(p, f32::from(left), velocity * free);
        i64::from(units - left)
    }

    /// Carries up to `units` from `p` to `q`, as far as there is room. Returns how many went.
    fn carry(&mut self, p: IVec3, q: IVec3, units: u16, velocity: Vec3) -> u16 {
        let voxel = self.patch.get(p, &self.space);
        let loose = VoidRatio::from_f32(self.space.materials[voxel.soil_kind].void_ratio_loose);
        let (kind, moisture) = (voxel.soil_kind, voxel.moisture);
        let parcel = Parcel { units: 0, kind, void_ratio: loose.max(voxel.void_ratio), moisture };
        let went = self.patch.put(q, parcel, u32::from(units), &self.space);
        if went > 0 {
            self.patch.take(p, went, &self.space);
            self.note(q, went as f32, velocity);
        }
        went as u16
    }

    fn note(&mut self, p: IVec3, units: f32, velocity: Vec3) {
        let entry = self.after.entry(key(p)).or_insert((0.0, Vec3::ZERO));
        *entry = (entry.0 + units, entry.1 + velocity * units);
    }

    /// The velocities of all that is in the air now: averaged by mass, and none for what lost its hold just now.
    fn settle_velocities(&self, before: &Velocities) -> Velocities {
        let hangs = |p: IVec3| self.space.hangs_as(p, |p| self.patch.get(p, &self.space));
        let mut velocities = Velocities::new();
        for (at, _) in before {
            let mut above = IVec3::from_array(from_key(*at)) + IVec3::Z;
            while !self.after.contains_key(&key(above)) && hangs(above) {
                velocities.push((key(above), Vec3::ZERO));
                above += IVec3::Z;
            }
        }
        for (at, (units, momentum)) in &self.after {
            if *units > 0.0 && hangs(IVec3::from_array(from_key(*at))) {
                velocities.push((*at, *momentum / *units));
            }
        }
        velocities.sort_unstable_by_key(|(at, _)| *at);
        velocities.dedup_by_key(|(at, _)| *at);
        velocities
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::VoxelBox;

    use super::*;
    use crate::material::MaterialId;
    use crate::units::LOOSE_FULL;
    use crate::voxel::Voxel;

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
