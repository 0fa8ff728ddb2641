//! What is kept between steps is never believed for longer than it is true.

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::{Edit, Material, MaterialId, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

const STEP_S: f64 = 1.0 / 60.0;

fn world(size: [i32; 3]) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::from_array(size)));
    World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap()
}

fn material(world: &World, name: &str) -> MaterialId {
    world.materials().find(name).unwrap()
}

fn place_box(world: &mut World, name: &str, low: [f32; 3], high: [f32; 3]) {
    let (low, high) = (Vec3::from_array(low), Vec3::from_array(high));
    let shape = Shape::Box { half_extents: (high - low) / 2.0 };
    let region = Region::Solid(Solid { shape, pose: Pose::at((low + high) / 2.0) });
    let material = material(world, name);
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
}

/// Goes on for a while; what is dropped and loaded on the way makes no difference.
fn goes_on_alike(mut world: World, steps: usize) {
    let mut other = World::from_state(world.state().clone()).unwrap();
    for step in 0..steps {
        world.step(STEP_S);
        other.step(STEP_S);
        assert_eq!(world.digest(), other.digest(), "after {step} steps");
        other.drop_caches();
    }
}

#[test]
fn soil_that_gets_cohesion_or_loses_it_is_looked_at_anew() {
    // A heap that lies still by its friction alone, and by its cohesion alone.
    let (by_friction, by_cohesion) = ((0.0, 35_f32), (8_000.0, 4_f32));
    for (before, after) in [(by_friction, by_cohesion), (by_cohesion, (0.0, 20.0))] {
        let mut world = world([40, 40, 24]);
        let replace = |world: &mut World, (cohesion_pa, friction_deg): (f32, f32)| {
            let friction_angle = friction_deg.to_radians();
            let loam = world.materials()[material(world, "loam")].clone();
            world.replace_material(Material { cohesion_pa, friction_angle, ..loam }).unwrap();
        };
        replace(&mut world, before);
        let cone = Solid {
            shape: Shape::Cone { radius: 1.5, half_height: 0.4 },
            pose: Pose::at(Vec3::new(2.0, 2.0, 0.4)),
        };
        let material = material(&world, "loam");
        world.edit(&Edit::Place { region: Region::Solid(cone), material, moisture: 0.0 }).unwrap();
        (0..20).for_each(|_| drop(world.step(STEP_S)));
        replace(&mut world, after);
        goes_on_alike(world, 20);
    }
}

#[test]
fn ground_below_all_other_moves_the_floor_for_everybody() {
    let mut world = World::new(WorldConfig::default()).unwrap();
    place_box(&mut world, "dry_sand", [0.0, 0.0, 0.0], [1.6, 1.6, 0.8]);
    (0..10).for_each(|_| drop(world.step(STEP_S)));
    place_box(&mut world, "granite", [8.0, 0.0, -6.4], [8.8, 0.8, -5.6]);
    assert!(world.ground().floor_z() < -60);
    goes_on_alike(world, 30);
}

#[test]
fn what_rests_on_ground_that_settles_wakes() {
    let mut world = world([40, 40, 32]);
    // Loam bridges a gap that settling lets down: sand beside a hole runs into it.
    place_box(&mut world, "dry_sand", [0.0, 0.0, 0.0], [4.0, 4.0, 0.8]);
    let at = Vec3::new(2.0, 2.0, 0.8 + 0.2);
    let spec =
        BodySpec::new("box", Shape::Box { half_extents: Vec3::splat(0.2) }, Pose::at(at), Motion::Dynamic);
    let id = world.add_body(spec).unwrap();
    for _ in 0..1200 {
        world.step(STEP_S);
        if world.bodies().get(id).unwrap().sleeping {
            break;
        }
    }
    let resting = world.bodies().get(id).unwrap();
    assert!(resting.sleeping, "the box has come to rest");
    let z = resting.pose.translation.z;
    // A pit beside the box, as deep as the sand: its walls run in, and the ground below the box with them.
    let pit = Shape::Box { half_extents: Vec3::new(0.5, 0.8, 0.5) };
    let region = Region::Solid(Solid { shape: pit, pose: Pose::at(Vec3::new(2.75, 2.0, 0.5)) });
    world.edit(&Edit::Remove { region }).unwrap();
    assert!(world.settle(10_000).at_rest);
    assert!(!world.bodies().get(id).unwrap().sleeping, "it sleeps in the air");
    (0..240).for_each(|_| drop(world.step(STEP_S)));
    assert!(world.bodies().get(id).unwrap().pose.translation.z < z - 0.02, "it hangs in the air");
}
