//! Piles slide to their angle of friction and no further; cohesive faces stand as high as theory says.

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Account, Edit, Material, MaterialId, Materials, StepReport, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

/// A soil with these strengths in a world of `size` voxels of `voxel_m`.
fn world(size: [i32; 3], voxel_m: f32, phi_deg: f32, cohesion_pa: f32) -> (World, MaterialId) {
    let builtin = Materials::builtin();
    let sand = builtin.get(builtin.find("dry_sand").unwrap()).unwrap().clone();
    let soil = Material {
        name: "test_soil".into(),
        friction_angle: phi_deg.to_radians(),
        cohesion_pa,
        unit_weight_n_m3: 18_000.0,
        ..sand
    };
    let materials = builtin.with(soil).unwrap();
    let kind = materials.find("test_soil").unwrap();
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::from_array(size)));
    let config = WorldConfig { bounds, voxel_size_m: voxel_m, materials, ..WorldConfig::default() };
    (World::new(config).unwrap(), kind)
}

fn place(world: &mut World, material: MaterialId, shape: Shape, at: [f32; 3]) {
    let pose = Pose { translation: Vec3::from_array(at), rotation: Quat::IDENTITY };
    let region = Region::Solid(Solid { shape, pose });
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
}

/// Height of the soil in a column (voxels).
fn height(world: &World, x: i32, y: i32) -> f64 {
    let bounds = world.ground().bounds().unwrap();
    let shares = (bounds.min.z..bounds.max.z).map(|z| world.ground().get(IVec3::new(x, y, z)).soil_share());
    f64::from(shares.sum::<u32>()) / f64::from(LOOSE_FULL)
}

/// Steps until all ground sleeps; returns how many steps that took.
fn come_to_rest(world: &mut World, most: usize) -> usize {
    for step in 0..most {
        let report: StepReport = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        if report.awake_bricks == 0 {
            return step;
        }
    }
    panic!("not at rest after {most} steps");
}

/// Slope of a heap around column `c` between a quarter and three quarters of its height (degrees).
fn slope_deg(world: &World, c: i32, direction: [i32; 2]) -> f64 {
    let step = f64::from(direction[0]).hypot(f64::from(direction[1]));
    let heights: Vec<f64> =
        (0..c - 2).map(|i| height(world, c + i * direction[0], c + i * direction[1])).collect();
    let below = |share: f64| heights.iter().position(|h| *h < share * heights[0]).unwrap();
    let (high, low) = (below(0.75), below(0.25));
    ((heights[high] - heights[low]) / ((low - high) as f64 * step)).atan().to_degrees()
}

fn column_collapse(phi_deg: f32, scale: i32) -> World {
    let (mut world, soil) = world([64 * scale, 64 * scale, 32 * scale], 0.1 / scale as f32, phi_deg, 0.0);
    let shape = Shape::Cylinder { radius: 0.8, half_height: 1.0 };
    place(&mut world, soil, shape, [3.2, 3.2, 1.0]);
    world
}

/// Fills a heap up from its top by small lumps, without letting it gather speed.
fn poured_heap(phi_deg: f32) -> World {
    let (mut world, soil) = world([64, 64, 32], 0.1, phi_deg, 0.0);
    for lump in 0..1000 {
        let top = height(&world, 32, 32) as f32 * 0.1;
        if lump < 700 && lump % 2 == 0 {
            place(
                &mut world,
                soil,
                Shape::Box { half_extents: Vec3::new(0.1, 0.1, 0.05) },
                [3.2, 3.2, top + 0.1],
            );
        }
        assert!(world.step(STEP_S).imbalance.is_zero());
    }
    world
}

#[test]
fn a_poured_heap_has_its_angle_of_friction_and_rests() {
    for phi_deg in [20.0, 30.0, 40.0] {
        let mut world = poured_heap(phi_deg);
        come_to_rest(&mut world, 300);
        for direction in [[1, 0], [0, -1], [-1, 1], [2, 1]] {
            let slope = slope_deg(&world, 32, direction) - f64::from(phi_deg);
            assert!((-3.0..=1.0).contains(&slope), "{slope} from {phi_deg} along {direction:?}");
        }
        assert_eq!(world.ground().count(), world.ledger().held);
    }
}

