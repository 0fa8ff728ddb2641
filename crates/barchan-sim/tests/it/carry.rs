//! Soil on moving bodies: it goes where friction takes it, and none of it is lost on the way.

use std::f32::consts::{PI, TAU};

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Edit, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;
/// Edge of a voxel (m).
const SIZE_M: f32 = 0.1;

fn world(size: [i32; 3]) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::from_array(size)));
    World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap()
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::at(Vec3::new(x, y, z))
}

fn plate(half: [f32; 3], friction: f32, keys: Vec<(f64, Pose)>) -> BodySpec {
    let keys: Vec<_> = keys.into_iter().map(|(time_s, pose)| Key { time_s, pose }).collect();
    let shape = Shape::Box { half_extents: Vec3::from_array(half) };
    let start = keys[0].pose;
    BodySpec {
        friction,
        ..BodySpec::new("plate", shape, start, Motion::Scripted(Track { keys, repeat: false }))
    }
}

/// Time in which a heap comes to rest before its plate moves (s).
const HOLD_S: f64 = 0.5;

/// Keys of a path of `length_m` that starts and ends gently, from `from` along x, in `seconds` after the hold.
fn gently(from: Vec3, length_m: f32, seconds: f64) -> Vec<(f64, Pose)> {
    let key = |i: u32| {
        let share = f64::from(i) / 64.0;
        let smooth = share as f32 - (TAU * share as f32).sin() / TAU;
        (HOLD_S + share * seconds, Pose::at(from + Vec3::X * length_m * smooth))
    };
    let hold = [(0.0, Pose::at(from))];
    hold.into_iter().chain((0..=64).map(key)).collect()
}

/// A cone of sand with its base centred at `base`.
fn heap(world: &mut World, base: Vec3, radius: f32, height: f32) {
    let shape = Shape::Cone { radius, half_height: height / 2.0 };
    let solid = Solid { shape, pose: Pose::at(base + Vec3::Z * height / 2.0) };
    let material = world.materials().find("dry_sand").unwrap();
    world.edit(&Edit::Place { region: Region::Solid(solid), material, moisture: 0.0 }).unwrap();
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        assert_eq!(report.push.trapped, 0);
    }
    for p in world.ground().bounds().unwrap().cells() {
        let voxel = world.ground().get(p);
        let body = u32::from(world.body_fill().shares().get(p));
        let share = voxel.rock_share(world.materials()) + voxel.soil_share() + body;
        assert!(!voxel.has_soil() || share <= LOOSE_FULL, "{p} is overfull: {share}");
    }
    assert_eq!(world.ground().count(), world.ledger().held);
}

/// Soil above `z`, moved by -`shift`, in units per voxel.
fn soil_above(world: &World, z: i32, shift: IVec3) -> Vec<(IVec3, u32)> {
    let cells = world.ground().bounds().unwrap();
    let soil = cells.cells().filter(|p| p.z >= z).map(|p| (p - shift, world.ground().get(p).soil()));
    soil.filter(|(_, soil)| *soil > 0).collect()
}

fn units(soil: &[(IVec3, u32)]) -> i64 {
    soil.iter().map(|(_, units)| i64::from(*units)).sum()
}

/// Share of the soil of `a` that is not where `b` has it.
fn differing(a: &[(IVec3, u32)], b: &[(IVec3, u32)]) -> f64 {
    let there: std::collections::HashMap<_, _> = b.iter().copied().collect();
    let missing: i64 = a
        .iter()
        .map(|(p, units)| i64::from(*units) - i64::from(*there.get(p).unwrap_or(&0)))
        .map(|d| d.max(0))
        .sum();
    missing as f64 / units(a) as f64
}

fn centroid(soil: &[(IVec3, u32)]) -> Vec3 {
    let sum: glam::DVec3 = soil.iter().map(|(p, units)| (p.as_dvec3() + 0.5) * f64::from(*units)).sum();
    (sum / units(soil) as f64).as_vec3() * SIZE_M
}

