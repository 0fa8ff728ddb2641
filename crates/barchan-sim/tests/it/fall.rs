//! Soil in the air comes down, all of it, and no further than it must.

use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Account, Edit, MaterialId, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};
use proptest::prelude::*;

const STEP_S: f64 = 1.0 / 60.0;

fn world(gravity_m_s2: Vec3) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(32)));
    World::new(WorldConfig { bounds, gravity_m_s2, ..WorldConfig::default() }).unwrap()
}

fn place(world: &mut World, at: [f32; 3], half_extents: [f32; 3], name: &str) {
    let shape = Shape::Box { half_extents: Vec3::from_array(half_extents) };
    let pose = Pose { translation: Vec3::from_array(at), rotation: Quat::IDENTITY };
    let material = world.materials().find(name).unwrap();
    let region = Region::Solid(Solid { shape, pose });
    world.edit(&Edit::Place { region, material, moisture: 0.2 }).unwrap();
}

/// Steps until nothing falls or slides; every voxel stays within its room and the books balance.
fn come_to_rest(world: &mut World) -> usize {
    for step in 0..1000 {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        if report.fall.in_the_air == 0 && report.slip.moved == 0 {
            return step;
        }
    }
    panic!("soil still moves after 1000 steps");
}

fn check(world: &World) {
    for p in world.ground().bounds().unwrap().cells() {
        let voxel = world.ground().get(p);
        assert!(voxel.rock_share(world.materials()) + voxel.soil_share() <= LOOSE_FULL, "{p} is overfull");
    }
    assert_eq!(world.ground().count(), world.ledger().held);
}

#[test]
fn a_lump_falls_to_the_floor_and_swells() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    // From wall to wall, so that it cannot slide apart.
    place(&mut world, [1.6, 1.6, 2.0], [1.6, 1.6, 0.4], "dry_sand");
    let soil = world.ledger().held.of(Account::Soil);
    come_to_rest(&mut world);
    check(&world);
    let column = |x, y| (0..32).map(|z| world.ground().get(IVec3::new(x, y, z)).soil_share()).sum::<u32>();
    // Eight voxels at void ratio 0.65 take 8 x 1.8 / 1.65 when loose.
    let expected = 8.0 * 1.8 / 1.65;
    let height = f64::from(column(16, 16)) / f64::from(LOOSE_FULL);
    assert!((height - expected).abs() < 0.02, "{height} voxels instead of {expected}");
    assert_eq!(world.ledger().held.of(Account::Soil), soil);
    assert_eq!(world.ground().get(IVec3::new(16, 16, 12)).soil(), 0);
}

#[test]
fn what_falls_gathers_speed_as_bodies_do() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    place(&mut world, [1.6, 1.6, 3.0], [0.05, 0.05, 0.05], "dry_sand");
    // The mean height of all soil (m): what falls is ahead of its voxel.
    let centre = |world: &World| {
        let of = |p: IVec3| f64::from(world.ground().get(p).soil());
        let cells = || VoxelBox::new(IVec3::ZERO, IVec3::splat(32)).cells();
        let moving = world.fall().moving().iter();
        let ahead: f64 = moving.map(|m| of(IVec3::from_array(m.at)) * f64::from(m.ahead_voxels[2])).sum();
        let sum = cells().map(|p| of(p) * (f64::from(p.z) + 0.5)).sum::<f64>() + ahead;
        sum * 0.1 / cells().map(of).sum::<f64>()
    };
    let start = centre(&world);
    for step in 1..=30 {
        world.step(STEP_S);
        let time = f64::from(step) * STEP_S;
        let expected = 0.5 * 9.81 * time * time;
        let fallen = start - centre(&world);
        // Half a step of lead (speed is gained first), and rounding to whole units.
        assert!(
            (fallen - expected).abs() < 0.01 + 9.81 * time * STEP_S,
            "{fallen} m after {time} s, not {expected}"
        );
    }
}

