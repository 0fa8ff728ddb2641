//! Worlds on a base: the window comes and goes, and nothing but memory knows.

use std::sync::Arc;

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::water::Pour;
use barchan_sim::{Account, Base, BaseLayer, Edit, EditError, Versions, Voxel, World, WorldConfig};
use barchan_volume::{Density, Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

const STEP_S: f64 = 1.0 / 60.0;
const SIZE_M: f32 = 0.1;

/// As wide as the space of the archive, 102.4 m high.
fn bounds() -> VoxelBox {
    VoxelBox::new(IVec3::new(-65_536, -65_536, -512), IVec3::new(65_536, 65_536, 512))
}

fn near(at: IVec3) -> VoxelBox {
    VoxelBox::new(at - 16, at + 16)
}

/// Rock with half a metre of sand on it, level or as hills with caves.
fn base(world: &World, hills: bool) -> Base {
    let kind = |name| Some(world.materials().find(name).unwrap());
    let layer = |top_m: f32| match hills {
        false => Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m: top_m },
        true => {
            let caves = Some(Default::default());
            Region::Density(Arc::new(Density {
                base_height_m: top_m,
                relief_m: 4.0,
                overhang_m: 1.0,
                caves,
                ..Density::default()
            }))
        }
    };
    let layers = vec![
        BaseLayer { region: layer(-0.5), material: kind("granite") },
        BaseLayer { region: layer(0.03), material: kind("dry_sand") },
    ];
    Base { bounds: bounds(), layers }
}

fn world(hills: bool, at: IVec3, memory_limit_bytes: u64) -> World {
    let config = WorldConfig { voxel_size_m: SIZE_M, memory_limit_bytes, ..WorldConfig::default() };
    let base = base(&World::new(config.clone()).unwrap(), hills);
    World::on_base(config, base, near(at)).unwrap()
}

/// A ball around the corner of a brick (voxels).
fn ball(at: IVec3, radius: f32) -> Region {
    let region =
        Region::Solid(Solid { shape: Shape::Ball { radius }, pose: Pose::at(Vec3::new(0.03, -0.11, 0.02)) });
    Region::Moved { origin: at / 8, brick_m: 8.0 * SIZE_M, region: Arc::new(region) }
}

const CORNER: IVec3 = IVec3::new(65_536 - 96, -65_536 + 96, 0);
const MUCH: u64 = 1 << 30;

#[test]
fn a_dig_in_the_far_corner_moves_the_same_units_voxel_for_voxel() {
    let mut worlds = [IVec3::ZERO, CORNER].map(|at| (at, world(false, at, MUCH)));
    let reports = worlds.each_mut().map(|(at, world)| {
        let dug = world.edit(&Edit::Remove { region: ball(*at, 0.9) }).unwrap();
        // What lies on the rim slides in.
        for _ in 0..90 {
            assert!(world.step(STEP_S).imbalance.is_zero());
        }
        world.check().unwrap();
        (dug.placed(), dug.removed())
    });
    assert_eq!(reports[0], reports[1]);
    assert!(reports[0].1.of(Account::Soil) > 0 && reports[0].1.of(Account::Rock) > 0);
    let [(_, here), (_, there)] = &worlds;
    let mut differs_from_base = 0;
    for p in VoxelBox::new(IVec3::splat(-40), IVec3::splat(24)).cells() {
        let voxel = here.ground().get(p);
        assert_eq!(voxel, there.ground().get(p + CORNER), "{p}");
        differs_from_base += usize::from(voxel == Voxel::AIR && p.z < 0);
    }
    assert!(differs_from_base > 1_000, "the hole is missing");
    assert_eq!(here.ledger(), there.ledger());
    assert!(here.ledger().held.of(Account::Base) < 0);
}

#[test]
fn where_the_window_is_changes_neither_digest_nor_books() {
    let mut world = world(true, IVec3::ZERO, MUCH);
    let untouched = world.digest();
    assert!(world.ledger().held.is_zero(), "nothing was touched");
    world.edit(&Edit::Remove { region: ball(IVec3::ZERO, 1.2) }).unwrap();
    while !world.ground().awake().is_empty() {
        world.step(STEP_S);
    }
    let (digest, held) = (world.digest(), world.ledger().held.clone());
    assert_ne!(digest, untouched);
    assert!(held.of(Account::Base) < 0 && world.ledger().balances());
    let own = world.ground().own();
    for at in [CORNER, IVec3::new(-30_000, 41_000, 0), IVec3::ZERO] {
        world.look_at(near(at)).unwrap();
        world.look_away().unwrap();
        assert!(world.ground().bounds().unwrap().contains_box(&near(at)));
        assert_eq!(world.digest(), digest, "{at}");
        assert_eq!((&world.ledger().held, world.count()), (&held, held.clone()), "{at}");
        assert_eq!(world.ground().own(), own, "{at}");
        world.check().unwrap();
    }
}

