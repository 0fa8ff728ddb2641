//! Speed of the surface as the world changes. Single blocks are measured by `barchan lab run mesh-speed`.

use barchan_sim::{Edit, MaterialId, World, WorldConfig};
use barchan_surface::mesh::{Detail, MeshOptions, Surface};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use divan::Bencher;
use glam::{IVec3, Vec3};

fn main() {
    divan::main();
}

/// A bed of sand of 128 x 128 voxels.
fn bed() -> World {
    let bounds = VoxelBox::new(IVec3::ZERO, IVec3::new(128, 128, 64));
    let mut world =
        World::new(WorldConfig { bounds: Some(bounds), ..WorldConfig::default() }).expect("a world");
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 3.23 };
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).expect("a bed");
    world
}

/// A furrow as long as a blade pushes in a step, and the surface after it.
fn renew(bencher: Bencher<'_, '_>, surface: Surface) {
    let mut world = bed();
    let blade = Shape::Box { half_extents: Vec3::new(0.4, 1.6, 0.3) };
    let region = Region::Solid(Solid { shape: blade, pose: Pose::at(Vec3::new(6.4, 6.4, 3.2)) });
    let changed: Vec<IVec3> =
        world.edit(&Edit::Remove { region }).expect("a furrow").changes.bricks().collect();
    bencher.with_inputs(|| surface.clone()).bench_local_values(|mut surface| {
        surface.update(&world, changed.iter().copied());
        surface
    });
}

#[divan::bench]
fn renew_at_full_detail(bencher: Bencher<'_, '_>) {
    renew(bencher, Surface::new(&bed(), MeshOptions::default()));
}

#[divan::bench]
fn renew_with_levels(bencher: Bencher<'_, '_>) {
    let detail = Detail { eye_m: Vec3::new(6.4, -4.0, 6.0), nearness: 2.0, levels: 3 };
    renew(bencher, Surface::with_detail(&bed(), MeshOptions::default(), detail));
}

#[divan::bench]
fn whole_bed(bencher: Bencher<'_, '_>) {
    let world = bed();
    bencher.bench_local(|| Surface::new(&world, MeshOptions::default()));
}
