//! Meshes that have to enclose a volume, as bodies and fillings do.

use std::path::Path;

use barchan_volume::{Topology, TriMesh};
use glam::Vec3;

use super::read_mesh;
use crate::error::{FileError, FormatError};

/// Vertices closer than this fraction of the mesh's diagonal were meant to be one: about ten steps of f32, which is
/// what programs lose that write six digits.
const WELD_FRACTION: f32 = 1.0e-6;

/// Reads a mesh that has to enclose a volume, with its triangles facing outwards. Vertices on the same spot, or
/// nearly so, are joined if that is what it takes; a mesh that is wholly inside out is turned; holes are an error.
pub fn read_closed_mesh(path: impl AsRef<Path>) -> Result<TriMesh, FileError> {
    let path = path.as_ref();
    close(read_mesh(path)?).map_err(FileError::in_file(path))
}

/// Joins no more vertices than closing the mesh takes: solids that merely touch must not grow together.
fn close(mut mesh: TriMesh) -> Result<TriMesh, FormatError> {
    let diagonal = mesh.bounds().map_or(0.0, |bounds| bounds.min.distance(bounds.max));
    let mut topology = mesh.topology();
    for tolerance in [0.0, diagonal * WELD_FRACTION] {
        if !topology.is_closed() {
            mesh.weld(tolerance);
            topology = mesh.topology();
        }
    }
    if !topology.is_closed() {
        return Err(not_closed(&mesh, &topology));
    }
    if mesh.signed_volume_m3() < 0.0 {
        mesh.flip();
    }
    Ok(mesh)
}

fn not_closed(mesh: &TriMesh, topology: &Topology) -> FormatError {
    let edge = topology.an_open_edge.or(topology.a_non_manifold_edge).or(topology.a_misoriented_edge);
    // A mesh that welding has left without triangles has no edge to show.
    let near =
        edge.map_or(Vec3::ZERO, |[a, b]| mesh.vertices[a as usize].midpoint(mesh.vertices[b as usize]));
    FormatError::NotClosed {
        open_edges: topology.open_edges,
        non_manifold_edges: topology.non_manifold_edges,
        misoriented_edges: topology.misoriented_edges,
        near,
    }
}
