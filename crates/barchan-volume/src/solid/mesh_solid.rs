//! Closed meshes as solids.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::mesh_tree::MeshTree;
use super::shape::check_size;
use super::{Aabb, ShapeError};
use crate::mesh::TriMesh;

/// Smallest volume of a mesh, as a fraction of the cube of its largest side: below, it is a sheet.
const MIN_VOLUME: f64 = 1e-10;

/// The inside of a closed triangle mesh. Serialised as its mesh; everything else is derived.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "TriMesh", into = "TriMesh")]
pub struct MeshSolid {
    mesh: TriMesh,
    tree: MeshTree,
    volume_m3: f32,
    centroid: Vec3,
}

impl MeshSolid {
    /// The inside of `mesh`, which must be closed and enclose some volume. Vertices at the same place are joined, and
    /// a mesh whose triangles all face inwards is turned over.
    pub fn new(mesh: TriMesh) -> Result<Self, ShapeError> {
        Self::enclosed_by(mesh, "mesh", "size of the mesh")
    }

    /// As [`MeshSolid::new`], with the words for what is checked.
    pub(super) fn enclosed_by(
        mut mesh: TriMesh,
        what: &'static str,
        size_field: &'static str,
    ) -> Result<Self, ShapeError> {
        mesh.check()?;
        // Turned before it is welded, which numbers the vertices: made again from its own mesh, a solid is the same.
        if mesh.signed_volume_m3() < 0.0 {
            mesh.flip();
        }
        mesh.weld(0.0);
        let bounds = Aabb::around(mesh.vertices.iter().copied());
        if bounds.is_empty() {
            return Err(ShapeError::NoVolume { what, size: Vec3::ZERO });
        }
        let size = bounds.max - bounds.min;
        check_size(size_field, size.max_element())?;
        match unmatched_edges(&mesh) {
            0 => {}
            count => return Err(ShapeError::OpenMesh { count }),
        }
        let volume = mesh.signed_volume_m3();
        if volume.abs() <= MIN_VOLUME * f64::from(size.max_element()).powi(3) {
            return Err(ShapeError::NoVolume { what, size });
        }
        let (tree, centroid) = (MeshTree::new(&mesh), centroid(&mesh, bounds.min));
        Ok(Self { mesh, tree, volume_m3: volume.abs() as f32, centroid })
    }

    /// The mesh around the solid, facing outwards.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Volume (m³).
    pub fn volume_m3(&self) -> f32 {
        self.volume_m3
    }

    /// The centre of the volume (m).
    pub fn centroid(&self) -> Vec3 {
        self.centroid
    }

    pub(super) fn tree(&self) -> &MeshTree {
        &self.tree
    }
}

impl PartialEq for MeshSolid {
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh
    }
}

impl TryFrom<TriMesh> for MeshSolid {
    type Error = ShapeError;

    fn try_from(mesh: TriMesh) -> Result<Self, ShapeError> {
        Self::new(mesh)
    }
}

impl From<MeshSolid> for TriMesh {
    fn from(solid: MeshSolid) -> Self {
        solid.mesh
    }
}

/// Number of edges of triangles that no other triangle passes along in the opposite direction. Where none is left
/// every point of space has a winding number, also if more than two triangles meet in an edge.
fn unmatched_edges(mesh: &TriMesh) -> usize {
    let directed = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let mut edges: Vec<_> = directed.map(|(a, b)| (a.min(b), a.max(b), a < b)).collect();
    edges.sort_unstable();
    let same_edge = edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    same_edge
        .map(|edge| {
            let forwards = edge.iter().filter(|e| e.2).count();
            forwards.abs_diff(edge.len() - forwards)
        })
        .sum()
}

/// The centre of the volume, as the mean of the tetrahedra between `from` and the triangles.
fn centroid(mesh: &TriMesh, from: Vec3) -> Vec3 {
    let (mut moment, mut volume) = (DVec3::ZERO, 0.0);
    for index in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(index).map(|corner| corner.as_dvec3() - from.as_dvec3());
        let six_fold = a.dot(b.cross(c));
        moment += six_fold * (a + b + c) / 4.0;
        volume += six_fold;
    }
    from + (moment / volume).as_vec3()
}
