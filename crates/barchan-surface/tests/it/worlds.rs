//! Small worlds to take pictures of.

use std::sync::Arc;

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::{Edit, MaterialId, ParticleId, SeenParticle, SeenParticles, World, WorldConfig};
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

/// A bowl of sand with a pond in it, clear on one side and muddy on the other, drops above it, and a heap of grains beside.
pub fn pond() -> (World, SeenParticles) {
    const SPACING_M: f32 = 0.08;
    let mut world = walled();
    place(&mut world, "dry_sand", 0.0, below(1.4));
    let bowl = solid(Shape::Ball { radius: 4.0 }, Vec3::new(3.0, 3.2, 4.5), Quat::IDENTITY);
    world.edit(&Edit::Remove { region: bowl }).expect("it can be dug");
    let ball = Shape::Ball { radius: 0.4 };
    let spec = BodySpec {
        density_kg_m3: 700.0,
        ..BodySpec::new("ball", ball, Pose::at(Vec3::new(3.6, 2.8, 1.15)), Motion::Fixed)
    };
    world.add_body(spec).expect("it fits");
    let of = |id: usize, centre_m: Vec3, radius_m: f32, kind: u8, sediment: f32| SeenParticle {
        id: ParticleId(id as u32),
        part: 0,
        centre_m,
        radius_m,
        velocity_m_s: Vec3::ZERO,
        kind: MaterialId(kind),
        sediment,
        contacts: 0,
        force_n: 0.0,
    };
    let mut particles = SeenParticles::default();
    let loam = world.materials().find("loam").expect("a built-in material").0;
    let radius_m = 0.62 * SPACING_M;
    let at = |n: i32| (n as f32 + 0.5) * SPACING_M;
    for (x, y, z) in (0..80).flat_map(|x| (0..80).flat_map(move |y| (0..15).map(move |z| (x, y, z)))) {
        let wobble = |n: i32| 0.2 * SPACING_M * ((n * 7919 % 13) as f32 / 6.0 - 1.0);
        let centre = Vec3::new(at(x) + wobble(x + 3 * y + z), at(y) + wobble(y + 5 * z + x), at(z));
        let in_bowl = centre.distance(Vec3::new(3.0, 3.2, 4.5)) < 4.0 - 0.5 * SPACING_M;
        if in_bowl && centre.distance(Vec3::new(3.6, 2.8, 1.15)) > 0.43 {
            let mud = if centre.x < 2.6 { 0.004 } else { 0.0 };
            particles.water.push(of(particles.water.len(), centre, radius_m, loam, mud));
        }
    }
    for n in 0..60 {
        let turn = 2.4 * n as f32;
        let out = 0.2 + 0.012 * n as f32;
        let centre =
            Vec3::new(2.4 + out * turn.cos(), 3.4 + out * turn.sin(), 1.3 + 0.4 * (1.7 * turn).sin().abs());
        particles.water.push(of(
            particles.water.len(),
            centre,
            radius_m * (0.6 + 0.4 * turn.sin().abs()),
            loam,
            0.0,
        ));
    }
    for n in 0..1500 {
        let (turn, share) = (2.399_963 * n as f32, (n as f32 / 1500.0).sqrt());
        let height = 1.35 + (1.0 - share) * 0.7 * ((n * 31 % 97) as f32 / 97.0).sqrt();
        let centre = Vec3::new(5.4 + 0.8 * share * turn.cos(), 5.2 + 0.8 * share * turn.sin(), height);
        particles.grains.push(of(n, centre, 0.03 + 0.02 * ((n * 17 % 31) as f32 / 31.0), (n % 3) as u8, 0.0));
    }
    (world, particles)
}
