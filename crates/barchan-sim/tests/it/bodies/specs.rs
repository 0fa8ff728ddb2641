//! Bad bodies are refused, and the message says what is wrong.

use barchan_sim::bodies::{Bodies, BodyError, BodyId, BodySpec, Cause, Motion, Track};
use barchan_volume::{Pose, Shape};
use glam::{Quat, Vec3};

use super::{ball, cube, key};

fn good() -> BodySpec {
    cube("crate", 0.5, Vec3::ZERO, Motion::Dynamic)
}

#[test]
fn each_bad_field_is_named_with_its_value_and_range() {
    let scripted = |keys| Motion::Scripted(Track { keys, repeat: false });
    let nowhere = Vec3::new(0.0, f32::NAN, 0.0);
    let mut lost = key(1.0, Vec3::ZERO, 0.0);
    lost.pose.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let track = |keys: Vec<_>| BodySpec { motion: scripted(keys), ..good() };
    let rows: Vec<(BodySpec, &str, &str, &str)> = vec![
        (BodySpec { pose: Pose::at(nowhere), ..good() }, "pose.translation", "NaN", "between -1e6 and 1e6 m"),
        (BodySpec { pose: Pose::at(Vec3::splat(2e6)), ..good() }, "pose.translation", "2000000", "1e6 m"),
        (BodySpec { pose: lost.pose, ..good() }, "pose.rotation", "0", "length 0.001 to 1000"),
        (BodySpec { density_kg_m3: -3.0, ..good() }, "density_kg_m3", "-3", "between 0.001 and 1e5"),
        (BodySpec { density_kg_m3: 0.0, ..good() }, "density_kg_m3", "0", "between 0.001 and 1e5"),
        (BodySpec { density_kg_m3: f32::NAN, ..good() }, "density_kg_m3", "NaN", "between 0.001 and 1e5"),
        (BodySpec { friction: -0.1, ..good() }, "friction", "-0.1", "between 0 and 10"),
        (BodySpec { restitution: 1.5, ..good() }, "restitution", "1.5", "between 0 and 1"),
        (BodySpec { linear_velocity_m_s: nowhere, ..good() }, "linear_velocity_m_s", "NaN", "400 m/s"),
        (
            BodySpec { linear_velocity_m_s: Vec3::splat(300.0), ..good() },
            "linear_velocity_m_s",
            "300",
            "400 m/s",
        ),
        (
            BodySpec { angular_velocity_rad_s: Vec3::INFINITY, ..good() },
            "angular_velocity_rad_s",
            "inf",
            "1000 rad/s",
        ),
        (ball("crate", 0.0, Vec3::ZERO), "radius", "0", "between"),
        (ball("crate", f32::NAN, Vec3::ZERO), "radius", "NaN", "between"),
        (cube("crate", -1.0, Vec3::ZERO, Motion::Fixed), "half_extents", "-1", "between"),
        (cube("crate", 2e4, Vec3::ZERO, Motion::Fixed), "shape extent", "40000", "between 1e-4 and 1e4 m"),
        (track(vec![]), "motion.keys", "[]", "at least one key"),
        (track(vec![key(f64::NAN, Vec3::ZERO, 0.0)]), "motion.keys[0].time_s", "NaN", "a number"),
        (
            track(vec![key(1.0, Vec3::ZERO, 0.0), key(1.0, Vec3::ONE, 0.0)]),
            "motion.keys[1].time_s",
            "1",
            "later than the key before it",
        ),
        (track(vec![key(0.0, Vec3::ZERO, 0.0), lost]), "motion.keys[1].pose.rotation", "0", "length"),
        (track(vec![key(0.0, nowhere, 0.0)]), "motion.keys[0].pose.translation", "NaN", "1e6 m"),
    ];
    for (spec, field, value, range) in rows {
        let mut bodies = Bodies::new();
        let error = bodies.insert(spec.clone()).expect_err(field);
        let message = error.to_string();
        for part in ["crate", field, value, range] {
            assert!(message.contains(part), "{message:?} does not say {part:?}");
        }
        assert!(bodies.is_empty());
        assert_eq!(spec.problems()[0].to_string(), message);
    }
    assert!(Bodies::new().insert(good()).is_ok());
}

#[test]
fn all_problems_are_found_at_once() {
    let spec = BodySpec { density_kg_m3: 0.0, friction: -1.0, restitution: 2.0, ..good() };
    assert_eq!(spec.problems().len(), 3);
}

#[test]
fn rotations_are_scaled_to_unit_length() {
    let mut bodies = Bodies::new();
    let turn = Quat::from_rotation_z(0.3);
    let id = bodies.insert(BodySpec { pose: Pose::new(Vec3::ZERO, turn * 7.0), ..good() }).unwrap();
    let body = bodies.get(id).unwrap();
    assert!((body.pose.rotation.length() - 1.0).abs() < 1e-6);
    assert!(body.pose.rotation.angle_between(turn) < 1e-3);
}

#[test]
fn bad_arguments_are_refused() {
    let mut bodies = Bodies::new();
    let id = bodies.insert(good()).unwrap();
    let keys = vec![key(0.0, Vec3::ZERO, 0.0)];
    let tool = bodies.insert(cube("tool", 0.2, Vec3::ZERO, Motion::Scripted(Track { keys, repeat: true })));
    let tool = tool.unwrap();
    let missing = BodyId(99);
    assert_eq!(bodies.set_pose(missing, Pose::IDENTITY), Err(BodyError::Unknown(missing)));
    assert_eq!(
        bodies.apply_force_at(missing, Cause::Soil, Vec3::ONE, Vec3::ZERO),
        Err(BodyError::Unknown(missing))
    );
    assert_eq!(bodies.set_pose(tool, Pose::IDENTITY), Err(BodyError::Scripted(tool)));
    assert!(bodies.set_pose(id, Pose::at(Vec3::NAN)).is_err());
    assert!(
        bodies
            .apply_force_at(id, Cause::Soil, Vec3::NAN, Vec3::ZERO)
            .unwrap_err()
            .to_string()
            .contains("force_n")
    );
    assert!(
        bodies
            .apply_impulse_at(id, Cause::Soil, Vec3::ONE, Vec3::INFINITY)
            .unwrap_err()
            .to_string()
            .contains("point_m")
    );
    assert!(bodies.set_velocity(id, Vec3::splat(1e9), Vec3::ZERO).is_err());
    assert!(matches!(
        bodies.insert(BodySpec { shape: Shape::Ball { radius: -1.0 }, ..good() }),
        Err(BodyError::Shape { .. })
    ));
}
