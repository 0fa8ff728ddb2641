//! Bodies that follow a track: the ground cannot hold them, but it resists.

use glam::Vec3;

use super::bearing::Sampled;
use super::contacts::{Setting, Touches};
use super::motion::Twist;
use super::patch::{Patch, pressing, sum};
use super::plan::{is_ground_near, radius};
use super::shear::Sheared;
use crate::bodies::{Bodies, Body, BodyId, Cause};
use crate::reader::Reader;

/// What soil does to a body that is led through it. Rock lets it pass.
#[derive(Debug)]
pub(super) struct Led {
    pub id: BodyId,
    /// Force (N) and torque (N m), the weight of soil on top included.
    load: Twist,
    pub patches: Vec<Patch>,
    pub sheared: Sheared,
}

impl Led {
    /// Works out the part of a step in which `body` moves on with its velocities. None when nothing touches it, and when it
    /// stands still: then nobody knows how much it presses.
    pub fn make(
        body: &Body<'_>,
        sampled: &Sampled,
        sheared: &Sheared,
        reader: &mut Reader<'_>,
        setting: &Setting<'_>,
    ) -> Option<Self> {
        let stands = body.linear_velocity_m_s == Vec3::ZERO && body.angular_velocity_rad_s == Vec3::ZERO;
        if stands || !is_ground_near(body, radius(body, &sampled.samples), reader.ground, setting) {
            return None;
        }
        let touches = Touches::find(body, sampled, sheared, reader, setting);
        let mut contacts = Vec::with_capacity(touches.soil.len());
        let hold = touches.soil_contacts(body, reader, setting, &mut contacts);
        let stick_m_s = f64::from(setting.params.stick_speed_m_s);
        let patches = pressing(body, &contacts, &Twist::of(body), stick_m_s);
        let (overburden_kg, overburden_arm) = hold.overburden;
        let gravity = setting.gravity.as_dvec3();
        let weight = Twist {
            linear: gravity * f64::from(overburden_kg),
            angular: overburden_arm.as_dvec3().cross(gravity),
        };
        let load = sum(&patches, body.centre_of_mass_m) + weight;
        let motion = Twist::of(body);
        let sheared = sheared.after(&contacts, [&motion, &motion], setting.dt_s, stick_m_s);
        (load != Twist::default()).then_some(Self { id: body.id, load, patches, sheared })
    }

    /// Keeps in mind what the body receives.
    pub fn apply(&self, bodies: &mut Bodies) {
        let (force, torque) = (self.load.linear.as_vec3(), self.load.angular.as_vec3());
        // Refused when it is not finite: then nothing is kept.
        let _ = bodies.apply_force(self.id, Cause::Bearing, force, torque);
    }
}