#[test]
fn bricks_of_a_base_are_the_same_however_they_are_laid() {
    let whole = world(true, IVec3::ZERO, MUCH);
    for at in [IVec3::new(24, -32, 8), IVec3::new(-40, 16, -16)] {
        let other = world(true, at, MUCH);
        let both = whole.ground().bounds().unwrap().intersect(&other.ground().bounds().unwrap());
        let mut solid = 0;
        for p in both.cells() {
            let voxel = whole.ground().get(p);
            assert_eq!(voxel, other.ground().get(p), "{p}");
            solid += usize::from(voxel != Voxel::AIR);
        }
        assert!(solid > 10_000);
    }
}

#[test]
fn two_places_are_dug_one_after_the_other_and_both_go_on_being_what_they_are() {
    let far = IVec3::new(20_000, 0, 0);
    let mut there_first = world(true, IVec3::ZERO, MUCH);
    let mut here_first = world(true, IVec3::ZERO, MUCH);
    let dig = |world: &mut World, at: IVec3| {
        world.look_at(near(at)).unwrap();
        world.edit(&Edit::Remove { region: ball(at, 0.8) }).unwrap();
        (0..60).for_each(|_| assert!(world.step(STEP_S).imbalance.is_zero()));
    };
    for (world, order) in [(&mut here_first, [IVec3::ZERO, far]), (&mut there_first, [far, IVec3::ZERO])] {
        for at in order {
            dig(world, at);
        }
    }
    assert_eq!(here_first.ground().own(), there_first.ground().own());
    assert_eq!(here_first.ledger().held, there_first.ledger().held);
}

#[test]
fn bodies_and_water_take_the_window_with_them() {
    let at = IVec3::new(-40_000, 8, 0);
    let mut world = world(false, at, MUCH);
    let middle = at.as_vec3() * SIZE_M;
    let pose = Pose::at(middle + Vec3::new(0.0, 0.0, 0.6));
    let id =
        world.add_body(BodySpec::new("stone", Shape::Ball { radius: 0.4 }, pose, Motion::Dynamic)).unwrap();
    let shape = Shape::Box { half_extents: Vec3::splat(0.3) };
    let region = Region::Solid(Solid { shape, pose: Pose::at(middle + Vec3::new(1.5, 0.0, 0.6)) });
    let kind = world.materials().find("dry_sand").unwrap();
    let pour = Pour { region, level_m: None, velocity_m_s: Vec3::ZERO, sediment: 0.0, kind };
    world.pour(&pour).unwrap();
    for _ in 0..60 {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero() && report.warnings.is_empty(), "{:?}", report.warnings);
    }
    assert!(world.ledger().balances());
    let z = world.bodies().get(id).unwrap().pose.translation.z;
    assert!((0.2..0.5).contains(&z), "the stone lies on the ground, not at {z} m");
    world.check().unwrap();
}

#[test]
fn what_is_too_large_or_without_end_is_refused_and_changes_nothing() {
    let mut world = world(true, IVec3::ZERO, 64 << 20);
    let digest = world.digest();
    let everywhere = Region::Slab { z_min_m: -1.0, z_max_m: 0.0 };
    let refused = world.edit(&Edit::Remove { region: everywhere }).unwrap_err();
    assert!(matches!(refused, EditError::TooLarge { .. }), "{refused}");
    assert!(matches!(world.look_at(bounds()), Err(EditError::TooLarge { .. })));
    let wide = VoxelBox::new(IVec3::splat(-512), IVec3::splat(512));
    assert!(matches!(world.look_at(wide), Err(EditError::TooLarge { .. })));
    assert_eq!((world.digest(), world.ledger().held.is_zero()), (digest, true));
    let beyond = world.edit(&Edit::Remove { region: ball(IVec3::splat(100_000), 1.0) }).unwrap();
    assert!(beyond.changes.is_empty(), "beyond the walls there is nothing");
    // At the very border of the space.
    let border = IVec3::new(65_536, 65_536, 0);
    world.look_at(near(border)).unwrap();
    assert!(!world.edit(&Edit::Remove { region: ball(border, 2.0) }).unwrap().changes.is_empty());
    assert!(world.ledger().balances());
}

#[test]
fn versions_of_a_world_on_a_base_come_back() {
    let mut world = world(true, IVec3::ZERO, MUCH);
    let (mut versions, first) = Versions::new(world.clone(), "first", ()).unwrap();
    let mut told = vec![(first, world.digest())];
    for at in [IVec3::ZERO, IVec3::new(12_000, -800, 0), IVec3::new(32, 0, 0)] {
        world.look_at(near(at)).unwrap();
        world.look_away().unwrap();
        world.edit(&Edit::Remove { region: ball(at, 0.7) }).unwrap();
        told.push((versions.commit(world.clone(), "dug", ()).unwrap(), world.digest()));
    }
    for (id, digest) in told.iter().rev().chain(&told) {
        let (back, ()) = versions.go_to(*id).unwrap();
        assert_eq!(back.digest(), *digest);
        assert_eq!(back.count(), back.ledger().held);
    }
}
