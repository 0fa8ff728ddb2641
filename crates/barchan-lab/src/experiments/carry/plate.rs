//! A plate, its load, and the ways it moves.

use barchan_sim::World;
use barchan_sim::bodies::{Body, BodySpec, Key, Motion, Track};
use barchan_volume::{Pose, Shape, VoxelBox};
use glam::{IVec3, Quat, Vec3};

use crate::rest::STEP_S;

/// Half of the plate's sides (m).
pub(super) const HALF_EXTENTS_M: Vec3 = Vec3::new(0.8, 0.8, 0.1);
/// Height of its middle above the floor (m): what falls off is far below.
pub(super) const HEIGHT_M: f32 = 1.5;
/// Radius of the circle on which the plate swings (m).
pub(super) const SWING_RADIUS_M: f32 = 1.6;
/// What lies at most this high above the plate is on it (m).
const REACH_M: f32 = 0.6;
/// How long a plate takes to tip (s).
const TIPPING_S: f64 = 1.5;
/// Before it moves, the load settles; after, what slides has time to go (s).
pub(super) const SETTLING_S: f64 = 1.0;

/// A way to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Along x.
    Translate,
    /// About z, on a circle.
    Rotate,
    /// About y, on the spot.
    Tip,
}

impl Way {
    pub(super) const ALL: [Self; 3] = [Self::Translate, Self::Rotate, Self::Tip];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Translate => "translate",
            Self::Rotate => "rotate",
            Self::Tip => "tip",
        }
    }
}

/// How far and how hastily.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trip {
    pub way: Way,
    /// Way of the plate's middle (m), or angle by which it tips (rad).
    pub extent: f64,
    /// Largest acceleration of the middle (m/s²).
    pub acceleration_m_s2: f64,
}

impl Trip {
    /// Time on the way (s): half of it gathering speed, half losing it.
    pub(super) fn duration_s(&self) -> f64 {
        match self.way {
            Way::Translate => 2.0 * (self.extent / self.acceleration_m_s2).sqrt(),
            // On a circle the speed itself accelerates inwards, most at half way: v²/r = extent a/r. The part along the way
            // is chosen so that both together stay within the limit.
            Way::Rotate => {
                let inwards = self.extent / f64::from(SWING_RADIUS_M);
                let along = self.acceleration_m_s2 / inwards.hypot(1.0);
                2.0 * (self.extent / along).sqrt()
            }
            Way::Tip => TIPPING_S,
        }
    }

    /// Where the plate is at a share (0 to 1) of the way.
    fn pose(&self, share: f64) -> Pose {
        let gone = (self.extent * share) as f32;
        let start = Vec3::new(0.0, 0.0, HEIGHT_M);
        match self.way {
            Way::Translate => Pose::at(start + Vec3::X * gone),
            Way::Rotate => {
                let turn = Quat::from_rotation_z(gone / SWING_RADIUS_M);
                let arm = Vec3::X * SWING_RADIUS_M;
                Pose::new(start - arm + turn * arm, turn)
            }
            Way::Tip => Pose::new(start, Quat::from_rotation_y(gone)),
        }
    }

    /// The plate, waiting for its load to settle and then on its way.
    pub(super) fn plate(&self, friction_deg: f64) -> BodySpec {
        let (duration, shape) = (self.duration_s(), Shape::Box { half_extents: HALF_EXTENTS_M });
        let count = (duration / STEP_S).ceil().max(1.0);
        let key = |k: usize| {
            let share = k as f64 / count;
            // Gathering speed evenly, then losing it.
            let gone = if share < 0.5 { 2.0 * share * share } else { 1.0 - 2.0 * (1.0 - share).powi(2) };
            Key { time_s: SETTLING_S + share * duration, pose: self.pose(gone) }
        };
        let keys = (0..=count as usize).map(key).collect();
        let track = Motion::Scripted(Track { keys, repeat: false });
        let mut spec = BodySpec::new("plate", shape, self.pose(0.0), track);
        spec.friction = (friction_deg as f32).to_radians().tan();
        spec
    }

    /// Room for the plate on all its way, and around it for what falls off.
    pub(super) fn bounds(&self, voxel_size_m: f64) -> VoxelBox {
        let around = Vec3::new(1.6, 1.6, 0.0);
        let poses = (0..=32).map(|k| self.pose(f64::from(k) / 32.0).translation);
        let (min, max) = poses.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        let voxels = |p: Vec3| (p / voxel_size_m as f32).round().as_ivec3();
        VoxelBox::new(
            voxels((min - around).with_z(0.0)),
            voxels((max + around).with_z(HEIGHT_M + 1.2)) + IVec3::ONE,
        )
    }
}

/// Soil on the plate (units).
pub(super) fn units_on(world: &World, plate: &Body<'_>) -> i64 {
    let ground = world.ground();
    let size = ground.voxel_size_m();
    let Some(bounds) = ground.bounds() else { return 0 };
    let on_it = |p: &IVec3| {
        let local = plate.pose.inverse_transform_point((p.as_vec3() + 0.5) * size);
        let above = local.z - HALF_EXTENTS_M.z;
        local.truncate().abs().cmple(HALF_EXTENTS_M.truncate()).all() && (-size..REACH_M).contains(&above)
    };
    bounds.cells().filter(on_it).map(|p| i64::from(ground.get(p).soil())).sum()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn a_trip_starts_and_ends_at_rest_and_keeps_to_its_acceleration() {
        for way in [Way::Translate, Way::Rotate] {
            let extent = f64::from(SWING_RADIUS_M) * FRAC_PI_2;
            let trip = Trip { way, extent, acceleration_m_s2: 1.0 };
            let Motion::Scripted(track) = trip.plate(30.0).motion else { panic!("scripted") };
            let at = |time: f64| track.pose(time).translation.as_dvec3();
            let step = 0.1;
            let times = (0..=60).map(|k| SETTLING_S - 0.5 + f64::from(k) * step);
            let fastest = times
                .map(|t| ((at(t + step) - 2.0 * at(t) + at(t - step)) / (step * step)).length())
                .fold(0.0, f64::max);
            assert!((0.8..1.05).contains(&fastest), "{way:?}: {fastest}");
            assert_eq!(at(0.0), at(SETTLING_S));
            let end = SETTLING_S + trip.duration_s();
            assert_eq!(at(end), at(end + 1.0));
        }
    }
}
