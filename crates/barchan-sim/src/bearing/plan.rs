//! What the ground does to one body in one step.

use barchan_volume::VoxelBox;
use glam::{DVec3, IVec3, Vec3};

use super::bearing::{BodyLoad, Sampled};
use super::contacts::{Setting, Touches};
use super::correction::Correction;
use super::motion::{Inertia, Twist};
use super::patch::{Patch, pressing};
use super::record::Record;
use super::samples::Sample;
use super::shear::Sheared;
use super::solve::{Contact, Problem};
use crate::bodies::{Bodies, Body, Cause};
use crate::ground::Ground;
use crate::reader::{Reader, voxel_at};

/// Around a body that touches more bricks than this, the ground is looked at point by point right away (-).
const MANY_BRICKS: u128 = 512;

/// The forces on one body, ready to be applied.
#[derive(Debug)]
pub(super) struct Plan {
    correction: Correction,
    pub load: BodyLoad,
    pub record: Record,
    pub patches: Vec<Patch>,
    pub sheared: Sheared,
}

impl Plan {
    /// Works out the step of `body` with points `samples` on its surface. None when it touches nothing.
    pub fn make(
        body: &Body<'_>,
        sampled: &Sampled,
        reader: &mut Reader<'_>,
        setting: &Setting<'_>,
        (record, sheared): (Option<&Record>, &Sheared),
    ) -> Option<Self> {
        let radius_m = radius(body, &sampled.samples);
        if !is_ground_near(body, radius_m, reader.ground, setting) {
            return None;
        }
        let touches = Touches::find(body, sampled, sheared, reader, setting);
        if touches.is_empty() {
            return None;
        }
        let inertia = Inertia::of(body)?;
        let slop_m = setting.params.rock_slop_voxels * reader.ground.voxel_size_m();
        let mut start = *body;
        let mut contacts = Vec::with_capacity(touches.soil.len() + touches.rock.len());
        let mut correction = record.map_or(Correction::default(), |record| {
            Correction::of_last_step(body, inertia, &touches, reader, setting, record)
        });
        correction.apply_to(&mut start);
        if let Some(hits) = touches.impact(&start, setting) {
            correction.velocity = Some(blow(&start, inertia, &hits, setting));
            correction.apply_to(&mut start);
        }
        let hold = touches.soil_contacts(&start, reader, setting, &mut contacts);
        touches.rock_contacts(&start, slop_m, setting, &mut contacts);
        let step = Step { body: &start, inertia, contacts: &contacts, setting };
        let (force, record, end) = step.solve(hold.overburden, body, record);
        let load = BodyLoad {
            id: body.id,
            force_n: force.linear.as_vec3(),
            torque_n_m: force.angular.as_vec3(),
            contacts: contacts.len(),
            sinkage_m: hold.deepest_m,
            overburden_kg: hold.overburden.0,
        };
        let stick_m_s = f64::from(setting.params.stick_speed_m_s);
        let patches = pressing(&start, &contacts, &end, stick_m_s);
        let motions = [&Twist::of(&start), &end];
        let sheared = sheared.after(&contacts, motions, setting.dt_s, stick_m_s);
        Some(Self { correction, load, record, patches, sheared })
    }

    /// Lets it act on the body. Numbers that are not finite act on nothing.
    pub fn apply(&self, bodies: &mut Bodies) {
        let BodyLoad { id, force_n, torque_n_m, .. } = self.load;
        if let Some(pose) = self.correction.pose {
            let _ = bodies.set_pose(id, pose);
        }
        if let Some(velocity) = &self.correction.velocity {
            // Refused when it is faster than bodies may be.
            let (linear, angular) = (velocity.linear.as_vec3(), velocity.angular.as_vec3());
            let _ = bodies.strike(id, Cause::Bearing, linear, angular);
        }
        let _ = bodies.apply_force(id, Cause::Bearing, force_n, torque_n_m);
    }
}

/// Distance of the furthest point from the centre of mass (m).
pub(super) fn radius(body: &Body<'_>, samples: &[Sample]) -> f32 {
    let centre = body.pose.inverse_transform_point(body.centre_of_mass_m);
    samples.iter().map(|sample| sample.point.distance_squared(centre)).fold(0.0, f32::max).sqrt()
}

/// False when there is certainly no ground where the body is or gets to in the step.
pub(super) fn is_ground_near(body: &Body<'_>, radius_m: f32, ground: &Ground, setting: &Setting<'_>) -> bool {
    let size = ground.voxel_size_m();
    let reach = Vec3::splat(radius_m + setting.way(body.linear_velocity_m_s) + 2.0 * size);
    let (low, high) =
        (voxel_at(body.centre_of_mass_m - reach, size), voxel_at(body.centre_of_mass_m + reach, size));
    let bricks = VoxelBox::new(low, high + IVec3::ONE).to_bricks();
    bricks.volume() > MANY_BRICKS || bricks.cells().any(|brick| ground.voxels().stored(brick).is_some())
}

/// The velocity of a body right after all that its contacts can do within a step has acted at once.
fn blow(body: &Body<'_>, inertia: Inertia, contacts: &[Contact], setting: &Setting<'_>) -> Twist {
    let before = Twist::of(body);
    let stick_m_s = f64::from(setting.params.stick_speed_m_s);
    let problem = Problem { inertia, free: before, dt_s: setting.dt_s, stick_m_s, contacts };
    Some(problem.solve(before)).filter(Twist::is_finite).unwrap_or(before)
}

/// The step of a body from its velocity after any blow.
struct Step<'a> {
    body: &'a Body<'a>,
    inertia: Inertia,
    contacts: &'a [Contact],
    setting: &'a Setting<'a>,
}

impl Step<'_> {
    /// The force of the ground and what lies on the body, what to remember, and the motion at the end as far as it can be known.
    /// `before` is the body before any blow.
    fn solve(
        &self,
        (overburden_kg, overburden_arm): (f32, Vec3),
        before: &Body<'_>,
        record: Option<&Record>,
    ) -> (Twist, Record, Twist) {
        let (dt_s, gravity) = (self.setting.dt_s, self.setting.gravity.as_dvec3());
        let (push, lasting) = match record {
            Some(record) if !record.slept => {
                let push = record.last_push(&Twist::of(before));
                (push, Record::lasting(&push, &record.push))
            }
            _ => Default::default(),
        };
        let weight = Twist {
            linear: gravity * f64::from(overburden_kg),
            angular: overburden_arm.as_dvec3().cross(gravity),
        };
        let start = Twist::of(self.body);
        let may_move = self.body.spec.locked.may_move().as_dvec3();
        // What hands push with is known beforehand, unlike what comes from other bodies.
        let (force, torque) = self.body.waiting;
        let hands = Twist { linear: force.as_dvec3(), angular: torque.as_dvec3() };
        let falling = start
            + Twist { linear: gravity * may_move, angular: DVec3::ZERO } * dt_s
            + self.inertia.velocity(&hands) * dt_s;
        let free = falling + lasting * dt_s + self.inertia.velocity(&weight) * dt_s;
        let problem = Problem {
            inertia: self.inertia,
            free,
            dt_s,
            stick_m_s: f64::from(self.setting.params.stick_speed_m_s),
            contacts: self.contacts,
        };
        let solved = problem.solve(start);
        let end = if solved.is_finite() { solved } else { free };
        let unpushed = end - lasting * dt_s;
        let ground = unpushed - falling;
        let record = Record { start, ground, unpushed, expected: lasting, push, dt_s, slept: false };
        (self.inertia.momentum(&ground) * (1.0 / dt_s), record, end)
    }
}
