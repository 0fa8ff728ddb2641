//! Tracks: poses over time, for bodies that are moved by plan instead of by forces.

use barchan_volume::Pose;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::body::{MAX_DISTANCE_M, Problems};

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// When (s), on the clock of the world.
    pub time_s: f64,
    /// Where.
    pub pose: Pose,
}

/// Poses over time. Between two keys a body moves in a straight line at constant speed and turns the shorter way at
/// constant rate; before the first key and after the last it stands still.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// At least one, with strictly increasing times.
    pub keys: Vec<Key>,
    /// Starts again at the first key when the last is reached. If the two poses differ the body jumps; it pushes
    /// nothing on the way.
    pub repeat: bool,
}

impl Track {
    /// Where the track is at `time_s` (s). At the time of a key this is exactly the pose of the key.
    ///
    /// # Panics
    /// When there are no keys; a track with none is refused by [`Bodies::insert`](super::Bodies::insert).
    pub fn pose(&self, time_s: f64) -> Pose {
        let (key, share) = self.locate(time_s);
        if share == 0.0 {
            return self.keys[key].pose;
        }
        let (from, to) = (&self.keys[key].pose, &self.keys[key + 1].pose);
        Pose {
            translation: from.translation + (to.translation - from.translation) * share,
            rotation: from.rotation.slerp(to.rotation, share).normalize(),
        }
    }

