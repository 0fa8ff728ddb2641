//! Rock holds soil back, also where its voxels touch only at corners; what it leaves open lets soil through.

use barchan_sim::{Account, Edit, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec2, IVec3, Vec3};

const STEP_S: f64 = 1.0 / 60.0;
const SIDE: i32 = 48;
const HEIGHT: i32 = 16;

/// Voxels of a wall one voxel thick through the middle that goes `run` columns along x for every `rise` along y, from end to end:
/// each touches the next by a face where it goes straight on and by a corner where it goes aside.
fn wall(run: i32, rise: i32) -> Vec<IVec2> {
    let y_of = |x: i32| (SIDE - 1) / 2 + ((x - SIDE / 2) * rise).div_euclid(run);
    let in_world = |at: &IVec2| (0..SIDE).contains(&at.x) && (0..SIDE).contains(&at.y);
    (0..SIDE).map(|x| IVec2::new(x, y_of(x))).filter(in_world).collect()
}

fn place(world: &mut World, name: &str, low: Vec3, high: Vec3) {
    let shape = Shape::Box { half_extents: (high - low) / 2.0 };
    let region = Region::Solid(Solid { shape, pose: Pose::at((low + high) / 2.0) });
    let material = world.materials().find(name).unwrap();
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
}

/// Sand heaped up beside a wall along which `above` tells on which side a column is.
fn beside_a_wall(run: i32, rise: i32) -> (World, Vec<IVec2>) {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(SIDE, SIDE, HEIGHT)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    let wall = wall(run, rise);
    let size = world.ground().voxel_size_m();
    for at in &wall {
        let low = at.extend(0).as_vec3() * size;
        place(&mut world, "granite", low, low + Vec3::new(1.0, 1.0, HEIGHT as f32) * size);
    }
    (world, wall)
}

/// Soil on the side of the wall where y is smaller (units).
fn soil_below(world: &World, wall: &[IVec2]) -> u64 {
    let below =
        |&IVec2 { x, y }: &IVec2| (0..y).flat_map(move |y| (0..HEIGHT).map(move |z| IVec3::new(x, y, z)));
    wall.iter().flat_map(below).map(|p| u64::from(world.ground().get(p).soil())).sum()
}

#[test]
fn no_soil_passes_walls_whose_voxels_touch_at_corners() {
    for (run, rise) in [(1, 1), (2, 1), (3, 1), (3, 2)] {
        let (mut world, wall) = beside_a_wall(run, rise);
        let size = world.ground().voxel_size_m();
        for at in &wall {
            let low = (*at + IVec2::Y).extend(0).as_vec3() * size;
            place(&mut world, "dry_sand", low, low + Vec3::new(1.0, 6.0, 10.0) * size);
        }
        let sand = world.ledger().held.of(Account::Soil);
        assert!(sand > 0 && soil_below(&world, &wall) == 0);
        for _ in 0..240 {
            assert!(world.step(STEP_S).imbalance.is_zero());
        }
        assert!(world.settle(10_000).at_rest);
        assert_eq!(soil_below(&world, &wall), 0, "{run}:{rise}");
    }
}

#[test]
fn soil_passes_where_a_wall_has_a_gap() {
    let (mut world, wall) = beside_a_wall(1, 1);
    let size = world.ground().voxel_size_m();
    let middle = wall[wall.len() / 2];
    let low = middle.extend(0).as_vec3() * size;
    let shape = Shape::Box { half_extents: Vec3::new(1.0, 1.0, HEIGHT as f32) * size };
    let region = Region::Solid(Solid { shape, pose: Pose::at(low + Vec3::splat(size / 2.0)) });
    world.edit(&Edit::Remove { region }).unwrap();
    place(&mut world, "dry_sand", low + Vec3::new(-0.5, 0.2, 0.0), low + Vec3::new(0.3, 0.9, 1.0));
    (0..240).for_each(|_| drop(world.step(STEP_S)));
    assert!(soil_below(&world, &wall) > 0);
}
