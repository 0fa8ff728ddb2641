//! Versions of a world: going back gives the very same world, and it goes on as it did.

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::{Edit, Versions, World, WorldConfig};
use barchan_volume::archive::ArchiveError;
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

fn place(world: &mut World, name: &str, centre: Vec3, radius: f32, moisture: f32) {
    let region = Region::Solid(Solid { shape: Shape::Ball { radius }, pose: Pose::at(centre) });
    let material = world.materials().find(name).unwrap();
    world.edit(&Edit::Place { region, material, moisture }).unwrap();
}

/// Several soils, rock, a body, and voxels below zero.
fn ground(bounds: Option<VoxelBox>) -> World {
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    let slab = Region::Slab { z_min_m: -1.2, z_max_m: -0.33 };
    let granite = world.materials().find("granite").unwrap();
    let slab = if bounds.is_some() {
        slab
    } else {
        let shape = Shape::Box { half_extents: Vec3::new(1.6, 1.6, 0.4) };
        Region::Solid(Solid { shape, pose: Pose::at(Vec3::new(0.0, 0.0, -0.8)) })
    };
    world.edit(&Edit::Place { region: slab, material: granite, moisture: 0.0 }).unwrap();
    place(&mut world, "loam", Vec3::new(0.1, 0.0, 0.1), 0.55, 0.2);
    place(&mut world, "dry_sand", Vec3::new(-0.3, 0.2, 0.9), 0.5, 0.0);
    let shape = Shape::Box { half_extents: Vec3::splat(0.2) };
    world.add_body(BodySpec::new("box", shape, Pose::at(Vec3::new(0.0, 0.0, 1.9)), Motion::Dynamic)).unwrap();
    world
}

fn walls() -> VoxelBox {
    VoxelBox::new(IVec3::new(-21, -20, -12), IVec3::new(20, 20, 30))
}

#[test]
fn going_back_gives_the_same_world_and_it_goes_on_alike() {
    for bounds in [Some(walls()), None] {
        let mut world = ground(bounds);
        let (mut versions, first) = Versions::new(world.clone(), "first", 0).unwrap();
        let mut told = vec![(first, world.digest())];
        for number in 1..6 {
            for _ in 0..4 {
                world.step(STEP_S);
            }
            let region = Region::Solid(Solid {
                shape: Shape::Ball { radius: 0.3 },
                pose: Pose::at(Vec3::new(0.1 * number as f32, -0.2, 0.3)),
            });
            world.edit(&Edit::Remove { region }).unwrap();
            place(&mut world, "gravel", Vec3::new(-0.4, 0.3, 1.0 + 0.1 * number as f32), 0.25, 0.0);
            told.push((versions.commit(world.clone(), "later", number).unwrap(), world.digest()));
        }
        let mut after = world.clone();
        (0..5).for_each(|_| drop(after.step(STEP_S)));
        for at in [3, 0, 5, 2, 4, 1, 5] {
            let (id, digest) = told[at];
            let (again, number) = versions.go_to(id).unwrap();
            assert_eq!((number as usize, again.digest()), (at, digest), "version {at}");
            again.check().unwrap();
        }
        let (mut again, _) = versions.go_to(told[5].0).unwrap();
        (0..5).for_each(|_| drop(again.step(STEP_S)));
        assert_eq!(again.digest(), after.digest(), "it goes on as it did");
        // A branch from an old one, and back.
        let (mut other, _) = versions.go_to(told[1].0).unwrap();
        (0..3).for_each(|_| drop(other.step(STEP_S)));
        let branch = versions.commit(other.clone(), "branch", 9).unwrap();
        versions.forget(told[0].0).unwrap();
        assert_eq!(versions.go_to(told[4].0).unwrap().0.digest(), told[4].1);
        assert_eq!(versions.go_to(branch).unwrap().0.digest(), other.digest());
        assert!(versions.go_to(told[0].0).is_err() && !versions.has(told[0].0));
        assert_eq!(versions.count(), 6);
    }
}

#[test]
fn soils_that_are_mixed_in_a_voxel_come_back_kind_by_kind() {
    let mut world = ground(Some(walls()));
    for (name, at) in [("loam", 0.0), ("gravel", 0.02), ("dry_sand", 0.04), ("clay", 0.06), ("loam", 0.08)] {
        let region = Region::Slab { z_min_m: 1.5 + at, z_max_m: 1.52 + at };
        let material = world.materials().find(name).unwrap();
        world.edit(&Edit::Place { region, material, moisture: 0.3 }).unwrap();
    }
    assert!(!world.ground().sides_in_order().is_empty(), "several soils lie in one voxel");
    let (mut versions, first) = Versions::new(world.clone(), "mixed", ()).unwrap();
    let emptied = Edit::Remove { region: Region::Slab { z_min_m: 1.4, z_max_m: 1.7 } };
    let mut empty = world.clone();
    empty.edit(&emptied).unwrap();
    assert!(empty.ground().sides_in_order().is_empty());
    versions.commit(empty, "empty", ()).unwrap();
    let (again, ()) = versions.go_to(first).unwrap();
    assert_eq!(again.ground().sides_in_order(), world.ground().sides_in_order());
    assert_eq!(again.digest(), world.digest());
}

#[test]
fn ground_beyond_the_archive_is_refused_and_nothing_is_lost() {
    let mut world = ground(None);
    let (mut versions, first) = Versions::new(world.clone(), "first", ()).unwrap();
    let digest = world.digest();
    let size = world.ground().voxel_size_m();
    place(&mut world, "granite", Vec3::new(65_600.0 * size, 0.0, 0.0), 0.5, 0.0);
    let refused = versions.commit(world, "far", ()).unwrap_err();
    assert!(matches!(refused, ArchiveError::Outside { .. }), "{refused}");
    assert_eq!((versions.count(), versions.present()), (1, first));
    assert_eq!(versions.go_to(first).unwrap().0.digest(), digest);
}
