//! What no scene should ask for and some will: nothing is lost, nothing is not a number, nothing hangs.

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Edit, Material, MaterialId, Materials, StepReport, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};
use proptest::prelude::*;

const STEP_S: f64 = 1.0 / 60.0;
const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn world(size: [i32; 3], gravity_m_s2: Vec3) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::from_array(size)));
    World::new(WorldConfig { bounds, gravity_m_s2, ..WorldConfig::default() }).unwrap()
}

/// Fills a box (voxels) with soil.
fn fill(world: &mut World, low: [i32; 3], high: [i32; 3], name: &str) {
    let size = world.ground().voxel_size_m();
    let (low, high) = (IVec3::from_array(low).as_vec3() * size, IVec3::from_array(high).as_vec3() * size);
    let solid =
        Solid { shape: Shape::Box { half_extents: (high - low) / 2.0 }, pose: Pose::at((low + high) / 2.0) };
    let material = world.materials().find(name).unwrap();
    world.edit(&Edit::Place { region: Region::Solid(solid), material, moisture: 0.1 }).unwrap();
}

fn led(half_extents: Vec3, from: Vec3, to: Vec3, seconds: f64) -> BodySpec {
    let keys = vec![
        Key { time_s: 0.0, pose: Pose::at(from) },
        Key { time_s: seconds, pose: Pose { translation: to, rotation: Quat::from_rotation_z(0.3) } },
    ];
    let motion = Motion::Scripted(Track { keys, repeat: false });
    BodySpec::new("tool", Shape::Box { half_extents }, Pose::at(from), motion)
}

/// Steps, and checks that the books balance and that everything is a number.
fn step(world: &mut World, dt_s: f64) -> StepReport {
    let report = world.step(dt_s);
    assert!(report.imbalance.is_zero());
    assert!(world.ledger().balances());
    for body in world.bodies().iter() {
        assert!(
            body.pose.translation.is_finite() && body.linear_velocity_m_s.is_finite(),
            "{}",
            body.spec.name
        );
    }
    assert!(world.fall().is_sound());
    report
}

/// Checks that what is booked is there, and that no voxel holds more than itself, nor beside bodies if `beside_bodies`.
fn check(world: &World, beside_bodies: bool) {
    assert_eq!(world.ground().count(), world.ledger().held);
    for p in world.ground().bounds().unwrap().cells() {
        let voxel = world.ground().get(p);
        let body = if beside_bodies { u32::from(world.body_fill().shares().get(p)) } else { 0 };
        let share = voxel.rock_share(world.materials()) + voxel.soil_share() + body;
        assert!(!voxel.has_soil() || share <= LOOSE_FULL, "{p} is overfull: {share}");
    }
}

/// Sand and loam in the air and on the ground, a tool led through them and a ball dropped on them.
fn busy_world(size: [i32; 3], gravity: Vec3) -> World {
    let mut world = world(size, gravity);
    let [x, y, z] = size;
    fill(&mut world, [0, 0, 0], [x, y, z / 3], "dry_sand");
    fill(&mut world, [x / 4, y / 4, z / 2], [x / 2, y / 2, z * 3 / 4], "loam");
    let extent = IVec3::from_array(size).as_vec3() * 0.1;
    let tool = led(extent * 0.1, extent * Vec3::new(0.2, 0.5, 0.3), extent * Vec3::new(0.8, 0.5, 0.4), 2.0);
    let ball = Shape::Ball { radius: 0.25 };
    let pose = Pose::at(extent * Vec3::new(0.7, 0.5, 0.8));
    world.add_bodies([tool, BodySpec::new("ball", ball, pose, Motion::Dynamic)]).unwrap();
    world
}

#[test]
fn steps_of_a_second_lose_nothing_and_come_to_rest() {
    let mut world = busy_world([40, 32, 32], DOWN);
    for _ in 0..12 {
        let report = step(&mut world, 1.0);
        assert_eq!(report.dt_s, 1.0);
        check(&world, true);
    }
    // In steps of a second the ball creeps down by 0.4 mm each: now and then a little of the slope beside it goes.
    let report = step(&mut world, 1.0);
    assert!(report.fall.in_the_air == 0 && report.slip.moved < i64::from(LOOSE_FULL), "{report:?}");
}

#[test]
fn gravity_that_does_not_point_down_moves_no_soil_in_a_step_or_by_settling() {
    let odd = [Vec3::ZERO, Vec3::X * 9.81, Vec3::Y * -1e3, Vec3::Z * 9.81, Vec3::new(9.81, 0.0, -9.0)];
    for gravity in odd {
        let mut world = world([32, 32, 32], gravity);
        fill(&mut world, [8, 8, 12], [16, 16, 28], "dry_sand");
        let before = world.ground().voxels().clone();
        for _ in 0..30 {
            step(&mut world, STEP_S);
        }
        let report = world.settle(1_000);
        assert!(report.at_rest && report.moved == 0 && report.changes.is_empty(), "{gravity}: {report:?}");
        assert_eq!(*world.ground().voxels(), before, "{gravity}");
    }
    // With bodies in it, which gravity does move.
    for gravity in odd {
        let mut world = busy_world([32, 32, 32], gravity);
        for dt in [STEP_S, 1.0].repeat(5) {
            step(&mut world, dt);
        }
        check(&world, true);
    }
    for gravity in [f32::NAN, f32::INFINITY, -1e30] {
        let config = WorldConfig { gravity_m_s2: Vec3::new(0.0, 0.0, gravity), ..WorldConfig::default() };
        assert!(World::new(config).unwrap_err().to_string().contains("gravity_m_s2"), "{gravity}");
    }
}

