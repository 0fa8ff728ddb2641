//! The frame that the soil on a body moves with.

use glam::{DQuat, DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::lattice::Lattice;
use crate::bodies::Body;

/// Where the soil on a body is, and how it moves. It follows the body as fast as friction lets it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Frame {
    /// Level place of its middle (m).
    pub centre_m: DVec2,
    /// Turn about the vertical (rad).
    pub yaw: f64,
    /// Level velocity (m/s).
    pub velocity_m_s: DVec2,
    /// Rate of that turn (rad/s).
    pub yaw_rate: f64,
    /// Upward velocity of the body (m/s).
    pub climb_m_s: f64,
}

/// How a body moved in one part of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyMotion {
    /// Path of the point of the body that was at the middle of the frame (m).
    pub path_m: DVec3,
    /// How it turned.
    pub turned: DQuat,
    /// The time it took (s).
    pub dt_s: f64,
}

/// How much friction can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grip {
    /// Largest level acceleration (m/s²).
    pub acceleration_m_s2: f64,
    /// Distance from the centre at which it acts on a turn (m).
    pub lever_m: f64,
}

/// Two bodies move as one when neither their paths nor their turns differ by more than this part (-).
const ALIKE: f64 = 1e-3;

/// What f32 leaves uncertain of a pose: of lengths, for each metre from the origin, and of turns (-, rad).
const ROUNDING: f64 = 1e-6;

impl BodyMotion {
    /// The motion of `body` around the level place `middle_m` (m).
    pub(super) fn of(body: &Body<'_>, middle_m: DVec2, dt_s: f64) -> Self {
        let (now, before) = (body.pose, body.previous_pose);
        if now == before {
            return Self { path_m: DVec3::ZERO, turned: DQuat::IDENTITY, dt_s };
        }
        let (from, to) = (before.translation.as_dvec3(), now.translation.as_dvec3());
        if now.rotation == before.rotation {
            return Self { path_m: to - from, turned: DQuat::IDENTITY, dt_s };
        }
        let turned = now.rotation.as_dquat() * before.rotation.as_dquat().inverse();
        let arm = middle_m.extend(f64::from(body.centre_of_mass_m.z)) - from;
        Self { path_m: to - from + turned * arm - arm, turned, dt_s }
    }

    /// Turn about the vertical (rad).
    pub(super) fn turn(&self) -> f64 {
        twist(self.turned)
    }

    /// True when the point of the body that was `offset_m` (m) from the middle of the frame went up more than sideways.
    pub(super) fn lifts(&self, offset_m: DVec3) -> bool {
        let way_m = self.path_m + self.turned * offset_m - offset_m;
        way_m.z > way_m.truncate().length()
    }

    /// True when two bodies that are `from_origin_m` (m) from the origin moved as if they were one.
    pub(super) fn is_like(&self, other: &Self, from_origin_m: f64) -> bool {
        let (angle, apart) =
            (self.turned.angle_between(DQuat::IDENTITY), self.turned.angle_between(other.turned));
        let way_m = (self.path_m - other.path_m).length();
        apart <= ALIKE * angle + ROUNDING && way_m <= ALIKE * self.path_m.length() + ROUNDING * from_origin_m
    }
}

/// The part of a rotation that turns about the vertical (rad), from -pi to pi.
fn twist(rotation: DQuat) -> f64 {
    let short = if rotation.w < 0.0 { -rotation } else { rotation };
    2.0 * short.z.atan2(short.w)
}

impl Frame {
    /// The frame of soil at rest on a body whose centre of mass is at `centre_m` (m).
    pub(super) fn at_rest(centre_m: DVec2) -> Self {
        Self { centre_m, yaw: 0.0, velocity_m_s: DVec2::ZERO, yaw_rate: 0.0, climb_m_s: 0.0 }
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.velocity_m_s == DVec2::ZERO && self.yaw_rate == 0.0
    }

