//! Water that runs keeps every unit, enters no ground, and is the same for any number of threads and after save and load.

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::water::{Drain, Method, Open, Pour, Rain, Source, WaterParams};
use barchan_sim::{Account, Edit, MaterialId, World, WorldConfig, WorldState};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

fn cuboid(center: Vec3, size: Vec3) -> Region {
    Region::Solid(Solid::new(Shape::Box { half_extents: size * 0.5 }, Pose::at(center)))
}

/// A valley of rock with a thin wall, a cave and an overhang, water above it, a source, rain, a drain and an open border.
fn flood(method: Method) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(24, 16, 16)));
    let config = WorldConfig { voxel_size_m: 0.1, bounds, seed: 5, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let rock = world.materials().find("granite").unwrap();
    let place = |region| Edit::Place { region, material: rock, moisture: 0.0 };
    world.edit(&place(cuboid(Vec3::new(1.2, 0.8, 0.1), Vec3::new(2.4, 1.6, 0.2)))).unwrap();
    // A wall a voxel thick with a hole in it, a block that leans, a cave in it.
    world.edit(&place(cuboid(Vec3::new(1.25, 0.8, 0.4), Vec3::new(0.1, 1.6, 0.8)))).unwrap();
    world
        .edit(&Edit::Remove { region: cuboid(Vec3::new(1.25, 0.8, 0.35), Vec3::new(0.3, 0.3, 0.3)) })
        .unwrap();
    let turned = Pose::new(Vec3::new(1.9, 0.5, 0.4), Quat::from_rotation_y(0.6));
    let block = Shape::Box { half_extents: Vec3::new(0.3, 0.3, 0.25) };
    world.edit(&place(Region::Solid(Solid::new(block, turned)))).unwrap();
    world
        .edit(&Edit::Remove { region: cuboid(Vec3::new(1.8, 0.5, 0.3), Vec3::new(0.25, 0.2, 0.15)) })
        .unwrap();

    world.set_water(WaterParams { spacing_m: 0.06, method, ..WaterParams::default() }).unwrap();
    let mut muddy = Source::new(Vec3::new(1.8, 1.2, 1.2), Vec3::splat(0.3), Vec3::new(-1.0, 0.0, -1.0), 0.05);
    (muddy.sediment, muddy.kind) = (0.1, MaterialId(0));
    world.set_water_sources(vec![muddy], Rain::everywhere(50_000.0)).unwrap();
    let drain = Drain::new(Vec3::new(1.9, 1.2, 0.2), Vec3::new(2.4, 1.6, 0.4), Some(0.02));
    let open = Open { low: [false; 3], high: [true, false, false] };
    world.set_water_drains(vec![drain], open).unwrap();
    let mut pour = Pour::new(cuboid(Vec3::new(0.6, 0.8, 0.6), Vec3::new(1.2, 1.6, 0.8)));
    (pour.sediment, pour.kind) = (0.05, MaterialId(1));
    let report = world.pour(&pour).unwrap();
    assert!(report.imbalance.is_zero());
    world
}

/// How many particles are inside ground or bodies.
fn inside(world: &World) -> usize {
    let (ground, size) = (world.ground(), f64::from(world.ground().voxel_size_m()));
    let fill = |p: IVec3| {
        if ground.is_wall(p) {
            return if p.x >= ground.bounds().unwrap().max.x { 0.0 } else { 1.0 };
        }
        let body = f64::from(world.body_fill().shares().get(p)) / 32_768.0;
        (f64::from(ground.get(p).fill(world.materials())) + body).min(1.0)
    };
    let is_inside = |point: Vec3| {
        let at = point.as_dvec3() / size - 0.5;
        let (base, f) = (at.floor(), at - at.floor());
        let corners = VoxelBox::new(IVec3::ZERO, IVec3::splat(2)).cells();
        let weight = |d: IVec3| {
            let by_axis = |axis: usize| if d[axis] == 1 { f[axis] } else { 1.0 - f[axis] };
            by_axis(0) * by_axis(1) * by_axis(2)
        };
        corners.map(|d| weight(d) * fill(base.as_ivec3() + d)).sum::<f64>() > 0.5 + 1e-4
    };
    world.particles().water.iter().filter(|particle| is_inside(particle.centre_m)).count()
}

#[test]
fn every_unit_is_in_the_books_while_water_comes_and_goes() {
    for method in Method::ALL {
        let mut world = flood(method);
        for step in 0..30 {
            let report = world.step(STEP_S);
            assert!(report.imbalance.is_zero(), "{method:?}, step {step}: {:?}", report.imbalance);
            assert!(world.ledger().balances());
        }
        assert_eq!(world.check(), Ok(()));
        let left = |account| world.ledger().left.of(account);
        let held = |account| world.ledger().held.of(account);
        assert!(left(Account::FreeWater) > 0 && held(Account::FreeWater) > 0);
        assert!(left(Account::Sediment) > 0 && held(Account::Sediment) > 0);
    }
}

