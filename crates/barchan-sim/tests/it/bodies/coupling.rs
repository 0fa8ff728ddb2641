//! The door for forces: what particles give a body is what it gains, kept by cause, and sleepers wake when they should.

use barchan_sim::bodies::{Bodies, BodySpec, Cause, Coupled, Impulse, LockedAxes, Motion, Track};
use barchan_volume::{Pose, Shape};
use glam::{DVec3, Quat, Vec3};

use super::{DT_S, GRAVITY, bits, cube, key, run};

/// A part of a step in which every body is kicked `parts` times by `kick` (N s) at `arm` (m) from its centre.
fn part(bodies: &mut Bodies, step: usize, parts: u32, kick: DVec3, arm: DVec3, gravity: Vec3) {
    let time_s = step as f64 * DT_S;
    let mut coupled = Coupled::of(bodies, gravity, time_s, DT_S);
    for _ in 0..parts {
        for body in &mut coupled.bodies {
            body.kick(kick, body.centre_m + arm);
        }
        coupled.advance(DT_S / f64::from(parts));
    }
    coupled.hand_in(Cause::Grains, bodies);
    bodies.step(DT_S, gravity, time_s, None);
}

#[test]
fn a_body_gains_what_particles_lose() {
    let mut bodies = Bodies::new();
    let id = bodies.insert(cube("box", 0.5, Vec3::new(300.0, 2.0, -7.0), Motion::Dynamic)).unwrap();
    let mass = f64::from(bodies.get(id).unwrap().mass_kg);
    let (kick, arm) = (DVec3::new(0.3, -0.1, 0.2), DVec3::new(0.1, 0.4, -0.2));
    for step in 0..20 {
        part(&mut bodies, step, 50, kick, arm, Vec3::ZERO);
    }
    let body = bodies.get(id).unwrap();
    let given = Impulse::at(kick, arm) * 1000.0;
    let momentum = body.linear_velocity_m_s.as_dvec3() * mass;
    assert!((momentum - given.linear).length() < 1e-5 * given.linear.length(), "{momentum}");
    // A cube has the same moment of inertia about every axis: m a² / 6.
    let spin = body.angular_velocity_rad_s.as_dvec3() * (mass / 6.0);
    assert!((spin - given.angular).length() < 1e-4 * given.angular.length(), "{spin}");
    assert!((bodies.received(id).unwrap().by(Cause::Grains) - given).linear.length() < 1e-9);
    bodies.begin_step();
    assert_eq!(bodies.received(id).unwrap().total(), Impulse::ZERO);
}

#[test]
fn every_cause_is_kept_apart_and_led_bodies_feel_nothing() {
    let mut bodies = Bodies::new();
    let keys = vec![key(0.0, Vec3::ZERO, 0.0), key(1.0, Vec3::X, 0.0)];
    let led = cube("led", 0.5, Vec3::ZERO, Motion::Scripted(Track { keys, repeat: false }));
    let ids =
        [cube("free", 0.5, Vec3::splat(5.0), Motion::Dynamic), led].map(|spec| bodies.insert(spec).unwrap());
    let impulse = |i: usize| Impulse { linear: DVec3::X * (1 + i) as f64, angular: DVec3::Y * i as f64 };
    for id in ids {
        for (i, cause) in Cause::ALL.into_iter().enumerate() {
            bodies.give(id, cause, impulse(i), DT_S).unwrap();
        }
        bodies.apply_force(id, Cause::Bearing, Vec3::Z * 6.0, Vec3::ZERO).unwrap();
    }
    bodies.step(DT_S, Vec3::ZERO, 0.0, None);
    for id in ids {
        let received = bodies.received(id).unwrap();
        for (i, cause) in Cause::ALL.into_iter().enumerate().skip(1) {
            assert_eq!(received.by(cause), impulse(i), "{}", cause.name());
        }
        assert!((received.by(Cause::Bearing).linear - DVec3::new(1.0, 0.0, 0.1)).length() < 1e-9);
        let (force, torque) = received.mean_force_n(Cause::Carve);
        assert!((force.x - 300.0).abs() < 1e-3 && (torque.y - 240.0).abs() < 1e-3, "{force} {torque}");
    }
    let at = |id| bodies.get(id).unwrap();
    assert!((at(ids[0]).linear_velocity_m_s.x - 15.0 / 2700.0).abs() < 1e-7);
    assert_eq!(at(ids[1]).linear_velocity_m_s, Vec3::X, "on its track");
    assert!(bodies.clone().give(ids[0], Cause::Water, Impulse::at(DVec3::NAN, DVec3::ZERO), DT_S).is_err());
    assert!(bodies.clone().give(ids[0], Cause::Water, impulse(1), 0.0).is_err());
}