#[test]
fn gravity_aslant_but_mainly_down_lets_soil_fall_and_settle() {
    let mut world = world([32, 32, 32], Vec3::new(3.0, 0.0, -9.0));
    fill(&mut world, [8, 8, 12], [16, 16, 20], "dry_sand");
    assert!(world.settle(10_000).at_rest);
    check(&world, true);
    assert!(world.ground().get(IVec3::new(12, 12, 0)).soil() > 0);
}

/// A table with one soil.
fn soil_of(phi_deg: f32, cohesion_pa: f32) -> Materials {
    let sand = Materials::builtin()[MaterialId(0)].clone();
    let friction_angle = phi_deg.to_radians();
    Materials::new(vec![Material { friction_angle, cohesion_pa, ..sand }]).unwrap()
}

#[test]
fn the_strongest_and_the_weakest_soils_do_as_they_must() {
    // phi (degrees), c (Pa), height of a pillar of 20 voxels in the end, at least and at most (voxels).
    let rows = [(0.0, 0.0, 0, 4), (89.0, 0.0, 18, 21), (0.0, 1e9, 20, 20), (89.0, 1e9, 20, 20)];
    for (phi_deg, cohesion_pa, least, most) in rows {
        for settles in [false, true] {
            let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(24)));
            let materials = soil_of(phi_deg, cohesion_pa);
            let mut world = World::new(WorldConfig { bounds, materials, ..WorldConfig::default() }).unwrap();
            fill(&mut world, [9, 9, 0], [15, 15, 20], "dry_sand");
            if settles {
                world.settle(20_000);
            }
            for dt in [STEP_S, 0.5].repeat(if settles { 1 } else { 100 }) {
                step(&mut world, dt);
            }
            check(&world, true);
            let column = |z: &i32| world.ground().get(IVec3::new(12, 12, *z)).soil() > 0;
            let height = (0..24).rev().find(column).map_or(0, |z| z + 1);
            assert!((least..=most).contains(&height), "{phi_deg}°, {cohesion_pa} Pa, {settles}: {height}");
        }
    }
}

#[test]
fn bodies_of_all_kinds_may_start_inside_soil() {
    let mut world = world([32, 32, 32], DOWN);
    fill(&mut world, [0, 0, 0], [32, 32, 18], "sandy_loam");
    let at = |x: f32| Vec3::new(x, 1.6, 0.9);
    let ball = |x: f32, motion| BodySpec::new("ball", Shape::Ball { radius: 0.35 }, Pose::at(at(x)), motion);
    let tool = led(Vec3::splat(0.25), at(1.6), Vec3::new(1.6, 2.4, 0.9), 1.0);
    world.add_bodies([ball(0.7, Motion::Fixed), tool, ball(2.5, Motion::Dynamic)]).unwrap();
    check(&world, true);
    for _ in 0..120 {
        assert_eq!(step(&mut world, STEP_S).push.trapped, 0);
    }
    check(&world, true);
}

#[test]
fn bodies_that_close_on_soil_with_no_way_out_yield_and_the_soil_stays() {
    // Two presses that fill the world from wall to wall and from floor to ceiling come together over full soil.
    let mut world = world([32, 16, 16], DOWN);
    fill(&mut world, [0, 0, 0], [32, 16, 16], "dry_sand");
    for x in [0.4, 2.8] {
        let press = Shape::Box { half_extents: Vec3::new(0.4, 0.8, 0.8) };
        let key = |time_s, x| Key { time_s, pose: Pose::at(Vec3::new(x, 0.8, 0.8)) };
        let keys = vec![key(0.0, x), key(1.0, 1.6 + (x - 1.6) * 0.4)];
        let motion = Motion::Scripted(Track { keys, repeat: false });
        world.add_body(BodySpec::new("press", press, Pose::at(Vec3::new(x, 0.8, 0.8)), motion)).unwrap();
    }
    let mut trapped = 0;
    for _ in 0..90 {
        trapped += step(&mut world, STEP_S).push.trapped;
    }
    assert!(trapped > 0, "there is no room for all of it");
    // The share of the bodies yields: no voxel holds more soil than itself.
    check(&world, false);
}

