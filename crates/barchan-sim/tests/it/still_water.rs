//! A lake stays a lake, comes to rest, and sleeps until something comes to it.

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::water::{ErosionParams, Method, Pour, Rain, Source, WaterParams};
use barchan_sim::{Account, Edit, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

const STEP_S: f64 = 1.0 / 60.0;
const SPACING_M: f32 = 0.1;

/// A box so many voxels wide with 0.6 m of water over granite.
fn lake(method: Method, sleeps: bool, width: i32) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(width, width, 20)));
    let mut world = World::new(WorldConfig { voxel_size_m: 0.1, bounds, ..WorldConfig::default() }).unwrap();
    let rock = world.materials().find("granite").unwrap();
    let floor = Region::Slab { z_min_m: 0.0, z_max_m: 0.4 };
    world.edit(&Edit::Place { region: floor, material: rock, moisture: 0.0 }).unwrap();
    world.set_water(WaterParams { spacing_m: SPACING_M, method, sleeps, ..WaterParams::default() }).unwrap();
    world.pour(&Pour::new(Region::Slab { z_min_m: 0.4, z_max_m: 1.0 })).unwrap();
    world
}

/// Steps until it sleeps.
fn put_to_sleep(world: &mut World) {
    for _ in 0..600 {
        if world.step(STEP_S).water.is_asleep {
            return;
        }
    }
    panic!("it does not sleep");
}

fn level_m(world: &World) -> f64 {
    let seen = world.particles().water;
    2.0 * (seen.iter().map(|one| f64::from(one.centre_m.z)).sum::<f64>() / seen.len() as f64 - 0.4)
}

#[test]
fn a_lake_keeps_its_level_and_comes_to_rest() {
    // The rounded edges between floor and walls lift what stood in them to the top: that counts twice.
    for (method, tolerance) in [(Method::Dfsph, 0.02), (Method::Muller, 0.02)] {
        let mut world = lake(method, false, 16);
        let began = world.particles().water.len();
        for _ in 0..150 {
            let report = world.step(STEP_S);
            assert!(report.imbalance.is_zero() && !report.water.is_asleep);
        }
        let seen = world.particles().water;
        assert_eq!(seen.len(), began);
        let level = level_m(&world);
        assert!((level / 0.6 - 1.0).abs() < tolerance, "{method:?}: {level}");
        let squares: f32 = seen.iter().map(|one| one.velocity_m_s.length_squared()).sum();
        let speed = (squares / began as f32).sqrt();
        assert!(speed < 0.05 * (9.81 * SPACING_M).sqrt(), "{method:?}: {speed} m/s");
    }
}

#[test]
fn clear_water_at_rest_sleeps_until_something_comes() {
    let mut asleep = lake(Method::Dfsph, true, 10);
    put_to_sleep(&mut asleep);
    let before = asleep.particles().water.clone();
    let report = asleep.step(STEP_S);
    assert_eq!((report.water.substeps, report.water.particles), (0, before.len()));
    assert_eq!(asleep.particles().water, before);

    let mut forgetful = asleep.clone();
    forgetful.drop_caches();
    forgetful.step(STEP_S);
    asleep.step(STEP_S);
    assert_eq!(forgetful.digest(), asleep.digest());

    let wakes = |what: &dyn Fn(&mut World)| {
        let mut world = asleep.clone();
        what(&mut world);
        let steps = (0..30).map(|_| world.step(STEP_S).water.substeps).sum::<u32>();
        assert!(steps > 0);
    };
    wakes(&|world| {
        let hole = Shape::Box { half_extents: Vec3::splat(0.2) };
        let region = Region::Solid(Solid::new(hole, Pose::at(Vec3::new(0.4, 0.4, 0.4))));
        world.edit(&Edit::Remove { region }).unwrap();
    });
    wakes(&|world| world.set_water_sources(Vec::new(), Rain::everywhere(100.0)).unwrap());
    wakes(&|world| {
        let spring = Source::new(Vec3::new(0.4, 0.4, 1.5), Vec3::splat(0.3), Vec3::ZERO, 0.01);
        world.set_water_sources(vec![spring], Rain::default()).unwrap();
    });
    wakes(&|world| {
        let ball = Shape::Ball { radius: 0.15 };
        let pose = Pose::at(Vec3::new(0.4, 0.4, 1.2));
        world.add_body(BodySpec::new("ball", ball, pose, Motion::Dynamic)).unwrap();
    });
}

#[test]
fn what_sleeps_still_goes_into_the_air() {
    let mut world = lake(Method::Dfsph, true, 10);
    let erosion = ErosionParams { evaporation_m_s: 1e-4, ..ErosionParams::default() };
    world.set_erosion(erosion).unwrap();
    put_to_sleep(&mut world);
    let (mut slept, before) = (0, world.ledger().left.of(Account::FreeWater));
    for _ in 0..180 {
        let report = world.step(STEP_S);
        slept += usize::from(report.water.is_asleep);
        assert!(report.imbalance.is_zero());
    }
    let unit_m3 = 0.1f64.powi(3) / 32_768.0;
    let left_m = (world.ledger().left.of(Account::FreeWater) - before) as f64 * unit_m3;
    assert!(slept > 120 && (1e-4..5e-4).contains(&left_m), "{slept} {left_m}");
}