#[test]
fn copies_move_as_the_bodies_will() {
    let mut bodies = Bodies::new();
    let keys = vec![key(0.0, Vec3::ZERO, 0.0), key(1.0, Vec3::X, 1.0)];
    let ids = [
        BodySpec {
            linear_velocity_m_s: Vec3::new(3.0, 0.0, 1.0),
            angular_velocity_rad_s: Vec3::new(0.0, 0.0, 2.0),
            ..cube("thrown", 0.5, Vec3::new(0.0, 9.0, 5.0), Motion::Dynamic)
        },
        cube("led", 0.5, Vec3::ZERO, Motion::Scripted(Track { keys, repeat: false })),
        cube("fixed", 0.5, Vec3::new(0.0, -9.0, 0.0), Motion::Fixed),
        cube("below", 0.2, Vec3::new(9.0, 0.0, 0.2), Motion::Dynamic),
        cube("above", 0.2, Vec3::new(9.0, 0.0, 0.6), Motion::Dynamic),
    ]
    .map(|spec| bodies.insert(spec).unwrap());
    run(&mut bodies, 0, 10);
    let mut coupled = Coupled::of(&bodies, GRAVITY, 10.0 * DT_S, DT_S);
    (0..100).for_each(|_| coupled.advance(DT_S / 100.0));
    run(&mut bodies, 10, 1);
    for (copy, id) in coupled.bodies.iter().zip(ids) {
        let body = bodies.get(id).unwrap();
        let (pose, name) = (copy.pose(), &body.spec.name);
        assert!((pose.translation - body.pose.translation).length() < 1e-3, "{name}: {:?}", pose);
        assert!(pose.rotation.angle_between(body.pose.rotation) < 1e-3, "{name}: {:?}", pose);
        let point = DVec3::new(1.0, 2.0, 3.0);
        let (copied, real) = (copy.velocity_at(point).as_vec3(), body.velocity_at(point.as_vec3()));
        assert!((copied - real).length() < 0.02, "{name}: {copied} {real}");
        assert_eq!(copy.is_movable(), body.spec.motion == Motion::Dynamic);
    }
}

/// A body that particles carry, asleep.
fn afloat() -> (Bodies, barchan_sim::bodies::BodyId, DVec3) {
    let mut bodies = Bodies::new();
    let id = bodies.insert(cube("box", 0.5, Vec3::ZERO, Motion::Dynamic)).unwrap();
    let weight = bodies.get(id).unwrap().mass_kg * -GRAVITY;
    let lift = weight.as_dvec3() * DT_S;
    for step in 0..90 {
        part(&mut bodies, step, 1, lift, DVec3::ZERO, GRAVITY);
    }
    assert!(bodies.get(id).unwrap().sleeping, "{:?}", bodies.get(id).unwrap());
    (bodies, id, lift)
}

#[test]
fn sleepers_sleep_on_while_they_are_carried_alike() {
    let (mut bodies, id, lift) = afloat();
    for step in 90..400 {
        // Ripples that even out.
        let ripple = 1.0 + if step % 2 == 0 { 0.01 } else { -0.01 };
        part(&mut bodies, step, 1, lift * ripple, DVec3::ZERO, GRAVITY);
    }
    assert!(bodies.get(id).unwrap().sleeping);
    // Half of what carries it goes: it sinks with half of gravity.
    let mut resumed = Bodies::from_bytes(&bodies.to_bytes()).unwrap();
    for bodies in [&mut bodies, &mut resumed] {
        for step in 400..430 {
            part(bodies, step, 1, lift * 0.5, DVec3::ZERO, GRAVITY);
        }
        let speed = bodies.get(id).unwrap().linear_velocity_m_s.z;
        assert!((speed + 0.5 * 9.81 * 30.0 / 60.0).abs() < 0.01, "{speed}");
    }
    assert_eq!(bits(&bodies), bits(&resumed));
}

#[test]
fn sleepers_fall_when_nothing_carries_them_any_more() {
    let (mut bodies, id, _) = afloat();
    for step in 90..120 {
        bodies.step(DT_S, GRAVITY, step as f64 * DT_S, None);
    }
    let speed = bodies.get(id).unwrap().linear_velocity_m_s.z;
    assert!((speed + 9.81 * 0.5).abs() < 0.01, "{speed}");
}

#[test]
fn a_wheel_on_an_axle_turns_and_does_nothing_else() {
    let mut bodies = Bodies::new();
    let shape = Shape::Cylinder { radius: 0.5, half_height: 0.1 };
    let pose = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
    let locked = LockedAxes::axle(1);
    let wheel = BodySpec { locked, ..BodySpec::new("wheel", shape, pose, Motion::Dynamic) };
    let id = bodies.insert(wheel.clone()).unwrap();
    let mass = bodies.get(id).unwrap().mass_kg;
    let kick = DVec3::new(0.1, 0.2, -0.3);
    for step in 0..60 {
        if step == 30 {
            bodies = Bodies::from_bytes(&bodies.to_bytes()).unwrap();
            assert_eq!(bodies.get(id).unwrap().spec.locked, locked);
        }
        part(&mut bodies, step, 10, kick, DVec3::X * 0.5, GRAVITY);
    }
    let body = bodies.get(id).unwrap();
    assert_eq!(body.pose.translation, pose.translation);
    assert_eq!(body.linear_velocity_m_s, Vec3::ZERO);
    let spin = body.angular_velocity_rad_s;
    // 0.3 N s downwards at half a metre, 600 times, against m r² / 2.
    let expected = 0.15 * 600.0 / (mass * 0.125);
    assert!(
        (spin.y - expected).abs() < 1e-3 * expected && spin.with_y(0.0).length() < 1e-6,
        "{spin} {expected}"
    );
    assert!(bodies.insert(BodySpec { motion: Motion::Fixed, ..wheel }).is_err());
}
