//! The bulldozer: a blade on two arms that is lifted and tilted.

use barchan_volume::Pose;
use glam::{Vec2, Vec3};

use super::joint::Joint;
use super::part::{Part, pitch, within};

/// Width of the blade and thickness of its plates (m).
const BLADE_WIDTH_M: f32 = 2.8;
const PLATE_M: f32 = 0.14;

/// Height of the cutting edge above the ground under the tracks (m), and lean of the blade (rad).
pub const JOINTS: [Joint; 2] = [
    Joint { lever: "blade", range: [-0.4, 0.9], speed: 0.5, start: 0.25 },
    Joint { lever: "tilt", range: [-0.5, 0.5], speed: 0.5, start: 0.0 },
];

/// The frames that carry the parts: tracks, arms, blade.
pub fn frames(base: Pose, joints: &[f32]) -> Vec<Pose> {
    let lift = Vec3::Z * joints[0];
    let arms = within(&base, &Pose::at(lift));
    let blade = within(&base, &Pose::new(lift + Vec3::X * 2.05, pitch(joints[1])));
    vec![base, arms, blade]
}

/// The joints that frames like those of [`frames`] come from.
pub fn joints(frames: &[Pose]) -> Vec<f32> {
    let [base, arms, blade] = [0, 1, 2].map(|frame| frames[frame]);
    let lift = base.rotation.inverse() * (arms.translation - base.translation);
    let ahead = (base.rotation.inverse() * blade.rotation) * Vec3::X;
    vec![lift.z, ahead.z.atan2(ahead.x)]
}

/// All parts.
pub fn parts() -> Vec<Part> {
    let [tracks, arms, blade] = [0, 1, 2];
    let curve = [(0.12, 0.0), (0.0, 0.35), (0.0, 0.7), (0.14, 1.05)].map(|(x, z)| Vec2::new(x, z));
    vec![
        Part::cuboid("left track", tracks, [2.7, 0.5, 0.7], [0.0, 0.85, 0.35]),
        Part::cuboid("right track", tracks, [2.7, 0.5, 0.7], [0.0, -0.85, 0.35]),
        Part::cuboid("body", tracks, [2.5, 1.2, 0.7], [0.15, 0.0, 0.85]),
        Part::cuboid("cab", tracks, [1.0, 1.1, 0.9], [-0.5, 0.0, 1.65]),
        Part::cuboid("left arm", arms, [1.9, 0.14, 0.2], [1.1, 1.2, 0.35]),
        Part::cuboid("right arm", arms, [1.9, 0.14, 0.2], [1.1, -1.2, 0.35]),
        Part::plate("blade edge", blade, curve[0], curve[1], BLADE_WIDTH_M, PLATE_M),
        Part::plate("blade middle", blade, curve[1], curve[2], BLADE_WIDTH_M, PLATE_M),
        Part::plate("blade top", blade, curve[2], curve[3], BLADE_WIDTH_M, PLATE_M),
    ]
}

/// Half of what the tracks stand on (m): along and across.
pub const STANCE_M: [f32; 2] = [1.2, 0.85];
/// Fastest track (m/s).
pub const TRACK_SPEED_M_S: f32 = 2.0;
