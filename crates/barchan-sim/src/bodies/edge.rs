//! Edges and teeth of tools: where they are sharp, said by hand or found on the shape.

use barchan_volume::{Shape, TriMesh};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Faces that meet at less than this make an edge that cuts (-): cosine between their outward normals at an angle of 60° inside.
const SHARP: f32 = -0.5;

/// Corners that are nearer than this share of the size of the shape are one (-).
const SAME_CORNER: f32 = 1e-4;

/// Edges in one line are one edge: most that their directions differ (-).
const IN_LINE: f32 = 0.999;

/// Most edges that are found on one shape: more are a rasp.
const MOST_FOUND: usize = 64;

/// A cutting edge, or a tooth where both ends are one point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Its ends, in the frame of the body (m).
    pub ends_m: [Vec3; 2],
    /// Unit vector of the way in which it cuts, in the frame of the body.
    pub into: Vec3,
    /// Thickness of the edge, diameter of the tooth (m).
    pub thickness_m: f32,
}

impl Edge {
    /// True for a tooth.
    pub fn is_tooth(&self) -> bool {
        self.ends_m[0] == self.ends_m[1]
    }

    /// The area with which it is pressed into soil (m²).
    pub fn area_m2(&self) -> f32 {
        match self.is_tooth() {
            true => std::f32::consts::FRAC_PI_4 * self.thickness_m * self.thickness_m,
            false => self.ends_m[0].distance(self.ends_m[1]) * self.thickness_m,
        }
    }

    /// True where all of it is finite and of a size that makes sense.
    pub fn is_sound(&self) -> bool {
        let are_near = self.ends_m.iter().all(|end| end.is_finite() && end.abs().max_element() <= 1e4);
        are_near && (self.into.length() - 1.0).abs() < 1e-3 && (0.0..=1.0).contains(&self.thickness_m)
    }

    /// The sharp edges of a hull or a mesh, each of this thickness (m): where two faces meet at less than 60°. Longest first; other
    /// shapes have none.
    pub fn found_on(shape: &Shape, thickness_m: f32) -> Vec<Self> {
        match shape {
            Shape::Hull(hull) => found(hull.mesh(), thickness_m),
            Shape::Mesh(mesh) => found(mesh.mesh(), thickness_m),
            _ => Vec::new(),
        }
    }
}

fn found(mesh: &TriMesh, thickness_m: f32) -> Vec<Edge> {
    let corners = welded(mesh);
    // Both faces of each pair of corners: unit normals, the second once it is met.
    let mut sides: std::collections::BTreeMap<[usize; 2], Vec<Vec3>> = std::collections::BTreeMap::new();
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(number);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            let pair = [corners[triangle[from] as usize], corners[triangle[to] as usize]];
            if pair[0] != pair[1] {
                sides.entry([pair[0].min(pair[1]), pair[0].max(pair[1])]).or_default().push(normal);
            }
        }
    }
    let mut edges: Vec<Edge> = Vec::new();
    for ([from, to], normals) in sides {
        let [first, second] = normals[..] else { continue };
        let ends_m = [mesh.vertices[from], mesh.vertices[to]];
        // A groove is as sharp, but cuts nothing: the way out of both faces leads out of the body only at a ridge.
        let Some(into) = (first + second).try_normalize().filter(|_| first.dot(second) < SHARP) else {
            continue;
        };
        let edge = Edge { ends_m, into, thickness_m };
        if is_ridge(mesh, &edge) && !joins(&mut edges, &edge) {
            edges.push(edge);
        }
    }
    let length = |edge: &Edge| edge.ends_m[0].distance(edge.ends_m[1]);
    edges.sort_by(|a, b| length(b).total_cmp(&length(a)));
    edges.truncate(MOST_FOUND);
    edges
}

/// For each vertex the first that is in its place.
fn welded(mesh: &TriMesh) -> Vec<usize> {
    let size = mesh.vertices.iter().fold(0.0, |size: f32, v| size.max(v.abs().max_element()));
    let cell = (size * SAME_CORNER).max(f32::MIN_POSITIVE);
    let mut first: std::collections::BTreeMap<[i64; 3], usize> = std::collections::BTreeMap::new();
    let place = |v: &Vec3| (*v / cell).round().to_array().map(|x| x as i64);
    mesh.vertices.iter().enumerate().map(|(at, v)| *first.entry(place(v)).or_insert(at)).collect()
}

/// True where the whole body lies behind the edge.
fn is_ridge(mesh: &TriMesh, edge: &Edge) -> bool {
    let middle = 0.5 * (edge.ends_m[0] + edge.ends_m[1]);
    let reach = edge.ends_m[0].distance(edge.ends_m[1]).max(1e-6);
    mesh.vertices.iter().all(|v| (*v - middle).dot(edge.into) <= 0.05 * reach)
}

/// Makes an edge longer that goes on in the same line. False where none does.
fn joins(edges: &mut [Edge], next: &Edge) -> bool {
    let line = |edge: &Edge| (edge.ends_m[1] - edge.ends_m[0]).normalize_or_zero();
    let goes_on = |edge: &&mut Edge| {
        let touches = edge.ends_m.iter().any(|end| next.ends_m.contains(end));
        touches && line(edge).dot(line(next)).abs() > IN_LINE && edge.into.dot(next.into) > IN_LINE
    };
    let Some(edge) = edges.iter_mut().find(goes_on) else { return false };
    let along = line(edge);
    let all = [edge.ends_m[0], edge.ends_m[1], next.ends_m[0], next.ends_m[1]];
    let by_place = |a: &&Vec3, b: &&Vec3| a.dot(along).total_cmp(&b.dot(along));
    let (first, last) = (all.iter().min_by(by_place), all.iter().max_by(by_place));
    if let (Some(first), Some(last)) = (first, last) {
        edge.ends_m = [*first, *last];
    }
    true
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use barchan_volume::Hull;

    use super::*;

    #[test]
    fn the_edge_of_a_blade_is_found_and_a_block_has_none() {
        // A wedge of 20° whose edge lies along y at the origin and points down.
        let section = [[0.0, 0.0], [-0.17, 1.0], [0.17, 1.0]];
        let points = section.iter().flat_map(|[x, z]| [-0.5, 0.5].map(|y| Vec3::new(*x, y, *z)));
        let blade = Shape::Hull(Arc::new(Hull::new(points.collect()).unwrap()));
        let found = Edge::found_on(&blade, 0.01);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].area_m2() - 0.01).abs() < 1e-6 && !found[0].is_tooth(), "{found:?}");
        assert!(found[0].into.distance(Vec3::NEG_Z) < 1e-3, "{found:?}");
        let corner = |at: usize| Vec3::new((at & 1) as f32, (at >> 1 & 1) as f32, (at >> 2) as f32);
        let block = Shape::Hull(Arc::new(Hull::new((0..8).map(corner).collect()).unwrap()));
        assert_eq!(Edge::found_on(&block, 0.01), []);
    }
}