#[test]
fn a_settled_column_has_its_angle_of_friction_and_one_that_ran_out_is_flatter() {
    for phi_deg in [20.0, 30.0, 40.0] {
        let (mut settled, mut stepped) = (column_collapse(phi_deg, 1), column_collapse(phi_deg, 1));
        let report = settled.settle(100_000);
        assert!(report.at_rest && report.imbalance.is_zero());
        // Hardly more than trickles, next to all that there is.
        let (again, soil) = (settled.settle(1000).moved, settled.ledger().held.of(Account::Soil));
        assert!(again as f64 <= 1e-4 * soil as f64, "{again} of {soil} units move again");
        come_to_rest(&mut stepped, 600);
        for direction in [[1, 0], [0, -1], [-1, 1], [2, 1]] {
            let slope = slope_deg(&settled, 32, direction);
            let case = format!("instead of {phi_deg} along {direction:?}");
            assert!((slope - f64::from(phi_deg)).abs() < 1.5, "{slope} settled {case}");
            // A column this high gathers speed and runs out.
            let slope = slope_deg(&stepped, 32, direction);
            assert!(slope < f64::from(phi_deg) - 2.0, "{slope} {case}");
        }
    }
}

/// Height of the crest and radius of the base of a collapsing column every 1/6 s (m), and the time until no more than
/// 1/100,000 of its soil slides in a step (s).
fn course_of_collapse(scale: i32) -> (Vec<[f64; 2]>, f64) {
    let mut world = column_collapse(30.0, scale);
    let size_m = f64::from(world.ground().voxel_size_m());
    let side = 64 * scale;
    let mut course = Vec::new();
    for _ in 0..4 {
        for _ in 0..10 {
            world.step(STEP_S);
        }
        let columns = (0..side).flat_map(|x| (0..side).map(move |y| (x, y)));
        let heights: Vec<f64> = columns.map(|(x, y)| height(&world, x, y)).collect();
        // What the surface shows: a voxel of which a crumb is filled tells of the grid only.
        let base = heights.iter().filter(|h| **h > 0.5).count() as f64;
        let crest = heights.into_iter().fold(0.0, f64::max);
        course.push([crest * size_m, (base / std::f64::consts::PI).sqrt() * size_m]);
    }
    let trickle = world.ledger().held.of(Account::Soil) / 100_000;
    let moves = (40..600).take_while(|_| i128::from(world.step(STEP_S).slip.moved) > trickle).count();
    (course, (40 + moves) as f64 * STEP_S)
}

#[test]
fn a_column_collapses_as_fast_at_every_voxel_size() {
    let (coarse, fine) = (course_of_collapse(2), course_of_collapse(4));
    for (a, b) in coarse.0.iter().zip(&fine.0) {
        for (coarse, fine) in a.iter().zip(b) {
            // Fronts are as thick as a voxel or two.
            assert!((fine / coarse - 1.0).abs() < 0.12, "crest and base are {b:?} m instead of {a:?} m");
        }
    }
    let (coarse, fine) = (coarse.1, fine.1);
    assert!((fine / coarse - 1.0).abs() < 0.2, "at rest after {fine} s instead of {coarse} s");
}

#[test]
fn the_limits_of_friction_do_no_harm() {
    for phi_deg in [0.0, 89.0] {
        let mut world = column_collapse(phi_deg, 1);
        let soil = world.ledger().held.of(Account::Soil);
        for dt in [STEP_S, 1.0, 1e-6, 0.2] {
            for _ in 0..20 {
                assert!(world.step(dt).imbalance.is_zero());
            }
        }
        assert_eq!(world.ground().count().of(Account::Soil), soil);
        let peak = height(&world, 32, 32);
        assert!(if phi_deg == 0.0 { peak < 3.0 } else { peak > 19.0 }, "{peak} for {phi_deg}");
    }
}