    /// The press of the soil on the body per mass (m/s²), in a part of a step in which the body moves like this.
    pub(super) fn press(&self, motion: &BodyMotion, gravity_m_s2: f64) -> f64 {
        (gravity_m_s2 + (motion.path_m.z / motion.dt_s - self.climb_m_s) / motion.dt_s).max(0.0)
    }

    /// The frame after the body moved, having followed as far as the grip allows.
    pub(super) fn follow(&self, motion: &BodyMotion, grip: &Grip) -> Self {
        let dt_s = motion.dt_s;
        let (path_m, velocity_m_s) = {
            let wanted = motion.path_m.truncate() / dt_s;
            let change = wanted - self.velocity_m_s;
            let most = grip.acceleration_m_s2 * dt_s;
            if change.length() <= most {
                (motion.path_m.truncate(), wanted)
            } else {
                let reached = self.velocity_m_s + change.clamp_length_max(most);
                (reached * dt_s, reached)
            }
        };
        let (turn, yaw_rate) = {
            let wanted = motion.turn() / dt_s;
            let change = wanted - self.yaw_rate;
            let most = grip.acceleration_m_s2 * dt_s / grip.lever_m;
            if change.abs() <= most {
                (motion.turn(), wanted)
            } else {
                let reached = self.yaw_rate + change.clamp(-most, most);
                (reached * dt_s, reached)
            }
        };
        let climb_m_s = motion.path_m.z / dt_s;
        Self { centre_m: self.centre_m + path_m, yaw: self.yaw + turn, velocity_m_s, yaw_rate, climb_m_s }
    }

    /// The frame on voxels of edge `voxel_size_m` (m).
    pub(super) fn lattice(&self, voxel_size_m: f32) -> Lattice {
        Lattice::new(self.centre_m / f64::from(voxel_size_m), self.yaw)
    }

    /// Every number in it.
    pub(super) fn numbers(&self) -> [f64; 7] {
        let ([x, y], [u, v]) = (self.centre_m.to_array(), self.velocity_m_s.to_array());
        [x, y, self.yaw, u, v, self.yaw_rate, self.climb_m_s]
    }

    /// False for what can only come from a damaged file.
    pub(super) fn is_sound(&self) -> bool {
        self.numbers().iter().all(|number| number.abs() < 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path of a frame after `steps` steps of 10 ms on a body that suddenly moves at 1 m/s, and its final speed.
    fn dragged(acceleration_m_s2: f64, steps: u32) -> (f64, f64) {
        let motion = BodyMotion { path_m: DVec3::X * 0.01, turned: DQuat::IDENTITY, dt_s: 0.01 };
        let grip = Grip { acceleration_m_s2, lever_m: 1.0 };
        let start = Frame::at_rest(DVec2::ZERO);
        let end = (0..steps).fold(start, |frame, _| frame.follow(&motion, &grip));
        (end.centre_m.x, end.velocity_m_s.x)
    }

    #[test]
    fn a_frame_catches_up_as_a_sliding_block_does() {
        // Grip (m/s²), steps, distance (m) and speed (m/s) by v = a t, x = a t²/2 until both are as fast.
        for (grip, steps, path, speed) in [(5.0, 10, 0.025, 0.5), (5.0, 100, 0.9, 1.0), (0.2, 100, 0.1, 0.2)]
        {
            let (x, v) = dragged(grip, steps);
            assert!((x - path).abs() < 0.006 && (v - speed).abs() < 1e-9, "{grip}: {x} m, {v} m/s");
        }
        assert_eq!(dragged(1e3, 100).0, dragged(1e9, 100).0);
    }

    #[test]
    fn twist_is_the_turn_about_the_vertical() {
        let turn = DQuat::from_rotation_z(-2.5);
        assert!((twist(turn) + 2.5).abs() < 1e-12);
        assert_eq!(twist(DQuat::from_rotation_x(1.0)), 0.0);
    }
}
