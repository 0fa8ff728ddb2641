//! The process: for every dynamic body that is awake, find its contacts, solve for its motion, apply the forces.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::Shape;
use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::contacts::Setting;
use super::plan::Plan;
use super::record::Record;
use super::samples::{Sample, surface_samples};
use super::view::View;
use crate::bodies::{Bodies, Body, BodyFill, BodyId, Motion};
use crate::ground::Ground;
use crate::material::Materials;

/// How bodies feel the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct BearingParams {
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

impl Default for BearingParams {
    fn default() -> Self {
        Self {
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
        }
    }
}

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
    /// How. Not stored with a world: a file says what happened, not how the program works.
    #[serde(skip)]
    pub params: BearingParams,
    records: BTreeMap<BodyId, Record>,
    #[serde(skip)]
    scratch: FxHashMap<BodyId, Sampled>,
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
    /// The process with these parameters.
    pub fn new(params: BearingParams) -> Self {
        Self { params, ..Self::default() }
    }

    /// Applies the forces of the ground on dynamic bodies for a step of `dt_s` (s) that follows, under `gravity` (m/s²).
    /// A `dt_s` that is not a positive number applies none; gravity that is not finite counts as none.
    pub fn step(
        &mut self,
        dt_s: f64,
        ground: &Ground,
        materials: &Materials,
        body_fill: &BodyFill,
        gravity: Vec3,
        bodies: &mut Bodies,
    ) -> BearingReport {
        if !(dt_s > 0.0 && dt_s.is_finite()) {
            return BearingReport::default();
        }
        let gravity = if gravity.is_finite() { gravity } else { Vec3::ZERO };
        self.forget_removed(bodies);
        self.note_sleepers(bodies);
        self.sample(bodies, ground.voxel_size_m());

        let setting = Setting { params: &self.params, body_fill, gravity, dt_s };
        let awake: Vec<Body<'_>> = bodies.iter().filter(feels_ground).collect();
        let plan = |body: &Body<'_>| {
            let samples = &self.scratch.get(&body.id)?.samples;
            let record = self.records.get(&body.id).filter(|record| record.is_sound());
            Plan::make(body, samples, &mut View::new(ground, materials), &setting, record)
        };
        let plans: Vec<Option<Plan>> = awake.par_iter().map(plan).collect();
        let ids: Vec<BodyId> = awake.iter().map(|body| body.id).collect();

        let mut report = BearingReport::default();
        for (id, plan) in ids.into_iter().zip(plans) {
            let Some(plan) = plan else {
                self.records.remove(&id);
                continue;
            };
            plan.apply(bodies);
            self.records.insert(id, plan.record);
            report.loads.push(plan.load);
        }
        report
    }

    /// Feeds everything that decides how bearing goes on to `hasher`, in the order of ids.
    pub fn digest(&self, hasher: &mut Xxh3) {
        for (id, record) in &self.records {
            hasher.update(&id.0.to_le_bytes());
            for number in record.numbers() {
                hasher.update(&number.to_bits().to_le_bytes());
            }
        }
    }

    /// Forgets all scratch. Nothing depends on it.
    pub fn drop_scratch(&mut self) {
        self.scratch.clear();
    }

    fn forget_removed(&mut self, bodies: &Bodies) {
        let stays = |id: &BodyId| bodies.get(*id).is_some_and(|body| !body.frozen);
        self.records.retain(|id, _| stays(id));
        self.scratch.retain(|id, _| stays(id));
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
        let (spacing_m, most) = (self.params.spacing_voxels * voxel_size_m, self.params.max_samples.max(1));
        for body in bodies.iter().filter(feels_ground) {
            let shape = &body.spec.shape;
            let fits =
                |old: &Sampled| old.spacing_m == spacing_m && old.most == most && is_same(&old.shape, shape);
            if self.scratch.get(&body.id).is_none_or(|old| !fits(old)) {
                let samples = surface_samples(shape, spacing_m, most).into();
                let sampled = Sampled { shape: shape.clone(), spacing_m, most, samples };
                self.scratch.insert(body.id, sampled);
            }
        }
    }
}

fn feels_ground(body: &Body<'_>) -> bool {
    body.spec.motion == Motion::Dynamic && !body.sleeping && !body.frozen
}

/// Quick where both share their points.
fn is_same(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b) || a == b,
        (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b) || a == b,
        _ => a == b,
    }
}
