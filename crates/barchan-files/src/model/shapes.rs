//! The surfaces of bodies as triangles, in their own frame.

use std::f32::consts::{FRAC_PI_2, TAU};

use barchan_volume::{Shape, TriMesh};
use glam::Vec3;

/// Triangles around a round body: its volume comes out within a hundredth.
const AROUND: u32 = 48;
/// Rings over a quarter of a circle.
const QUARTER: u32 = 12;

/// The surface of `shape`, triangles facing outwards.
pub fn shape_mesh(shape: &Shape) -> TriMesh {
    match *shape {
        Shape::Box { half_extents } => cuboid(half_extents),
        Shape::Ball { radius } => revolved(&capped(radius, 0.0)),
        Shape::Capsule { radius, half_height } => revolved(&capped(radius, half_height)),
        Shape::Cylinder { radius, half_height: h } => {
            revolved(&[(0.0, -h), (radius, -h), (radius, h), (0.0, h)])
        }
        Shape::Cone { radius, half_height: h } => revolved(&[(0.0, -h), (radius, -h), (0.0, h)]),
        Shape::Hull(ref hull) => hull.mesh().clone(),
        Shape::Mesh(ref mesh) => mesh.mesh().clone(),
    }
}

fn cuboid(half: Vec3) -> TriMesh {
    let sign = |corner: u32, bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8).map(|corner| half * Vec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2)));
    // Counter-clockwise from outside: -x, +x, -y, +y, -z, +z.
    const SIDES: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    TriMesh { vertices: vertices.collect(), triangles: triangles.collect() }
}

/// Outline, from the lower pole to the upper, of two half balls that lie `2 half_height` apart.
fn capped(radius: f32, half_height: f32) -> Vec<(f32, f32)> {
    let point = |step: u32, z: f32| {
        let angle = FRAC_PI_2 * (step as f32 / QUARTER as f32 - 1.0);
        // Exactly on the axis: a cosine of 90° is not quite zero.
        let r = if step == 0 || step == 2 * QUARTER { 0.0 } else { radius * angle.cos() };
        (r, z + radius * angle.sin())
    };
    let lower = (0..=QUARTER).map(|step| point(step, -half_height));
    // A ball has one equator, not two.
    let start = QUARTER + u32::from(half_height == 0.0);
    lower.chain((start..=2 * QUARTER).map(|step| point(step, half_height))).collect()
}

/// The surface that an outline of (distance from the axis, height), lowest first, makes when turned about z.
fn revolved(outline: &[(f32, f32)]) -> TriMesh {
    let mut mesh = TriMesh::default();
    let mut below: Option<Ring> = None;
    for &(radius, z) in outline {
        let ring = Ring { first: mesh.vertices.len() as u32, is_point: radius == 0.0 };
        let around = if ring.is_point { 1 } else { AROUND };
        mesh.vertices.extend((0..around).map(|step| {
            let (sin, cos) = (step as f32 / AROUND as f32 * TAU).sin_cos();
            Vec3::new(radius * cos, radius * sin, z)
        }));
        if let Some(below) = below.replace(ring) {
            join(&below, &ring, &mut mesh.triangles);
        }
    }
    mesh
}

#[derive(Clone, Copy)]
struct Ring {
    first: u32,
    is_point: bool,
}

impl Ring {
    fn at(&self, step: u32) -> u32 {
        if self.is_point { self.first } else { self.first + step % AROUND }
    }
}

fn join(below: &Ring, above: &Ring, triangles: &mut Vec<[u32; 3]>) {
    for step in 0..AROUND {
        let (a, b, c, d) = (below.at(step), below.at(step + 1), above.at(step + 1), above.at(step));
        if !below.is_point {
            triangles.push([a, b, c]);
        }
        if !above.is_point {
            triangles.push([a, c, d]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_closed_and_nearly_as_large_as_it_should_be() {
        let shapes = [
            Shape::Box { half_extents: Vec3::new(1.0, 2.0, 0.5) },
            Shape::Ball { radius: 1.5 },
            Shape::Cylinder { radius: 0.5, half_height: 2.0 },
            Shape::Cone { radius: 1.0, half_height: 1.0 },
            Shape::Capsule { radius: 0.5, half_height: 1.0 },
        ];
        for shape in shapes {
            let mesh = shape_mesh(&shape);
            assert!(mesh.is_closed(), "{shape:?}");
            let (found, expected) = (mesh.signed_volume_m3(), f64::from(shape.volume_m3()));
            // Inscribed: too small by about (2 pi / 48)² / 6 for each direction in which it is round.
            assert!((0.99..=1.000_001).contains(&(found / expected)), "{shape:?}: {found} of {expected} m³");
        }
    }
}
