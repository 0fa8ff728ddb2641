//! The process: soil in the air gathers speed, moves by it and lands.

use barchan_volume::Grid;
use glam::{IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::hanging::hanging;
use super::riders::with_riders;
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
            let size = ground.voxel_size_m();
            let fastest = velocities.iter().map(|(_, v)| v.abs().max_element()).fold(0.0, f32::max);
            let voxels = (fastest + gravity.length() * dt_s as f32) * dt_s as f32 / size;
            report.hit_limit = voxels > MOST_PARTS as f32;
            let parts = (voxels.ceil() as u32).clamp(1, MOST_PARTS);
            let part_s = dt_s as f32 / parts as f32;
            for _ in 0..parts {
                let space = Space::new(ground, body_shares, materials);
                let groups = apart(with_riders(&velocities, &space), gravity);
                let fallen: Vec<(i64, Velocities, Patch)> = groups
                    .par_iter()
                    .with_min_len(2)
                    .map(|group| Air::new(space).fall(group, gravity * part_s, part_s / size))
                    .collect();
                velocities.clear();
                for (fell, group, patch) in fallen {
                    report.fell += fell;
                    velocities.extend(group);
                    patch.commit(ground);
                }
                velocities.sort_unstable_by_key(|(at, _)| *at);
            }
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

/// Parts that cannot meet in one displacement: columns of bricks where all falls straight down, else all of it together.
fn apart(mut velocities: Velocities, gravity: Vec3) -> Vec<Velocities> {
    let straight = |v: &Vec3| v.x == 0.0 && v.y == 0.0;
    if !straight(&gravity) || !velocities.iter().all(|(_, v)| straight(v)) {
        return vec![velocities];
    }
    let tile = |[_, x, y]: [i32; 3]| (x >> 3, y >> 3);
    velocities.sort_by_key(|(at, _)| tile(*at));
    velocities.chunk_by(|a, b| tile(a.0) == tile(b.0)).map(<[_]>::to_vec).collect()
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
    fn fall(mut self, group: &Velocities, gain: Vec3, voxels_per_speed: f32) -> (i64, Velocities, Patch) {
        // What arrives in a voxel before its own soil has moved does not move on with it.
        let snapshot: Vec<(IVec3, Vec3, u16)> = group
            .iter()
            .map(|(at, v)| {
                let p = IVec3::from_array(from_key(*at));
                (p, *v + gain, self.space.ground.get(p).soil)
            })
            .collect();
        let mut fell = 0;
        for (p, velocity, units) in snapshot {
            let shift = (velocity * voxels_per_speed).clamp(Vec3::NEG_ONE, Vec3::ONE);
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