#[test]
fn worlds_full_of_soil_to_their_bounds_do_no_harm() {
    let mut world = world([24, 24, 24], DOWN);
    fill(&mut world, [0, 0, 0], [24, 24, 24], "dry_sand");
    let full = world.ground().voxels().clone();
    for _ in 0..10 {
        step(&mut world, STEP_S);
    }
    assert!(world.settle(100).at_rest);
    assert_eq!(*world.ground().voxels(), full, "there is nowhere to go");
    let hole = Solid { shape: Shape::Ball { radius: 0.5 }, pose: Pose::at(Vec3::new(1.2, 1.2, 1.2)) };
    world.edit(&Edit::Remove { region: Region::Solid(hole) }).unwrap();
    world.add_body(led(Vec3::splat(0.3), Vec3::new(1.2, 1.2, 1.2), Vec3::new(2.0, 1.2, 1.2), 1.0)).unwrap();
    for _ in 0..120 {
        step(&mut world, STEP_S);
    }
    check(&world, false);
}

#[test]
fn worlds_one_voxel_thin_work_in_every_direction() {
    for size in [[1, 32, 32], [32, 1, 32], [32, 32, 1], [1, 1, 32], [1, 1, 1]] {
        let mut world = world(size, DOWN);
        let [x, y, z] = size;
        let half = |n: i32| if n > 1 { n / 2 } else { 1 };
        fill(&mut world, [0, 0, 0], [half(x), half(y), half(z)], "dry_sand");
        let extent = IVec3::from_array(size).as_vec3() * 0.1;
        let tool = led(extent * 0.2, extent * 0.3, extent * 0.7, 0.5);
        let ball = Shape::Ball { radius: 0.04 };
        let ball = BodySpec::new("ball", ball, Pose::at(extent * 0.6), Motion::Dynamic);
        world.add_bodies([tool, ball]).unwrap();
        for _ in 0..180 {
            step(&mut world, STEP_S);
        }
        check(&world, false);
        assert!(world.settle(10_000).at_rest, "{size:?}");
        check(&world, false);
    }
}

#[test]
fn a_million_steps_at_rest_change_nothing() {
    let mut world = world([64, 64, 32], DOWN);
    fill(&mut world, [0, 0, 0], [64, 64, 12], "dry_sand");
    let ball = BodySpec::new(
        "ball",
        Shape::Ball { radius: 0.3 },
        Pose::at(Vec3::new(3.2, 3.2, 1.6)),
        Motion::Dynamic,
    );
    world.add_body(ball).unwrap();
    for _ in 0..600 {
        step(&mut world, STEP_S);
    }
    assert!(world.ground().awake().is_empty(), "the ground sleeps");
    assert!(world.bodies().iter().all(|body| body.sleeping), "and so does the ball");
    let (ground, pose) = (world.ground().voxels().clone(), world.bodies().iter().next().unwrap().pose);
    for _ in 0..1_000_000 {
        let report = world.step(STEP_S);
        assert!(report.changes.is_empty() && report.warnings.is_empty());
    }
    assert_eq!(*world.ground().voxels(), ground);
    assert_eq!(world.bodies().iter().next().unwrap().pose, pose);
    assert!((world.clock().time_s - 1_000_600.0 * STEP_S).abs() < 1e-3, "{} s", world.clock().time_s);
    check(&world, true);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Whatever happens, it happens alike for one thread and for two.
    #[test]
    fn random_scenes_do_not_depend_on_threads(
        heaps in prop::collection::vec((4..36_i32, 4..28_i32, 2..24_i32, 2..9_i32, 0..4_usize), 2..6),
        tools in prop::collection::vec((0.3..3.7_f32, 0.3..2.9_f32, 0.2..2.0_f32, 0.1..0.5_f32), 1..4),
        to in (0.3..3.7_f32, 0.3..2.9_f32, 0.4..2.6_f32),
        balls in 0..3_usize,
    ) {
        let history = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = world([40, 32, 32], DOWN);
                fill(&mut world, [0, 0, 0], [40, 32, 7], "sandy_loam");
                for &(x, y, z, half, kind) in &heaps {
                    let kind = ["dry_sand", "clay", "gravel", "granite"][kind];
                    fill(&mut world, [x - half, y - half, z - half / 2], [x + half, y + half, z + half], kind);
                }
                for &(x, y, z, half) in &tools {
                    let size = Vec3::new(half, 2.0 * half, 0.5 * half);
                    world.add_body(led(size, Vec3::new(x, y, z), Vec3::from(to), 1.0)).unwrap();
                }
                for ball in 0..balls {
                    let pose = Pose::at(Vec3::new(1.0 + ball as f32, 1.6, 2.8));
                    let shape = Shape::Ball { radius: 0.3 };
                    world.add_body(BodySpec::new("ball", shape, pose, Motion::Dynamic)).unwrap();
                }
                let digests: Vec<u64> = (0..75).map(|_| { step(&mut world, STEP_S); world.digest() }).collect();
                check(&world, false);
                digests
            })
        };
        prop_assert_eq!(history(1), history(2));
    }
}
