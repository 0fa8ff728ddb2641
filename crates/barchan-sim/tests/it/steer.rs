//! Hands on a running world.

use barchan_sim::bodies::{BodyError, BodySpec, Key, Motion, Track};
use barchan_sim::{Edit, MaterialId, Materials, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

/// A bed of dry sand, 3.2 x 3.2 m and 1 m deep.
fn bed() -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(32, 32, 32)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    place(&mut world, Region::Slab { z_min_m: 0.0, z_max_m: 1.0 });
    world
}

fn place(world: &mut World, region: Region) {
    let material = world.materials().find("dry_sand").unwrap();
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
}

fn ball(centre: Vec3, radius: f32) -> Region {
    Region::Solid(Solid { shape: Shape::Ball { radius }, pose: Pose::at(centre) })
}

/// The highest voxel with soil in a column.
fn top(world: &World, x: i32, y: i32) -> i32 {
    (0..32).rev().find(|&z| world.ground().get(IVec3::new(x, y, z)).soil() > 0).unwrap()
}

#[test]
fn smoothing_moves_soil_from_bumps_to_hollows_and_loses_none() {
    let mut world = bed();
    let (bump, hollow) = (Vec3::new(1.2, 1.6, 1.0), Vec3::new(2.0, 1.6, 1.0));
    place(&mut world, ball(bump, 0.3));
    world.edit(&Edit::Remove { region: ball(hollow, 0.3) }).unwrap();
    let before = (world.ground().count(), top(&world, 12, 16), top(&world, 20, 16));
    for _ in 0..200 {
        world.smooth(Vec3::new(1.6, 1.6, 1.0), 1.2, 0.2);
        assert!(world.step(1.0 / 60.0).imbalance.is_zero());
    }
    assert_eq!(world.ground().count(), before.0);
    assert!(world.ledger().balances());
    assert!(top(&world, 12, 16) < before.1, "the bump stands");
    assert!(top(&world, 20, 16) > before.2, "the hollow is empty");
}

#[test]
fn smoothing_by_nonsense_changes_nothing() {
    let mut world = bed();
    let digest = world.digest();
    let at = Vec3::splat(1.0);
    for (centre, radius, share) in [
        (Vec3::NAN, 1.0, 0.5),
        (at, f32::NAN, 0.5),
        (at, -1.0, 0.5),
        (at, 1.0, f32::NAN),
        (at, 1.0, -1.0),
        (Vec3::splat(1e30), 1.0, 0.5),
        (Vec3::INFINITY, f32::INFINITY, 1.0),
    ] {
        assert!(world.smooth(centre, radius, share).changes.is_empty());
    }
    assert_eq!(world.digest(), digest);
}

#[test]
fn a_scripted_body_follows_its_new_track() {
    let mut world = bed();
    let still = |z: f32| Key { time_s: 0.0, pose: Pose::at(Vec3::new(1.6, 1.6, z)) };
    let track = Track { keys: vec![still(2.0)], repeat: false };
    let spec = BodySpec::new("tool", Shape::Ball { radius: 0.3 }, Pose::IDENTITY, Motion::Scripted(track));
    let id = world.add_body(spec).unwrap();
    world.step(1.0 / 60.0);
    let led = Key { time_s: 0.5, pose: Pose::at(Vec3::new(1.6, 1.6, 1.0)) };
    world.set_track(id, Track { keys: vec![still(2.0), led], repeat: false }).unwrap();
    let mut copy = world.clone();
    for world in [&mut world, &mut copy] {
        for _ in 0..60 {
            world.step(1.0 / 60.0);
        }
        assert_eq!(world.bodies().get(id).unwrap().pose, led.pose);
        assert_eq!(world.ground().get(IVec3::new(16, 16, 9)).soil(), 0, "soil made room");
        assert!(world.ledger().balances());
    }
    assert_eq!(world.digest(), copy.digest());
    let empty = Track { keys: vec![], repeat: false };
    assert!(matches!(world.set_track(id, empty.clone()), Err(BodyError::OutOfRange { .. })));
    let stone = BodySpec::new("stone", Shape::Ball { radius: 0.3 }, Pose::IDENTITY, Motion::Dynamic);
    let stone = world.add_body(stone).unwrap();
    assert_eq!(world.set_track(stone, empty), Err(BodyError::NotScripted(stone)));
}

#[test]
fn friction_of_bodies_decides_whether_they_slide() {
    let slides = |friction: f32| {
        let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(100, 32, 32)));
        let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
        let shape = Shape::Box { half_extents: Vec3::splat(0.25) };
        let mut spec = BodySpec::new("box", shape, Pose::at(Vec3::new(1.0, 1.6, 0.25)), Motion::Dynamic);
        spec.linear_velocity_m_s = Vec3::new(2.0, 0.0, 0.0);
        let id = world.add_body(spec).unwrap();
        world.set_body_friction(friction).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0);
        }
        world.bodies().get(id).unwrap().pose.translation.x - 1.0
    };
    assert!(slides(0.0) > 1.8 && slides(1.0) < 0.6);
    let mut world = bed();
    assert!(world.set_body_friction(f32::NAN).is_err() && world.set_body_friction(11.0).is_err());
}

#[test]
fn only_the_strength_of_a_material_can_be_replaced() {
    let mut world = bed();
    let sand = Materials::builtin()[MaterialId(0)].clone();
    let mut other = sand.clone();
    other.friction_angle = 0.3;
    world.replace_material(other).unwrap();
    assert_eq!(world.materials()[MaterialId(0)].friction_angle, 0.3);
    for change in [
        |m: &mut barchan_sim::Material| m.void_ratio_natural = 0.7,
        |m: &mut barchan_sim::Material| m.cohesion_pa = f32::NAN,
        |m: &mut barchan_sim::Material| m.name = "unheard_of".to_owned(),
    ] {
        let mut wrong = sand.clone();
        change(&mut wrong);
        assert!(world.replace_material(wrong).is_err());
    }
    assert_eq!(world.materials()[MaterialId(0)].friction_angle, 0.3);
}
