//! How bodies move when nothing is in their way, and how steps are cut.

use barchan_sim::bodies::{Bodies, BodySpec, Cause, MAX_SUBSTEPS, Motion, Track};
use barchan_volume::Pose;
use glam::Vec3;

use super::{DT_S, FLOOR, GRAVITY, ball, bits, cube, key, run, stack_and_blade};

#[test]
fn a_thrown_ball_follows_the_parabola() {
    let mut bodies = Bodies::new();
    let start = Vec3::new(1.0, 2.0, 100.0);
    let throw = Vec3::new(3.0, 0.0, 5.0);
    let id = bodies.insert(BodySpec { linear_velocity_m_s: throw, ..ball("ball", 0.1, start) }).unwrap();
    run(&mut bodies, 0, 120);
    let time = 2.0;
    let body = bodies.get(id).unwrap();
    let expected = start + throw * time + 0.5 * GRAVITY * time * time;
    // Semi-implicit Euler is behind by g t h / 2, with rapier's four parts of every 1/120 s.
    let tolerance = 1.05 * 9.81 * time * (1.0 / 480.0) / 2.0;
    assert!((body.pose.translation - expected).length() < tolerance, "{} {expected}", body.pose.translation);
    assert!((body.linear_velocity_m_s - (throw + GRAVITY * time)).length() < 1e-3);
}

#[test]
fn forces_and_impulses_act_as_newton_says() {
    let mut bodies = Bodies::new();
    let id = bodies.insert(cube("box", 0.5, Vec3::ZERO, Motion::Dynamic)).unwrap();
    let mass = bodies.get(id).unwrap().mass_kg;
    assert!((mass - 2700.0).abs() < 0.01);
    let force = Vec3::new(2700.0, 0.0, 0.0);
    bodies.apply_force_at(id, Cause::Soil, force, Vec3::ZERO).unwrap();
    bodies.step(0.5, Vec3::ZERO, 0.0, None);
    let after = bodies.get(id).unwrap();
    assert!((after.linear_velocity_m_s.x - 0.5).abs() < 1e-4, "{}", after.linear_velocity_m_s);
    assert!((after.pose.translation.x - 0.125).abs() < 1e-3, "{}", after.pose.translation);
    bodies.step(0.5, Vec3::ZERO, 0.5, None);
    let speed = bodies.get(id).unwrap().linear_velocity_m_s.x;
    assert!((speed - 0.5).abs() < 1e-4, "a force lasts for one step: {speed}");

    let body = bodies.get(id).unwrap();
    let point = body.pose.translation + Vec3::new(0.0, 0.5, 0.0);
    let (before, expected) = (body.velocity_at(point), body.inverse_mass_at(point, Vec3::X));
    bodies.apply_impulse_at(id, Cause::Soil, Vec3::new(10.0, 0.0, 0.0), point).unwrap();
    let body = bodies.get(id).unwrap();
    assert!(((body.velocity_at(point) - before).x - 10.0 * expected).abs() < 1e-6);
    // A cube's moment of inertia is m a² / 6; the impulse acts at a lever of half a metre.
    let spin = 10.0 * 0.5 / (mass / 6.0);
    assert!((body.angular_velocity_rad_s.z + spin).abs() < 1e-6);
}

#[test]
fn a_scripted_body_is_exactly_on_its_track() {
    let mut bodies = Bodies::new();
    let keys = vec![
        key(0.1, Vec3::ZERO, 0.0),
        key(1.0, Vec3::new(2.0, 0.0, 0.3), 1.0),
        key(1.4, Vec3::new(0.0, 1.0, 0.0), 0.5),
    ];
    let track = Track { keys, repeat: true };
    let id = bodies.insert(cube("tool", 0.3, Vec3::ZERO, Motion::Scripted(track.clone()))).unwrap();
    let mut time_s = 0.0;
    for step in 0..200 {
        // The clock of a world adds up like this.
        bodies.step(DT_S, GRAVITY, time_s, Some(FLOOR));
        let before = track.pose(time_s);
        time_s += DT_S;
        let body = bodies.get(id).unwrap();
        let Motion::Scripted(track) = &body.spec.motion else { unreachable!() };
        assert_eq!(body.pose, track.pose(time_s), "step {step}");
        let moved = body.pose.translation - body.previous_pose.translation;
        assert!((body.linear_velocity_m_s - moved / DT_S as f32).length() < 1e-3, "step {step}");
        // Back at the first key it has jumped, which is no motion.
        assert!(body.previous_pose == before || body.previous_pose == body.pose, "step {step}");
    }
}

#[test]
fn a_jump_of_the_clock_pushes_nothing() {
    let mut bodies = Bodies::new();
    let id = bodies.insert(cube("box", 0.2, Vec3::new(5.0, 0.0, 0.2), Motion::Dynamic)).unwrap();
    let keys = vec![key(0.0, Vec3::new(0.0, 0.0, 0.3), 0.0), key(10.0, Vec3::new(10.0, 0.0, 0.3), 0.0)];
    bodies.insert(cube("tool", 0.2, Vec3::ZERO, Motion::Scripted(Track { keys, repeat: false }))).unwrap();
    run(&mut bodies, 0, 10);
    run(&mut bodies, 480, 10);
    let at = bodies.get(id).unwrap().pose.translation;
    assert!((at.x - 5.0).abs() < 1e-3, "{at}");
}

