//! Bodies as particles meet them: plain data that moves in the small steps of whoever has particles, within a part of a step.
//!
//! Gravity, what was already pushed in this part, and what other bodies have lately been pressing act evenly over the part.
//! The process adds the impulses that it gives, moves on, and hands their sum in at the end. Then rapier moves the bodies
//! again from where they were, with that sum as a constant force: so a body gains exactly what the particles lost.
//! Scripted bodies follow their track at a constant rate; these, fixed and sleeping ones are as heavy as can be.

use barchan_volume::{Pose, Shape};
use glam::{DMat3, DQuat, DVec3, Vec3};

use super::collection::Entry;
use super::track::rate_between;
use super::{Bodies, BodyId, Cause, Impulse, Motion};

/// All bodies during a part of a step.
#[derive(Clone, Debug)]
pub struct Coupled {
    /// In the order of their ids.
    pub bodies: Vec<CoupledBody>,
    part_s: f64,
}

/// A body during a part of a step, in f64: steps of a microsecond do not vanish.
#[derive(Clone, Debug)]
pub struct CoupledBody {
    /// Which.
    pub id: BodyId,
    /// Its geometry, in its own frame.
    pub shape: Shape,
    /// Coefficient of friction (-).
    pub friction: f32,
    /// Share of the speed of impact that is left after it (-).
    pub restitution: f32,
    /// Centre of mass (m).
    pub centre_m: DVec3,
    /// How its own frame is turned.
    pub rotation: DQuat,
    /// Velocity of the centre of mass (m/s).
    pub velocity_m_s: DVec3,
    /// Rate of rotation (rad/s).
    pub spin_rad_s: DVec3,
    /// Mass (kg); infinite for what forces do not move: fixed, scripted, sleeping, frozen.
    pub mass_kg: f64,
    /// One over the mass along each axis of the world (1/kg); zero where it cannot move.
    pub inverse_mass: DVec3,
    /// In the world (1/(kg m²)); zero where it cannot turn.
    pub inverse_inertia: DMat3,
    /// About the own axes (1/(kg m²)).
    own_inverse_inertia: DMat3,
    /// 1 for every axis about which it may turn, else 0.
    may_turn: DVec3,
    /// Centre of mass in the own frame (m).
    own_centre_m: DVec3,
    /// All that is not given by particles (m/s², rad/s²).
    acceleration: [DVec3; 2],
    taken: Impulse,
}

impl Coupled {
    /// The bodies at `time_s` (s), before a part of a step that is `part_s` (s) long, under `gravity_m_s2` (m/s²).
    pub fn of(bodies: &Bodies, gravity_m_s2: Vec3, time_s: f64, part_s: f64) -> Self {
        let gravity = if gravity_m_s2.is_finite() { gravity_m_s2.as_dvec3() } else { DVec3::ZERO };
        let entries = bodies.entries.iter();
        let bodies =
            entries.map(|(id, entry)| CoupledBody::of(*id, entry, gravity, time_s, part_s)).collect();
        Self { bodies, part_s }
    }

    /// Moves all bodies on by `dt_s` (s): first their velocity changes, then their pose.
    pub fn advance(&mut self, dt_s: f64) {
        self.bodies.iter_mut().for_each(|body| body.advance(dt_s));
    }

    /// Gives `bodies` what these took, by `cause`, evenly over the part.
    pub fn hand_in(self, cause: Cause, bodies: &mut Bodies) {
        for body in self.bodies {
            if body.taken != Impulse::ZERO {
                // Refused when it is not finite, and then nothing is given.
                let _ = bodies.give(body.id, cause, body.taken, self.part_s);
            }
        }
    }
}

