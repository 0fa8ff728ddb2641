//! The picture of ridges in the gallery: one pile that sand made by sliding, meshed twice. Left the bare 0.5 level of the
//! fill, with a ridge for every voxel of height; right the surface as it is made.
//!
//!     cargo run --release --package barchan --example ridges -- ridges.png

use std::error::Error;
use std::sync::Arc;

use barchan::files::picture::write_png;
use barchan::prelude::*;
use barchan::surface::mesh::{MeshOptions, whole_mesh};
use barchan::surface::{PictureOptions, render};
use barchan::volume::MeshSolid;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ridges.png".into());
    let image = render(&side_by_side(&pile()?)?, &view(), &light());
    write_png(path.as_ref(), &image)?;
    println!("wrote {path}");
    Ok(())
}

/// A column of dry sand, 2.8 m wide and 3.4 m high in voxels of 10 cm, that slid on a slab until it rested.
fn pile() -> Result<World, Box<dyn Error>> {
    let bounds = Some(VoxelBox::new(IVec3::new(-36, -36, 0), IVec3::new(36, 36, 40)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() })?;
    let column = Shape::Cylinder { radius: 1.4, half_height: 1.7 };
    let layers = [
        ("granite", Region::Slab { z_min_m: 0.0, z_max_m: 0.3 }),
        ("dry_sand", Region::Solid(Solid { shape: column, pose: Pose::at(Vec3::Z * 2.0) })),
    ];
    for (name, region) in layers {
        let material = world.materials().find(name).ok_or("a material is missing")?;
        world.edit(&Edit::Place { region, material, moisture: 0.0 })?;
    }
    world.settle(100_000);
    Ok(world)
}

/// Two bodies, each the mesh of the ground of `world` as other programs get it: its triangles and nothing else.
fn side_by_side(world: &World) -> Result<World, Box<dyn Error>> {
    // Bodies are as rough as voxels are large against them; in voxels of 10 m these are even.
    let mut stage = World::new(WorldConfig { voxel_size_m: 10.0, ..WorldConfig::default() })?;
    for (smooth, x) in [(false, -3.9), (true, 3.9)] {
        let mesh = whole_mesh(world, MeshOptions { smooth, closed: true, ..MeshOptions::default() });
        let shape = Shape::Mesh(Arc::new(MeshSolid::new(mesh.to_tri_mesh())?));
        // As light as wood, which looks the same every time.
        let spec = BodySpec::new("pile", shape, Pose::at(Vec3::X * x), Motion::Fixed);
        stage.add_body(BodySpec { density_kg_m3: 700.0, ..spec })?;
    }
    Ok(stage)
}

fn view() -> View {
    View { eye_m: Vec3::new(0.0, -16.0, 11.0), target_m: Vec3::new(0.0, -0.3, 0.5), opening: 0.36 }
}

/// A low sun from the left, which every ridge shows in.
fn light() -> PictureOptions {
    PictureOptions { sun_azimuth: 3.0, sun_elevation: 0.45, ..PictureOptions::fine([1280, 480]) }
}
