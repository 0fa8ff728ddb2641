//! The step of the water: substeps, then the exchange with the ground, then what leaves.

use glam::Vec3;
use rayon::prelude::*;

use super::beds::{Beds, Reader};
use super::collide::{Arrival, Ways};
use super::exchange::Contact;
use super::float::{Bathers, press};
use super::leave::enter;
use super::make_way::make_way;
use super::random::Chance;
use super::report::WaterReport;
use super::scale::Scale;
use super::sources::Birth;
use super::water::{Scratch, Water};
use super::{Method, WaterParams};
use crate::bodies::Coupled;
use crate::ground::Ground;
use crate::material::Hardness;
use crate::now::Now;

/// Furthest that the fastest particle moves in a substep (spacings): beyond it, pressures found at the start mean nothing.
const FURTHEST: f32 = 0.4;

/// Furthest that a particle gets in a substep at the speed that the pressure is worth (spacings): in longer substeps small errors of a
/// pressure that holds deep water up throw particles further than the density around them is known for, and a lake boils.
const DRIVEN: f32 = 0.45;

/// Longest substep of an equation of state, in times that sound takes through a particle's support (Monaghan1994).
const SOUND: f32 = 0.3;

/// What pressures press over what they are called: the first moment of the kernel's gradient among the particles of a pool at rest,
/// with either kernel (-). It would be one with many more neighbours.
const FELT: f32 = 0.952;

/// Most substeps in one part of a step.
const MOST_SUBSTEPS: u32 = 256;

/// Particles that one task moves at once.
const AT_ONCE: usize = 1_024;

/// What chance is asked for.
const BIRTHS: u64 = 1;
pub(super) const EXCHANGE: u64 = 2;
pub(super) const SPREAD: u64 = 3;
pub(super) const VAPOUR: u64 = 4;

impl Water {
    /// Lets water run for a part of a step.
    pub(crate) fn step(
        &mut self,
        now: &Now,
        seed: u64,
        hardness: &Hardness,
        coupled: &mut Coupled,
        ground: &mut Ground,
    ) -> WaterReport {
        let mut report = WaterReport::default();
        let is_dry = self.sources.is_empty() && self.rain.rate_mm_h == 0.0;
        if (self.particles.is_empty() && is_dry) || self.params.problem(ground.voxel_size_m()).is_some() {
            return report;
        }
        let scale = Scale::new(&self.params, ground.voxel_size_m());
        if self.sleeps_on(now, ground) {
            self.sleep(now, seed, &scale, &mut report);
            return report;
        }
        self.scratch.beds.follow(now, ground, &self.open, &scale);
        if !is_dry {
            self.scratch.flow.sort(&mut self.particles);
            let chance = Chance::new(seed, BIRTHS, self.moments);
            self.be_born(now, ground, &scale, chance, &mut report);
        }
        self.moments += 1;
        self.particles.contacts.clear();
        self.particles.contacts.resize(self.particles.len(), Contact::default());
        self.run(now, coupled, ground, &scale, &mut report);
        if self.erosion.is_on {
            self.exchange(now, seed, hardness, &scale, ground, &mut report);
        }
        self.drain(now, ground, &scale, &mut report);
        self.particles.drop_empty_kinds();
        let has_changed = report.transfers.iter().any(|one| one.from.is_some() && one.to.is_some());
        self.calm_down(now, ground, &scale, has_changed);
        report.is_asleep = self.is_asleep();
        report.particles = self.particles.len();
        report
    }

    /// Lifts water out of ground that came to where it is. Returns how many particles found no way out.
    pub(crate) fn make_way(&mut self, now: &Now, ground: &Ground) -> usize {
        if self.particles.is_empty() || self.params.problem(ground.voxel_size_m()).is_some() {
            return 0;
        }
        if self.is_asleep() && !self.is_disturbed(now, ground) {
            return 0;
        }
        let scale = Scale::new(&self.params, ground.voxel_size_m());
        let Scratch { flow, beds, .. } = &mut *self.scratch;
        beds.follow(now, ground, &self.open, &scale);
        if flow.cells.order().len() != self.particles.len() {
            flow.sort(&mut self.particles);
        }
        beds.prepare(now, ground, &self.open, &flow.bricks(&scale));
        let beds = &*beds;
        make_way(&mut self.particles, || beds.reader(), now, ground, &self.open, &scale)
    }

    /// What sources and rain bring.
    fn be_born(
        &mut self,
        now: &Now,
        ground: &Ground,
        scale: &Scale,
        chance: Chance,
        report: &mut WaterReport,
    ) {
        let (cells, particles) = (&self.scratch.flow.cells, &self.particles);
        let mut birth = Birth::new(now, ground, scale, cells, particles, &mut self.ids, chance);
        self.sources.iter_mut().for_each(|source| birth.flow(source));
        birth.rain(&mut self.rain);
        let (born, refused) = (birth.born, birth.refused);
        report.refused += refused;
        for one in &born {
            enter(one, &mut report.transfers);
            self.particles.add(one);
        }
    }

