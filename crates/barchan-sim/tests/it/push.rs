//! Bodies in soil: room is made for them, to the last unit.

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Edit, MaterialId, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

/// A box of sand, `depth_m` deep, with voxels of 0.1 m.
fn sandbox(size: [i32; 3], depth_m: f32) -> World {
    bed(size, depth_m, "dry_sand")
}

/// A box of some soil, `depth_m` deep, with voxels of 0.1 m.
fn bed(size: [i32; 3], depth_m: f32, name: &str) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::from_array(size)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: depth_m };
    let material = world.materials().find(name).unwrap();
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
    world
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose { translation: Vec3::new(x, y, z), rotation: Quat::IDENTITY }
}

fn moving(shape: Shape, from: Pose, to: Pose, seconds: f64) -> BodySpec {
    let keys = vec![Key { time_s: 0.0, pose: from }, Key { time_s: seconds, pose: to }];
    BodySpec::new("tool", shape, from, Motion::Scripted(Track { keys, repeat: false }))
}

/// Checks the voxel volume constraint everywhere and the books; returns the units of soil above `z`.
fn check(world: &World, above: i32) -> i64 {
    let mut high = 0;
    for p in world.ground().bounds().unwrap().cells() {
        let voxel = world.ground().get(p);
        let body = u32::from(world.body_fill().shares().get(p));
        let share = voxel.rock_share(world.materials()) + voxel.soil_share() + body;
        assert!(!voxel.has_soil() || share <= LOOSE_FULL, "{p} is overfull: {share}");
        high += if p.z >= above { i64::from(voxel.soil()) } else { 0 };
    }
    assert_eq!(world.ground().count(), world.ledger().held);
    assert!(world.ledger().balances());
    high
}

fn run(world: &mut World, steps: usize) -> i64 {
    let mut moved = 0;
    for _ in 0..steps {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        assert_eq!(report.push.trapped, 0);
        moved += report.push.moved;
    }
    moved
}

#[test]
fn a_blade_heaps_soil_in_front_of_it() {
    let mut world = sandbox([64, 32, 24], 1.0);
    let blade = Shape::Box { half_extents: Vec3::new(0.15, 0.6, 0.4) };
    world.add_body(moving(blade, at(1.0, 1.6, 1.1), at(4.0, 1.6, 1.1), 3.0)).unwrap();
    check(&world, 0);
    let moved = run(&mut world, 180);
    let heaped = check(&world, 10);
    assert!(moved > 0 && heaped > 0, "{moved} {heaped}");
    let top = |x: i32, y: i32| (0..24).rev().find(|&z| world.ground().get(IVec3::new(x, y, z)).soil() > 0);
    assert!(top(44, 16) > Some(10), "a heap in front: {:?}", top(44, 16));
    assert!(top(25, 16) < Some(9), "a trench behind: {:?}", top(25, 16));
    assert_eq!(top(25, 2), Some(9), "and nothing beside");
}

#[test]
fn soil_that_comes_up_at_a_wall_rolls_off() {
    let mut world = sandbox([96, 32, 96], 3.2);
    let block = Shape::Box { half_extents: Vec3::new(0.6, 1.2, 1.6) };
    // Into a bed of 32 voxels, 20 deep, until 12 are left before the wall.
    world.add_body(moving(block, at(4.0, 1.6, 2.8), at(7.8, 1.6, 2.8), 1.25)).unwrap();
    let mut highest = 0;
    for _ in 0..75 {
        run(&mut world, 1);
        let is_soil = |p: &IVec3| p.x == 95 && world.ground().get(*p).soil() > 0;
        let cells = world.ground().bounds().unwrap().cells();
        highest = cells.filter(is_soil).map(|p| p.z).fold(highest, i32::max);
    }
    // Soil that stayed where it came up would reach the ceiling.
    assert!(highest < 80, "soil at the wall reaches up to {highest}");
}

#[test]
fn what_sinks_raises_a_rim_and_what_rises_lifts() {
    // One sinks to below the surface at 12 voxels, the other comes up through it with its upper side at 15 voxels.
    let sinks = (at(1.6, 1.6, 1.8), at(1.6, 1.6, 1.0), 12);
    let rises = (at(1.6, 1.6, 0.3), at(1.6, 1.6, 1.3), 15);
    for (from, to, z) in [sinks, rises] {
        let mut world = sandbox([32, 32, 32], 1.2);
        let plate = Shape::Box { half_extents: Vec3::new(0.5, 0.5, 0.2) };
        world.add_body(moving(plate, from, to, 2.0)).unwrap();
        run(&mut world, 120);
        check(&world, z);
        let over_plate = |p: IVec3| (11..21).contains(&p.x) && (11..21).contains(&p.y);
        let found = soil_where(&world, |p| p.z >= z && (over_plate(p) == (z == 15)));
        assert!(found > 0, "a rim around what sinks, a heap on what rises: {found}");
    }
}

