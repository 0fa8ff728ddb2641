//! A step of all grains: outlets, substeps, plungers, and what is kept of it.

use barchan_volume::{Pose, Solid};
use glam::{DMat3, DVec3};

use super::covers::{Covered, Covers};
use super::damping::Dampings;
use super::energy::Watch;
use super::footing::Footing;
use super::grain::Grain;
use super::grains::{GrainSpec, Grains};
use super::law::Pace;
use super::motion::By;
use super::press::Rules;
use super::surface::{Given, Owner, Surface, bounds_m};
use super::wall::WallMotion;
use super::workshop::Workshop;
use crate::bodies::{BodyId, Coupled, Impulse};
use crate::ground::Ground;
use crate::now::Now;

/// Longest substep against the period of the stiffest contact in a compressed bed (s over s/rad), with 15 substeps of a contact.
const PER_PERIOD: f64 = 0.2 * 15.0;

/// Most substeps of one step.
pub const MOST_SUBSTEPS: f64 = 200_000.0;

/// What happened to the grains in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainsReport {
    /// Grains there are.
    pub grains: usize,
    /// Grains asleep.
    pub asleep: usize,
    /// Into how many substeps the step was cut.
    pub substeps: u32,
    /// How long each was (s).
    pub substep_s: f64,
    /// Time that passed (s).
    pub passed_s: f64,
    /// How often neighbours were searched.
    pub rebuilds: u32,
    /// Deepest overlap (m).
    pub deepest_m: f32,
    /// Mean overlap over the diameter of the ball at the end of the step (-): where it is not well below 0.01, grains are too soft.
    pub mean_overlap: f64,
    /// Part of the step for which grains stood still, because it would have taken too many substeps (s).
    pub missed_s: f64,
    /// How often a grain was held to the limit of speed or spin.
    pub limited: u64,
    /// Mean force (N) and torque about its origin (N m) that grains gave to each wall of the setup.
    pub walls: Vec<(DVec3, DVec3)>,
    /// Mean force that grains gave to the ground (N).
    pub ground_n: DVec3,
    /// Spheres on the meshes that are near grains.
    pub covers: Vec<Covered>,
    /// Memory of what the step worked on (bytes).
    pub memory_bytes: usize,
}

impl std::ops::AddAssign for GrainsReport {
    /// The report of two parts of a step: counts add up, forces are means over both, the rest is as at the end.
    fn add_assign(&mut self, other: Self) {
        let (substeps, missed_s) = (self.substeps + other.substeps, self.missed_s + other.missed_s);
        let (rebuilds, limited) = (self.rebuilds + other.rebuilds, self.limited + other.limited);
        let deepest_m = self.deepest_m.max(other.deepest_m);
        let passed_s = self.passed_s + other.passed_s;
        let [before, after] = [self.passed_s, other.passed_s].map(|part_s| part_s / passed_s.max(1e-300));
        let mean = |a: DVec3, b: DVec3| a * before + b * after;
        let mut walls = other.walls;
        for (sum, (force, torque)) in walls.iter_mut().zip(&self.walls) {
            *sum = (mean(*force, sum.0), mean(*torque, sum.1));
        }
        let ground_n = mean(self.ground_n, other.ground_n);
        *self = Self { substeps, missed_s, rebuilds, limited, deepest_m, passed_s, walls, ground_n, ..other };
    }
}

impl GrainsReport {
    /// What went wrong and was contained, in words.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.missed_s > 0.0 {
            let (missed, most) = (self.missed_s, MOST_SUBSTEPS);
            warnings.push(format!(
                "grains stood still for {missed} s: a step has at most {most} substeps; take shorter steps or softer grains"
            ));
        }
        if self.limited > 0 {
            let count = self.limited;
            warnings.push(format!("grains were held to the limits of speed and spin {count} times"));
        }
        warnings
    }
}

impl Grains {
    /// What outlets let in while `dt_s` passes from `time_s` on.
    pub(crate) fn poured(&mut self, time_s: f64, dt_s: f64) -> Vec<GrainSpec> {
        let mut coming = Vec::new();
        let mut states = std::mem::take(&mut self.source_states);
        for (source, state) in self.sources.iter().zip(&mut states) {
            coming.extend(source.pour(state, self, time_s, dt_s));
        }
        self.source_states = states;
        coming
    }

