//! The same bits every time, and no nonsense from anything.

use barchan_sim::bearing::Bearing;
use barchan_sim::bodies::{BodySpec, Motion};
use barchan_volume::{Pose, Region, Shape};
use glam::{Quat, Vec3};

use super::{DT_S, VOXEL_M, Yard, ball, block};

/// Many shapes that fall on sand with rock under it.
fn heap() -> Yard {
    let mut yard = Yard::new();
    yard.place(Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m: -0.1 }, "granite");
    yard.place(Region::Slab { z_min_m: -0.1, z_max_m: 0.0 }, "dry_sand");
    let shapes = [
        Shape::Box { half_extents: Vec3::new(0.2, 0.25, 0.15) },
        Shape::Cone { radius: 0.2, half_height: 0.2 },
        Shape::Cylinder { radius: 0.15, half_height: 0.25 },
        Shape::Capsule { radius: 0.1, half_height: 0.2 },
        Shape::Ball { radius: 0.2 },
    ];
    for i in 0..15 {
        let turn = Quat::from_rotation_y(0.5 * i as f32) * Quat::from_rotation_x(0.3 * i as f32);
        let at = Vec3::new(0.3 * (i % 4) as f32 - 0.5, 0.31 * (i % 3) as f32 - 0.3, 0.6 + 0.4 * i as f32);
        let spec = BodySpec::new("thing", shapes[i % 5].clone(), Pose::new(at, turn), Motion::Dynamic);
        yard.add(spec);
    }
    yard
}

#[test]
fn two_runs_give_the_same_bits_also_without_scratch_and_after_a_save() {
    let (mut one, mut other) = (heap(), heap());
    for step in 0..300 {
        if step == 100 {
            let bytes = postcard::to_stdvec(&other.bearing).unwrap();
            other.bearing = postcard::from_bytes::<Bearing>(&bytes).unwrap();
        }
        // A copy leaves behind what can be found again.
        other.bearing = other.bearing.clone();
        one.step(DT_S);
        other.step(DT_S);
        assert_eq!(one.bits(), other.bits(), "step {step}");
    }
    let bytes = |yard: &Yard| postcard::to_stdvec(&yard.bearing).unwrap();
    assert_eq!(bytes(&one), bytes(&other));
}

#[test]
fn a_heap_comes_to_rest() {
    let mut yard = heap();
    yard.run(12.0);
    for body in yard.bodies.iter() {
        assert!(body.linear_velocity_m_s.length() < 0.05, "{}: {}", body.id, body.linear_velocity_m_s);
        let lowest = body.solid().bounds().min.z;
        assert!(lowest > -0.1 - 0.2 * VOXEL_M, "{} {:?} sank to {lowest}", body.id, body.spec.shape);
    }
}

#[test]
fn light_and_heavy_bodies_stay_finite_at_all_step_lengths() {
    for ground in ["dry_sand", "clay", "granite", "snow"] {
        for density in [50.0, 1000.0, 20_000.0] {
            for dt_s in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 15.0] {
                let mut yard = Yard::flat(ground);
                let turn = Quat::from_rotation_y(0.6) * Quat::from_rotation_x(0.3);
                let pose = Pose::new(Vec3::new(0.0, 0.0, 0.7), turn);
                let of = [
                    yard.add(block(Vec3::new(0.1, 0.2, 0.3), density, pose)),
                    yard.add(ball(0.2, density, Vec3::new(1.0, 0.0, 0.5))),
                ];
                let mut fastest: f32 = 0.0;
                let steps = (6.0 / dt_s) as usize;
                for step in 0..steps {
                    yard.step(dt_s);
                    for id in of {
                        let body = yard.body(id);
                        let (at, speed) = (body.pose.translation, body.linear_velocity_m_s.length());
                        let what = format!("{ground}, {density} kg/m³, {dt_s} s, step {step}");
                        assert!(at.is_finite() && !body.frozen, "{what}");
                        assert!(speed < 8.0 && at.z < 1.5, "{what}: {speed} m/s at {at}");
                        if step > steps * 3 / 4 {
                            fastest = fastest.max(speed);
                        }
                    }
                }
                assert!(fastest < 0.01, "{ground}, {density} kg/m³, {dt_s} s: still {fastest} m/s");
                let lowest = of.map(|id| yard.body(id).solid().bounds().min.z);
                assert!(lowest.iter().all(|z| *z > -2.0), "{ground}, {density}, {dt_s} s: {lowest:?}");
            }
        }
    }
}

#[test]
fn nonsense_does_nothing() {
    for (dt_s, gravity) in [(f64::NAN, -9.81), (0.0, -9.81), (-1.0, -9.81), (DT_S, f32::NAN)] {
        let mut yard = Yard { gravity: Vec3::new(0.0, 0.0, gravity), ..Yard::flat("dry_sand") };
        let id = yard.add(block(Vec3::splat(0.2), 1000.0, Pose::at(Vec3::Z * 0.2)));
        let report = yard.step(dt_s);
        assert!(report.loads.iter().all(|load| load.force_n.is_finite()));
        assert!(yard.body(id).pose.translation.is_finite());
    }
}
