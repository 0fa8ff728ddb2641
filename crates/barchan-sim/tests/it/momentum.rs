//! Sliding soil that keeps its momentum runs out beyond the slope that would hold it, comes to rest and loses nothing.

use barchan_sim::{Edit, Material, MaterialId, Materials, World, WorldConfig, slip};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

/// A column of sand of 1 m radius and height in the middle of a floor.
fn column(momentum: bool) -> World {
    let bounds = Some(VoxelBox::new(IVec3::new(-32, -32, 0), IVec3::new(32, 32, 12)));
    let mut world = World::new(WorldConfig { bounds, momentum, ..WorldConfig::default() }).unwrap();
    let shape = Shape::Cylinder { radius: 1.0, half_height: 0.5 };
    let pose = Pose { translation: Vec3::Z * 0.5, rotation: Quat::IDENTITY };
    let region = Region::Solid(Solid { shape, pose });
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
    world
}

/// Steps until all ground sleeps.
fn come_to_rest(world: &mut World) {
    for _ in 0..1_200 {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        if report.awake_bricks == 0 {
            return;
        }
    }
    panic!("not at rest after 20 s");
}

/// Columns that are covered by half a voxel of soil or more.
fn covered(world: &World) -> usize {
    let bounds = world.ground().bounds().unwrap();
    let columns =
        (bounds.min.x..bounds.max.x).flat_map(|x| (bounds.min.y..bounds.max.y).map(move |y| (x, y)));
    columns.filter(|(x, y)| world.ground().get(IVec3::new(*x, *y, 0)).soil_share() > 16_384).count()
}

#[test]
fn a_column_runs_out_further_with_momentum_and_comes_to_rest() {
    let [with, without] = [true, false].map(|momentum| {
        let mut world = column(momentum);
        come_to_rest(&mut world);
        assert!(world.ledger().balances());
        assert_eq!(world.check(), Ok(()));
        assert!(world.momentum().sliding().is_empty(), "what rests does not slide");
        covered(&world)
    });
    assert!(with as f64 > 1.3 * without as f64, "{with} columns with momentum, {without} without");
}

#[test]
fn momentum_is_part_of_the_state() {
    let history = |mut between: Box<dyn FnMut(&mut World)>| {
        let mut world = column(true);
        let mut digest = || {
            between(&mut world);
            world.step(STEP_S);
            world.digest()
        };
        (0..40).map(|_| digest()).collect::<Vec<u64>>()
    };
    let plain = history(Box::new(|_| ()));
    assert_eq!(plain, history(Box::new(World::drop_caches)));
    let rebuilt = history(Box::new(|world| *world = World::from_state(world.state().clone()).unwrap()));
    assert_eq!(plain, rebuilt);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(plain, threads.install(|| history(Box::new(|_| ()))));

    let mut sliding = column(true);
    (0..20).for_each(|_| drop(sliding.step(STEP_S)));
    assert!(!sliding.momentum().sliding().is_empty());
    let mut stopped = sliding.state().clone();
    stopped.slip = slip::Slip::with_momentum(slip::Momentum::new(true));
    assert_ne!(World::from_state(stopped).unwrap().digest(), sliding.digest());
}

#[test]
fn settling_stops_what_slides() {
    let mut world = column(true);
    (0..20).for_each(|_| drop(world.step(STEP_S)));
    assert!(world.settle(10_000).at_rest);
    assert!(world.momentum().sliding().is_empty());
}

#[test]
fn extreme_soils_and_steps_lose_nothing() {
    let builtin = Materials::builtin();
    for (phi_deg, cohesion_pa, dt_s) in
        [(0.0_f32, 0.0, STEP_S), (0.0, 0.0, 1.0), (89.0, 0.0, 1.0), (30.0, 1e9, 1.0), (30.0, 500.0, STEP_S)]
    {
        let soil = Material {
            friction_angle: phi_deg.to_radians(),
            cohesion_pa,
            ..builtin.get(MaterialId(0)).unwrap().clone()
        };
        // A slit of one voxel, in which soil may go two ways only, and a yard.
        for width in [1, 24] {
            let case = format!("{phi_deg} degrees, {cohesion_pa} Pa, steps of {dt_s} s, {width} wide");
            let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(24, width, 24)));
            let materials = builtin.with(soil.clone()).unwrap();
            let config = WorldConfig { bounds, materials, momentum: true, ..WorldConfig::default() };
            let mut world = World::new(config).unwrap();
            let shape = Shape::Box { half_extents: Vec3::new(0.4, 0.4, 0.8) };
            let pose = Pose { translation: Vec3::new(0.4, 0.4, 0.8), rotation: Quat::IDENTITY };
            let region = Region::Solid(Solid { shape, pose });
            world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
            for _ in 0..120 {
                assert!(world.step(dt_s).imbalance.is_zero(), "{case}");
                assert!(world.momentum().is_sound(), "{case}");
            }
            assert_eq!(world.check(), Ok(()), "{case}");
            assert!(world.ledger().balances(), "{case}");
        }
    }
}