impl CoupledBody {
    fn of(id: BodyId, entry: &Entry, gravity: DVec3, time_s: f64, part_s: f64) -> Self {
        let now = &entry.state.now;
        let is_movable = entry.feels_forces() && !entry.state.sleeping;
        let (velocity, spin) = match &entry.spec.motion {
            Motion::Dynamic if is_movable => (now.linear, now.angular),
            Motion::Scripted(_) => entry.rate_ahead(time_s, part_s),
            _ => (Vec3::ZERO, Vec3::ZERO),
        };
        let locked = entry.spec.locked;
        let (may_move, may_turn) = (locked.may_move().as_dvec3(), locked.may_turn().as_dvec3());
        let mass_kg = f64::from(entry.mass.mass_kg);
        let mut body = Self {
            id,
            shape: entry.spec.shape.clone(),
            friction: entry.spec.friction,
            restitution: entry.spec.restitution,
            centre_m: now.pose.transform_point(entry.mass.centre_m).as_dvec3(),
            rotation: now.pose.rotation.as_dquat(),
            velocity_m_s: velocity.as_dvec3(),
            spin_rad_s: spin.as_dvec3(),
            mass_kg: f64::INFINITY,
            inverse_mass: DVec3::ZERO,
            inverse_inertia: DMat3::ZERO,
            own_inverse_inertia: DMat3::ZERO,
            may_turn,
            own_centre_m: entry.mass.centre_m.as_dvec3(),
            acceleration: [DVec3::ZERO; 2],
            taken: Impulse::ZERO,
        };
        if is_movable {
            body.mass_kg = mass_kg;
            body.inverse_mass = may_move / mass_kg;
            body.own_inverse_inertia = entry.mass.inverse_inertia.as_dmat3();
            body.turn_inertia();
            let (force, torque) = (entry.state.force.as_dvec3(), entry.state.torque.as_dvec3());
            let pressed = entry.coupling.expected();
            body.acceleration = [
                gravity * may_move + body.inverse_mass * (force + pressed.linear),
                body.inverse_inertia * (torque + pressed.angular),
            ];
        }
        body
    }

    /// True when impulses move it.
    pub fn is_movable(&self) -> bool {
        self.mass_kg.is_finite()
    }

    /// Where its own frame is.
    pub fn pose(&self) -> Pose {
        let origin = self.centre_m - self.rotation * self.own_centre_m;
        Pose::new(origin.as_vec3(), self.rotation.as_quat())
    }

    /// Velocity (m/s) of its point at `point_m` (m).
    pub fn velocity_at(&self, point_m: DVec3) -> DVec3 {
        self.velocity_m_s + self.spin_rad_s.cross(point_m - self.centre_m)
    }

    /// Kicks its point at `point_m` (m) with `impulse_n_s` (N s): the velocity changes at once.
    pub fn kick(&mut self, impulse_n_s: DVec3, point_m: DVec3) {
        self.take(Impulse::at(impulse_n_s, point_m - self.centre_m));
    }

    /// Takes an impulse: the velocity changes at once.
    pub fn take(&mut self, impulse: Impulse) {
        self.taken += impulse;
        self.velocity_m_s += self.inverse_mass * impulse.linear;
        self.spin_rad_s += self.inverse_inertia * impulse.angular;
    }

    /// All it took so far.
    pub fn taken(&self) -> Impulse {
        self.taken
    }

    fn advance(&mut self, dt_s: f64) {
        self.velocity_m_s += self.acceleration[0] * dt_s;
        self.spin_rad_s += self.acceleration[1] * dt_s;
        self.centre_m += self.velocity_m_s * dt_s;
        if self.spin_rad_s != DVec3::ZERO {
            // Half the turn as a quaternion, brought to unit length: no sines, which differ from machine to machine.
            let half = self.spin_rad_s * (0.5 * dt_s);
            let turn = DQuat::from_xyzw(half.x, half.y, half.z, 1.0);
            self.rotation = (turn * self.rotation).normalize();
            self.turn_inertia();
        }
    }

    /// Brings the inertia into the world as the body is turned now.
    fn turn_inertia(&mut self) {
        if self.is_movable() {
            let turn = DMat3::from_quat(self.rotation);
            let mask = DMat3::from_diagonal(self.may_turn);
            self.inverse_inertia = mask * (turn * self.own_inverse_inertia * turn.transpose()) * mask;
        }
    }
}

impl Entry {
    /// Mean velocity of the centre of mass (m/s) and rate of rotation (rad/s) with which a scripted body follows its track for
    /// `dt_s` (s) from `time_s` (s) on; zero for others, and where the track jumps.
    pub(super) fn rate_ahead(&self, time_s: f64, dt_s: f64) -> (Vec3, Vec3) {
        let Motion::Scripted(track) = &self.spec.motion else { return (Vec3::ZERO, Vec3::ZERO) };
        if dt_s.is_nan() || dt_s <= 0.0 || track.jumps_between(time_s, time_s + dt_s) {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        let (from, to) = (self.state.now.pose, track.pose(time_s + dt_s));
        let (_, angular) = rate_between(&from, &to, dt_s as f32);
        let centre = self.mass.centre_m;
        ((to.transform_point(centre) - from.transform_point(centre)) / dt_s as f32, angular)
    }
}
