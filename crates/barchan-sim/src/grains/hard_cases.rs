//! Grains where they might fail: wide and narrow, in and out, moved by hand, pulled sideways.

use std::sync::Arc;

use barchan_volume::{Hull, MeshSolid, Pose, Region, Shape, Solid};
use glam::{DVec3, Vec3};

use super::tests::{DOWN, SAND, heap, setup, thrown, world};
use super::*;
use crate::bodies::{BodySpec, Motion};
use crate::ledger::Account;

/// Nothing is out of its mind, and the books balance.
fn assert_sound(world: &crate::World) {
    assert!(world.ledger().balances() && world.check().is_ok());
    assert!(world.grains().is_sound(world.materials()));
}

#[test]
fn a_drain_takes_what_falls_into_it_and_the_books_say_so() {
    let mut setup = setup(vec![Template::sphere()], 0.02);
    setup.walls.push(Wall::plane("floor", DVec3::ZERO, DVec3::Z));
    let mut world = world(setup, DOWN);
    let specs = [0.0, 0.5].map(|x| GrainSpec::at(0, DVec3::new(x, 0.0, 0.3)));
    world.add_grains(&specs).unwrap();
    let held = world.ledger().held.get((Account::Grains, SAND));
    let mut drain = Drain::new(DVec3::new(-0.1, -0.1, 0.0), DVec3::new(0.1, 0.1, 0.1));
    drain.from_s = 0.15;
    world.add_grain_drain(drain).unwrap();
    (0..40).for_each(|_| drop(world.step(1.0 / 60.0)));
    assert_eq!(world.grains().len(), 1);
    assert_eq!(world.grains().drains().next().unwrap().1, 1);
    assert!((world.ledger().held.get((Account::Grains, SAND)) - held / 2).abs() <= 1);
    assert_sound(&world);
    assert!(world.add_grain_drain(Drain::new(DVec3::ONE, DVec3::ZERO)).is_err());
}

#[test]
fn taking_away_what_carries_them_wakes_sleepers() {
    let mut setup = setup(vec![Template::tetrahedron(1.0)], 0.02);
    setup.walls.push(Wall::plane("floor", DVec3::ZERO, DVec3::Z));
    // So narrow that they stand on each other.
    setup.walls.push(Wall::tube("tube", DVec3::Z * -0.01, 0.03, 1.0));
    let mut world = world(setup, DOWN);
    let near = (0..3).map(|k| DVec3::new(0.004 * f64::from(k), 0.0, 0.03 + 0.05 * f64::from(k)));
    let specs: Vec<_> = near.chain([DVec3::X]).map(|at| GrainSpec::at(0, at + DVec3::Z * 0.02)).collect();
    world.add_grains(&specs).unwrap();
    for _ in 0..400 {
        world.step(1.0 / 60.0);
        if world.grains().asleep() == 4 {
            break;
        }
    }
    assert_eq!(world.grains().asleep(), 4);
    let first = world.grains().all()[0].id;
    assert_eq!(world.remove_grains(|grain| grain.id == first), 1);
    // The one that lies alone sleeps on.
    assert!((1..3).contains(&world.grains().asleep()), "{}", world.grains().asleep());
    assert_sound(&world);
}

#[test]
fn a_rough_drum_holds_its_grains_and_drags_them_along() {
    let run = |rough_m: Option<f64>| {
        let mut setup = setup(vec![Template::sphere()], 0.02);
        setup.substances[0].friction = 0.1;
        let shape = Shape::Cylinder { radius: 0.15, half_height: 0.05 };
        let mut drum = Wall::new("drum", WallForm::Room { shape }, DVec3::ZERO);
        drum.turn = glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        drum.rough_m = rough_m;
        drum.motion = WallMotion::Spin { rate_rad_s: DVec3::Y * 3.0 };
        setup.walls.push(drum);
        let mut world = world(setup, DOWN);
        let fill = Fill {
            mix: vec![(0, 1.0)],
            low_m: DVec3::new(-0.085, -0.04, -0.085),
            high_m: DVec3::new(0.085, 0.04, 0.085),
            pitch_m: Some(0.022),
            jitter: 0.0,
            count: 60,
            turned: false,
            velocity_m_s: DVec3::ZERO,
            seed: 1,
        };
        world.fill_with_grains(&fill).unwrap();
        (0..60).for_each(|_| drop(world.step(1.0 / 60.0)));
        let all = world.grains().all();
        for grain in all {
            let at = world.grains().position_m(grain);
            assert!(at.x.hypot(at.z) < 0.15 && at.y.abs() < 0.05, "{at}");
        }
        assert_sound(&world);
        all.iter().map(|grain| world.grains().position_m(grain).x).sum::<f64>() / all.len() as f64
    };
    let (smooth, rough) = (run(None), run(Some(0.01)));
    // It turns from z to x: what it drags along hangs on the side of x below zero.
    assert!(rough.abs() > smooth.abs() + 0.01, "{smooth} {rough}");
}