#[test]
fn a_body_set_into_soil_finds_its_room() {
    let mut world = sandbox([32, 32, 32], 1.6);
    let ball = Shape::Ball { radius: 0.6 };
    world.add_body(BodySpec::new("ball", ball, at(1.6, 1.6, 0.8), Motion::Fixed)).unwrap();
    assert!(check(&world, 16) > 0);
}

#[test]
fn a_fast_tool_skips_no_voxel() {
    let mut world = sandbox([96, 24, 32], 0.8);
    let blade = Shape::Box { half_extents: Vec3::new(0.2, 1.2, 1.6) };
    world.add_body(moving(blade, at(1.0, 1.2, 1.6), at(4.0, 1.2, 1.6), 0.1)).unwrap();
    run(&mut world, 6);
    check(&world, 0);
    // Five voxels a step. The blade spans the box from wall to wall and top to bottom: nothing can stay behind it.
    for x in 14..37 {
        assert_eq!(world.ground().get(IVec3::new(x, 12, 3)).soil(), 0, "column {x} was jumped over");
    }
}

#[test]
fn a_tool_too_fast_to_follow_is_reported() {
    let mut world = sandbox([128, 24, 32], 0.8);
    let blade = Shape::Box { half_extents: Vec3::new(0.2, 1.2, 1.6) };
    world.add_body(moving(blade, at(1.0, 1.2, 1.6), at(12.0, 1.2, 1.6), 0.01)).unwrap();
    let warnings = world.step(STEP_S).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("more than 64 voxels")), "{warnings:?}");
    assert!(world.step(STEP_S).warnings.is_empty());
}

/// Presses a block into soil that fills the world and has no way out.
fn press_into(mut world: World) {
    let held = world.ledger().held.clone();
    let press = Shape::Box { half_extents: Vec3::new(0.3, 0.3, 0.3) };
    world.add_body(moving(press, at(0.8, 0.8, 0.8), at(1.0, 0.8, 0.8), 0.5)).unwrap();
    let mut trapped = 0;
    for _ in 0..30 {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        trapped += report.push.trapped;
        assert_eq!(world.check(), Ok(()));
    }
    assert!(trapped > 0);
    assert_eq!(world.ground().count(), held);
}

#[test]
fn soil_with_no_way_out_stays_and_the_body_yields() {
    press_into(sandbox([16, 16, 16], 1.6));
}

#[test]
fn mixed_soil_with_no_way_out_takes_no_more_room_than_it_had() {
    // A little more of the looser soil gives both their kind: what the mixture may be pressed to is looser than it is.
    let mut world = bed([16, 16, 16], 0.0, "clay");
    for layer in 0..16 {
        let z_min_m = layer as f32 * 0.1;
        for (name, z_max_m) in [("gravel", z_min_m + 0.045), ("clay", z_min_m + 0.1)] {
            let material = world.materials().find(name).unwrap();
            let region = Region::Slab { z_min_m, z_max_m };
            world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
        }
    }
    press_into(world);
}

/// Soil of all voxels that `counts` (units).
fn soil_where(world: &World, counts: impl Fn(IVec3) -> bool) -> i64 {
    let cells = world.ground().bounds().unwrap();
    cells.cells().filter(|p| counts(*p)).map(|p| i64::from(world.ground().get(p).soil())).sum()
}

#[test]
fn a_blade_thinner_than_a_voxel_lets_nothing_through() {
    // From wall to wall and down to the floor, upright and turned by 45° and 30°.
    for turn_deg in [0.0_f32, 45.0, 30.0] {
        let turn = Quat::from_rotation_z(turn_deg.to_radians());
        let mut world = sandbox([72, 32, 48], 0.8);
        let blade = Shape::Box { half_extents: Vec3::new(0.01, 4.0, 2.4) };
        let pose = |x: f32| Pose { translation: Vec3::new(x, 1.6, 2.4), rotation: turn };
        let (start, end) = (2.5, 4.5);
        world.add_body(moving(blade, pose(start), pose(end), 4.0)).unwrap();
        let normal = turn * Vec3::X;
        let ahead = |x: f32, p: IVec3| ((p.as_vec3() + 0.5) * 0.1 - pose(x).translation).dot(normal) > 0.0;
        let before = soil_where(&world, |p| ahead(start, p));
        run(&mut world, 240);
        check(&world, 0);
        let after = soil_where(&world, |p| ahead(end, p));
        let lost = (before - after) as f64 / before as f64;
        assert!(lost < 0.002, "{turn_deg}°: {lost} of the soil in front came behind");
    }
}

#[test]
fn a_thin_plate_lifts_all_that_is_on_it() {
    let mut world = sandbox([32, 32, 40], 0.0);
    let plate = Shape::Box { half_extents: Vec3::new(1.0, 1.0, 0.015) };
    world.add_body(moving(plate, at(1.6, 1.6, 0.5), at(1.6, 1.6, 2.5), 2.0)).unwrap();
    let lump = Shape::Box { half_extents: Vec3::new(0.5, 0.5, 0.2) };
    let region = Region::Solid(Solid { shape: lump, pose: at(1.6, 1.6, 0.85) });
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
    run(&mut world, 130);
    assert!(check(&world, 0) > 0);
    assert_eq!(soil_where(&world, |p| p.z < 24), 0, "nothing is left below");
}