/// True when a vertical face of this height (voxels) fails in soil of 20 degrees and 2 kPa.
fn cut_fails(height_voxels: i32, voxel_m: f32) -> bool {
    let length = (2.5 / voxel_m) as i32;
    let (mut world, soil) = world([length, 3, height_voxels + 2], voxel_m, 20.0, 2_000.0);
    let half = Vec3::new(0.75, 1.5 * voxel_m, 0.5 * height_voxels as f32 * voxel_m);
    place(&mut world, soil, Shape::Box { half_extents: half }, [0.75, half.y, half.z]);
    (0..4).any(|_| world.step(STEP_S).slip.moved > 0)
}

#[test]
fn a_cut_stands_as_high_at_every_voxel_size() {
    // Culmann1866: (4c / gamma) tan(45° + phi / 2).
    let critical = 4.0 * 2_000.0 / 18_000.0 * (55_f32).to_radians().tan();
    for voxel_m in [0.1, 0.05, 0.025] {
        let voxels = critical / voxel_m;
        let slack = (0.1 * voxels).max(1.0);
        assert!(!cut_fails((voxels - slack).floor() as i32, voxel_m), "a low cut fails at {voxel_m} m");
        assert!(cut_fails((voxels + slack).ceil() as i32, voxel_m), "a high cut stands at {voxel_m} m");
    }
}

/// In how many of twenty steps a wedge slides from a face of this height (m) that leans at `face_deg`, in soil of 25
/// degrees and 2 kPa.
fn steps_that_slide(height_m: f32, face_deg: f32, voxel_m: f32) -> usize {
    let slope = face_deg.to_radians().tan();
    let face = (height_m / slope / voxel_m).ceil() as i32;
    // Room behind the crest for any plane that friction does not bear.
    let behind = (height_m / (25_f32).to_radians().tan() / voxel_m).ceil() as i32;
    let size = [behind + face + 4, 3, (height_m / voxel_m).ceil() as i32 + 2];
    let (mut world, soil) = world(size, voxel_m, 25.0, 2_000.0);
    for column in 0..behind + face {
        let middle = (behind + face - column) as f32 - 0.5;
        let high = (middle * voxel_m * slope).min(height_m);
        let half = Vec3::new(0.5, 1.5, 0.5 * high / voxel_m) * voxel_m;
        let corner = Vec3::X * column as f32 * voxel_m;
        place(&mut world, soil, Shape::Box { half_extents: half }, (corner + half).to_array());
    }
    (0..20).filter(|_| world.step(STEP_S).slip.wedge.is_some_and(|wedge| wedge.safety < 1.0)).count()
}

#[test]
fn leaning_cuts_stand_higher_than_upright_ones_at_every_voxel_size() {
    let phi = (25_f32).to_radians();
    for face_deg in [40_f32, 45.0, 60.0, 75.0] {
        let beta = face_deg.to_radians();
        // Culmann1866.
        let critical_m = 4.0 * 2_000.0 / 18_000.0 * beta.sin() * phi.cos() / (1.0 - (beta - phi).cos());
        for voxel_m in [0.2, 0.1, 0.05] {
            let case = format!("{face_deg} degrees at {voxel_m} m");
            let slack_m = (0.1 * critical_m).max(voxel_m);
            assert_eq!(steps_that_slide(critical_m - slack_m, face_deg, voxel_m), 0, "a low cut, {case}");
            assert!(steps_that_slide(critical_m + slack_m, face_deg, voxel_m) > 0, "a high cut, {case}");
        }
    }
}

#[test]
fn a_wedge_goes_on_sliding_though_its_middle_stays_as_high_as_it_is() {
    assert_eq!(steps_that_slide(10.0, 45.0, 0.1), 20);
}

