//! What changes the motion of a body: force times time.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// An impulse on a body; divided by a time it is the force and the torque that give it in that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impulse {
    /// Through the centre of mass (N s).
    pub linear: DVec3,
    /// About the centre of mass (N m s).
    pub angular: DVec3,
}

impl Impulse {
    /// Nothing.
    pub const ZERO: Self = Self { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// What `impulse_n_s` (N s) does that acts at `arm_m` (m) from the centre of mass.
    pub fn at(impulse_n_s: DVec3, arm_m: DVec3) -> Self {
        Self { linear: impulse_n_s, angular: arm_m.cross(impulse_n_s) }
    }

    /// True when no number in it is infinite or none at all.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }

    /// The force (N) and the torque (N m) that give it within `dt_s` (s).
    pub(super) fn over(&self, dt_s: f64) -> (Vec3, Vec3) {
        ((self.linear / dt_s).as_vec3(), (self.angular / dt_s).as_vec3())
    }
}

impl Add for Impulse {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl Sub for Impulse {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl Neg for Impulse {
    type Output = Self;
    fn neg(self) -> Self {
        Self { linear: -self.linear, angular: -self.angular }
    }
}

impl Mul<f64> for Impulse {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }
}

impl AddAssign for Impulse {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
