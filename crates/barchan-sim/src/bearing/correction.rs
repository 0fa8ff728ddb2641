//! What the last step got wrong because nobody could know, put right at once.
//!
//! Forces are applied before other bodies push. When a push comes that was not expected, the ground does not hold the
//! body; when one that was expected does not come, the ground throws it; and a sleeping body that is woken in the middle
//! of a step is not held either. All this is small in one step, but would add up. So the last step is solved again
//! with what is known now, and the difference applied at once.

use barchan_volume::Pose;
use glam::Quat;

use super::contacts::{Setting, Touches};
use super::motion::{Inertia, Twist};
use super::record::Record;
use super::solve::Problem;
use crate::bodies::{Body, MAX_SUBSTEP_S};
use crate::reader::Reader;

/// Errors below this are left to the next step (m/s).
const NOTED_M_S: f64 = 5e-3;

/// What a body takes on before the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Correction {
    /// Its velocity, if that changes.
    pub velocity: Option<Twist>,
    /// Its pose, if that changes.
    pub pose: Option<Pose>,
}

impl Correction {
    /// Solves the last step of `body`, as `record` tells of it, again.
    pub fn of_last_step(
        body: &Body<'_>,
        inertia: Inertia,
        touches: &Touches,
        reader: &mut Reader<'_>,
        setting: &Setting<'_>,
        record: &Record,
    ) -> Self {
        let velocity = Twist::of(body);
        let error = velocity - record.unpushed - record.expected * record.dt_s;
        if inertia.momentum(&error).dot(&error) < inertia.mass * NOTED_M_S * NOTED_M_S {
            return Self::default();
        }
        let mut before = *body;
        before.linear_velocity_m_s = record.start.linear.as_vec3();
        before.angular_velocity_rad_s = record.start.angular.as_vec3();
        let mut contacts = Vec::new();
        touches.soil_contacts(&before, reader, setting, &mut contacts);
        touches.rock_contacts(&before, f32::INFINITY, setting, &mut contacts);
        let problem = Problem {
            inertia,
            free: velocity - record.ground,
            dt_s: record.dt_s,
            stick_m_s: f64::from(setting.params.stick_speed_m_s),
            contacts: &contacts,
        };
        let corrected = problem.solve(record.start);
        if !corrected.is_finite() {
            return Self::default();
        }
        let pose = moved(body, (corrected - velocity) * way_of_velocity(record.dt_s));
        Self { velocity: Some(corrected), pose: Some(pose) }
    }

    /// Gives `body` the corrected velocity.
    pub fn apply_to(&self, body: &mut Body<'_>) {
        if let Some(velocity) = &self.velocity {
            body.linear_velocity_m_s = velocity.linear.as_vec3();
            body.angular_velocity_rad_s = velocity.angular.as_vec3();
        }
    }
}

/// How far a body moves by a unit of velocity that a constant force gives it in a step of `dt_s` (s): half of the step, and
/// a bit because rapier takes its velocity at the end of each of the four parts of a sub-step (s).
fn way_of_velocity(dt_s: f64) -> f64 {
    let parts = 4.0 * (dt_s / MAX_SUBSTEP_S - 1e-6).ceil().max(1.0);
    0.5 * dt_s * (1.0 + 1.0 / parts)
}

/// The pose of `body` after a small motion, which is no longer than that of the last step.
fn moved(body: &Body<'_>, motion: Twist) -> Pose {
    let last_m = (body.pose.translation - body.previous_pose.translation).length();
    let last_rad = body.pose.rotation.angle_between(body.previous_pose.rotation);
    let shift = motion.linear.as_vec3().clamp_length_max(last_m);
    let turn = Quat::from_scaled_axis(motion.angular.as_vec3().clamp_length_max(last_rad));
    let centre = body.centre_of_mass_m;
    let translation = centre + shift + turn * (body.pose.translation - centre);
    Pose::new(translation, (turn * body.pose.rotation).normalize())
}