#[test]
fn walls_of_a_trench_that_break_off_leave_no_pillars() {
    let builtin = Materials::builtin();
    let [weak, strong] = ["sandy_loam", "loam"].map(|name| builtin.find(name).unwrap());
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(60, 60, 30)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    // Loam keeps a wall of 1.6 m, sandy loam only one of 0.95 m (Culmann1866).
    let cuboid = |at: [f32; 3], size: [f32; 3]| {
        let shape = Shape::Box { half_extents: Vec3::from_array(size) / 2.0 };
        Region::Solid(Solid { shape, pose: Pose::at(Vec3::from_array(at)) })
    };
    for (material, y, depth) in [(strong, 4.5, 3.0), (weak, 3.0, 6.0)] {
        let region = cuboid([3.0, y, 1.0], [6.0, depth, 2.0]);
        world.edit(&Edit::Place { region, material, moisture: 0.2 }).unwrap();
    }
    world.edit(&Edit::Remove { region: cuboid([3.0, 3.0, 1.5], [1.6, 6.0, 2.2]) }).unwrap();
    come_to_rest(&mut world, 1000);
    for (x, y) in (1..59).flat_map(|x| (1..59).map(move |y| (x, y))) {
        // What is as high as a column at its corner is the end of a wall, which may stand.
        let beside = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j))).filter(|at| *at != (0, 0));
        let around = beside.map(|(i, j)| height(&world, x + i, y + j));
        let above = height(&world, x, y) - around.fold(0.0, f64::max);
        assert!(above < 1.5, "a pillar of {above} voxels at {x}, {y}");
    }
}

#[test]
fn splinters_of_cohesive_soil_crumble_and_walls_stand() {
    // Strong enough for a face of some 4 m.
    let (mut world, soil) = world([40, 40, 24], 0.1, 30.0, 10_000.0);
    let mut cuboid = |low: [i32; 3], high: [i32; 3]| {
        let [low, high] = [low, high].map(|corner| IVec3::from_array(corner).as_vec3() * 0.1);
        place(
            &mut world,
            soil,
            Shape::Box { half_extents: (high - low) / 2.0 },
            ((low + high) / 2.0).to_array(),
        );
    };
    cuboid([4, 4, 0], [36, 36, 6]);
    cuboid([10, 10, 6], [11, 11, 14]);
    cuboid([16, 10, 6], [18, 11, 14]);
    cuboid([24, 8, 6], [25, 20, 14]);
    cuboid([10, 26, 6], [13, 29, 14]);
    come_to_rest(&mut world, 600);
    for (x, y) in [(10, 10), (16, 10), (17, 10)] {
        let left = height(&world, x, y);
        // What crumbled lies around it, and a voxel may stand above that.
        assert!(left < 8.5, "a splinter of {left} voxels at {x}, {y}");
    }
    let stand = (8..20).map(|y| (24, y)).chain((10..13).flat_map(|x| (26..29).map(move |y| (x, y))));
    for (x, y) in stand {
        assert!(height(&world, x, y) > 13.9, "nothing stands at {x}, {y}");
    }
}

#[test]
fn soil_on_a_bridge_and_under_it_slides_on_its_own() {
    let (mut world, soil) = world([48, 48, 48], 0.1, 30.0, 0.0);
    let granite = world.materials().find("granite").unwrap();
    place(&mut world, granite, Shape::Box { half_extents: Vec3::new(0.6, 2.4, 0.2) }, [2.4, 2.4, 2.4]);
    place(&mut world, soil, Shape::Box { half_extents: Vec3::new(0.2, 0.2, 0.4) }, [2.4, 2.4, 0.4]);
    place(&mut world, soil, Shape::Box { half_extents: Vec3::new(0.5, 0.5, 0.6) }, [2.4, 2.4, 3.2]);
    let on_bridge = |world: &World| {
        (26..48).map(|z| i64::from(world.ground().get(IVec3::new(24, 24, z)).soil())).sum::<i64>()
    };
    assert!(on_bridge(&world) > 0);
    come_to_rest(&mut world, 900);
    assert!(on_bridge(&world) > 0, "some stays on the bridge");
    let under: f64 = (0..22).map(|z| f64::from(world.ground().get(IVec3::new(24, 24, z)).soil())).sum();
    assert!(under > 32_768.0, "the heap below keeps its middle");
    let beside: u32 = (0..10).map(|z| world.ground().get(IVec3::new(15, 24, z)).soil()).sum();
    assert!(beside > 0, "what came over the edge lies beside the bridge");
}

