//! What happens when bodies touch each other or the walls.

use std::sync::Arc;

use barchan_sim::bodies::{Bodies, BodySpec, Cause, Motion, Track};
use barchan_volume::{Aabb, Hull, MeshSolid, Pose, Shape, TriMesh};
use glam::{Quat, Vec3};

use super::{DT_S, GRAVITY, Numbers, ball, cube, key, run};

#[test]
fn a_blade_pushes_what_is_in_its_way() {
    let mut bodies = Bodies::new();
    let id = bodies.insert(cube("box", 0.2, Vec3::new(0.0, 0.0, 0.2), Motion::Dynamic)).unwrap();
    let keys = vec![key(1.0, Vec3::new(-1.0, 0.0, 0.3), 0.0), key(3.0, Vec3::new(1.0, 0.0, 0.3), 0.0)];
    let blade = Shape::Box { half_extents: Vec3::new(0.05, 0.5, 0.25) };
    let motion = Motion::Scripted(Track { keys, repeat: false });
    bodies.insert(BodySpec::new("blade", blade, Pose::IDENTITY, motion)).unwrap();
    run(&mut bodies, 0, 59);
    assert!(bodies.iter().all(|body| body.sleeping), "all wait");
    run(&mut bodies, 59, 121);
    let at = bodies.get(id).unwrap().pose.translation;
    assert!((at.x - 1.25).abs() < 0.02, "pushed ahead of the blade: {at}");
}

#[test]
fn a_ball_bounces_as_high_as_its_restitution_says() {
    for restitution in [0.0, 0.5, 0.8] {
        let mut bodies = Bodies::new();
        let id =
            bodies.insert(BodySpec { restitution, ..ball("ball", 0.1, Vec3::new(0.0, 0.0, 1.1)) }).unwrap();
        let mut highest = 0.0f32;
        let mut touched = false;
        for step in 0..150 {
            run(&mut bodies, step, 1);
            let body = bodies.get(id).unwrap();
            touched |= step > 5 && body.linear_velocity_m_s.z > -0.5;
            if touched {
                highest = highest.max(body.pose.translation.z - 0.1);
            }
        }
        let expected = restitution * restitution;
        assert!((highest - expected).abs() < 0.03, "restitution {restitution}: {highest} against {expected}");
    }
}

#[test]
fn a_box_on_a_slope_slides_as_coulomb_says() {
    let slope = 20f32.to_radians();
    let tilt = Quat::from_rotation_y(slope);
    for (friction, slides) in [(0.6, false), (0.2, true)] {
        let mut bodies = Bodies::new();
        let plate = Shape::Box { half_extents: Vec3::new(20.0, 2.0, 0.5) };
        let plate = BodySpec::new("plate", plate, Pose::new(Vec3::ZERO, tilt), Motion::Fixed);
        bodies.insert(BodySpec { friction, ..plate }).unwrap();
        let mut spec = cube("box", 0.2, tilt * Vec3::new(-5.0, 0.0, 0.7), Motion::Dynamic);
        spec.pose.rotation = tilt;
        let id = bodies.insert(BodySpec { friction, ..spec.clone() }).unwrap();
        for step in 0..90 {
            bodies.step(DT_S, GRAVITY, f64::from(step) * DT_S, None);
        }
        let path = (bodies.get(id).unwrap().pose.translation - spec.pose.translation).dot(tilt * Vec3::X);
        let acceleration = 9.81 * (slope.sin() - friction * slope.cos());
        let expected = if slides { 0.5 * acceleration * 1.5 * 1.5 } else { 0.0 };
        assert!(
            (path - expected).abs() < 0.02 + 0.03 * expected,
            "friction {friction}: {path} against {expected}"
        );
    }
}

#[test]
fn walls_keep_everything_inside() {
    let mut numbers = Numbers(7);
    let mut bodies = Bodies::new();
    for i in 0..40 {
        let shape = match i % 4 {
            0 => Shape::Box { half_extents: Vec3::new(0.1, 0.2, 0.15) },
            1 => Shape::Ball { radius: 0.2 },
            2 => Shape::Cone { radius: 0.2, half_height: 0.2 },
            _ => Shape::Capsule { radius: 0.1, half_height: 0.15 },
        };
        let pose = Pose::new(numbers.vector(1.5), numbers.turn());
        let mut spec = BodySpec::new("body", shape, pose, Motion::Dynamic);
        spec.linear_velocity_m_s = numbers.vector(20.0);
        spec.angular_velocity_rad_s = numbers.vector(5.0);
        spec.restitution = 0.7;
        bodies.insert(spec).unwrap();
    }
    let walls = Aabb::new(Vec3::splat(-2.0), Vec3::splat(2.0));
    for step in 0..300 {
        bodies.step(DT_S, GRAVITY, f64::from(step) * DT_S, Some(walls));
        for body in bodies.iter() {
            let bounds = body.solid().bounds();
            let beyond = (walls.min - bounds.min).max(bounds.max - walls.max).max_element();
            // A body is swept only when it moves by more than its own thickness: one at 35 m/s may be 0.3 m deep in
            // the wall for one sub-step of 1/120 s. Later the pile presses the lowest ones a centimetre into the floor.
            let allowed = if step < 240 { 0.3 } else { 0.01 };
            assert!(beyond < allowed, "step {step}, body {}: {beyond} m beyond", body.id);
        }
    }
    // Taken away again they hold nothing.
    for step in 300..360 {
        bodies.step(DT_S, GRAVITY, f64::from(step) * DT_S, None);
    }
    assert!(bodies.iter().all(|body| body.pose.translation.z < -2.0));
}

