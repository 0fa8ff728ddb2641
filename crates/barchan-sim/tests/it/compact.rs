//! Soil remembers what it has borne: it becomes denser under a load that is new to it, and bears it afterwards.

use barchan_sim::bodies::{BodySpec, LockedAxes, Motion};
use barchan_sim::{Account, Edit, Packing, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, VoxelBox};
use glam::{IVec3, Vec3};

const STEP_S: f64 = 1.0 / 60.0;
const VOXEL_M: f32 = 0.05;

/// A bed of sandy loam of this void ratio, 0.8 m deep.
fn bed(void_ratio: f32) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(40, 40, 80)));
    let mut world = World::new(WorldConfig { voxel_size_m: VOXEL_M, bounds, ..Default::default() }).unwrap();
    let material = world.materials().find("sandy_loam").unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 0.8 };
    let packing = Packing::even(void_ratio);
    world.edit(&Edit::Pack { region, material, moisture: 0.0, packing }).unwrap();
    world
}

/// Sets a plate of 0.4 m on the bed that presses with about `pressure_pa` (Pa), waits, and takes it away. Returns what vanished (m³).
fn press(world: &mut World, pressure_pa: f32) -> f64 {
    let half_extents = Vec3::new(0.2, 0.2, 1.0);
    let pose = Pose::at(Vec3::new(1.0, 1.0, 1.802));
    let spec = BodySpec {
        locked: LockedAxes { translation: [true, true, false], rotation: [true; 3] },
        density_kg_m3: pressure_pa / 9.81 / (2.0 * half_extents.z),
        ..BodySpec::new("plate", Shape::Box { half_extents }, pose, Motion::Dynamic)
    };
    let plate = world.add_body(spec).unwrap();
    let mut closed_m3 = 0.0;
    for _ in 0..90 {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero(), "{:?}", report.imbalance);
        closed_m3 += report.compact.closed_m3;
    }
    assert!(world.remove_body(plate));
    world.check().unwrap();
    closed_m3
}

fn void_ratio_below(world: &World, depth_m: f32) -> f32 {
    let z = ((0.8 - depth_m) / VOXEL_M).floor() as i32;
    world.ground().get(IVec3::new(20, 20, z)).top_void_ratio.to_f32()
}

#[test]
fn loose_soil_gives_way_once_and_natural_soil_hardly() {
    let mut loose = bed(0.95);
    let soil = loose.ledger().held.of(Account::Soil);
    let first = press(&mut loose, 150_000.0);
    assert!(first > 1e-4, "{first} m³ vanished");
    assert!(void_ratio_below(&loose, 0.27) < 0.94, "{}", void_ratio_below(&loose, 0.27));
    assert_eq!(loose.ledger().held.of(Account::Soil), soil);
    let mut natural = bed(0.65);
    let hardly = press(&mut natural, 150_000.0);
    assert!(hardly < 0.1 * first, "{hardly} m³ of natural soil, {first} m³ of loose soil");
}

#[test]
fn nothing_becomes_denser_than_it_goes_nor_looser_than_it_was() {
    let mut world = bed(0.8);
    press(&mut world, 900_000.0);
    for p in world.ground().bounds().unwrap().cells() {
        let voxel = world.ground().get(p);
        if voxel.top > 0 && !voxel.top_layer().moved {
            let e = voxel.top_void_ratio.to_f32();
            assert!((0.4999..=0.8001).contains(&e), "{p}: {e}");
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same_ground() {
    let digest = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = bed(0.95);
            press(&mut world, 200_000.0);
            world.digest()
        })
    };
    assert_eq!(digest(1), digest(2));
}