#[test]
fn steep_rock_sheds_its_soil_and_level_rock_keeps_it() {
    for (lean_deg, kept) in [(0.0_f32, true), (50.0, false)] {
        let (mut world, soil) = world([64, 24, 64], 0.1, 30.0, 0.0);
        let granite = world.materials().find("granite").unwrap();
        let rotation = Quat::from_rotation_y(lean_deg.to_radians());
        let half_extents = Vec3::new(2.0, 1.2, 0.4);
        let pose = Pose { translation: Vec3::new(3.2, 1.2, 2.5), rotation };
        let region = Region::Solid(Solid { shape: Shape::Box { half_extents }, pose });
        world.edit(&Edit::Place { region, material: granite, moisture: 0.0 }).unwrap();
        let layer = Shape::Box { half_extents: Vec3::new(1.0, 1.2, 0.15) };
        let pose = Pose { translation: pose.translation + rotation * Vec3::new(0.0, 0.0, 0.55), rotation };
        let region = Region::Solid(Solid { shape: layer, pose });
        world.edit(&Edit::Place { region, material: soil, moisture: 0.0 }).unwrap();
        come_to_rest(&mut world, 900);
        let cells = || VoxelBox::new(IVec3::ZERO, IVec3::new(64, 24, 64)).cells();
        let on_rock = |p: &IVec3| {
            let local = rotation.inverse() * ((p.as_vec3() + 0.5) * 0.1 - Vec3::new(3.2, 1.2, 2.5));
            local.x.abs() < 1.6 && (0.3..1.5).contains(&local.z)
        };
        let soil_at = |p: IVec3| i64::from(world.ground().get(p).soil());
        let there: i64 = cells().filter(on_rock).map(soil_at).sum();
        let share = there as f64 / world.ledger().held.of(Account::Soil) as f64;
        assert!(
            if kept { share > 0.95 } else { share < 0.05 },
            "{share} of the soil is on rock at {lean_deg}°"
        );
    }
}

#[test]
fn what_slip_remembers_changes_nothing() {
    let run = |forgetful: bool| {
        let mut world = column_collapse(33.0, 1);
        let soil = world.materials().find("test_soil").unwrap();
        let half_extents = Vec3::new(0.1, 0.5, 0.5);
        let key = |time_s, x| Key { time_s, pose: Pose::at(Vec3::new(x, 3.2, 0.5)) };
        let track = Track { keys: vec![key(0.0, 1.0), key(1.0, 4.0)], repeat: false };
        let blade =
            BodySpec::new("blade", Shape::Box { half_extents }, track.pose(0.0), Motion::Scripted(track));
        for step in 0..80 {
            match step {
                10 => place(&mut world, soil, Shape::Ball { radius: 0.4 }, [2.0, 2.0, 2.0]),
                20 => drop(world.add_body(blade.clone()).unwrap()),
                40 => drop(world.smooth(Vec3::new(3.2, 3.2, 1.0), 0.8, 0.5)),
                60 => drop(world.settle(40)),
                _ => {}
            }
            if forgetful {
                world.drop_caches();
            }
            world.step(STEP_S);
        }
        world.digest()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn threads_do_not_change_a_collapse() {
    let digest = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = column_collapse(33.0, 1);
            for _ in 0..40 {
                world.step(STEP_S);
                world.drop_caches();
            }
            world.digest()
        })
    };
    assert_eq!(digest(1), digest(2));
}

#[test]
fn threads_do_not_change_wide_slopes() {
    // So many piles move that threads share them.
    let digest = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, sand) = world([144, 128, 40], 0.1, 30.0, 0.0);
            let cone = |radius: f32| Shape::Cone { half_height: 1.4, radius };
            place(&mut world, sand, cone(3.8), [4.8, 6.0, 1.4]);
            place(&mut world, sand, cone(2.6), [9.9, 5.1, 1.4]);
            let moved: Vec<i64> = (0..20).map(|_| world.step(STEP_S).slip.moved).collect();
            assert!(moved.iter().all(|moved| *moved > 0));
            world.digest()
        })
    };
    let alone = digest(1);
    assert_eq!([2, 3, 5].map(digest), [alone; 3]);
}