    /// Lets `now.dt_s` pass.
    pub fn step(&mut self, now: &Now, ground: &Ground, coupled: &mut Coupled) -> GrainsReport {
        self.step_by(now, ground, coupled, By::BestVectors)
    }

    /// As [`Grains::step`], by code of choice.
    pub(super) fn step_by(
        &mut self,
        now: &Now,
        ground: &Ground,
        coupled: &mut Coupled,
        by: By,
    ) -> GrainsReport {
        let mut report = GrainsReport { grains: self.len(), ..GrainsReport::default() };
        report.walls = vec![(DVec3::ZERO, DVec3::ZERO); self.setup.walls.len()];
        let walls = bounds_m(ground.bounds(), ground.voxel_size_m());
        let mut dampings = std::mem::take(&mut *self.dampings);
        let mut surfaces = Surface::of_walls(self, walls, now.time_s, &mut dampings);
        let mut covers = std::mem::take(&mut *self.covers);
        self.add_bodies(&mut surfaces, coupled, now, &mut covers, &mut dampings);
        report.covers = covers.told();
        *self.covers = covers;
        let known = self.surface_field.take();
        let mut footing = Footing::below(self, known, ground, now.materials, &mut dampings);
        *self.dampings = dampings;
        self.place_surfaces(&mut surfaces, coupled, now.time_s);
        let loose = |index: usize, coupled: &Coupled| coupled.bodies[index].is_movable();
        if self.setup.walls.iter().any(|wall| wall.goes_between(now.time_s - now.dt_s, now.time_s)) {
            self.wake_all();
        }
        self.wake_by_surfaces(&surfaces, |index| loose(index, coupled));
        if self.grains.len() == self.sleepers {
            self.press_plungers(&[], now.time_s, now.dt_s);
            *self.surface_field = footing.map(Footing::into_field);
            (report.asleep, report.passed_s) = (self.sleepers, now.dt_s);
            return report;
        }
        self.forget_count();
        let mut workshop = std::mem::take(&mut *self.workshop);
        workshop.take_in(&self.grains);
        let gravity = now.gravity_m_s2.as_dvec3();
        self.rebuild(&mut workshop, &surfaces, footing.as_mut(), gravity);

        let still = Rules::new(&self.setup.laws, self.worked.rolls, 0.0, self.worked.edge_m);
        // Walls and bodies may have been moved by hand since the last step.
        let deepest = self
            .deepest_m
            .unwrap_or_else(|| workshop.deepest(&still))
            .max(workshop.deepest_in_surfaces(&surfaces, &self.worked));
        let (substeps, substep_s) = self.cut(now.dt_s, gravity, f64::from(deepest));
        (report.substeps, report.substep_s) = (substeps, substep_s);
        let passed = substep_s * f64::from(substeps);
        report.passed_s = passed;
        report.missed_s = if now.dt_s - passed > 1e-9 * now.dt_s { now.dt_s - passed } else { 0.0 };
        let rules = Rules::new(&self.setup.laws, self.worked.rolls, substep_s, self.worked.edge_m);
        let mut surface_way = 0.0;
        let mut deepest = 0.0;
        let mut outgrown = false;
        let mut lost = self.lost.take();
        let body_ids: Vec<BodyId> = coupled.bodies.iter().map(|body| body.id).collect();
        for substep in 0..substeps {
            let time_s = now.time_s + f64::from(substep) * substep_s;
            self.place_surfaces(&mut surfaces, coupled, time_s);
            surface_way += surfaces.iter().map(Surface::fastest_m_s).fold(0.0, f64::max) * substep_s;
            if outgrown || surface_way > 0.45 * self.worked.skin_m {
                self.rebuild(&mut workshop, &surfaces, footing.as_mut(), gravity);
                surface_way = 0.0;
            }
            let watch = lost
                .as_mut()
                .map(|lost| Watch::begin(&workshop, &self.worked, &rules, &surfaces, footing.as_ref(), lost));
            workshop.feel(&self.worked, &rules, by);
            let moved =
                workshop.advance(&self.worked, &rules, &surfaces, footing.as_ref(), gravity, substep_s);
            outgrown = moved.outgrown;
            deepest = moved.deepest;
            report.deepest_m = report.deepest_m.max(deepest);
            report.limited += u64::from(moved.limited);
            report.mean_overlap = moved.overlap / moved.contacts.max(1.0);
            let given = self.sum_by_wall(&surfaces, &moved.given);
            self.press_plungers(&given, time_s, substep_s);
            for (surface, given) in surfaces.iter().zip(&moved.given) {
                if let Owner::Body(index) = surface.owner {
                    let (linear, angular) = given.total();
                    let impulse = Impulse { linear: linear * substep_s, angular: angular * substep_s };
                    coupled.bodies[index].take(impulse);
                }
            }
            coupled.advance(substep_s);
            if let Some((watch, lost)) = watch.zip(lost.as_mut()) {
                self.place_surfaces(&mut surfaces, coupled, time_s + substep_s);
                watch.end(&workshop, &self.worked, &rules, &surfaces, &body_ids, lost);
            }
            let on_ground = moved.given.last().map_or(DVec3::ZERO, |given| given.total().0);
            report.ground_n += on_ground / f64::from(substeps);
            for (sum, (force, torque)) in report.walls.iter_mut().zip(given) {
                sum.0 += force / f64::from(substeps);
                sum.1 += torque / f64::from(substeps);
            }
        }
        if let Some(lost) = &mut lost {
            self.place_surfaces(&mut surfaces, coupled, now.time_s + passed);
            lost.close(&workshop, &self.worked, &rules, &surfaces, footing.as_ref());
        }
        *self.lost = lost;
        self.deepest_m = Some(deepest);
        report.rebuilds = workshop.rebuilds;
        report.memory_bytes = workshop.memory_bytes();
        *self.surface_field = footing.map(Footing::into_field);
        self.take_back(&workshop, &surfaces);
        self.fall_asleep(&surfaces, gravity, now.time_s, passed, |index| loose(index, coupled));
        report.asleep = self.sleepers;
        *self.workshop = workshop;
        report
    }

