//! Edits: what they place, what they take, what they refuse.

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::units::{LOOSE_FULL, VoidRatio};
use barchan_sim::{Account, Edit, EditError, MaterialId, Voxel, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};
use proptest::prelude::*;

fn world(side: i32) -> World {
    let bounds = Some(VoxelBox::new(IVec3::splat(-side), IVec3::splat(side)));
    World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap()
}

fn material(world: &World, name: &str) -> MaterialId {
    world.materials().find(name).unwrap()
}

fn solid(shape: Shape, at: Vec3) -> Region {
    Region::Solid(Solid { shape, pose: Pose { translation: at, rotation: Quat::from_rotation_y(0.4) } })
}

fn place(world: &World, region: Region, name: &str) -> Edit {
    Edit::Place { region, material: material(world, name), moisture: 0.25 }
}

#[test]
fn a_slab_of_soil_holds_the_units_of_its_volume() {
    let mut world = world(16);
    let slab = Region::Slab { z_min_m: -0.8, z_max_m: 0.05 };
    let report = world.edit(&place(&world, slab, "dry_sand")).unwrap();
    let capacity = i64::from(VoidRatio::from_f32(0.65).capacity());
    // 32 x 32 columns of eight whole voxels and one half.
    assert_eq!(report.placed().of(Account::Soil), 32 * 32 * (8 * capacity + capacity / 2));
    assert_eq!(world.ground().get(IVec3::new(0, 0, -1)).soil(), capacity as u32);
    assert_eq!(world.ground().get(IVec3::new(0, 0, 1)), Voxel::AIR);
    assert!(world.ledger().balances());
}

#[test]
fn placing_fills_only_free_space_and_removing_gives_everything_back() {
    let mut world = world(24);
    let ball = |x| solid(Shape::Ball { radius: 1.0 }, Vec3::new(x, 0.0, 0.0));
    let rock = world.edit(&place(&world, ball(0.0), "granite")).unwrap().placed();
    let again = world.edit(&place(&world, ball(0.0), "granite")).unwrap();
    assert!(again.changes.is_empty() && again.placed().is_zero(), "{:?}", again.placed());
    let soil = world.edit(&place(&world, ball(0.5), "loam")).unwrap().placed();
    assert!(soil.of(Account::Soil) > 0 && soil.of(Account::Rock) == 0);
    let mut all = rock;
    all.add_all(&soil);
    let removed = world.edit(&Edit::Remove { region: Region::Slab { z_min_m: -9.0, z_max_m: 9.0 } }).unwrap();
    assert_eq!(removed.removed(), all);
    assert_eq!(world.ground().voxels().brick_count(), 0);
    assert_eq!(world.ledger().held.total(), 0);
}

#[test]
fn soil_in_a_round_shaft_runs_out_of_it_and_leaves_none_on_its_wall() {
    let mut world = world(16);
    let rock = Region::Slab { z_min_m: -0.4, z_max_m: 1.6 };
    world.edit(&place(&world, rock, "limestone")).unwrap();
    let shaft = |radius, bottom: f32, top: f32| {
        let shape = Shape::Cylinder { radius, half_height: (top - bottom) / 2.0 };
        Region::Solid(Solid { shape, pose: Pose::at(Vec3::Z * (bottom + top) / 2.0) })
    };
    world.edit(&Edit::Remove { region: shaft(0.63, 0.0, 1.6) }).unwrap();
    world.edit(&Edit::Remove { region: shaft(0.3, -0.4, 0.0) }).unwrap();
    // Dry: damp sand would stand.
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 1.2 };
    let sand = Edit::Place { region, material: material(&world, "dry_sand"), moisture: 0.0 };
    let placed = world.edit(&sand).unwrap().placed().of(Account::Soil) as f64;
    let full = std::f64::consts::PI * 6.3 * 6.3 * 12.0 * f64::from(VoidRatio::from_f32(0.65).capacity());
    // What the wall leaves of voxels that it takes most of stays free: an eighth of a voxel on average, all around.
    assert!((0.94..1.01).contains(&(placed / full)), "{placed} units, {full} by its volume");
    (0..300).for_each(|_| drop(world.step(1.0 / 60.0)));
    // A crater is left around the hole, at the angle of friction.
    let caught = |p: &IVec3| p.z >= 5 && world.ground().get(*p).soil() > 0;
    let caught: Vec<IVec3> = world.ground().bounds().unwrap().cells().filter(caught).collect();
    assert!(caught.is_empty(), "{caught:?}");
}

