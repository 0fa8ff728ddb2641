//! Contacts with the ground as others see them.

use glam::{DVec3, Vec3};

use super::law::Resistance;
use super::motion::Twist;
use super::solve::{Contact, Slide};
use crate::bodies::{Body, BodyId};

/// A part of a body's surface that presses on the ground, during one part of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Which body.
    pub body: BodyId,
    /// In which part of the step, counted from 0.
    pub part: u32,
    /// Where (m).
    pub point_m: Vec3,
    /// Unit vector out of the body, into the ground.
    pub normal: Vec3,
    /// Its area (m²); corners have none.
    pub area_m2: f32,
    /// Force of the ground on the body, friction included (N): its mean over the part.
    pub force_n: Vec3,
    /// Of this, what acts along the surface (N): friction and adhesion.
    pub friction_n: Vec3,
    /// Pressure on the ground (Pa): its mean over the patch and the part. Zero for corners.
    pub pressure_pa: f32,
    /// Rock instead of soil.
    pub is_rock: bool,
    /// It belongs to a face that cuts.
    pub cuts: bool,
    /// It is a part of an edge or a tooth that is driven in point first.
    pub is_edge: bool,
}

/// The contacts of `body` that press when it moves with `velocity` at the end of a part of a step; what is slower than
/// `stick_m_s` (m/s) sticks.
pub(super) fn pressing(
    body: &Body<'_>,
    contacts: &[Contact],
    velocity: &Twist,
    stick_m_s: f64,
) -> Vec<Patch> {
    contacts.iter().filter_map(|contact| of_contact(body, contact, velocity, stick_m_s)).collect()
}

fn of_contact(body: &Body<'_>, contact: &Contact, velocity: &Twist, stick_m_s: f64) -> Option<Patch> {
    let slide = Slide::of(contact, velocity, stick_m_s);
    let (normal_force, _) = contact.resistance.force(slide.speed, stick_m_s);
    if normal_force <= 0.0 || normal_force.is_nan() {
        return None;
    }
    let along: DVec3 = slide.sideways * (contact.friction_n(normal_force) / slide.length);
    let pressure_pa = if contact.area_m2 > 0.0 { (normal_force / contact.area_m2) as f32 } else { 0.0 };
    Some(Patch {
        body: body.id,
        part: 0,
        point_m: body.centre_of_mass_m + contact.arm.as_vec3(),
        normal: contact.into.as_vec3(),
        area_m2: contact.area_m2 as f32,
        force_n: -(contact.into * normal_force + along).as_vec3(),
        friction_n: -along.as_vec3(),
        pressure_pa,
        is_rock: matches!(contact.resistance, Resistance::Rock(_)),
        cuts: contact.cuts,
        is_edge: contact.is_edge,
    })
}

/// The force (N) and the torque (N m) about the centre of mass that all patches together put on their body.
pub(super) fn sum(patches: &[Patch], centre_m: Vec3) -> Twist {
    patches.iter().fold(Twist::default(), |sum, patch| {
        let (force, arm) = (patch.force_n.as_dvec3(), (patch.point_m - centre_m).as_dvec3());
        sum + Twist { linear: force, angular: arm.cross(force) }
    })
}