#[test]
fn shelves_and_bodies_of_rock_catch_what_falls_on_them() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    place(&mut world, [0.8, 1.6, 1.0], [0.8, 1.6, 0.13], "granite");
    place(&mut world, [1.6, 1.6, 2.5], [0.7, 0.7, 0.2], "loam");
    come_to_rest(&mut world);
    check(&world);
    assert!(world.ground().get(IVec3::new(12, 16, 11)).soil() > 0, "on the shelf");
    assert_eq!(world.ground().get(IVec3::new(3, 16, 0)).soil(), 0, "not far under it");
    assert!(world.ground().get(IVec3::new(20, 16, 0)).soil() > 0, "beside it, on the floor");
}

#[test]
fn what_rests_does_not_move_and_falls_asleep() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    let slab = Region::Slab { z_min_m: 0.0, z_max_m: 1.37 };
    world.edit(&Edit::Place { region: slab, material: MaterialId(0), moisture: 0.0 }).unwrap();
    let before = world.ground().voxels().clone();
    assert_eq!(come_to_rest(&mut world), 0);
    assert_eq!(*world.ground().voxels(), before);
    for _ in 0..8 {
        world.step(STEP_S);
    }
    assert!(world.ground().awake().is_empty());
}

#[test]
fn without_gravity_or_with_gravity_aside_soil_stays() {
    for gravity in [Vec3::ZERO, Vec3::X * 9.81, Vec3::Z * 9.81] {
        let mut world = world(gravity);
        place(&mut world, [1.6, 1.6, 2.0], [0.4, 0.4, 0.4], "dry_sand");
        let before = world.ground().voxels().clone();
        come_to_rest(&mut world);
        assert_eq!(*world.ground().voxels(), before);
    }
}

#[test]
fn a_wall_of_snow_beside_loose_sand_comes_to_rest() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    // Uphill of the wall's foot the ground dips below the foot again: no wedge reaches through the dip.
    place(&mut world, [0.588, 1.957, 2.186], [0.083, 0.202, 0.440], "snow");
    place(&mut world, [0.987, 1.213, 0.403], [0.119, 0.357, 0.273], "snow");
    place(&mut world, [1.518, 2.267, 2.874], [0.229, 0.326, 0.142], "dry_sand");
    come_to_rest(&mut world);
    check(&world);
}

#[test]
fn the_last_crumbs_of_a_slide_do_not_wander_for_ever() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    // Loam comes down beside a rock and over it: many slopes that are hardly too steep hand on next to nothing.
    place(&mut world, [1.611, 2.637, 1.550], [0.677, 0.359, 0.567], "loam");
    place(&mut world, [1.497, 2.105, 0.489], [0.629, 0.314, 0.249], "granite");
    come_to_rest(&mut world);
    check(&world);
}

#[test]
fn soil_does_not_slide_through_rock_into_the_cave_below() {
    let mut world = world(Vec3::new(0.0, 0.0, -9.81));
    // A rock that rests on nothing, with sand on its stepped back and under it.
    place(&mut world, [2.365, 2.048, 1.025], [0.327, 0.273, 0.422], "dry_sand");
    place(&mut world, [2.708, 2.122, 0.771], [0.653, 0.247, 0.441], "granite");
    place(&mut world, [2.397, 2.416, 2.686], [0.585, 0.204, 0.447], "granite");
    place(&mut world, [1.746, 2.014, 2.788], [0.122, 0.655, 0.597], "dry_sand");
    come_to_rest(&mut world);
    check(&world);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Random heaps in the air over random rock: after coming to rest, nothing hangs and nothing is lost.
    #[test]
    fn nothing_hangs_and_nothing_is_lost(
        boxes in prop::collection::vec(
            (prop::array::uniform3(0.2..3.0_f32), prop::array::uniform3(0.05..0.7_f32), 0..4_usize), 1..7),
    ) {
        let mut world = world(Vec3::new(0.0, 0.0, -9.81));
        for (at, half, kind) in boxes {
            place(&mut world, at, half, ["granite", "dry_sand", "loam", "snow"][kind]);
        }
        come_to_rest(&mut world);
        check(&world);
    }
}