#[test]
fn a_heap_on_a_plate_keeps_its_shape_over_fifty_voxels() {
    for z in [0.95, 0.98] {
        let mut world = world([96, 32, 32]);
        let keys = gently(Vec3::new(1.6, 1.6, z), 5.0, 6.0);
        world.add_body(plate([1.2, 1.2, 0.1], 0.6, keys)).unwrap();
        heap(&mut world, Vec3::new(1.6, 1.6, z + 0.1), 0.9, 0.4);
        run(&mut world, 30);
        let before = soil_above(&world, 0, IVec3::ZERO);
        run(&mut world, 365);
        let after = soil_above(&world, 0, IVec3::X * 50);
        assert_eq!(units(&before), units(&after));
        let moved = differing(&before, &after);
        assert!(moved < 0.03, "plate at {z}: {moved} of the heap changed its place");
        assert!(soil_above(&world, 0, IVec3::ZERO).iter().all(|(p, _)| p.z >= 9), "nothing below the plate");
    }
}

#[test]
fn a_heap_on_a_turntable_keeps_its_shape_over_a_full_circle() {
    let mut world = world([64, 64, 32]);
    let key = |i: u32| {
        let share = i as f32 / 64.0;
        let turn = Quat::from_rotation_z(TAU * (share - (TAU * share).sin() / TAU));
        (HOLD_S + f64::from(share) * 12.0, Pose { translation: Vec3::new(3.2, 3.2, 0.95), rotation: turn })
    };
    world.add_body(plate([2.2, 2.2, 0.1], 0.6, (0..=64).map(key).collect())).unwrap();
    heap(&mut world, Vec3::new(4.1, 3.2, 1.05), 0.8, 0.3);
    run(&mut world, 30);
    let before = soil_above(&world, 0, IVec3::ZERO);
    run(&mut world, 360);
    let half_way = centroid(&soil_above(&world, 0, IVec3::ZERO));
    assert!((half_way.truncate() - glam::Vec2::new(2.3, 3.2)).length() < 0.15, "half way at {half_way}");
    run(&mut world, 370);
    let after = soil_above(&world, 0, IVec3::ZERO);
    assert_eq!(units(&before), units(&after));
    let moved = differing(&before, &after);
    assert!(moved < 0.05, "{moved} of the heap changed its place");
    assert!(after.iter().all(|(p, _)| p.z >= 9), "nothing below the table");
}

#[test]
fn how_far_soil_comes_along_follows_friction() {
    // Friction, jerk: time for 3 m (s), where the soil is in the end compared with the plate (m).
    let ice = 0.02;
    let rows =
        [("slow", 0.6, 8.0, 0.0, 0.1), ("jerked", 0.6, 0.3, -9.9, -1.0), ("ice", ice, 2.0, -9.9, -1.0)];
    for (case, friction, seconds, least, most) in rows {
        let mut world = world([80, 32, 32]);
        world
            .add_body(plate([1.2, 1.2, 0.1], friction, gently(Vec3::new(1.6, 1.6, 0.55), 4.0, seconds)))
            .unwrap();
        heap(&mut world, Vec3::new(1.6, 1.6, 0.65), 0.6, 0.3);
        let start = centroid(&soil_above(&world, 0, IVec3::ZERO));
        run(&mut world, ((HOLD_S + seconds) * 60.0) as usize + 5);
        let end = centroid(&soil_above(&world, 0, IVec3::ZERO));
        let behind = end.x - start.x - 4.0;
        assert!((least - 0.05..=most).contains(&behind), "{case}: {behind} m");
    }
}

#[test]
fn a_fast_table_flings_soil_off_and_a_slow_one_does_not() {
    // At 1 m from the axis and mu = 0.6, soil holds up to sqrt(0.6 g / 1 m) = 2.4 rad/s.
    for (rate, holds) in [(1.2_f32, true), (5.0, false)] {
        let mut world = world([64, 64, 32]);
        let turn = |i: i32| {
            let t = i as f32 * 0.1;
            let angle = if t < 4.0 { rate * t * t / 8.0 } else { rate * (t - 2.0) };
            (
                f64::from(t),
                Pose { translation: Vec3::new(3.2, 3.2, 1.05), rotation: Quat::from_rotation_z(angle) },
            )
        };
        world.add_body(plate([1.8, 1.8, 0.1], 0.6, (0..=80).map(turn).collect())).unwrap();
        heap(&mut world, Vec3::new(4.4, 3.2, 1.15), 0.4, 0.2);
        let before = units(&soil_above(&world, 9, IVec3::ZERO));
        run(&mut world, 480);
        let left = units(&soil_above(&world, 9, IVec3::ZERO));
        assert_eq!(left > before * 9 / 10, holds, "{rate} rad/s: {left} of {before} units");
    }
}

