//! What two things that touch do to each other: their law, and its numbers for every pair of kinds.

use libm::pow;
use serde::{Deserialize, Serialize};

use super::damping::Dampings;

/// How a contact resists being pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Law {
    /// F = K x^1.5 - G x^0.5 v (Hertz): stiffer the deeper, restitution falls with speed.
    #[default]
    Hertz,
    /// F = K x - G v: the same restitution at all speeds.
    Linear,
}

/// How a contact resists sliding, up to its Coulomb limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sliding {
    /// By a spring that remembers (Mindlin): it bears shear at rest.
    #[default]
    Springs,
    /// By viscous friction, as Longmore does: shear at rest creeps.
    Viscous,
}

/// The laws of all contacts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Laws {
    /// Normal law.
    pub law: Law,
    /// Tangential law.
    pub sliding: Sliding,
    /// Speed of impact at which restitutions are as asked (m/s).
    pub restitution_speed_m_s: f64,
    /// Substeps of the shortest contact: 15 is common, more is more exact.
    pub substeps_per_contact: f64,
}

impl Default for Laws {
    fn default() -> Self {
        Self {
            law: Law::Hertz,
            sliding: Sliding::Springs,
            restitution_speed_m_s: 1.0,
            substeps_per_contact: 15.0,
        }
    }
}

/// One of two things that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    /// Radius (m); infinite for what is flat.
    pub radius_m: f64,
    /// Mass of the whole body (kg); infinite for what does not move.
    pub mass_kg: f64,
    /// Young's modulus (Pa).
    pub young_pa: f64,
    /// Poisson's ratio (-).
    pub poisson: f64,
}

/// What is said of a pair of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manners {
    /// Coefficient of friction (-).
    pub friction: f64,
    /// Coefficient of rolling friction (-).
    pub rolling: f64,
    /// Restitution at the speed of [`Laws`] (-).
    pub restitution: f64,
    /// Pull per area of contact (Pa).
    pub adhesion_pa: f64,
}

/// The numbers of a contact between two kinds, as inner loops read them. `q` is the root of the overlap x for Hertz, 1 for the
/// linear law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Elastic force: K q x.
    pub stiffness: f32,
    /// Damping force: G q times the speed of approach.
    pub damping: f32,
    /// Stiffness of the sliding spring: this times q (N/m).
    pub sliding: f32,
    /// Damping of the springs over their stiffness (s); of viscous friction: force over speed (N s/m).
    pub lag: f32,
    /// Coefficient of friction (-).
    pub friction: f32,
    /// Pull over overlap (N/m).
    pub adhesion: f32,
    /// Stiffness of the rolling spring: this times q (N m/rad).
    pub rolling: f32,
    /// Most torque of rolling over the force that presses (m).
    pub rolling_limit: f32,
}

/// How fast a contact of a pair is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    law: Law,
    stiffness: f64,
    mass_kg: f64,
}

/// What both radii or masses amount to together.
fn together(a: f64, b: f64) -> f64 {
    if a.is_infinite() {
        b
    } else if b.is_infinite() {
        a
    } else {
        a * b / (a + b)
    }
}

impl Pair {
    /// The numbers of a pair.
    pub fn new(laws: &Laws, a: &Touching, b: &Touching, manners: &Manners, dampings: &mut Dampings) -> Self {
        let radius = together(a.radius_m, b.radius_m);
        let mass = together(a.mass_kg, b.mass_kg);
        let hertz = hertz_stiffness(a, b);
        let speed = laws.restitution_speed_m_s;
        let d = dampings.number(laws.law, manners.restitution);
        let (stiffness, damping) = match laws.law {
            Law::Hertz => (hertz, d * pow(speed, -0.2) * pow(hertz, 0.6) * pow(mass, 0.4)),
            Law::Linear => {
                let stiffness = linear_stiffness(hertz, mass, speed);
                (stiffness, d * (stiffness * mass).sqrt())
            }
        };
        // Mindlin over Hertz's tangent, the same for both laws.
        let share = 8.0 * shear_modulus(a, b) * radius.sqrt() / (1.5 * hertz);
        let normal_tangent = if laws.law == Law::Hertz { 1.5 * stiffness } else { stiffness };
        let sliding = share * normal_tangent;
        let lag = match laws.sliding {
            // As strong, for the mass that a sphere feels when it may turn, as damping along the normal is.
            Sliding::Springs => damping * (share * 2.0 / 7.0).sqrt() / sliding,
            // Sliding friction is full from about g t on, Longmore 3.2.2; more than 2/7 m/dt would chatter.
            Sliding::Viscous => {
                let pace = Pace { law: laws.law, stiffness, mass_kg: mass };
                manners.friction.min(4.2) * mass / pace.contact_s(speed)
            }
        };
        Self {
            stiffness: stiffness as f32,
            damping: damping as f32,
            sliding: sliding as f32,
            lag: lag as f32,
            friction: manners.friction as f32,
            adhesion: (manners.adhesion_pa * std::f64::consts::PI * radius) as f32,
            rolling: if manners.rolling > 0.0 { (sliding * radius * radius) as f32 } else { 0.0 },
            rolling_limit: (manners.rolling * radius) as f32,
        }
    }
}

impl Pace {
    /// Of a pair whose lighter sides feel like `light_a`, `light_b` (kg) where a push turns them most.
    pub fn new(laws: &Laws, a: &Touching, b: &Touching, light_a: f64, light_b: f64) -> Self {
        let hertz = hertz_stiffness(a, b);
        let stiffness = match laws.law {
            Law::Hertz => hertz,
            Law::Linear => {
                linear_stiffness(hertz, together(a.mass_kg, b.mass_kg), laws.restitution_speed_m_s)
            }
        };
        Self { law: laws.law, stiffness, mass_kg: together(light_a, light_b) }
    }

    /// How long an impact at `speed` (m/s) lasts (s).
    pub fn contact_s(&self, speed: f64) -> f64 {
        match self.law {
            Law::Hertz => 3.218 * pow(self.mass_kg / self.stiffness, 0.4) * pow(speed.max(1e-9), -0.2),
            Law::Linear => std::f64::consts::PI * (self.mass_kg / self.stiffness).sqrt(),
        }
    }

    /// One over the frequency (s/rad) of the pair while they overlap by `overlap` (m).
    pub fn period_s(&self, overlap: f64) -> f64 {
        match self.law {
            Law::Hertz => (self.mass_kg / (1.5 * self.stiffness * overlap.max(1e-15).sqrt())).sqrt(),
            Law::Linear => (self.mass_kg / self.stiffness).sqrt(),
        }
    }
}

fn hertz_stiffness(a: &Touching, b: &Touching) -> f64 {
    let soft = |t: &Touching| (1.0 - t.poisson * t.poisson) / t.young_pa;
    4.0 / 3.0 / (soft(a) + soft(b)) * together(a.radius_m, b.radius_m).sqrt()
}

/// The spring that lets an impact at `speed` go as deep as Hertz's law does.
fn linear_stiffness(hertz: f64, mass: f64, speed: f64) -> f64 {
    let deepest = pow(1.25 * mass * speed * speed / hertz, 0.4);
    mass * speed * speed / (deepest * deepest)
}

fn shear_modulus(a: &Touching, b: &Touching) -> f64 {
    let soft = |t: &Touching| 2.0 * (1.0 + t.poisson) * (2.0 - t.poisson) / t.young_pa;
    1.0 / (soft(a) + soft(b))
}
