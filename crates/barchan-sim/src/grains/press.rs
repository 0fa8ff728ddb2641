//! One contact, plainly: the reference that the vectors of `press_lanes` follow operation by operation.

use glam::Vec3;

use super::law::{Law, Laws, Pair, Sliding};

/// Where no direction is defined a length is taken as this: nothing that small is ever felt.
pub const TINY: f32 = 1e-30;

/// What all contacts of a step have in common.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// True for Hertz's law, false for the linear one.
    pub hertz: bool,
    /// True for viscous friction, false for springs.
    pub viscous: bool,
    /// True where some pair resists rolling.
    pub rolling: bool,
    /// Time that passes (s).
    pub dt_s: f32,
    /// Length of one part of [`Place::fine`](barchan_particles::Place::fine) (m).
    pub part_m: f32,
}

impl Rules {
    /// The rules of `laws`.
    pub fn new(laws: &Laws, rolling: bool, dt_s: f64, edge_m: f64) -> Self {
        Self {
            hertz: laws.law == Law::Hertz,
            viscous: laws.sliding == Sliding::Viscous,
            rolling,
            dt_s: dt_s as f32,
            part_m: (edge_m / f64::from(1u32 << barchan_particles::Place::FINE_BITS)) as f32,
        }
    }
}

/// What a contact remembers: how far its springs are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Springs {
    /// Of sliding (m).
    pub slide: Vec3,
    /// Of rolling (rad).
    pub roll: Vec3,
}

/// How two things move where they touch.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// Unit vector towards the one that is pushed.
    pub normal: Vec3,
    /// Overlap (m), above 0.
    pub overlap: f32,
    /// Velocity of the one that is pushed against the other at the contact (m/s).
    pub velocity: Vec3,
    /// Spin of the one that is pushed against the other (rad/s).
    pub spin: Vec3,
}

/// What the one that is pushed feels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Push {
    /// Force (N).
    pub force: Vec3,
    /// Torque beside that of the force (N m).
    pub torque: Vec3,
    /// What presses (N).
    pub load: f32,
}

/// The force of a contact; draws its springs.
///
/// Source: Hertz with damping of x^0.5 (Longmore eq. 3.20, its damping derived anew), springs after Mindlin with the limit of Coulomb,
/// rolling springs with the limit of Zhou (1999).
#[inline(always)]
pub fn press(meeting: &Meeting, pair: &Pair, rules: &Rules, springs: &mut Springs) -> Push {
    let Meeting { normal, overlap, velocity, spin } = *meeting;
    let parting = velocity.dot(normal);
    let sideways = velocity - normal * parting;
    let q = if rules.hertz { overlap.sqrt() } else { 1.0 };
    let load = (q * (pair.stiffness * overlap - pair.damping * parting)).max(0.0);
    let limit = pair.friction * load;
    let friction = if rules.viscous {
        let speed = sideways.dot(sideways).sqrt().max(TINY);
        let held = (pair.lag * speed).min(limit);
        sideways * -(held / speed)
    } else {
        draw(&mut springs.slide, normal, sideways, q * pair.sliding, limit, pair, rules)
    };
    let torque = if rules.rolling {
        let turning = spin - normal * spin.dot(normal);
        let limit = pair.rolling_limit * load;
        draw(&mut springs.roll, normal, turning, q * pair.rolling, limit, pair, rules)
    } else {
        Vec3::ZERO
    };
    let force = normal * (load - pair.adhesion * overlap) + friction;
    Push { force, torque, load }
}

/// Draws a spring in the plane of the contact, as far as its limit lets it, and says how it pulls.
#[inline(always)]
fn draw(
    spring: &mut Vec3,
    normal: Vec3,
    rate: Vec3,
    stiffness: f32,
    limit: f32,
    pair: &Pair,
    rules: &Rules,
) -> Vec3 {
    let drawn = *spring - normal * spring.dot(normal) + rate * rules.dt_s;
    // Its damping, as a length: a clamped spring keeps what is left of the limit for itself.
    let lag = if rules.viscous { 0.0 } else { pair.lag };
    let ahead = drawn + rate * lag;
    let pull = stiffness * ahead.dot(ahead).sqrt();
    let share = if pull > limit { limit / pull } else { 1.0 };
    *spring = drawn * share + rate * ((share - 1.0) * lag);
    ahead * -(stiffness * share)
}
