//! Water at rest sleeps: clear water that has not moved for a while is left alone until something comes to it.
//!
//! Whether something came is told by the books, when they are closed: they know which bricks of ground changed; and by the bodies.
//! So a world that was saved, or lost its caches, wakes in the same step.

use barchan_particles::Lattice;
use barchan_volume::brick::brick_of;
use glam::{IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::beds::around;
use super::random::Chance;
use super::report::WaterReport;
use super::run::VAPOUR;
use super::scale::Scale;
use super::water::Water;
use crate::bodies::Motion;
use crate::ground::Ground;
use crate::now::Now;

/// How long water must be calm (s): first it wears nothing any more, then it sleeps.
const CALM_S: f32 = 0.5;
const ASLEEP_S: f32 = 1.0;

/// Speeds of calm water, over that of a fall by the spacing (-): their root mean square, and the highest. What the pressure leaves of
/// noise is a hundredth; a film that runs down a slope of one in fifty is faster.
const CALM: f32 = 0.03;
const CALMEST: f32 = 0.2;

/// Least gravity by which calm is measured (m/s²).
const LEAST_GRAVITY_M_S2: f32 = 0.1;

/// How often water that sleeps goes into the air (s).
const VAPOUR_S: f32 = 1.0;

/// How long water has been at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Rest {
    /// Time for which it was calm (s).
    calm_s: f32,
    /// Time that it slept since it last went into the air (s).
    slept_s: f32,
}

impl Rest {
    /// True when it is too calm to wear the ground.
    pub fn is_calm(&self) -> bool {
        self.calm_s >= CALM_S
    }

    /// True when both are times.
    pub fn is_sound(&self) -> bool {
        [self.calm_s, self.slept_s].iter().all(|time| (0.0..=1e6).contains(time))
    }
}

impl Water {
    /// True while all of it is at rest and left alone.
    pub fn is_asleep(&self) -> bool {
        self.rest.calm_s >= ASLEEP_S
    }

    /// Lets it run again.
    pub(crate) fn wake(&mut self) {
        self.rest = Rest::default();
        self.scratch.resting = None;
    }

    /// Wakes it if something came to it. True when it goes on sleeping.
    pub(super) fn sleeps_on(&mut self, now: &Now, ground: &Ground) -> bool {
        if !self.is_asleep() {
            return false;
        }
        let brings = self.sources.iter().any(|source| source.rate_m3_s > 0.0) || self.rain.rate_mm_h > 0.0;
        if brings || self.has_bathers(now, ground.voxel_size_m()) {
            self.wake();
        }
        self.is_asleep()
    }

    /// What is left to do for water that sleeps: it goes into the air, now and then for all the time that it slept.
    pub(super) fn sleep(&mut self, now: &Now, seed: u64, scale: &Scale, report: &mut WaterReport) {
        self.moments += 1;
        report.particles = self.particles.len();
        report.is_asleep = true;
        if !self.erosion.is_on || self.erosion.evaporation_m_s <= 0.0 {
            return;
        }
        self.rest.slept_s += now.dt_s as f32;
        if self.rest.slept_s < VAPOUR_S {
            return;
        }
        let slept_s = std::mem::take(&mut self.rest.slept_s);
        self.scratch.flow.sort(&mut self.particles);
        self.scratch.flow.find_neighbours(&self.particles, scale);
        let up = -now.gravity_m_s2.normalize_or_zero();
        let before = self.particles.len();
        let chance = Chance::new(seed, VAPOUR, self.moments);
        self.go_into_the_air(scale, up, slept_s, chance, report);
        self.merge(scale);
        if self.particles.len() != before {
            // What is left sinks.
            self.wake();
        }
        report.particles = self.particles.len();
    }

