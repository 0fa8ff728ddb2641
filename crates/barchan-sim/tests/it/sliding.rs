//! Soil that slides gathers speed as gravity allows, runs out, comes to rest and loses nothing.

use barchan_sim::bodies::{BodyId, BodySpec, Cause, Motion};
use barchan_sim::{Edit, Material, MaterialId, Materials, World, WorldConfig, slip};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{DVec3, IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

/// A column of sand of 1 m radius and height in the middle of a floor.
fn column() -> World {
    let bounds = Some(VoxelBox::new(IVec3::new(-32, -32, 0), IVec3::new(32, 32, 12)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
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
fn a_column_runs_out_further_than_it_has_to_and_comes_to_rest() {
    let (mut free, mut settled) = (column(), column());
    come_to_rest(&mut free);
    assert!(free.ledger().balances());
    assert_eq!(free.check(), Ok(()));
    assert!(free.sliding().is_still(), "what rests does not slide");
    assert!(settled.settle(100_000).at_rest);
    let (with, without) = (covered(&free), covered(&settled));
    assert!(with as f64 > 1.1 * without as f64, "{with} columns in time, {without} settled");
}

/// How far the surface of a column shows soil along an axis, in voxels from its middle, and its highest top (voxels).
fn reach_and_top(world: &World) -> (i32, f64) {
    let bounds = world.ground().bounds().unwrap();
    let reach =
        (0..bounds.max.x).rev().find(|x| world.ground().get(IVec3::new(*x, 0, 0)).soil_share() > 16_384);
    let height = |x: i32| -> f64 {
        (0..bounds.max.z)
            .map(|z| f64::from(world.ground().get(IVec3::new(x, 0, z)).soil_share()) / 32_768.0)
            .sum()
    };
    (reach.map_or(0, |x| x + 1), (0..bounds.max.x).map(height).fold(0.0, f64::max))
}

#[test]
fn no_front_is_ahead_of_gravity_and_no_top_rises_at_any_step_length() {
    for step_s in [1.0 / 30.0, 1.0 / 120.0, 1.0 / 1000.0] {
        let mut world = column();
        let start = reach_and_top(&world).1;
        while world.clock().time_s < 0.25 {
            world.step(step_s);
            let (reach, top) = reach_and_top(&world);
            let time_s = world.clock().time_s;
            let allowed = 10.0 + 0.5 * 9.81 * time_s * time_s / 0.1 + 1.1;
            assert!(f64::from(reach) <= allowed, "at {time_s} s in steps of {step_s} s: {reach}, {allowed}");
            assert!(top <= start + 0.02, "at {time_s} s in steps of {step_s} s the top is at {top}");
        }
    }
}

#[test]
fn what_slides_is_part_of_the_state() {
    let history = |mut between: Box<dyn FnMut(&mut World)>| {
        let mut world = column();
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

    let mut sliding = column();
    (0..20).for_each(|_| drop(sliding.step(STEP_S)));
    assert!(!sliding.sliding().is_still());
    let mut stopped = sliding.state().clone();
    stopped.slip = slip::Slip::default();
    assert_ne!(World::from_state(stopped).unwrap().digest(), sliding.digest());
}

#[test]
fn settling_stops_what_slides() {
    let mut world = column();
    (0..20).for_each(|_| drop(world.step(STEP_S)));
    assert!(world.settle(10_000).at_rest);
    assert!(world.sliding().is_still());
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
            let config = WorldConfig { bounds, materials, ..WorldConfig::default() };
            let mut world = World::new(config).unwrap();
            let shape = Shape::Box { half_extents: Vec3::new(0.4, 0.4, 0.8) };
            let pose = Pose { translation: Vec3::new(0.4, 0.4, 0.8), rotation: Quat::IDENTITY };
            let region = Region::Solid(Solid { shape, pose });
            world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
            for _ in 0..120 {
                assert!(world.step(dt_s).imbalance.is_zero(), "{case}");
                assert!(world.sliding().is_sound(), "{case}");
            }
            assert_eq!(world.check(), Ok(()), "{case}");
            assert!(world.ledger().balances(), "{case}");
        }
    }
}

/// A channel of 8 m between the walls of the world, in which columns of these heights (m) stand from 0.8 m on.
fn channel(friction_angle: f32, heights_m: impl Iterator<Item = f32>) -> World {
    let builtin = Materials::builtin();
    let sand = builtin.get(MaterialId(0)).unwrap().clone();
    let void_ratio_loose = sand.void_ratio_natural;
    let soil = Material { friction_angle, cohesion_pa: 0.0, void_ratio_loose, ..sand };
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(80, 4, 20)));
    let materials = Materials::new(vec![soil]).unwrap();
    let mut world = World::new(WorldConfig { bounds, materials, ..WorldConfig::default() }).unwrap();
    for (column, height) in heights_m.enumerate() {
        let half_extents = Vec3::new(0.05, 0.2, 0.5 * height);
        let pose = Pose::at(Vec3::new(0.85 + 0.1 * column as f32, 0.2, 0.5 * height));
        let region = Region::Solid(Solid { shape: Shape::Box { half_extents }, pose });
        world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
    }
    world
}

fn add_box(world: &mut World, centre_m: Vec3, half_extents: Vec3, motion: Motion) -> BodyId {
    let spec = BodySpec::new("box", Shape::Box { half_extents }, Pose::at(centre_m), motion);
    world.add_body(spec).unwrap()
}

/// What a body got of soil in the last step (N s).
fn of_soil(world: &World, body: BodyId) -> DVec3 {
    world.bodies().get(body).unwrap().received.by(Cause::Soil).linear
}

#[test]
fn walls_take_the_momentum_of_what_they_turn_back() {
    // Without friction nothing but the walls holds what sloshes between them.
    let mut world = channel(0.0, (0..32).map(|column| 1.0 - 0.0125 * column as f32));
    let walls = [0.4, 4.4]
        .map(|x| add_box(&mut world, Vec3::new(x, 0.2, 1.0), Vec3::new(0.4, 0.4, 1.0), Motion::Fixed));
    let kg_m3 = f64::from(world.materials().get(MaterialId(0)).unwrap().bulk_density_kg_m3());
    // What moves at every face: half the layers on both sides of it.
    let momentum = |world: &World| -> f64 {
        let layer = |[x, y]: [i32; 2]| -> f64 {
            let soil =
                (0..20).map(|z| f64::from(world.ground().get(IVec3::new(x, y, z)).soil_share())).sum::<f64>();
            let bed = world.sliding().beds().iter().find(|bed| bed.at.column == [x, y]);
            bed.map_or(0.0, |bed| soil - bed.height as f64) / 32_768.0
        };
        let of = |stream: &slip::Stream| {
            let [x, y] = stream.at.column;
            0.5 * (layer([x, y]) + layer([x + 1, y])) * f64::from(stream.velocity_m_s)
        };
        let along = world.sliding().streams().iter().filter(|stream| stream.axis == 0);
        along.map(of).sum::<f64>() * kg_m3 * 1e-3
    };
    let (mut given, mut most, mut worst) = (0.0, 0.0_f64, 0.0_f64);
    for _ in 0..60 {
        world.step(STEP_S);
        given += walls.iter().map(|wall| of_soil(&world, *wall).x).sum::<f64>();
        let now = momentum(&world);
        most = most.max(now.abs());
        worst = worst.max((now + given).abs());
    }
    assert!(most > 100.0, "{most} N s in the soil at most");
    assert!(worst < 0.05 * most, "the walls and the soil are {worst} N s apart, of {most}");
}

#[test]
fn what_comes_down_moves_a_box_and_is_stopped_by_a_wall() {
    let soil_beyond = |world: &World| {
        let beyond = VoxelBox::new(IVec3::new(40, 0, 0), IVec3::new(80, 4, 20));
        beyond.cells().map(|p| world.ground().get(p).soil()).sum::<u32>()
    };
    let run = |motion: Option<Motion>| {
        let mut world = channel(20_f32.to_radians(), std::iter::repeat_n(1.0, 16));
        let body = motion.map(|motion| {
            let half_extents = Vec3::new(0.2, 0.18, 0.5);
            let body = add_box(&mut world, Vec3::new(3.2, 0.2, 0.5), half_extents, motion);
            world.set_body_friction(0.1).unwrap();
            body
        });
        let mut pushed = 0.0;
        for _ in 0..180 {
            assert!(world.step(STEP_S).imbalance.is_zero());
            pushed += body.map_or(0.0, |body| of_soil(&world, body).x);
        }
        let x = body.map(|body| world.bodies().get(body).unwrap().pose.translation.x);
        (x, pushed, soil_beyond(&world))
    };
    let ((_, _, free), (x, pushed, _)) = (run(None), run(Some(Motion::Dynamic)));
    assert!(x.unwrap() > 3.4 && pushed > 0.0, "the box is at {x:?} m after {pushed} N s");
    let (x, pushed, held) = run(Some(Motion::Fixed));
    assert_eq!(x, Some(3.2));
    assert!(pushed > 100.0, "the wall felt {pushed} N s");
    assert!(held * 4 < free, "{held} units came past the wall, {free} without it");
}
