//! A small world and its surface, made by hand.

use std::f32::consts::TAU;

use barchan_files::model::Model;
use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::{World, WorldConfig};
use barchan_surface::{SurfaceMesh, VertexMaterial};
use barchan_volume::{Pose, Shape};
use glam::{Quat, Vec3};

/// Name of a body that would break any format that does not guard itself.
pub const NASTY: &str = "bl\u{e4}de \"1\"\n# v 0 0 0\\";

/// A world with two bodies: a turned box of 2 x 1 x 0.5 m with a nasty name, and a ball of radius 1 m.
pub fn world() -> World {
    let mut world = World::new(WorldConfig::default()).unwrap();
    let turned =
        Pose::new(Vec3::new(10.0, 20.0, 5.0), Quat::from_rotation_z(0.5) * Quat::from_rotation_x(0.3));
    let bodies = [
        (NASTY, Shape::Box { half_extents: Vec3::new(1.0, 0.5, 0.25) }, turned),
        ("ball", Shape::Ball { radius: 1.0 }, Pose::at(Vec3::new(-8.0, 0.0, 3.0))),
    ];
    for (name, shape, pose) in bodies {
        world.add_body(BodySpec::new(name, shape, pose, Motion::Fixed)).unwrap();
    }
    world
}

/// A closed double cone of height 4 m and radius 3 m about z: upper half material 0, dry; lower half material 4, wet.
pub fn ground() -> SurfaceMesh {
    const AROUND: u32 = 64;
    let mut mesh = SurfaceMesh::default();
    let mut add = |place: Vec3, normal: Vec3, material: VertexMaterial| {
        mesh.positions.push(place.to_array());
        mesh.normals.push(normal.normalize().to_array());
        mesh.materials.push(material);
    };
    let sand = VertexMaterial { dominant: 0, second: 0, weight: 255, moisture: 0 };
    let loam = VertexMaterial { dominant: 4, second: 4, weight: 255, moisture: 200 };
    let edge = VertexMaterial { dominant: 4, second: 0, weight: 150, moisture: 90 };
    add(Vec3::new(0.0, 0.0, 2.0), Vec3::Z, sand);
    add(Vec3::new(0.0, 0.0, 1.5), Vec3::Z, sand);
    add(Vec3::new(0.0, 0.0, -2.0), Vec3::NEG_Z, loam);
    for step in 0..AROUND {
        let (sin, cos) = (step as f32 / AROUND as f32 * TAU).sin_cos();
        let out = Vec3::new(cos, sin, 0.0);
        add(out * 3.0, out, edge);
        add(out * 1.5 + Vec3::Z, out + Vec3::Z, sand);
    }
    for step in 0..AROUND {
        let [a, b] = [step, (step + 1) % AROUND].map(|step| 3 + 2 * step);
        mesh.triangles.extend([[2, b, a], [a, b, b + 1], [a, b + 1, a + 1], [a + 1, b + 1, 0]]);
    }
    mesh
}

pub fn model() -> Model {
    Model::of_world(&world(), ground())
}
