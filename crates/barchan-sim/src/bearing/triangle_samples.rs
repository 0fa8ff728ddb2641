//! Points on the triangles of a hull or a mesh.

use barchan_volume::TriMesh;
use glam::Vec3;

use super::samples::Sample;

/// Most corners of a mesh that are points of their own.
const MAX_CORNERS: usize = 64;

/// A mesh of few triangles has about this many points all the same, so that it does not rock about them.
const MIN_PARTS: f32 = 24.0;

/// Points on the triangles of `mesh`, as far apart as `step` (m) says for its area (m²). Large triangles are cut into
/// equal parts; of small ones, one in so many is taken and stands for the others.
pub(super) fn of_triangles(mesh: &TriMesh, step: impl Fn(f32) -> f32) -> Vec<Sample> {
    let area = mesh.area_m2() as f32;
    let cell = step(area).powi(2).min(area / MIN_PARTS);
    let mut samples = Vec::new();
    let mut waiting = 0.0;
    for triangle in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(triangle);
        let across = (b - a).cross(c - a);
        let Some(normal) = across.try_normalize() else { continue };
        waiting += 0.5 * across.length();
        if waiting < 0.5 * cell {
            continue;
        }
        let parts = ((waiting / cell).sqrt().round() as usize).max(1);
        let area_m2 = waiting / (parts * parts) as f32;
        samples.extend(centres(a, b, c, parts).map(|point| Sample { point, normal, area_m2 }));
        waiting = 0.0;
    }
    if let Some(last) = samples.last_mut() {
        last.area_m2 += waiting;
    }
    samples.extend(corners(mesh));
    samples
}

/// The centres of the `parts`² equal triangles that make up a triangle.
fn centres(a: Vec3, b: Vec3, c: Vec3, parts: usize) -> impl Iterator<Item = Vec3> {
    let at = move |along_b: f32, along_c: f32| a + ((b - a) * along_b + (c - a) * along_c) / parts as f32;
    (0..parts).flat_map(move |i| {
        let upright = (0..parts - i).map(move |j| (i as f32 + 1.0 / 3.0, j as f32 + 1.0 / 3.0));
        let turned = (0..parts - i - 1).map(move |j| (i as f32 + 2.0 / 3.0, j as f32 + 2.0 / 3.0));
        upright.chain(turned).map(move |(b, c)| at(b, c))
    })
}

/// The corners, or some of them, facing as the triangles around them do.
fn corners(mesh: &TriMesh) -> Vec<Sample> {
    let mut normals = vec![Vec3::ZERO; mesh.vertices.len()];
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle);
        for corner in corners {
            normals[*corner as usize] += (b - a).cross(c - a);
        }
    }
    let stride = mesh.vertices.len().div_ceil(MAX_CORNERS).max(1);
    let chosen = mesh.vertices.iter().zip(normals).step_by(stride);
    let facing = chosen.filter_map(|(point, normal)| Some((*point, normal.try_normalize()?)));
    facing.map(|(point, normal)| Sample { point, normal, area_m2: 0.0 }).collect()
}
