//! Motions of a rigid body, and the inertia that holds against them.

use std::ops::{Add, Mul, Sub};

use glam::{DMat3, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::bodies::Body;

/// Something of a motion: a velocity, an acceleration, an impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Twist {
    /// Of the centre of mass (m/s and the like).
    pub linear: DVec3,
    /// About the centre of mass (rad/s and the like).
    pub angular: DVec3,
}

impl Twist {
    /// How `body` moves.
    pub fn of(body: &Body<'_>) -> Self {
        Self { linear: body.linear_velocity_m_s.as_dvec3(), angular: body.angular_velocity_rad_s.as_dvec3() }
    }

    /// The velocity of the point at `arm` (m) from the centre of mass.
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }

    pub fn dot(&self, other: &Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }

    /// Its six numbers.
    pub fn to_array(self) -> [f64; 6] {
        let (v, w) = (self.linear, self.angular);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// The twist with these six numbers.
    pub fn from_array([vx, vy, vz, wx, wy, wz]: [f64; 6]) -> Self {
        Self { linear: DVec3::new(vx, vy, vz), angular: DVec3::new(wx, wy, wz) }
    }
}

impl Add for Twist {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl Sub for Twist {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for Twist {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }
}

/// By how much the inertia is greater along and about axes that are locked (-).
const LOCKED: f64 = 1e6;

/// Mass and moment of inertia about the centre of mass, in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertia {
    /// Mass (kg).
    pub mass: f64,
    /// Mass along each axis (kg): more where the body is locked.
    pub masses: DVec3,
    /// Moment of inertia (kg m²): more where the body is locked.
    pub matrix: DMat3,
    /// Its inverse (1/(kg m²)).
    pub inverse: DMat3,
}

impl Inertia {
    /// What `body` has; none when forces do not move it.
    pub fn of(body: &Body<'_>) -> Option<Self> {
        let mass = f64::from(body.mass_kg);
        let locked = body.spec.locked;
        let held = |free: Vec3| (Vec3::ONE - free).as_dvec3();
        let masses = mass * (DVec3::ONE + held(locked.may_move()) * (LOCKED - 1.0));
        let inverse = body.inverse_inertia.as_dmat3();
        // What cannot turn at all has no moment of inertia to compare with: any will do.
        let (turning, count) = (inverse.diagonal(), f64::from(locked.may_turn().element_sum()));
        let mean = if count > 0.0 { turning.element_sum() / count } else { 1.0 };
        let inverse = inverse + DMat3::from_diagonal(held(locked.may_turn()) * (mean / LOCKED));
        let minors = [
            inverse.x_axis.x,
            inverse.x_axis.x * inverse.y_axis.y - inverse.x_axis.y * inverse.y_axis.x,
            inverse.determinant(),
        ];
        let usable = mass > 0.0 && minors.iter().all(|minor| *minor > 0.0 && minor.is_finite());
        usable.then(|| Self { mass, masses, matrix: inverse.inverse(), inverse })
    }

    /// The momentum of a motion.
    pub fn momentum(&self, velocity: &Twist) -> Twist {
        Twist { linear: velocity.linear * self.masses, angular: self.matrix * velocity.angular }
    }

    /// The motion that a momentum is.
    pub fn velocity(&self, momentum: &Twist) -> Twist {
        Twist { linear: momentum.linear / self.masses, angular: self.inverse * momentum.angular }
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Shape};
    use glam::Quat;

    use super::*;
    use crate::bodies::{Bodies, BodySpec, Motion};

    #[test]
    fn the_inertia_of_a_turned_box_is_found() {
        let shape = Shape::Box { half_extents: Vec3::new(0.2, 0.5, 0.1) };
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
        let mut bodies = Bodies::new();
        let spec = BodySpec::new("box", shape, Pose::new(Vec3::new(30.0, -7.0, 2.0), turn), Motion::Dynamic);
        let id = bodies.insert(spec).unwrap();
        let inertia = Inertia::of(&bodies.get(id).unwrap()).unwrap();
        // m/3 (b² + c²) about each axis, for half sides b and c.
        let own = DVec3::new(0.25 + 0.01, 0.04 + 0.01, 0.04 + 0.25) * inertia.mass / 3.0;
        let turn = DMat3::from_quat(turn.as_dquat());
        let expected = turn * DMat3::from_diagonal(own) * turn.transpose();
        for column in 0..3 {
            let error = (inertia.matrix.col(column) - expected.col(column)).length();
            assert!(error < 1e-4 * own.max_element(), "column {column}: {error}");
        }
    }
}