#[test]
fn every_shape_rests_upright_on_the_floor() {
    let corners = |half: Vec3| {
        let signs = [-1.0, 1.0];
        signs
            .iter()
            .flat_map(|x| signs.iter().flat_map(|y| signs.iter().map(|z| Vec3::new(*x, *y, *z) * half)))
            .collect()
    };
    let lying = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let rows: Vec<(&str, Shape, Quat, f32)> = vec![
        ("box", Shape::Box { half_extents: Vec3::new(0.3, 0.4, 0.2) }, Quat::IDENTITY, 0.2),
        ("ball", Shape::Ball { radius: 0.3 }, Quat::IDENTITY, 0.3),
        ("cylinder", Shape::Cylinder { radius: 0.4, half_height: 0.2 }, Quat::IDENTITY, 0.2),
        ("cone", Shape::Cone { radius: 0.4, half_height: 0.2 }, Quat::IDENTITY, 0.2),
        ("capsule", Shape::Capsule { radius: 0.2, half_height: 0.4 }, lying, 0.2),
        (
            "hull",
            Shape::Hull(Arc::new(Hull::new(corners(Vec3::new(0.3, 0.3, 0.25))).unwrap())),
            Quat::IDENTITY,
            0.25,
        ),
        ("mesh", Shape::Mesh(Arc::new(MeshSolid::new(bracket()).unwrap())), Quat::IDENTITY, 0.0),
    ];
    for (name, shape, turn, height) in rows {
        let mut bodies = Bodies::new();
        let volume = shape.volume_m3();
        let pose = Pose::new(Vec3::new(0.0, 0.0, height + 0.02), turn);
        let id = bodies.insert(BodySpec::new(name, shape.clone(), pose, Motion::Dynamic)).unwrap();
        run(&mut bodies, 0, 180);
        let body = bodies.get(id).unwrap();
        assert!((body.mass_kg / (2700.0 * volume) - 1.0).abs() < 1e-5, "{name}: {} kg", body.mass_kg);
        let centre = body.pose.transform_point(shape.centroid());
        assert!((body.centre_of_mass_m - centre).length() < 1e-3, "{name}");
        assert!((body.pose.translation.z - height).abs() < 0.005, "{name}: {}", body.pose.translation);
        assert!(body.pose.rotation.angle_between(turn) < 0.02, "{name}: {}", body.pose.rotation);
        assert!(body.sleeping, "{name} sleeps");
    }
}

#[test]
fn a_dynamic_mesh_is_hollow_where_it_is_hollow() {
    // A ball fits under the arm of the bracket without touching it; in the convex hull it would be deep inside.
    let mut bodies = Bodies::new();
    let mesh = Shape::Mesh(Arc::new(MeshSolid::new(bracket()).unwrap()));
    let bracket = bodies.insert(BodySpec::new("bracket", mesh, Pose::IDENTITY, Motion::Dynamic)).unwrap();
    let ball = bodies.insert(ball("ball", 0.15, Vec3::new(0.75, 0.5, 0.75))).unwrap();
    for step in 0..60 {
        bodies.step(DT_S, Vec3::ZERO, f64::from(step) * DT_S, None);
    }
    for id in [bracket, ball] {
        let body = bodies.get(id).unwrap();
        assert!((body.pose.translation - body.spec.pose.translation).length() < 1e-3, "{}", body.spec.name);
    }
    // And it is solid where it is solid.
    bodies.set_velocity(ball, Vec3::new(-2.0, 0.0, 0.0), Vec3::ZERO).unwrap();
    for step in 60..120 {
        bodies.step(DT_S, Vec3::ZERO, f64::from(step) * DT_S, None);
    }
    assert!(bodies.get(ball).unwrap().linear_velocity_m_s.x > -0.5, "the ball was stopped");
    assert!(bodies.get(bracket).unwrap().linear_velocity_m_s.x < 0.0, "and pushed the bracket");
}

/// An L of 1 m by 1 m by 1 m with arms 0.5 m thick: extruded along y, standing on its long side.
fn bracket() -> TriMesh {
    let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.5, 0.5], [0.5, 1.0], [0.0, 1.0]];
    let vertices =
        [0.0, 1.0].iter().flat_map(|y| outline.iter().map(|[x, z]| Vec3::new(*x, *y, *z))).collect();
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.push([a, b, c]);
        triangles.push([a + 6, c + 6, b + 6]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.push([i, i + 6, j]);
        triangles.push([j, i + 6, j + 6]);
    }
    TriMesh { vertices, triangles }
}

#[test]
fn a_stack_stands_and_falls_asleep() {
    let mut bodies = Bodies::new();
    for level in 0..6 {
        let at = Vec3::new(0.0, 0.0, 0.2 + 0.4 * level as f32);
        bodies.insert(cube("box", 0.2, at, Motion::Dynamic)).unwrap();
    }
    run(&mut bodies, 0, 240);
    for body in bodies.iter() {
        let off = body.pose.translation - body.spec.pose.translation;
        assert!(off.length() < 0.01 && body.sleeping, "box {} moved by {off}", body.id);
    }
    let motion = run(&mut bodies, 240, 1).remove(0);
    assert_eq!(motion.moved, 0);
    let top = bodies.iter().last().unwrap().id;
    bodies.apply_impulse_at(top, Cause::Soil, Vec3::new(400.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 2.2)).unwrap();
    assert!(run(&mut bodies, 241, 1)[0].moved > 0);
}
