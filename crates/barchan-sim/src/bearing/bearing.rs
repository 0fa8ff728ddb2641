//! The process: for every dynamic body that is awake, find its contacts, solve for its motion, apply the forces.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::Shape;
use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::contacts::Setting;
use super::led::Led;
use super::patch::Patch;
use super::plan::Plan;
use super::record::Record;
use super::samples::{Sample, surface_samples};
use crate::bodies::{Bodies, Body, BodyId, Motion};
use crate::cache::Cache;
use crate::ground::Ground;
use crate::now::Now;
use crate::reader::Reader;

/// How bodies feel the ground.
pub(super) struct BearingParams {
    /// Distance between the points of a body's surface that feel the ground (voxels).
    pub spacing_voxels: f32,
    /// About how many such points a body has at most; the spacing grows to that end (-).
    pub max_samples: usize,
    /// How far outside a body the ground is looked for (voxels).
    pub contact_reach_voxels: f32,
    /// Speed below which soil holds and friction sticks (m/s). What the ground carries creeps at less than this.
    pub stick_speed_m_s: f32,
    /// Share of its static resistance that soil adds against fast yielding (-). From the sinkage exponent on, a body
    /// that is set down at once does not sink deeper than one that is set down slowly.
    pub rate_gain: f32,
    /// Yielding at depth z is fast from this Froude number v / sqrt(g z) on (-).
    pub rate_froude: f32,
    /// Depth to which a body may rest inside rock (voxels).
    pub rock_slop_voxels: f32,
    /// Part of what is deeper that is undone in one step (-).
    pub rock_correction: f32,
    /// Fastest way out of rock (m/s).
    pub rock_correction_speed_m_s: f32,
    /// Faster impacts on rock change the velocity at once instead of within the step (m/s).
    pub impact_speed_m_s: f32,
    /// Faster impacts on rock rebound, by the restitution of the body (m/s).
    pub rebound_speed_m_s: f32,
}

/// Chosen by measuring: static sinkage and slopes at rest (`tests/it/bearing.rs`) hardly change where these are halved or
/// doubled.
const PARAMS: BearingParams = BearingParams {
    spacing_voxels: 1.0,
    max_samples: 160,
    contact_reach_voxels: 0.75,
    stick_speed_m_s: 2e-5,
    rate_gain: 1.2,
    rate_froude: 0.2,
    rock_slop_voxels: 0.02,
    rock_correction: 0.2,
    rock_correction_speed_m_s: 0.5,
    impact_speed_m_s: 0.05,
    rebound_speed_m_s: 0.5,
};

/// The ground's hold on one body during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyLoad {
    /// Which body.
    pub id: BodyId,
    /// Force of the ground on it, the weight of soil on top included (N). The blow of an impact on rock is not in it.
    pub force_n: Vec3,
    /// Torque of the ground on it about its centre of mass (N m).
    pub torque_n_m: Vec3,
    /// Points at which it touches the ground.
    pub contacts: usize,
    /// Depth of the deepest of them below the surface of soil around the body (m).
    pub sinkage_m: f32,
    /// Mass of the soil that lies on it (kg).
    pub overburden_kg: f32,
}

/// What bearing did in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BearingReport {
    /// The bodies that touch ground, in the order of their ids. Those that sleep are not among them.
    pub loads: Vec<BodyLoad>,
}

/// The process that lets dynamic bodies feel the ground.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bearing {
    records: BTreeMap<BodyId, Record>,
    #[serde(skip)]
    sampled: Cache<FxHashMap<BodyId, Sampled>>,
}

/// What the ground does to bodies, found and not yet applied.
pub struct Hold {
    plans: Vec<Plan>,
    led: Vec<Led>,
}

impl Hold {
    /// Lets it act on the bodies for the time that follows.
    pub fn apply(self, bodies: &mut Bodies) -> BearingReport {
        self.plans.iter().for_each(|plan| plan.apply(bodies));
        self.led.iter().for_each(|led| led.apply(bodies));
        BearingReport { loads: self.plans.into_iter().map(|plan| plan.load).collect() }
    }

    /// Where bodies press on the ground in `part` of the step, in the order of their ids: first those that forces move, then
    /// those that follow a track.
    pub fn patches(&self, part: u32) -> impl Iterator<Item = Patch> {
        let found = self.plans.iter().flat_map(|plan| &plan.patches);
        let found = found.chain(self.led.iter().flat_map(|led| &led.patches));
        found.map(move |patch| Patch { part, ..*patch })
    }
}

