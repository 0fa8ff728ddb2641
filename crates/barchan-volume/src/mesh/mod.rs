//! Triangle meshes: plain geometry, no more than vertices and the triangles between them.

mod topology;
mod tri_mesh;
mod weld;

pub use topology::Topology;
pub use tri_mesh::{MeshError, TriMesh};
