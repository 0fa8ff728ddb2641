//! Signed distance from a closed mesh on a grid around it, in a shell of some thickness.
//!
//! The sign is that of the angle-weighted pseudonormal of the nearest face, edge or corner (Bærentzen and Aanæs 2005).

use glam::{IVec3, UVec3, Vec3};
use rustc_hash::FxHashMap;

use crate::mesh::TriMesh;

/// Distances at the nodes of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceGrid {
    low: Vec3,
    edge: f32,
    nodes: UVec3,
    /// Distances (m), infinite beyond the shell; z fastest.
    distances: Vec<f32>,
}

/// Most nodes of a grid.
const MOST_NODES: f32 = 8e6;

/// Where a triangle is nearest.
#[derive(Clone, Copy)]
enum Feature {
    Face,
    /// The edge from this corner on.
    Edge(usize),
    Corner(usize),
}

impl DistanceGrid {
    /// Distances around `mesh` up to `thickness` (m) on both sides; `grid` cells along its longest side.
    pub fn of(mesh: &TriMesh, grid: u32, thickness: f32) -> Self {
        let bounds = mesh.bounds().unwrap_or_else(|| crate::solid::Aabb::around([Vec3::ZERO]));
        let size = bounds.max - bounds.min;
        let mut edge = (size.max_element() / grid.max(1) as f32).max(1e-6);
        let shell = |edge: f32| thickness.max(2.0 * edge);
        // Thin shells of fine grids around large meshes would not fit into memory.
        while ((size + 2.0 * shell(edge)) / edge + 2.0).to_array().iter().product::<f32>() > MOST_NODES {
            edge *= 1.2;
        }
        let shell = shell(edge);
        let low = bounds.min - shell;
        let nodes = ((size + 2.0 * shell) / edge).ceil().as_uvec3() + 1;
        let mut found = Self { low, edge, nodes, distances: Vec::new() };
        let mut nearest = vec![(f32::INFINITY, 0.0f32); (nodes.x * nodes.y * nodes.z) as usize];
        let normals = Pseudonormals::of(mesh);
        for triangle in 0..mesh.triangles.len() {
            let corners = mesh.corners(triangle);
            let [a, b, c] = corners;
            let first = ((a.min(b).min(c) - shell - low) / edge).floor().max(Vec3::ZERO).as_uvec3();
            let last = ((a.max(b).max(c) + shell - low) / edge).ceil().as_uvec3().min(nodes - 1);
            for x in first.x..=last.x {
                for y in first.y..=last.y {
                    for z in first.z..=last.z {
                        let p = low + UVec3::new(x, y, z).as_vec3() * edge;
                        let (near, feature) = nearest_on(corners, p);
                        let squared = p.distance_squared(near);
                        if squared <= shell * shell {
                            let outside = (p - near).dot(normals.of_feature(mesh, triangle, feature));
                            let known = &mut nearest[found.index(x, y, z)];
                            // Of two that are as near, the one that tells the side more clearly.
                            let closer = squared < known.0 * 0.999_999;
                            let clearer = squared <= known.0 * 1.000_001 && outside.abs() > known.1.abs();
                            if closer || clearer {
                                *known = (squared, outside);
                            }
                        }
                    }
                }
            }
        }
        let signed = |&(squared, outside): &(f32, f32)| {
            if squared.is_finite() { squared.sqrt().copysign(outside) } else { f32::INFINITY }
        };
        found.distances = nearest.iter().map(signed).collect();
        found
    }

    /// Distance at a point (m), below 0 inside, and the unit vector along which it grows; none beyond the shell.
    pub fn at(&self, p: Vec3) -> Option<(f32, Vec3)> {
        let own = (p - self.low) / self.edge;
        let base = own.floor();
        let last = self.nodes.as_ivec3() - 2;
        let cell = base.as_ivec3();
        if !own.is_finite() || cell.cmplt(IVec3::ZERO).any() || cell.cmpgt(last).any() {
            return None;
        }
        let (cell, t) = (cell.as_uvec3(), own - base);
        let mut corners = [0.0; 8];
        for (k, corner) in corners.iter_mut().enumerate() {
            let [x, y, z] = [(k >> 2) as u32, (k >> 1 & 1) as u32, (k & 1) as u32];
            *corner = self.distances[self.index(cell.x + x, cell.y + y, cell.z + z)];
            if corner.is_infinite() {
                return None;
            }
        }
        let cell = crate::sample::Cell(corners);
        let way = cell.gradient(t).try_normalize()?;
        Some((cell.value(t), way))
    }

    fn index(&self, x: u32, y: u32, z: u32) -> usize {
        ((x * self.nodes.y + y) * self.nodes.z + z) as usize
    }
}

/// Normals of faces, edges and corners that tell inside from outside.
struct Pseudonormals {
    faces: Vec<Vec3>,
    edges: FxHashMap<[u32; 2], Vec3>,
    corners: Vec<Vec3>,
}

impl Pseudonormals {
    fn of(mesh: &TriMesh) -> Self {
        let mut found = Self {
            faces: Vec::new(),
            edges: FxHashMap::default(),
            corners: vec![Vec3::ZERO; mesh.vertices.len()],
        };
        for (index, names) in mesh.triangles.iter().enumerate() {
            let corners = mesh.corners(index);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            found.faces.push(normal);
            for k in 0..3 {
                let (here, next, before) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
                *found.edges.entry(edge_name(names[k], names[(k + 1) % 3])).or_default() += normal;
                let (a, b) = ((next - here).normalize_or_zero(), (before - here).normalize_or_zero());
                // The angle by half its tangent, without functions that differ from machine to machine.
                let angle = 2.0 * libm::atan2f((a - b).length(), (a + b).length());
                found.corners[names[k] as usize] += normal * angle;
            }
        }
        found
    }

    fn of_feature(&self, mesh: &TriMesh, triangle: usize, feature: Feature) -> Vec3 {
        let names = mesh.triangles[triangle];
        match feature {
            Feature::Face => self.faces[triangle],
            Feature::Edge(k) => self.edges[&edge_name(names[k], names[(k + 1) % 3])],
            Feature::Corner(k) => self.corners[names[k] as usize],
        }
    }
}

fn edge_name(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// The point of a triangle that is nearest to `p`, and what it lies on (Ericson 2005, 5.1.5).
fn nearest_on([a, b, c]: [Vec3; 3], p: Vec3) -> (Vec3, Feature) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3).max(f32::MIN_POSITIVE)), Feature::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6).max(f32::MIN_POSITIVE)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6)).max(f32::MIN_POSITIVE);
        return (b + (c - b) * along, Feature::Edge(1));
    }
    let scale = 1.0 / (va + vb + vc);
    (a + ab * (vb * scale) + ac * (vc * scale), Feature::Face)
}