#[test]
fn bodies_keep_their_room_when_ground_is_placed() {
    let mut world = world(24);
    let shape = Shape::Box { half_extents: Vec3::new(0.5, 0.62, 0.41) };
    let pose = Pose { translation: Vec3::new(0.03, -0.05, 0.2), rotation: Quat::from_rotation_x(0.7) };
    world.add_body(BodySpec::new("block", shape, pose, Motion::Fixed)).unwrap();
    world.edit(&place(&world, Region::Slab { z_min_m: -2.4, z_max_m: 2.4 }, "dry_sand")).unwrap();
    let shares = world.body_fill().shares();
    let mut full = 0;
    for p in world.ground().bounds().unwrap().cells() {
        let voxel = world.ground().get(p);
        let body = u32::from(shares.get(p));
        assert!(voxel.soil_share() + body <= LOOSE_FULL, "{p}");
        full += usize::from(body == LOOSE_FULL);
    }
    assert!(full > 500, "the body is there: {full}");
}

#[test]
fn wrong_edits_change_nothing() {
    let mut world =
        World::new(WorldConfig { memory_limit_bytes: 20 << 20, ..WorldConfig::default() }).unwrap();
    let slab = Region::Slab { z_min_m: 0.0, z_max_m: 1.0 };
    assert_eq!(world.edit(&place(&world, slab, "loam")).unwrap_err(), EditError::Unbounded);
    let ball = solid(Shape::Ball { radius: 1.0 }, Vec3::ZERO);
    let unknown = Edit::Place { region: ball.clone(), material: MaterialId(99), moisture: 0.0 };
    assert_eq!(world.edit(&unknown).unwrap_err(), EditError::UnknownMaterial(99));
    let wet = Edit::Place { region: ball, material: MaterialId(0), moisture: f32::NAN };
    assert!(matches!(world.edit(&wet), Err(EditError::Moisture(_))));
    let digest = world.digest();
    let huge = solid(Shape::Ball { radius: 40.0 }, Vec3::ZERO);
    let error = world.edit(&place(&world, huge, "loam")).unwrap_err();
    assert!(matches!(error, EditError::TooLarge { limit_mib: 20, .. }), "{error}");
    assert_eq!(world.digest(), digest, "a refused edit left something behind");
    assert_eq!(world.ledger().held.total(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is placed and removed, in whatever order: no voxel is overfull, the books balance, and what the
    /// changed bricks say agrees with counting everything.
    #[test]
    fn voxels_are_never_overfull_and_books_balance(
        edits in prop::collection::vec(
            (0..12_u8, 0.0..1.0_f32, prop::array::uniform3(-1.5..1.5_f32), 0.1..0.8_f32, 0..4_u8), 1..8),
    ) {
        let mut world = world(16);
        for (kind, moisture, at, size, operation) in edits {
            let shape = if operation % 2 == 0 {
                Shape::Ball { radius: size }
            } else {
                Shape::Box { half_extents: Vec3::new(size, size * 0.7, size * 0.4) }
            };
            let region = solid(shape, Vec3::from_array(at));
            let edit = if operation == 3 {
                Edit::Remove { region }
            } else {
                Edit::Place { region, material: MaterialId(kind), moisture }
            };
            world.edit(&edit).unwrap();
            prop_assert_eq!(&world.ground().count(), &world.ledger().held);
            prop_assert!(world.ledger().balances());
        }
        let outside = world.ground().bounds().unwrap();
        for p in outside.grow(8).cells() {
            let voxel = world.ground().get(p);
            prop_assert!(voxel.rock_share(world.materials()) + voxel.soil_share() <= LOOSE_FULL, "{}: {:?}", p, voxel);
            prop_assert!(outside.contains(p) || voxel.is_air(), "{} lies in the wall", p);
        }
    }
}
