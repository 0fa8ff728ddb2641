//! Where blocks hold and where they slide.

use barchan_sim::bodies::BodySpec;
use barchan_volume::Pose;
use glam::{Quat, Vec3};

use super::{Yard, block};

/// How far (m) a block with this coefficient of friction gets in two seconds on a slope of `lean_deg` (°).
fn slides(ground: &str, lean_deg: f32, friction: f32) -> f32 {
    let mut yard = Yard::leaning(ground, lean_deg);
    let turn = Quat::from_rotation_y(lean_deg.to_radians());
    let half = Vec3::new(0.25, 0.25, 0.1);
    let pose = Pose::new(turn * Vec3::new(-0.5, 0.013, half.z), turn);
    let id = yard.add(BodySpec { friction, ..block(half, 1500.0, pose) });
    // It sinks before it counts.
    yard.run(0.5);
    let start = yard.body(id).pose.translation;
    yard.run(2.0);
    let body = yard.body(id);
    (body.pose.translation - start).length()
}

#[test]
fn blocks_hold_below_the_angle_of_friction_and_slide_above() {
    let sand = 33.0;
    // Ground, friction of the block, angle of friction at the interface (°): the smaller of both on soil.
    let rows = [
        ("dry_sand", 2.0, sand),
        ("dry_sand", f32::tan(0.4), 0.4_f32.to_degrees()),
        ("gravel", f32::tan(0.5), 0.5_f32.to_degrees()),
        ("granite", f32::tan(0.5), 0.5_f32.to_degrees()),
    ];
    for (ground, friction, angle_deg) in rows {
        let moved = slides(ground, angle_deg - 5.0, friction);
        assert!(moved < 2e-3, "{ground} holds: moved {moved} m");
        let moved = slides(ground, angle_deg + 8.0, friction);
        assert!(moved > 0.3, "{ground} lets go: moved {moved} m");
    }
}