#[test]
fn a_body_that_is_carried_falls_asleep() {
    let mut bodies = Bodies::new();
    let id = bodies.insert(cube("box", 0.2, Vec3::new(0.0, 0.0, 5.0), Motion::Dynamic)).unwrap();
    let weight = -GRAVITY * bodies.get(id).unwrap().mass_kg;
    for step in 0..60 {
        if !bodies.get(id).unwrap().sleeping {
            bodies.apply_force_at(id, Cause::Soil, weight, Vec3::new(0.0, 0.0, 5.0)).unwrap();
        }
        bodies.step(DT_S, GRAVITY, f64::from(step) * DT_S, None);
    }
    let body = bodies.get(id).unwrap();
    assert!(body.sleeping && (body.pose.translation.z - 5.0).abs() < 1e-3);
    bodies.apply_force_at(id, Cause::Soil, 2.0 * weight, Vec3::new(0.0, 0.0, 5.0)).unwrap();
    bodies.step(DT_S, GRAVITY, 1.0, None);
    assert!(bodies.get(id).unwrap().linear_velocity_m_s.z > 0.1, "a push wakes it");
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let mut runs = [stack_and_blade(), stack_and_blade(), stack_and_blade()];
    for step in 0..120 {
        runs[2].drop_scratch();
        if step == 60 {
            runs[1] = runs[0].clone();
        }
        for bodies in &mut runs {
            run(bodies, step, 1);
        }
        assert_eq!(bits(&runs[0]), bits(&runs[1]), "step {step}");
        assert_eq!(bits(&runs[0]), bits(&runs[2]), "scratch, step {step}");
    }
}

#[test]
fn long_steps_are_cut_and_what_is_missed_is_told() {
    let mut bodies = stack_and_blade();
    let motion = bodies.step(0.1, GRAVITY, 0.0, Some(FLOOR));
    assert_eq!((motion.substeps, motion.missed_s), (12, 0.0));
    let motion = bodies.step(3600.0, GRAVITY, 0.1, Some(FLOOR));
    assert_eq!(motion.substeps, MAX_SUBSTEPS);
    assert!((motion.missed_s - 3598.0).abs() < 1e-2, "{}", motion.missed_s);
    assert!(motion.frozen.is_empty() && !motion.restarted);
    assert_eq!(motion.warnings().len(), 1);
    for dt_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let before = bits(&bodies);
        assert_eq!(bodies.step(dt_s, GRAVITY, 3600.1, Some(FLOOR)).substeps, 0);
        assert_eq!(bits(&bodies), before);
    }
}

#[test]
fn impossible_motion_is_frozen_and_told() {
    let mut bodies = Bodies::new();
    let far = bodies.insert(BodySpec {
        linear_velocity_m_s: Vec3::new(400.0, 0.0, 0.0),
        ..ball("far", 0.5, Vec3::new(999_990.0, 0.0, 50.0))
    });
    let far = far.unwrap();
    let near = bodies.insert(ball("near", 0.5, Vec3::new(0.0, 0.0, 50.0))).unwrap();
    let torn = bodies.insert(ball("torn", 1e-4, Vec3::new(5.0, 0.0, 50.0))).unwrap();
    let mut frozen = Vec::new();
    for step in 0..30 {
        bodies.apply_force_at(torn, Cause::Soil, Vec3::splat(f32::MAX), Vec3::new(6.0, 1.0, 50.0)).unwrap();
        let nothing = Vec3::new(f32::NAN, 0.0, 0.0);
        let gravity = if step == 3 { nothing } else { GRAVITY };
        let motion = bodies.step(DT_S, gravity, f64::from(step) * DT_S, Some(FLOOR));
        frozen.extend(motion.frozen);
        for body in bodies.iter() {
            assert!(body.pose.translation.is_finite() && body.pose.rotation.is_finite());
            assert!(body.linear_velocity_m_s.is_finite() && body.angular_velocity_rad_s.is_finite());
            assert!(body.pose.translation.abs().max_element() <= 1e6);
        }
    }
    frozen.sort();
    assert_eq!(frozen, [far, torn]);
    assert!(bodies.get(far).unwrap().frozen && !bodies.get(near).unwrap().frozen);
    assert!(bodies.get(near).unwrap().pose.translation.z < 49.0, "the others go on");
    let copy = Bodies::from_bytes(&bodies.to_bytes()).unwrap();
    assert_eq!(bits(&copy), bits(&bodies));

    bodies.set_pose(far, Pose::at(Vec3::new(9.0, 0.0, 50.0))).unwrap();
    run(&mut bodies, 30, 30);
    let back = bodies.get(far).unwrap();
    assert!(!back.frozen && back.pose.translation.z < 49.0, "it falls again: {}", back.pose.translation);
}

#[test]
fn bodies_come_and_go() {
    let mut bodies = stack_and_blade();
    run(&mut bodies, 0, 10);
    let ids: Vec<_> = bodies.iter().map(|body| body.id).collect();
    assert!(bodies.remove(ids[0]) && !bodies.remove(ids[0]));
    assert!(bodies.get(ids[0]).is_none() && bodies.len() == ids.len() - 1);
    run(&mut bodies, 10, 10);
    let fresh = bodies.insert(cube("late", 0.1, Vec3::new(3.0, 0.0, 0.1), Motion::Dynamic)).unwrap();
    assert!(fresh > *ids.last().unwrap(), "ids are never used twice");
    run(&mut bodies, 20, 10);
    let order: Vec<_> = bodies.iter().map(|body| body.id).collect();
    assert!(order.is_sorted() && order.last() == Some(&fresh));
}