#[test]
fn ten_voxels_a_step_leave_nothing_behind() {
    let mut world = sandbox([96, 24, 48], 0.8);
    let blade = Shape::Box { half_extents: Vec3::new(0.02, 1.2, 2.4) };
    world.add_body(moving(blade, at(1.0, 1.2, 2.4), at(6.0, 1.2, 2.4), 5.0 / 60.0)).unwrap();
    run(&mut world, 5);
    check(&world, 0);
    // Closer to where it started, soil slides in from behind.
    assert_eq!(soil_where(&world, |p| (25..59).contains(&p.x)), 0);
}

/// A bucket of a floor, a back and two sides, all three centimetres thick, open in front: digs, lifts, carries and tips.
fn with_bucket(mut world: World) -> World {
    // They turn about the same point.
    let parts = [
        (Vec3::new(0.5, 0.5, 0.015), Vec3::new(0.0, 0.0, -0.3)),
        (Vec3::new(0.015, 0.5, 0.3), Vec3::new(-0.5, 0.0, 0.0)),
        (Vec3::new(0.5, 0.015, 0.3), Vec3::new(0.0, -0.5, 0.0)),
        (Vec3::new(0.5, 0.015, 0.3), Vec3::new(0.0, 0.5, 0.0)),
    ];
    // Time (s), place (m), pitch (rad): in, along, up, tilted back, across, tipped forward.
    let path = [
        (0.0, [1.2, 1.6, 1.6], 0.0),
        (1.0, [1.2, 1.6, 0.8], 0.0),
        (3.0, [2.4, 1.6, 0.8], 0.0),
        (4.0, [2.4, 1.6, 2.0], -0.5),
        (10.0, [7.0, 1.6, 2.0], -0.5),
        (12.0, [7.0, 1.6, 2.0], 1.3),
        (14.0, [7.0, 1.6, 2.0], 1.3),
    ];
    for (half_extents, place) in parts {
        let key = |(time_s, at, pitch): (f64, [f32; 3], f32)| {
            let rotation = Quat::from_rotation_y(pitch);
            Key { time_s, pose: Pose { translation: Vec3::from_array(at) + rotation * place, rotation } }
        };
        let keys = path.map(key).to_vec();
        let pose = keys[0].pose;
        let motion = Motion::Scripted(Track { keys, repeat: false });
        world.add_body(BodySpec::new("bucket", Shape::Box { half_extents }, pose, motion)).unwrap();
    }
    world
}

#[test]
fn a_bucket_digs_lifts_carries_and_dumps() {
    // The share of what is lifted that arrives at least: it is heaped above the rim, the steepest of it slides off while it
    // settles, with the momentum that it gathers, and the jerk of the start throws some over the back. Dug sandy loam has less friction
    // than it had (17° for 24°), and clay too.
    for (name, arrives) in [("dry_sand", 0.82), ("sandy_loam", 0.6), ("clay", 0.55)] {
        let mut world = with_bucket(bed([96, 32, 48], 0.8, name));
        let high = |world: &World| soil_where(world, |p| p.z >= 14) as f64 / f64::from(LOOSE_FULL) / 1000.0;
        run(&mut world, 240);
        let lifted = high(&world);
        assert!(lifted > 0.12, "{lifted} m³ of {name} lifted");
        run(&mut world, 360);
        check(&world, 0);
        let carried = high(&world);
        assert!(carried > arrives * lifted, "{carried} m³ of {lifted} m³ of {name} arrived");
        run(&mut world, 240);
        let left = high(&world);
        // Some lies on the outer side of the back, which leans by 16° now, and some beside steep plates in voxels that these cut.
        assert!(left < 0.05 * lifted, "{left} m³ of {lifted} m³ of {name} stuck");
    }
}

#[test]
fn dug_soil_is_loose_however_cohesive_it_was() {
    let mut world = with_bucket(bed([96, 32, 48], 0.8, "clay"));
    for step in 0..600 {
        run(&mut world, 1);
        // The bucket reaches 0.6 m above its middle at most; a heap on it stands no higher than its angle of friction.
        let middle = world.bodies().iter().next().unwrap().pose.translation.z;
        let top = soil_where(&world, |p| p.z as f32 * 0.1 > middle + 1.4);
        assert_eq!(top, 0, "a spike of clay in step {step}");
    }
    let is_high = |p: &IVec3| p.z >= 14 && world.ground().get(*p).soil() > 0;
    for p in world.ground().bounds().unwrap().cells().filter(is_high) {
        let voxel = world.ground().get(p);
        assert!(voxel.top_layer().moved, "{p} is not broken");
    }
}
