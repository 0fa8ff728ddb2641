//! Small worlds to take pictures of.

use std::sync::Arc;

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::{Edit, World, WorldConfig};
use barchan_volume::{Hull, Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

/// An empty world of 64 x 64 x 32 voxels of 0.1 m.
pub fn walled() -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(64, 64, 32)));
    World::new(WorldConfig { bounds, ..WorldConfig::default() }).expect("a world")
}

/// Puts `material` into a region.
pub fn place(world: &mut World, material: &str, moisture: f32, region: Region) {
    let material = world.materials().find(material).expect("a built-in material");
    world.edit(&Edit::Place { region, material, moisture }).expect("it fits");
}

/// Everything below a height (m).
pub fn below(z_max_m: f32) -> Region {
    Region::Slab { z_min_m: 0.0, z_max_m }
}

/// A shape in the world.
pub fn solid(shape: Shape, translation: Vec3, rotation: Quat) -> Region {
    Region::Solid(Solid { shape, pose: Pose { translation, rotation } })
}

/// Heaps of sand, gravel, wet clay and snow on granite.
pub fn heaps() -> World {
    let mut world = walled();
    place(&mut world, "granite", 0.0, below(0.5));
    let heaps = [
        ("dry_sand", 0.0, [1.8, 1.8]),
        ("gravel", 0.0, [4.6, 1.8]),
        ("clay", 0.9, [1.8, 4.6]),
        ("snow", 0.0, [4.6, 4.6]),
    ];
    for (material, moisture, [x, y]) in heaps {
        let cone = Shape::Cone { radius: 1.4, half_height: 0.5 };
        place(&mut world, material, moisture, solid(cone, Vec3::new(x, y, 1.0), Quat::IDENTITY));
    }
    world
}

/// Turf on sandstone, with a tunnel through it and a trench.
pub fn tunnel() -> World {
    let mut world = walled();
    place(&mut world, "sandstone", 0.0, below(1.9));
    place(&mut world, "loam", 0.3, below(2.3));
    let pipe = Shape::Cylinder { radius: 0.6, half_height: 9.0 };
    let trench = Shape::Box { half_extents: Vec3::new(0.5, 9.0, 0.7) };
    let tunnel = solid(pipe, Vec3::new(0.0, 2.4, 1.0), Quat::from_rotation_y(1.57));
    for region in [tunnel, solid(trench, Vec3::new(4.6, 0.0, 2.2), Quat::IDENTITY)] {
        world.edit(&Edit::Remove { region }).expect("it can be dug");
    }
    world
}

/// Bodies of every shape on sand: stone, steel and wood.
pub fn bodies() -> World {
    let mut world = walled();
    let rough = [[-5, -4, -4], [5, -4, -5], [4, 5, -4], [-5, 4, -4], [0, 1, 6]];
    let hull = Hull::new(rough.map(|p| IVec3::from_array(p).as_vec3() * 0.1).to_vec()).expect("a hull");
    let shapes = [
        (Shape::Box { half_extents: Vec3::new(0.5, 0.4, 0.4) }, 7_800.0),
        (Shape::Ball { radius: 0.5 }, 2_700.0),
        (Shape::Cylinder { radius: 0.35, half_height: 0.6 }, 700.0),
        (Shape::Cone { radius: 0.6, half_height: 0.6 }, 7_800.0),
        (Shape::Capsule { radius: 0.3, half_height: 0.4 }, 700.0),
        (Shape::Hull(Arc::new(hull)), 2_700.0),
    ];
    for (at, (shape, density_kg_m3)) in shapes.into_iter().enumerate() {
        let centre = Vec3::new(1.2 + 2.0 * (at % 3) as f32, 2.0 + 2.4 * (at / 3) as f32, 1.3);
        let pose = Pose { translation: centre, rotation: Quat::from_rotation_z(0.4 * at as f32) };
        let spec = BodySpec { density_kg_m3, ..BodySpec::new("body", shape, pose, Motion::Fixed) };
        world.add_body(spec).expect("it fits");
    }
    place(&mut world, "dry_sand", 0.0, below(1.0));
    world
}