#[test]
fn a_ball_ten_voxels_wide_lies_on_the_ground_at_once() {
    let mut setup = setup(vec![Template::sphere()], 1.0);
    setup.substances[0].young_pa = 1e9;
    let mut world = world(setup, DOWN);
    let region = Region::Solid(Solid {
        shape: Shape::Box { half_extents: Vec3::new(1.5, 1.5, 0.4) },
        pose: Pose::at(Vec3::new(0.0, 0.0, -0.4)),
    });
    let rock = world.materials().find("granite").unwrap();
    world.edit(&crate::Edit::Place { region, material: rock, moisture: 0.0 }).unwrap();
    world.add_grains(&[GrainSpec::at(0, DVec3::new(0.03, 0.02, 0.55))]).unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..90 {
        world.step(1.0 / 60.0);
        lowest = lowest.min(world.grains().position_m(&world.grains().all()[0]).z);
    }
    // The impact presses it in by 6 mm, its weight by 1 mm; what is known of the ground is exact to 10 mm.
    assert!((0.48..0.51).contains(&lowest), "{lowest}");
    let z = world.grains().position_m(&world.grains().all()[0]).z;
    assert!((0.48..0.51).contains(&z), "{z}");
    assert_sound(&world);
}

/// A closed mesh of a box.
fn block(half: Vec3) -> Shape {
    let corners = (0..8)
        .map(|k| half * Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) * 2.0 - half)
        .collect();
    let mesh = Hull::new(corners).unwrap().mesh().clone();
    Shape::Mesh(Arc::new(MeshSolid::new(mesh).unwrap()))
}

#[test]
fn a_mesh_is_felt_by_the_spheres_on_it_and_tells_their_gap() {
    let mut world = world(setup(vec![Template::sphere()], 0.04), DOWN);
    let spec = BodySpec::new(
        "block",
        block(Vec3::new(0.2, 0.2, 0.1)),
        Pose::at(Vec3::new(0.0, 0.0, -0.1)),
        Motion::Fixed,
    );
    world.add_body(spec).unwrap();
    let specs: Vec<_> =
        (0..4).map(|k| GrainSpec::at(0, DVec3::new(0.07 * f64::from(k) - 0.1, 0.03, 0.05))).collect();
    world.add_grains(&specs).unwrap();
    let mut report = world.step(1.0 / 60.0).grains;
    for _ in 0..20 {
        report = world.step(1.0 / 60.0).grains;
    }
    let covered = report.covers[0];
    assert!(covered.spheres > 150 && covered.radius_m == 0.02, "{covered:?}");
    assert!(covered.gap_m < 0.8 * covered.radius_m, "{covered:?}");
    for grain in world.grains().all() {
        // In a hollow between spheres or on a crest.
        let z = world.grains().position_m(grain).z;
        assert!((0.02..0.042).contains(&z), "{z}");
    }
    assert_sound(&world);
}

#[test]
fn a_body_put_into_a_pile_by_hand_loses_nothing() {
    let mut world = thrown(heap(), 60);
    (0..12).for_each(|_| drop(world.step(0.02)));
    let count = world.grains().len();
    let shape = Shape::Box { half_extents: Vec3::splat(0.03) };
    world.add_body(BodySpec::new("box", shape, Pose::at(Vec3::new(0.0, 0.0, 0.02)), Motion::Fixed)).unwrap();
    (0..10).for_each(|_| drop(world.step(0.02)));
    assert_eq!(world.grains().len(), count);
    assert_sound(&world);
}

#[test]
fn steps_a_thousand_times_too_long_are_cut_and_told() {
    let mut setup = setup(vec![Template::sphere()], 0.2);
    setup.walls.push(Wall::plane("floor", DVec3::ZERO, DVec3::Z));
    let mut world = world(setup, DOWN);
    world.add_grains(&[GrainSpec::at(0, DVec3::Z * 0.3)]).unwrap();
    let report = world.step(1000.0 / 60.0);
    let told = report.warnings.iter().any(|word| word.contains("was cut") || word.contains("stood still"));
    assert!(told || report.grains.substeps > 1000, "{:?}", report.warnings);
    let z = world.grains().position_m(&world.grains().all()[0]).z;
    assert!((0.09..0.4).contains(&z), "{z}");
    assert_sound(&world);
}

#[test]
fn gravity_may_pull_sideways_or_not_at_all() {
    let mut setup = setup(vec![Template::tetrahedron(1.0)], 0.02);
    setup.walls.push(Wall::plane("side", DVec3::X, DVec3::NEG_X));
    for (pull, x) in [(Vec3::X * 9.81, 0.97), (Vec3::ZERO, 0.5)] {
        let mut world = world(setup.clone(), pull);
        world.add_grains(&[GrainSpec::at(0, DVec3::X * 0.5)]).unwrap();
        (0..90).for_each(|_| drop(world.step(1.0 / 60.0)));
        let at = world.grains().position_m(&world.grains().all()[0]);
        assert!((at.x - x).abs() < 0.02, "{at}");
        assert_sound(&world);
    }
}

#[test]
fn grains_behind_walls_are_refused_by_the_name_of_the_wall() {
    let mut setup = setup(vec![Template::sphere()], 0.02);
    setup.walls.push(Wall::plane("floor", DVec3::ZERO, DVec3::Z));
    let mut world = world(setup, DOWN);
    let error = world.add_grains(&[GrainSpec::at(0, DVec3::Z * -1.0)]).unwrap_err().to_string();
    assert!(error.contains("behind the wall 'floor'"), "{error}");
    assert!(world.grains().is_empty());
}