    /// Substeps until the time has passed.
    fn run(
        &mut self,
        now: &Now,
        coupled: &mut Coupled,
        ground: &Ground,
        scale: &Scale,
        report: &mut WaterReport,
    ) {
        let mut left_s = now.dt_s as f32;
        let gravity = now.gravity_m_s2;
        for done in 0..MOST_SUBSTEPS {
            if self.particles.is_empty() || left_s <= 0.0 {
                return;
            }
            let fastest = self.particles.velocities.par_iter().map(|v| v.length()).reduce(|| 0.0, f32::max);
            report.fastest_m_s = fastest;
            let driven = driven_m_s(&self.particles.pressures);
            let longest_s = longest_substep_s(&self.params, scale, [fastest, driven], gravity.length());
            let substeps = (left_s / longest_s).ceil().clamp(1.0, (MOST_SUBSTEPS - done) as f32);
            let dt_s = left_s / substeps;
            left_s = if substeps <= 1.0 { 0.0 } else { left_s - dt_s };

            coupled.advance(f64::from(dt_s));
            let Scratch { flow, beds, of_bodies, .. } = &mut *self.scratch;
            let of_bodies = of_bodies.get_or_insert_with(Beds::of_bodies);
            flow.sort(&mut self.particles);
            let bricks = flow.bricks(scale);
            beds.prepare(now, ground, &self.open, &bricks);
            if done == 0 {
                of_bodies.follow(now, ground, &self.open, scale);
            }
            of_bodies.prepare(now, ground, &self.open, &of_bodies.near_bodies(&bricks));
            flow.find_neighbours(&self.particles, scale);
            let bathers = Bathers::new(now, coupled, scale);
            flow.meet_walls(&self.particles, beds, of_bodies, scale, &bathers);
            let velocities = std::mem::take(&mut self.particles.velocities);
            let lightness = std::mem::take(&mut flow.lightness);
            flow.write_movers(&velocities, |slot| lightness[slot]);
            flow.lightness = lightness;
            self.particles.velocities = velocities;
            let particles = &mut self.particles;
            let solved = match self.params.method {
                Method::Dfsph => flow.step_dfsph(particles, &self.params, scale, gravity, dt_s),
                Method::Muller => flow.step_muller(particles, &self.params, scale, gravity, dt_s),
            };
            let to_pressure = FELT * scale.support_m / dt_s;
            particles.pressed.clear();
            match self.params.method {
                Method::Dfsph => {
                    particles.pressed.extend(flow.drives.iter().map(|drive| drive * to_pressure))
                }
                Method::Muller => {
                    particles.pressed.extend(particles.pressures.iter().map(|pressure| FELT * pressure))
                }
            }
            let ways = Ways { scale, params: &self.params, ground, dt_s };
            let (flow, beds) = (&*flow, &*beds);
            let arrive = |reader: &mut Reader<'_>, slot: usize| {
                let (place, velocity) = (particles.places[slot], particles.velocities[slot]);
                ways.go(reader, place, velocity, flow.velocities[slot], flow.walls[slot].velocity)
            };
            let arrivals: Vec<Arrival> = (0..particles.len())
                .into_par_iter()
                .with_min_len(AT_ONCE)
                .map_init(|| beds.reader(), arrive)
                .collect();
            report.buried = 0;
            if !coupled.bodies.is_empty() {
                let pushed: Vec<Vec3> = arrivals.iter().map(|arrival| arrival.pushed).collect();
                press(coupled, particles, flow, scale, &particles.places, &pushed);
            }
            for (slot, arrival) in arrivals.iter().enumerate() {
                self.particles.places[slot] = arrival.place;
                self.particles.velocities[slot] = arrival.velocity;
                if let Some(wear_m) = arrival.wear_m {
                    let contact = &mut self.particles.contacts[slot];
                    contact.at = arrival.place;
                    contact.way_m = [0, 1].map(|way| contact.way_m[way] + wear_m[way]);
                    contact.path_m += arrival.velocity.length() * dt_s;
                    contact.time_s += dt_s;
                }
                report.buried += usize::from(arrival.is_buried);
                report.hurried += u64::from(arrival.was_hurried);
                report.mended += u64::from(arrival.was_mended);
            }
            report.substeps += 1;
            report.iterations += solved.iterations;
            report.residual = report.residual.max(solved.residual);
            report.neighbours = flow.pairs() as f32 / self.particles.len().max(1) as f32;
        }
    }
}

/// The speed to which the pressures (m²/s²) could drive water (m/s): that of their root mean square, which single splashes do not rule.
fn driven_m_s(pressures: &[f32]) -> f32 {
    let sums: Vec<f64> =
        pressures.par_chunks(AT_ONCE).map(|some| some.iter().map(|p| f64::from(p * p)).sum()).collect();
    let mean = sums.iter().sum::<f64>() / pressures.len().max(1) as f64;
    mean.sqrt().sqrt() as f32
}

/// The longest substep (s) for particles of this speed, driven by pressures that are worth that speed (m/s), under this gravity (m/s²).
fn longest_substep_s(
    params: &WaterParams,
    scale: &Scale,
    [fastest_m_s, driven_m_s]: [f32; 2],
    gravity: f32,
) -> f32 {
    let furthest_m = FURTHEST * scale.spacing_m;
    let by_speed = furthest_m / fastest_m_s.max(1e-6);
    let by_gravity = (2.0 * furthest_m / gravity.max(1e-6)).sqrt();
    let longest = by_speed.min(by_gravity);
    match params.method {
        Method::Dfsph => longest.min(DRIVEN * scale.spacing_m / driven_m_s.max(1e-6)),
        Method::Muller => {
            let sound_m_s = params.stiffness_m2_s2.sqrt() + fastest_m_s;
            longest.min(SOUND * scale.support_m / sound_m_s)
        }
    }
}