/// The points on a body, and what they were made from.
#[derive(Clone, Debug)]
struct Sampled {
    shape: Shape,
    spacing_m: f32,
    most: usize,
    samples: Arc<[Sample]>,
}

impl Bearing {
    /// Finds the forces of the ground on dynamic bodies for the step that follows: none in a time that is not a positive number. Gravity that is not finite counts as none.
    pub fn step(&mut self, now: &Now<'_>, ground: &Ground) -> Hold {
        let &Now { dt_s, gravity_m_s2: gravity, materials, bodies, body_fill, .. } = now;
        if !(dt_s > 0.0 && dt_s.is_finite()) {
            return Hold { plans: Vec::new(), led: Vec::new() };
        }
        let gravity = if gravity.is_finite() { gravity } else { Vec3::ZERO };
        self.forget_removed(bodies);
        self.note_sleepers(bodies);
        self.sample(bodies, ground.voxel_size_m());

        let setting = Setting { params: &PARAMS, gravity, dt_s };
        let awake: Vec<Body<'_>> = bodies.iter().filter(feels_ground).collect();
        let plan = |body: &Body<'_>| {
            let samples = &self.sampled.get(&body.id)?.samples;
            let record = self.records.get(&body.id).filter(|record| record.is_sound());
            Plan::make(body, samples, &mut Reader::new(ground, body_fill, materials), &setting, record)
        };
        let plans: Vec<Option<Plan>> = awake.par_iter().map(plan).collect();
        let ids: Vec<BodyId> = awake.iter().map(|body| body.id).collect();

        let led = |body: &Body<'_>| {
            let samples = &self.sampled.get(&body.id)?.samples;
            Led::make(body, samples, &mut Reader::new(ground, body_fill, materials), &setting)
        };
        let on_tracks: Vec<Body<'_>> =
            bodies.iter().filter(is_led).map(|body| bodies.ahead(body, now.time_s, dt_s)).collect();
        let led: Vec<Option<Led>> = on_tracks.par_iter().map(led).collect();

        let mut hold =
            Hold { plans: Vec::with_capacity(plans.len()), led: led.into_iter().flatten().collect() };
        for (id, plan) in ids.into_iter().zip(plans) {
            match plan {
                Some(plan) => {
                    self.records.insert(id, plan.record);
                    hold.plans.push(plan);
                }
                None => drop(self.records.remove(&id)),
            }
        }
        hold
    }

    /// Forgets all that can be found again.
    pub(crate) fn drop_caches(&mut self) {
        self.sampled = Cache::default();
    }

    fn forget_removed(&mut self, bodies: &Bodies) {
        let stays = |id: &BodyId| bodies.get(*id).is_some_and(|body| !body.frozen);
        self.records.retain(|id, _| stays(id));
        self.sampled.retain(|id, _| stays(id));
    }

    fn note_sleepers(&mut self, bodies: &Bodies) {
        for (id, record) in &mut self.records {
            if bodies.get(*id).is_some_and(|body| body.sleeping) {
                record.sleep();
            }
        }
    }

    /// Spreads points on the bodies that have none yet.
    fn sample(&mut self, bodies: &Bodies, voxel_size_m: f32) {
        let (spacing_m, most) = (PARAMS.spacing_voxels * voxel_size_m, PARAMS.max_samples);
        for body in bodies.iter().filter(|body| feels_ground(body) || is_led(body)) {
            let shape = &body.spec.shape;
            let fits =
                |old: &Sampled| old.spacing_m == spacing_m && old.most == most && is_same(&old.shape, shape);
            if self.sampled.get(&body.id).is_none_or(|old| !fits(old)) {
                let samples = surface_samples(shape, spacing_m, most).into();
                let sampled = Sampled { shape: shape.clone(), spacing_m, most, samples };
                self.sampled.insert(body.id, sampled);
            }
        }
    }
}

fn feels_ground(body: &Body<'_>) -> bool {
    body.spec.motion == Motion::Dynamic && !body.sleeping && !body.frozen
}

/// True for what follows a track and is asked about all the same.
fn is_led(body: &Body<'_>) -> bool {
    matches!(body.spec.motion, Motion::Scripted(_))
}

/// Quick where both share their points.
fn is_same(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b) || a == b,
        (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b) || a == b,
        _ => a == b,
    }
}
