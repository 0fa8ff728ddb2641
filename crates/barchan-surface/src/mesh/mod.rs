//! World to triangles.

mod surface_mesh;

pub use surface_mesh::{SurfaceMesh, VertexMaterial};