    /// Into how many substeps a step is cut, and how long they are (s).
    fn cut(&self, dt_s: f64, gravity: DVec3, deepest: f64) -> (u32, f64) {
        let fastest = self.grains.iter().map(|g| g.velocity_m_s.length_squared()).fold(0.0, f64::max).sqrt();
        let speed = 2.0 * fastest + gravity.length() * dt_s + 1e-3;
        let of = |pace: &Pace| {
            pace.contact_s(speed).min(PER_PERIOD * pace.period_s(deepest))
                / self.setup.laws.substeps_per_contact
        };
        let longest = self.worked.fastest.as_ref().map_or(dt_s, of);
        let substeps = (dt_s / longest - 1e-6).ceil().max(1.0);
        if substeps > MOST_SUBSTEPS {
            (MOST_SUBSTEPS as u32, longest)
        } else {
            (substeps as u32, dt_s / substeps)
        }
    }

    /// Searches neighbours anew. Sleepers that something quick has come near to wake, with their groups.
    fn rebuild(
        &mut self,
        workshop: &mut Workshop,
        surfaces: &[Surface],
        mut footing: Option<&mut Footing>,
        gravity: DVec3,
    ) {
        workshop.rebuild(self, surfaces, footing.as_deref_mut());
        while self.sleepers > 0 {
            let disturbed = workshop.disturbed(self, gravity);
            if disturbed.is_empty() {
                break;
            }
            self.take_back(workshop, surfaces);
            self.wake(&disturbed);
            workshop.take_in(&self.grains);
            workshop.rebuild(self, surfaces, footing.as_deref_mut());
        }
    }