#[test]
fn no_particle_ends_inside_ground() {
    for method in Method::ALL {
        let mut world = flood(method);
        let mut seen = 0;
        for _ in 0..40 {
            let report = world.step(STEP_S);
            seen += report.water.particles;
            assert_eq!((inside(&world), report.water.buried, report.water.mended), (0, 0, 0), "{method:?}");
        }
        assert!(seen > 50_000, "{seen}");
    }
}

#[test]
fn no_particle_ends_inside_a_body_that_moves() {
    let mut world = flood(Method::Dfsph);
    let keys =
        [(0.0, 0.3), (1.0, 1.0)].map(|(time_s, x)| Key { time_s, pose: Pose::at(Vec3::new(x, 0.8, 0.6)) });
    let motion = Motion::Scripted(Track { keys: keys.to_vec(), repeat: false });
    let block = Shape::Box { half_extents: Vec3::splat(0.25) };
    world.add_body(BodySpec::new("block", block, keys[0].pose, motion)).unwrap();
    for _ in 0..40 {
        let report = world.step(STEP_S);
        assert_eq!((inside(&world), report.water.buried), (0, 0));
        assert!(report.imbalance.is_zero());
    }
}

#[test]
fn threads_caches_and_files_change_nothing() {
    for method in Method::ALL {
        let run = |threads: usize, between: &(dyn Fn(World) -> World + Sync)| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = flood(method);
                for _ in 0..12 {
                    world = between(world);
                    world.step(STEP_S);
                }
                world.digest()
            })
        };
        let as_it_is = |world: World| world;
        let one = run(1, &as_it_is);
        assert_eq!(run(2, &as_it_is), one);
        assert_eq!(run(3, &as_it_is), one);
        let dropped = |mut world: World| {
            world.drop_caches();
            world
        };
        assert_eq!(run(2, &dropped), one);
        let saved = |world: World| {
            let mut state = WorldState::new(world.ground().clone());
            state.bodies = world.bodies().clone();
            for member in world.state().members() {
                state.read_member(&member).expect("just written");
            }
            World::from_state(state).expect("a world that was")
        };
        assert_eq!(run(2, &saved), one);
    }
}

#[test]
fn a_sealed_cave_fills_and_the_rest_is_refused() {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(12)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    let rock = world.materials().find("granite").unwrap();
    let all = Region::Slab { z_min_m: 0.0, z_max_m: 1.2 };
    world.edit(&Edit::Place { region: all, material: rock, moisture: 0.0 }).unwrap();
    world.edit(&Edit::Remove { region: cuboid(Vec3::splat(0.6), Vec3::splat(0.4)) }).unwrap();
    let mut sources = vec![Source::new(Vec3::splat(0.6), Vec3::splat(0.3), Vec3::ZERO, 0.2)];
    // One in the rock gives nothing.
    sources.push(Source::new(Vec3::splat(0.2), Vec3::splat(0.1), Vec3::ZERO, 0.2));
    world.set_water_sources(sources, Rain::default()).unwrap();
    let mut refused = 0;
    for _ in 0..120 {
        let report = world.step(STEP_S);
        refused += report.water.refused;
        assert!(report.imbalance.is_zero() && report.water.mended == 0);
        assert_eq!(inside(&world), 0);
    }
    let m3 = world.particles().water.len() as f64 * 0.05f64.powi(3);
    assert!(refused > 0 && (0.04..0.11).contains(&m3), "{refused} {m3}");
}

#[test]
fn nonsense_is_refused_or_contained() {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(16)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    for spacing_m in [0.0, -1.0, f32::NAN, 0.01, 0.21, f32::INFINITY] {
        let error = world.set_water(WaterParams { spacing_m, ..WaterParams::default() }).unwrap_err();
        assert!(error.contains("spacing_m"), "{error}");
    }
    assert!(world.set_water(WaterParams { viscosity_m2_s: -1.0, ..WaterParams::default() }).is_err());
    let endless = Source::new(Vec3::NAN, Vec3::ONE, Vec3::ZERO, 1.0);
    assert!(world.set_water_sources(vec![endless], Rain::default()).is_err());
    for viscosity_m2_s in [0.0, 1e4] {
        let params =
            WaterParams { spacing_m: 0.1, viscosity_m2_s, tension_n_m: 5.0, ..WaterParams::default() };
        let mut world =
            World::new(WorldConfig { bounds, gravity_m_s2: Vec3::ZERO, ..WorldConfig::default() }).unwrap();
        world.set_water(params).unwrap();
        let mut pour = Pour::new(cuboid(Vec3::splat(0.8), Vec3::splat(0.6)));
        pour.velocity_m_s = Vec3::new(300.0, 0.0, 0.0);
        world.pour(&pour).unwrap();
        let flood = Source::new(Vec3::splat(0.8), Vec3::ONE, Vec3::ZERO, 1e3);
        world.set_water_sources(vec![flood], Rain::everywhere(1e6)).unwrap();
        for dt_s in [1.0, 1e-4, 0.3] {
            let report = world.step(dt_s);
            assert!(report.imbalance.is_zero() && report.water.mended == 0);
            assert_eq!(inside(&world), 0);
        }
    }
}
