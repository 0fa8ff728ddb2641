//! What every reader asks of a mesh before it hands it out.

use barchan_volume::{MeshError, TriMesh};

use crate::error::FormatError;

/// The mesh, if it has any triangles and passes [`TriMesh::check`].
pub(super) fn usable(mesh: TriMesh, format: &'static str) -> Result<TriMesh, FormatError> {
    if mesh.triangles.is_empty() {
        let (expected, found) = ("at least one triangle".into(), "none".into());
        return Err(FormatError::Unsupported { format, expected, found });
    }
    mesh.check().map_err(|cause| FormatError::Mesh { format, cause })?;
    Ok(mesh)
}

/// Stops a reader before it makes more `what` than a mesh may have.
pub(super) fn check_count(format: &'static str, what: &'static str, count: usize) -> Result<(), FormatError> {
    if count > TriMesh::MAX_COUNT {
        return Err(FormatError::Mesh { format, cause: MeshError::TooMany { what, count } });
    }
    Ok(())
}