    /// Adds the faces of all bodies that may come near a grain in this step.
    fn add_bodies(
        &self,
        surfaces: &mut Vec<Surface>,
        coupled: &Coupled,
        now: &Now,
        covers: &mut Covers,
        dampings: &mut Dampings,
    ) {
        if coupled.bodies.is_empty() || self.grains.is_empty() {
            return;
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut fastest = 0.0f64;
        for grain in &self.grains {
            let at = self.position_m(grain);
            (low, high) = (low.min(at), high.max(at));
            fastest = fastest.max(grain.velocity_m_s.length_squared());
        }
        let reach = self.worked.forms.iter().map(|form| form.reach_m).fold(0.0, f64::max);
        for (index, body) in coupled.bodies.iter().enumerate() {
            // Gravity adds to what both bring along; ten times as much is more than any push.
            let speed = fastest.sqrt() + body.velocity_m_s.length() + 100.0 * now.dt_s;
            let bounds = Solid { shape: body.shape.clone(), pose: Pose::IDENTITY }.bounds();
            let bound_m = f64::from(bounds.min.abs().max(bounds.max.abs()).length());
            let margin = DVec3::splat(2.0 * bound_m + 2.0 * reach + self.worked.skin_m + speed * now.dt_s);
            if (body.centre_m + margin).cmpge(low).all() && (body.centre_m - margin).cmple(high).all() {
                surfaces.extend(Surface::of_body(self, index, body, now.bodies, covers, dampings));
            }
        }
    }

    pub(super) fn place_surfaces(&self, surfaces: &mut [Surface], coupled: &Coupled, time_s: f64) {
        self.place_walls(surfaces, time_s);
        let lattice = self.lattice();
        for surface in surfaces {
            if let Owner::Body(index) = surface.owner {
                let body = &coupled.bodies[index];
                let axes = DMat3::from_quat(body.rotation);
                surface.place(&lattice, body.centre_m, axes, body.velocity_m_s, body.spin_rad_s);
            }
        }
    }

    pub(super) fn place_walls(&self, surfaces: &mut [Surface], time_s: f64) {
        let lattice = self.lattice();
        for surface in surfaces {
            let pose = match surface.owner {
                Owner::Wall(index) => self.setup.walls[index].pose(time_s, &self.plunged[index]),
                Owner::World => {
                    surface.place(&lattice, DVec3::ZERO, DMat3::IDENTITY, DVec3::ZERO, DVec3::ZERO);
                    continue;
                }
                Owner::Body(_) => continue,
            };
            let axes = DMat3::from_quat(pose.turn);
            surface.place(&lattice, pose.origin_m, axes, pose.velocity_m_s, pose.spin_rad_s);
        }
    }

    /// Force (N) and torque (N m) on each wall of the setup.
    fn sum_by_wall(&self, surfaces: &[Surface], given: &[Given]) -> Vec<(DVec3, DVec3)> {
        let mut sums = vec![Given::default(); self.setup.walls.len()];
        for (surface, given) in surfaces.iter().zip(given) {
            if let Owner::Wall(index) = surface.owner {
                sums[index].add(given);
            }
        }
        sums.iter().map(Given::total).collect()
    }

    /// Moves plungers by their force and what grains give them.
    fn press_plungers(&mut self, given: &[(DVec3, DVec3)], time_s: f64, dt_s: f64) {
        for (index, wall) in self.setup.walls.iter().enumerate() {
            let WallMotion::Press { force_n, mass_kg } = wall.motion else { continue };
            if !wall.stands(time_s) {
                continue;
            }
            let line = force_n.normalize_or_zero();
            let back = given.get(index).map_or(0.0, |(force, _)| force.dot(line));
            let plunged = &mut self.plunged[index];
            let speed = plunged.speed_m_s + (force_n.length() + back) / mass_kg * dt_s;
            plunged.speed_m_s = speed.clamp(-100.0, 100.0);
            plunged.way_m = (plunged.way_m + plunged.speed_m_s * dt_s).clamp(-1e5, 1e5);
        }
    }

    /// Brings the outcome back into the state.
    fn take_back(&mut self, workshop: &Workshop, surfaces: &[Surface]) {
        for (mover, &stand) in workshop.movers.iter().zip(&workshop.stands) {
            self.grains[stand as usize] = *mover;
        }
        let grains = &self.grains;
        let asleep = |name: u32| {
            let at = grains.partition_point(|grain: &Grain| grain.id.0 <= name);
            at > 0 && grains[at - 1].asleep
        };
        let ties = workshop.ties(&self.ties, asleep);
        let face_ties = workshop.face_ties(surfaces, &self.face_ties, asleep);
        (self.ties, self.face_ties) = (ties, face_ties);
    }
}
