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
use super::shear::Sheared;
use crate::bodies::{Bodies, Body, BodyId, BodySpec, Edge, Motion};
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
    /// How far bodies have sheared the soil that they lie on.
    sheared: BTreeMap<BodyId, Sheared>,
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
pub(super) struct Sampled {
    shape: Shape,
    spacing_m: f32,
    most: usize,
    edge_thickness_m: f32,
    said: Vec<Edge>,
    pub samples: Arc<[Sample]>,
    /// Edges and teeth: those that were said, else those that are found.
    pub edges: Arc<[Edge]>,
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
            let sampled = self.sampled.get(&body.id)?;
            let record = self.records.get(&body.id).filter(|record| record.is_sound());
            let known = (record, self.sheared_by(body.id));
            Plan::make(body, sampled, &mut Reader::new(ground, body_fill, materials), &setting, known)
        };
        let plans: Vec<Option<Plan>> = awake.par_iter().map(plan).collect();
        let ids: Vec<BodyId> = awake.iter().map(|body| body.id).collect();

        let led = |body: &Body<'_>| {
            let sampled = self.sampled.get(&body.id)?;
            let sheared = self.sheared_by(body.id);
            Led::make(body, sampled, sheared, &mut Reader::new(ground, body_fill, materials), &setting)
        };
        let on_tracks: Vec<Body<'_>> =
            bodies.iter().filter(is_led).map(|body| bodies.ahead(body, now.time_s, dt_s)).collect();
        let led: Vec<Option<Led>> = on_tracks.par_iter().map(led).collect();

        for led in led.iter().flatten() {
            self.sheared.insert(led.id, led.sheared.clone());
        }
        let mut hold =
            Hold { plans: Vec::with_capacity(plans.len()), led: led.into_iter().flatten().collect() };
        for (id, plan) in ids.into_iter().zip(plans) {
            match plan {
                Some(plan) => {
                    self.records.insert(id, plan.record);
                    self.sheared.insert(id, plan.sheared.clone());
                    hold.plans.push(plan);
                }
                None => {
                    self.records.remove(&id);
                    self.sheared.remove(&id);
                }
            }
        }
        hold
    }

    fn sheared_by(&self, id: BodyId) -> &Sheared {
        static NOTHING: Sheared = Sheared::NONE;
        self.sheared.get(&id).filter(|sheared| sheared.is_sound()).unwrap_or(&NOTHING)
    }

    /// Forgets all that can be found again.
    pub(crate) fn drop_caches(&mut self) {
        self.sampled = Cache::default();
    }

    fn forget_removed(&mut self, bodies: &Bodies) {
        let stays = |id: &BodyId| bodies.get(*id).is_some_and(|body| !body.frozen);
        self.records.retain(|id, _| stays(id));
        self.sheared.retain(|id, _| stays(id));
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
            let BodySpec { shape, edge_thickness_m, edges: said, .. } = body.spec;
            let fits = |old: &Sampled| {
                let is_as_sharp = old.edge_thickness_m == *edge_thickness_m && old.said == *said;
                old.spacing_m == spacing_m && old.most == most && is_as_sharp && is_same(&old.shape, shape)
            };
            if self.sampled.get(&body.id).is_none_or(|old| !fits(old)) {
                let samples = surface_samples(shape, spacing_m, most).into();
                let found = match said.is_empty() && *edge_thickness_m > 0.0 {
                    true => Edge::found_on(shape, *edge_thickness_m),
                    false => said.clone(),
                };
                let sampled = Sampled {
                    shape: shape.clone(),
                    spacing_m,
                    most,
                    edge_thickness_m: *edge_thickness_m,
                    said: said.clone(),
                    samples,
                    edges: found.into(),
                };
                self.sampled.insert(body.id, sampled);
            }
        }
    }
}

/// What sleeps and is pushed by hands wakes in the step that comes: the ground holds it from its beginning.
fn feels_ground(body: &Body<'_>) -> bool {
    let moves = !body.sleeping || body.waiting != (Vec3::ZERO, Vec3::ZERO);
    body.spec.motion == Motion::Dynamic && moves && !body.frozen
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
