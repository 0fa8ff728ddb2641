//! The excavator: a house that swings on its tracks, with boom, stick and bucket.

use barchan_volume::Pose;
use glam::{Quat, Vec2, Vec3};

use super::joint::Joint;
use super::part::{Part, pitch, within};

/// Length of boom and stick (m).
const BOOM_M: f32 = 2.9;
const STICK_M: f32 = 1.7;
/// Where the boom hangs in the house (m).
const BOOM_FOOT: Vec3 = Vec3::new(0.75, 0.0, 1.15);
/// Width of the bucket and thickness of its plates (m).
const BUCKET_WIDTH_M: f32 = 1.0;
const PLATE_M: f32 = 0.12;

/// Swing, boom, stick, bucket (rad). Boom: above the horizon; stick: against the boom; bucket: against the stick, curled
/// in when negative.
pub const JOINTS: [Joint; 4] = [
    Joint { lever: "swing", range: [f32::NEG_INFINITY, f32::INFINITY], speed: 0.9, start: 0.0 },
    Joint { lever: "boom", range: [-0.7, 1.1], speed: 0.5, start: 0.75 },
    Joint { lever: "stick", range: [-2.6, -0.5], speed: 0.7, start: -1.9 },
    Joint { lever: "bucket", range: [-2.6, 0.6], speed: 1.2, start: -0.6 },
];

/// The frames that carry the parts, from the tracks to the bucket.
pub fn frames(base: Pose, joints: &[f32]) -> Vec<Pose> {
    let [swing, boom, stick, bucket] = [joints[0], joints[1], joints[2], joints[3]];
    let house = within(&base, &Pose::new(Vec3::ZERO, Quat::from_rotation_z(swing)));
    let boom_frame = within(&house, &Pose::new(BOOM_FOOT, pitch(boom)));
    let stick_frame = within(&boom_frame, &Pose::new(Vec3::X * BOOM_M, pitch(stick)));
    let bucket_frame = within(&stick_frame, &Pose::new(Vec3::X * STICK_M, pitch(bucket)));
    vec![base, house, boom_frame, stick_frame, bucket_frame]
}

/// The joints that frames like those of [`frames`] come from.
pub fn joints(frames: &[Pose]) -> Vec<f32> {
    let turn = |inner: usize| (frames[inner - 1].rotation.inverse() * frames[inner].rotation) * Vec3::X;
    let (swing, pitches) = (turn(1), [2, 3, 4].map(turn));
    let pitches = pitches.map(|ahead| ahead.z.atan2(ahead.x));
    let [_, boom, stick, bucket] = JOINTS;
    let kept = [boom, stick, bucket].into_iter().zip(pitches).map(|(joint, angle)| joint.nearest(angle));
    std::iter::once(swing.y.atan2(swing.x)).chain(kept).collect()
}

/// All parts.
pub fn parts() -> Vec<Part> {
    let [tracks, house, boom, stick, bucket] = [0, 1, 2, 3, 4];
    // The bucket from its pin over back and floor to the teeth; it opens towards -z.
    let outline = [(0.0, 0.0), (0.08, 0.5), (0.62, 0.5), (0.86, 0.0)].map(|(x, z)| Vec2::new(x, z));
    let [pin, heel, toe, teeth] = outline;
    let side = (BUCKET_WIDTH_M - PLATE_M) / 2.0;
    vec![
        Part::cuboid("left track", tracks, [2.5, 0.5, 0.6], [0.0, 0.85, 0.3]),
        Part::cuboid("right track", tracks, [2.5, 0.5, 0.6], [0.0, -0.85, 0.3]),
        Part::cuboid("house", house, [2.3, 1.7, 0.8], [-0.35, 0.0, 1.1]),
        Part::cuboid("cab", house, [1.0, 0.7, 0.9], [0.2, 0.5, 1.95]),
        Part::cuboid("boom", boom, [BOOM_M, 0.24, 0.34], [BOOM_M / 2.0, 0.0, 0.0]),
        Part::cuboid("stick", stick, [STICK_M, 0.2, 0.26], [STICK_M / 2.0, 0.0, 0.0]),
        Part::plate("bucket back", bucket, pin, heel, BUCKET_WIDTH_M, PLATE_M),
        Part::plate("bucket floor", bucket, heel, toe, BUCKET_WIDTH_M, PLATE_M),
        Part::plate("bucket lip", bucket, toe, teeth, BUCKET_WIDTH_M, PLATE_M),
        Part::cheek("bucket left", bucket, &outline, side, PLATE_M),
        Part::cheek("bucket right", bucket, &outline, -side, PLATE_M),
    ]
}

/// Half of what the tracks stand on (m): along and across.
pub const STANCE_M: [f32; 2] = [1.1, 0.85];
/// Fastest track (m/s).
pub const TRACK_SPEED_M_S: f32 = 1.5;
