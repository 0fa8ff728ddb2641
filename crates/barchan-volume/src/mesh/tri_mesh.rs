//! The mesh itself: its measures, what moves it, and what makes it unusable.
//!
//! Sums run in f64 and in the order of the triangles, so measures are exact enough for large meshes and the same
//! on every machine.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::solid::{Aabb, Pose};

/// A mesh of triangles, counter-clockwise seen from outside. Vertices in no triangle are allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriMesh {
    /// Corner positions (m).
    pub vertices: Vec<Vec3>,
    /// Three indices into `vertices` for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// What makes a [`TriMesh`] unusable.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// More vertices or triangles than [`TriMesh::MAX_COUNT`].
    #[error("{count} {what}; at most {} are allowed", TriMesh::MAX_COUNT)]
    TooMany {
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A coordinate that is not a number, infinite, or beyond [`TriMesh::MAX_COORDINATE_M`].
    #[error(
        "vertex {vertex} is at ({}, {}, {}); coordinates must be numbers between -{limit:e} and {limit:e}",
        .position.x, .position.y, .position.z, limit = TriMesh::MAX_COORDINATE_M
    )]
    BadVertex {
        /// Index of the vertex.
        vertex: usize,
        /// Its position (m).
        position: Vec3,
    },
    /// A triangle that refers to a vertex that does not exist.
    #[error(
        "triangle {triangle} refers to vertex {index}, but there are only {vertices} vertices (counted from 0)"
    )]
    BadIndex {
        /// Index of the triangle.
        triangle: usize,
        /// The index it holds.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
}

impl TriMesh {
    /// Most vertices, and most triangles, that [`TriMesh::check`] lets through.
    pub const MAX_COUNT: usize = 20_000_000;

    /// Largest coordinate that [`TriMesh::check`] lets through (m). The square of a triangle's area, the highest
    /// power of a length that occurs in f32, then still fits into f32.
    pub const MAX_COORDINATE_M: f32 = 1.0e9;

    /// Tells whether every vertex is a place in space, every index refers to a vertex, and nothing is too large.
    /// The methods below take this for granted.
    pub fn check(&self) -> Result<(), MeshError> {
        for (what, count) in [("vertices", self.vertices.len()), ("triangles", self.triangles.len())] {
            if count > Self::MAX_COUNT {
                return Err(MeshError::TooMany { what, count });
            }
        }
        // Written so that NaN is not within.
        let within = |v: &Vec3| v.abs().cmple(Vec3::splat(Self::MAX_COORDINATE_M)).all();
        if let Some(vertex) = self.vertices.iter().position(|v| !within(v)) {
            return Err(MeshError::BadVertex { vertex, position: self.vertices[vertex] });
        }
        let vertices = self.vertices.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertices) {
                return Err(MeshError::BadIndex { triangle, index, vertices });
            }
        }
        Ok(())
    }

    /// The three corners of triangle `index` (m).
    #[inline]
    pub fn corners(&self, index: usize) -> [Vec3; 3] {
        self.triangles[index].map(|vertex| self.vertices[vertex as usize])
    }

    /// The box around all triangles (m); `None` without any triangle.
    pub fn bounds(&self) -> Option<Aabb> {
        let used = self.triangles.iter().flatten().map(|&vertex| self.vertices[vertex as usize]);
        (!self.triangles.is_empty()).then(|| Aabb::around(used))
    }

    /// Volume inside (m³), by the divergence theorem: positive when the triangles face outwards, negative when they
    /// face inwards. It means something only for a closed mesh.
    pub fn signed_volume_m3(&self) -> f64 {
        // Seen from a point of the mesh itself: far from the origin the terms would cancel away.
        let Some(bounds) = self.bounds() else { return 0.0 };
        let six_fold = self.triangles_f64(bounds.min).map(|[a, b, c]| a.dot(b.cross(c)));
        six_fold.sum::<f64>() / 6.0
    }

    /// Area of all triangles (m²).
    pub fn area_m2(&self) -> f64 {
        self.triangles_f64(Vec3::ZERO).map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum()
    }

    /// Turns every triangle over: outside becomes inside.
    pub fn flip(&mut self) {
        for corners in &mut self.triangles {
            corners.swap(1, 2);
        }
    }

    /// Scales the mesh about the origin, then puts it where `pose` says. A negative scale mirrors; the triangles are
    /// then turned over, so that outside stays outside.
    pub fn transform(&mut self, scale: f32, pose: &Pose) {
        for vertex in &mut self.vertices {
            *vertex = pose.transform_point(*vertex * scale);
        }
        if scale < 0.0 {
            self.flip();
        }
    }

    /// Adds all of `other`, unconnected.
    pub fn append(&mut self, other: &Self) {
        let offset = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|vertex| vertex + offset)));
    }

    /// The corners of all triangles relative to `origin`.
    pub(super) fn triangles_f64(&self, origin: Vec3) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        let place = move |vertex: u32| self.vertices[vertex as usize].as_dvec3() - origin.as_dvec3();
        self.triangles.iter().map(move |corners| corners.map(place))
    }
}
