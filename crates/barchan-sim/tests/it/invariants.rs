//! The promises of a world: same history, same digest; caches do not matter; nonsense is contained.

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::ground::Ground;
use barchan_sim::{Account, Edit, MaterialId, World, WorldConfig, WorldError};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

/// Sand with a blade driven through it and two balls falling above.
fn busy_world() -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(40, 32, 32)));
    let mut world = World::new(WorldConfig { bounds, seed: 3, ..WorldConfig::default() }).unwrap();
    let slab = Region::Slab { z_min_m: 0.0, z_max_m: 0.95 };
    world.edit(&Edit::Place { region: slab, material: MaterialId(0), moisture: 0.1 }).unwrap();
    let at =
        |x: f32, z: f32| Pose { translation: Vec3::new(x, 1.6, z), rotation: Quat::from_rotation_z(0.2) };
    let keys = vec![Key { time_s: 0.0, pose: at(0.8, 1.0) }, Key { time_s: 2.0, pose: at(3.0, 1.0) }];
    let blade = Shape::Box { half_extents: Vec3::new(0.1, 0.6, 0.4) };
    let motion = Motion::Scripted(Track { keys, repeat: true });
    world.add_body(BodySpec::new("blade", blade, at(0.8, 1.0), motion)).unwrap();
    for x in [1.3, 1.5] {
        let ball = Shape::Ball { radius: 0.2 };
        world.add_body(BodySpec::new("ball", ball, at(x, 1.0 + x), Motion::Dynamic)).unwrap();
    }
    world
}

fn digests(world: &mut World, steps: usize, mut between: impl FnMut(&mut World)) -> Vec<u64> {
    (0..steps)
        .map(|_| {
            between(world);
            world.step(STEP_S);
            world.digest()
        })
        .collect()
}

#[test]
fn histories_repeat_whatever_the_number_of_threads() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| digests(&mut busy_world(), 60, |_| {}))
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(1));
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(3));
    let mut sorted = one;
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 60, "every step changes the digest");
}

#[test]
fn dropping_caches_or_rebuilding_changes_nothing() {
    let plain = digests(&mut busy_world(), 60, |_| {});
    assert_eq!(plain, digests(&mut busy_world(), 60, World::drop_caches));
    let rebuilt =
        digests(&mut busy_world(), 60, |world| *world = World::from_state(world.state().clone()).unwrap());
    assert_eq!(plain, rebuilt);
}

#[test]
fn the_digest_sees_every_part_of_the_state() {
    let digest = busy_world().digest();
    let edited = |change: &dyn Fn(&mut World)| {
        let mut world = busy_world();
        change(&mut world);
        world.digest()
    };
    let speck = Region::Solid(Solid {
        shape: Shape::Ball { radius: 0.08 },
        pose: Pose { translation: Vec3::new(3.5, 3.0, 2.0), rotation: Quat::IDENTITY },
    });
    let place = Edit::Place { region: speck, material: MaterialId(1), moisture: 0.0 };
    assert_ne!(digest, edited(&|world| drop(world.edit(&place).unwrap())));
    assert_ne!(digest, edited(&|world| assert!(world.remove_body(barchan_sim::bodies::BodyId(2)))));
    assert_ne!(digest, edited(&|world| drop(world.step(1e-9))));
    assert_eq!(digest, edited(&|world| drop(world.step(0.0))));
}

#[test]
fn nonsense_steps_pass_no_time_and_say_so() {
    let mut world = busy_world();
    let before = world.digest();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let report = world.step(dt);
        assert_eq!(report.dt_s, 0.0);
        assert_eq!(report.warnings.len(), 1, "{dt}");
        assert_eq!(world.digest(), before, "{dt}");
    }
    let report = world.step(1e6);
    assert_eq!(report.dt_s, barchan_sim::LONGEST_STEP_S);
    assert!(report.warnings.iter().any(|warning| warning.contains("was cut")), "{:?}", report.warnings);
}

#[test]
fn ground_left_alone_falls_asleep_and_wakes_around_what_happens() {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(80, 80, 32)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    let slab = Region::Slab { z_min_m: 0.0, z_max_m: 1.2 };
    world.edit(&Edit::Place { region: slab, material: MaterialId(0), moisture: 0.0 }).unwrap();
    assert_eq!(world.ground().awake().len(), 10 * 10 * 2);
    for _ in 0..10 {
        world.step(STEP_S);
    }
    assert!(world.ground().awake().is_empty(), "flat ground has nothing to do");
    let hole = Region::Solid(Solid {
        shape: Shape::Ball { radius: 0.2 },
        pose: Pose { translation: Vec3::new(4.4, 4.4, 1.2), rotation: Quat::IDENTITY },
    });
    let report = world.edit(&Edit::Remove { region: hole }).unwrap();
    let awake: Vec<_> = world.ground().awake().bricks().collect();
    assert!(awake.len() < 10 * 10, "{}", awake.len());
    for coord in report.changes.bricks() {
        assert!(awake.contains(&coord), "{coord} changed and sleeps");
    }
}

#[test]
fn impossible_worlds_are_refused() {
    let config = |change: &dyn Fn(&mut WorldConfig)| {
        let mut config = WorldConfig::default();
        change(&mut config);
        World::new(config).map(drop)
    };
    for size in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        assert!(matches!(config(&|c| c.voxel_size_m = size), Err(WorldError::OutOfRange { .. })), "{size}");
    }
    assert!(config(&|c| c.gravity_m_s2.x = f32::NAN).is_err());
    assert!(config(&|c| c.bounds = Some(VoxelBox::new(IVec3::ONE, IVec3::ONE))).is_err());
    assert!(config(&|c| c.bounds = Some(VoxelBox::new(IVec3::MIN, IVec3::MAX))).is_err());

    let sand = (Account::Soil, MaterialId(0));
    let mut state = busy_world().state().clone();
    state.ledger.held.add(sand, 1);
    assert!(matches!(World::from_state(state), Err(WorldError::Books { .. })));
    let mut state = busy_world().state().clone();
    state.ledger.entered.add(sand, 1);
    assert!(matches!(World::from_state(state), Err(WorldError::Balance { .. })));
    let mut state = busy_world().state().clone();
    state.ground = Ground::new(f32::NAN, None);
    assert!(World::from_state(state).is_err());
}