    /// Velocity of the origin (m/s) and rate of rotation (rad/s) from `time_s` (s) on. Zero where the track stands
    /// still; at a key it is that of the stretch that begins there.
    ///
    /// # Panics
    /// When there are no keys.
    pub fn velocity(&self, time_s: f64) -> (Vec3, Vec3) {
        let local = self.local_time(time_s);
        let after = self.keys.partition_point(|key| key.time_s <= local);
        if after == 0 || after == self.keys.len() {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        let (from, to) = (&self.keys[after - 1], &self.keys[after]);
        rate_between(&from.pose, &to.pose, (to.time_s - from.time_s) as f32)
    }

    /// True when a repeating track jumps from its last key to a different first one after `from_s` and not after `to_s`.
    pub(super) fn jumps_between(&self, from_s: f64, to_s: f64) -> bool {
        let (first, last) = (&self.keys[0], &self.keys[self.keys.len() - 1]);
        if !self.repeat || first.pose == last.pose {
            return false;
        }
        let period = last.time_s - first.time_s;
        let round = |time: f64| ((time - first.time_s) / period).floor().max(0.0);
        round(from_s) != round(to_s)
    }

    /// The key at or before `time_s`, and how far the time has gone towards the next one (0..1).
    fn locate(&self, time_s: f64) -> (usize, f32) {
        let local = self.local_time(time_s);
        let after = self.keys.partition_point(|key| key.time_s <= local);
        let key = after.saturating_sub(1);
        if after == 0 || after == self.keys.len() {
            return (key, 0.0);
        }
        let (from, to) = (self.keys[key].time_s, self.keys[after].time_s);
        (key, ((local - from) / (to - from)) as f32)
    }

    /// `time_s` brought back into the first round of a repeating track.
    fn local_time(&self, time_s: f64) -> f64 {
        let (first, last) = (self.keys[0].time_s, self.keys[self.keys.len() - 1].time_s);
        if self.repeat && time_s >= last && last > first {
            first + (time_s - first).rem_euclid(last - first)
        } else {
            time_s
        }
    }

    /// Scales all rotations to unit length, as far as they have a length.
    pub(super) fn normalise(&mut self) {
        for key in &mut self.keys {
            key.pose.rotation = key.pose.rotation.normalize();
        }
    }

    pub(super) fn find_problems(&self, problems: &mut Problems) {
        if self.keys.is_empty() {
            problems.add("motion.keys", "[]", "at least one key");
        }
        for (i, key) in self.keys.iter().enumerate() {
            if !(-MAX_TIME_S..=MAX_TIME_S).contains(&key.time_s) {
                problems.add(
                    format!("motion.keys[{i}].time_s"),
                    key.time_s,
                    "a number between -1e12 and 1e12 s",
                );
            } else if i > 0 && key.time_s <= self.keys[i - 1].time_s {
                let range = "later than the key before it";
                problems.add(format!("motion.keys[{i}].time_s"), key.time_s, range);
            }
            problems.check_pose(&format!("motion.keys[{i}].pose"), &key.pose);
        }
    }
}

/// Times beyond this (s) are a mistake: f64 no longer tells a tenth of a millisecond there.
const MAX_TIME_S: f64 = 1.0e12;

/// The steady velocity (m/s) of the origin and rate of rotation (rad/s) that lead from one pose to the other in
/// `duration_s` (s), turning the shorter way.
pub(super) fn rate_between(from: &Pose, to: &Pose, duration_s: f32) -> (Vec3, Vec3) {
    let linear = (to.translation - from.translation) / duration_s;
    if from.rotation == to.rotation {
        return (linear, Vec3::ZERO);
    }
    let turn = shorter(to.rotation * from.rotation.conjugate());
    (linear, turn.to_scaled_axis() / duration_s)
}

/// The same rotation, by the half of the two unit quaternions that turns by at most half a circle.
fn shorter(rotation: Quat) -> Quat {
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// Poses that a body can have lie within [`MAX_DISTANCE_M`] of the origin.
pub(super) fn is_within_reach(point: Vec3) -> bool {
    point.abs().cmple(Vec3::splat(MAX_DISTANCE_M)).all()
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, PI};

    use super::*;

    fn key(time_s: f64, x: f32, turn: f32) -> Key {
        Key {
            time_s,
            pose: Pose { translation: Vec3::new(x, 0.0, 0.0), rotation: Quat::from_rotation_z(turn) },
        }
    }

    fn track(repeat: bool) -> Track {
        Track { keys: vec![key(1.0, 0.0, 0.0), key(3.0, 4.0, FRAC_PI_2), key(4.0, 4.0, PI * 0.75)], repeat }
    }

    #[test]
    fn keys_are_met_exactly_and_held_outside() {
        let track = track(false);
        for k in &track.keys {
            assert_eq!(track.pose(k.time_s), k.pose);
        }
        assert_eq!(track.pose(-5.0), track.keys[0].pose);
        assert_eq!(track.pose(50.0), track.keys[2].pose);
        assert_eq!(track.velocity(0.5), (Vec3::ZERO, Vec3::ZERO));
        assert_eq!(track.velocity(4.0), (Vec3::ZERO, Vec3::ZERO));
    }

    #[test]
    fn speed_is_constant_between_keys() {
        let track = track(false);
        for time_s in [1.0, 1.5, 2.0, 2.9] {
            let (linear, angular) = track.velocity(time_s);
            assert!((linear - Vec3::new(2.0, 0.0, 0.0)).length() < 1e-6, "{linear}");
            assert!((angular - Vec3::new(0.0, 0.0, FRAC_PI_2 / 2.0)).length() < 1e-6, "{angular}");
            let ahead = track.pose(time_s + 0.05);
            let expected = track.pose(time_s).translation + linear * 0.05;
            assert!((ahead.translation - expected).length() < 1e-5);
        }
    }

    #[test]
    fn turns_the_shorter_way() {
        let mut track = track(false);
        track.keys[1].pose.rotation = -track.keys[1].pose.rotation;
        let (_, angular) = track.velocity(1.0);
        assert!((angular.z - FRAC_PI_2 / 2.0).abs() < 1e-6);
        let halfway = track.pose(2.0).rotation.angle_between(Quat::from_rotation_z(FRAC_PI_2 / 2.0));
        assert!(halfway < 1e-3, "{halfway}");
    }

    #[test]
    fn repeats_and_knows_where_it_jumps() {
        let track = track(true);
        assert_eq!(track.pose(4.0), track.keys[0].pose);
        assert_eq!(track.pose(2.5 + 3.0 * 7.0), track.pose(2.5));
        assert!(track.jumps_between(3.9, 4.0));
        assert!(!track.jumps_between(4.0, 4.1));
        assert!(!track.jumps_between(-9.0, 3.9));
        let mut closed = track.clone();
        closed.keys[2].pose = closed.keys[0].pose;
        assert!(!closed.jumps_between(3.9, 4.0));
    }

    #[test]
    fn one_key_stands_still() {
        for repeat in [false, true] {
            let track = Track { keys: vec![key(2.0, 1.0, 0.5)], repeat };
            assert_eq!(track.pose(100.0), track.keys[0].pose);
            assert_eq!(track.velocity(100.0), (Vec3::ZERO, Vec3::ZERO));
            assert!(!track.jumps_between(0.0, 100.0));
        }
    }
}