    /// Takes note of how calm it is at the end of a part of a step, in which the ground changed if `has_changed`.
    pub(super) fn calm_down(&mut self, now: &Now, ground: &Ground, scale: &Scale, has_changed: bool) {
        let fall_m_s = (scale.spacing_m * now.gravity_m_s2.length().max(LEAST_GRAVITY_M_S2)).sqrt();
        let squares: Vec<(f64, f32)> = self
            .particles
            .velocities
            .par_chunks(1_024)
            .map(|some| {
                let sum = some.iter().map(|v| f64::from(v.length_squared())).sum();
                (sum, some.iter().map(|v| v.length_squared()).fold(0.0, f32::max))
            })
            .collect();
        let mean = squares.iter().map(|(sum, _)| sum).sum::<f64>() / self.particles.len().max(1) as f64;
        let fastest = squares.iter().map(|(_, fastest)| *fastest).fold(0.0, f32::max).sqrt();
        let is_calm = mean.sqrt() as f32 <= CALM * fall_m_s && fastest <= CALMEST * fall_m_s;
        let is_clear = self.particles.kinds.is_empty();
        if !(is_calm && is_clear && self.params.sleeps) {
            self.wake();
            return;
        }
        let calm_s = self.rest.calm_s + now.dt_s as f32;
        self.scratch.resting = None;
        // It stays on the brink while it still wets the ground, runs into a drain or carries bodies.
        let must_wait = calm_s >= ASLEEP_S
            && (has_changed
                || self.is_drained(&scale.lattice)
                || self.has_bathers(now, ground.voxel_size_m()));
        self.rest.calm_s = if must_wait { CALM_S } else { calm_s };
        if self.is_asleep() {
            self.particles.velocities.iter_mut().for_each(|velocity| *velocity = Vec3::ZERO);
        }
    }

    /// True when some of it stands in a drain.
    fn is_drained(&self, lattice: &Lattice) -> bool {
        let mut places = self.particles.places.iter().map(|place| lattice.point(*place));
        !self.drains.is_empty() && places.any(|at| self.drains.iter().any(|drain| drain.holds(at)))
    }

    /// Wakes it when ground in or beside it changed.
    pub(crate) fn wake_on(&mut self, mut changed: impl Iterator<Item = IVec3>, voxel_size_m: f32) {
        if self.is_asleep() && changed.any(|brick| self.resting(voxel_size_m).contains(&brick)) {
            self.wake();
        }
    }

    /// True when ground in or beside it is at work, or a body that can move is near.
    pub(super) fn is_disturbed(&mut self, now: &Now, ground: &Ground) -> bool {
        let voxel_size_m = ground.voxel_size_m();
        let mut awake = ground.awake().bricks();
        awake.any(|brick| self.resting(voxel_size_m).contains(&brick)) || self.has_bathers(now, voxel_size_m)
    }

    /// True when a body that can move is in or beside it.
    fn has_bathers(&mut self, now: &Now, voxel_size_m: f32) -> bool {
        let moves = |id| now.bodies.get(id).is_some_and(|body| !matches!(body.spec.motion, Motion::Fixed));
        let mut bricks = now.body_fill.bricks();
        bricks.any(|brick| {
            self.resting(voxel_size_m).contains(&brick)
                && now.body_fill.bodies_in(brick).iter().any(|id| moves(*id))
        })
    }

    /// The bricks in which and beside which it is.
    fn resting(&mut self, voxel_size_m: f32) -> &FxHashSet<IVec3> {
        let (places, voxel_m) = (&self.particles.places, f64::from(voxel_size_m));
        let lattice = Scale::new(&self.params, voxel_size_m).lattice;
        self.scratch.resting.get_or_insert_with(|| {
            let brick = |place| brick_of((lattice.point(place) / voxel_m).floor().as_ivec3());
            let mut bricks: Vec<IVec3> = places.iter().map(|place| brick(*place)).collect();
            bricks.dedup();
            let bricks: FxHashSet<IVec3> = bricks.into_iter().collect();
            bricks.iter().flat_map(|brick| around(*brick)).collect()
        })
    }
}
