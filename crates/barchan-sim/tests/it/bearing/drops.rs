//! Bodies that fall on the ground come to rest, and stay.

use barchan_sim::bodies::BodySpec;
use barchan_volume::{Pose, Region, Shape};
use glam::{Quat, Vec3};

use super::{DT_S, VOXEL_M, Yard, ball, block};

#[test]
fn a_ball_dropped_on_sand_stays_where_it_stops() {
    for gives_way in [false, true] {
        let mut yard = Yard { gives_way, ..Yard::flat("dry_sand") };
        let id = yard.add(ball(0.2, 2700.0, Vec3::new(0.01, 0.02, 1.2)));
        yard.run(3.0);
        let rest = yard.body(id).pose.translation;
        assert!((-0.1..0.19).contains(&rest.z), "gives way {gives_way}: {rest}");
        for step in 0..300 {
            yard.step(DT_S);
            let body = yard.body(id);
            let (moved, speed) = (body.pose.translation - rest, body.linear_velocity_m_s.length());
            assert!(moved.length() < 1e-3 && speed < 0.01, "step {step}: {moved}, {speed} m/s");
        }
        assert!(yard.body(id).sleeping);
    }
}

#[test]
fn nothing_sinks_into_granite() {
    let turn = Quat::from_rotation_y(0.5) * Quat::from_rotation_x(0.3);
    let high = Pose::new(Vec3::new(0.013, 0.02, 1.0), turn);
    let cone = Shape::Cone { radius: 0.2, half_height: 0.2 };
    let log = Shape::Cylinder { radius: 0.1, half_height: 0.3 };
    let pill = Shape::Capsule { radius: 0.1, half_height: 0.2 };
    let of = |shape: Shape| BodySpec { shape, ..block(Vec3::ONE, 2700.0, high) };
    let rows = [
        ball(0.2, 2700.0, Vec3::new(0.01, 0.02, 1.2)),
        block(Vec3::new(0.2, 0.25, 0.3), 2700.0, high),
        of(cone),
        of(log),
        of(pill),
    ];
    for spec in rows {
        let shape = spec.shape.clone();
        let mut yard = Yard::flat("granite");
        let id = yard.add(spec);
        for step in 0..480 {
            yard.step(DT_S);
            let lowest = yard.body(id).solid().bounds().min.z;
            assert!(lowest > -0.5 * VOXEL_M, "{shape:?} step {step}: {lowest}");
        }
        let body = yard.body(id);
        let lowest = body.solid().bounds().min.z;
        assert!((-0.2 * VOXEL_M..0.2 * VOXEL_M).contains(&lowest), "{shape:?}: {lowest} m");
        let speed = body.linear_velocity_m_s.length();
        assert!(speed < 0.01, "{shape:?}: {speed} m/s");
    }
}

#[test]
fn rock_under_soil_stops_what_is_fast() {
    for (speed, dt_s) in [(5.0, DT_S), (40.0, DT_S), (200.0, DT_S), (20.0, 1.0 / 15.0)] {
        let mut yard = Yard::new();
        yard.place(Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m: -0.2 }, "granite");
        yard.place(Region::Slab { z_min_m: -0.2, z_max_m: 0.0 }, "dry_sand");
        let spec = ball(0.2, 8000.0, Vec3::new(0.01, 0.02, 1.5));
        let spec = BodySpec { linear_velocity_m_s: Vec3::NEG_Z * speed, restitution: 0.0, ..spec };
        let id = yard.add(spec);
        for _ in 0..(4.0 / dt_s) as usize {
            yard.step(dt_s);
        }
        let at = yard.body(id).pose.translation;
        assert!(at.z > 0.0 - 0.2 * VOXEL_M && at.z < 0.21, "{speed} m/s, {dt_s} s: {at}");
    }
}

#[test]
fn all_shapes_come_to_rest_on_every_soil() {
    let turn = Quat::from_rotation_y(0.5) * Quat::from_rotation_x(0.3);
    let pose = Pose::new(Vec3::new(0.013, 0.02, 0.8), turn);
    let shapes = [
        Shape::Box { half_extents: Vec3::new(0.2, 0.25, 0.3) },
        Shape::Cone { radius: 0.2, half_height: 0.2 },
        Shape::Cylinder { radius: 0.1, half_height: 0.3 },
        Shape::Capsule { radius: 0.1, half_height: 0.2 },
    ];
    for soil in ["dry_sand", "clay", "snow", "gravel"] {
        for shape in &shapes {
            let mut yard = Yard { gives_way: true, ..Yard::flat(soil) };
            let id = yard.add(BodySpec { shape: shape.clone(), ..block(Vec3::ONE, 1500.0, pose) });
            yard.run(5.0);
            let body = yard.body(id);
            assert!(
                body.linear_velocity_m_s.length() < 0.01,
                "{soil}, {shape:?}: {}",
                body.linear_velocity_m_s
            );
            assert!(body.solid().bounds().min.z > -1.0, "{soil}, {shape:?}");
        }
    }
}