#[test]
fn soil_slides_on_when_its_plate_stops_short() {
    let mut world = world([96, 32, 24]);
    let mut keys = gently(Vec3::new(1.6, 1.6, 0.55), 8.0, 8.0);
    keys.truncate(34);
    keys.push((4.7, keys[33].1));
    world.add_body(plate([1.2, 1.2, 0.1], 0.2, keys)).unwrap();
    heap(&mut world, Vec3::new(1.0, 1.6, 0.65), 0.4, 0.2);
    run(&mut world, 270);
    let moving = centroid(&soil_above(&world, 0, IVec3::ZERO));
    run(&mut world, 120);
    // From 2 m/s at 0.2 g: v²/(2 mu g) = 1.02 m.
    let slid = centroid(&soil_above(&world, 0, IVec3::ZERO)).x - moving.x;
    assert!((slid - 1.02).abs() < 0.15, "slid {slid} m");
}

#[test]
fn up_and_down_nothing_leaks() {
    let mut world = world([32, 32, 48]);
    let key = |i: u32| {
        let z = 1.5 - (TAU * i as f32 / 32.0).cos();
        (f64::from(i) * 0.1, at(1.6, 1.6, z))
    };
    world.add_body(plate([1.2, 1.2, 0.1], 0.6, (0..=64).map(key).collect())).unwrap();
    heap(&mut world, Vec3::new(1.6, 1.6, 0.6), 0.8, 0.4);
    let before = units(&soil_above(&world, 0, IVec3::ZERO));
    for _ in 0..8 {
        run(&mut world, 48);
        let plate_z = (world.bodies().iter().next().unwrap().pose.translation.z / SIZE_M) as i32;
        assert_eq!(units(&soil_above(&world, plate_z - 1, IVec3::ZERO)), before);
    }
}

#[test]
fn frames_survive_saving_and_lost_caches() {
    let start = || {
        let mut world = world([96, 32, 32]);
        let keys = (0..60).map(|i| {
            (
                f64::from(i) * 0.1,
                Pose::new(
                    Vec3::new(1.6 + 0.08 * i as f32, 1.6, 0.95),
                    Quat::from_rotation_z(i as f32 * PI / 80.0),
                ),
            )
        });
        world.add_body(plate([1.2, 1.2, 0.1], 0.3, keys.collect())).unwrap();
        heap(&mut world, Vec3::new(1.6, 1.6, 1.05), 0.9, 0.4);
        world
    };
    let (mut plain, mut dropped) = (start(), start());
    for step in 0..240 {
        plain.step(STEP_S);
        dropped.step(STEP_S);
        dropped.drop_caches();
        if step % 50 == 0 {
            dropped = World::from_state(dropped.state().clone()).unwrap();
        }
    }
    assert_eq!(plain.digest(), dropped.digest());
}

#[test]
fn soil_beside_bodies_that_wade_along_the_floor_stays_inside_the_walls() {
    let shapes = [
        Shape::Ball { radius: 0.6 },
        Shape::Cone { radius: 0.7, half_height: 0.5 },
        Shape::Box { half_extents: Vec3::new(0.5, 0.6, 0.4) },
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let mut world = world([48, 24, 24]);
        let key = |i: i32| {
            let (way, turn) = (0.04 * i as f32, 0.06 * i as f32);
            let place = Vec3::new(1.0 + way, 1.2, 0.35 + 0.15 * (2.0 * turn).sin());
            Key { time_s: f64::from(i) * 0.05, pose: Pose::new(place, Quat::from_rotation_y(turn)) }
        };
        let keys: Vec<Key> = (0..60).map(key).collect();
        let track = Motion::Scripted(Track { keys, repeat: false });
        world.add_body(BodySpec::new("wader", shape, key(0).pose, track)).unwrap();
        for (material, z_m) in [("clay", 0.2), ("dry_sand", 0.7)] {
            let solid = Solid {
                shape: Shape::Box { half_extents: Vec3::new(2.4, 1.2, 0.25) },
                pose: at(2.4, 1.2, z_m),
            };
            let material = world.materials().find(material).unwrap();
            world.edit(&Edit::Place { region: Region::Solid(solid), material, moisture: 0.2 }).unwrap();
        }
        for step in 0..180 {
            let report = world.step(STEP_S);
            assert!(report.imbalance.is_zero());
            world.check().unwrap_or_else(|error| panic!("shape {number}, step {step}: {error}"));
        }
    }
}
