//! What can be wrong with what is asked of an archive.

use glam::IVec3;

use super::cube::SPAN;

/// Why an archive refuses something. It is then as it was before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArchiveError {
    /// Outside the space of the archive.
    #[error(
        "voxels {min} to {max} reach beyond the archive, which ends at ±{half} voxels on each axis",
        half = SPAN / 2
    )]
    Outside {
        /// Lowest voxel of what was asked for.
        min: IVec3,
        /// First voxel beyond it.
        max: IVec3,
    },
    /// A number that is none, or too large.
    #[error("{what} is {value}; it must be {allowed}")]
    Range {
        /// What.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// More memory than was allowed, with all versions but the present one given up.
    #[error("the archive would need {needed_bytes} bytes; its limit is {limit_bytes}")]
    Memory {
        /// What it would need (bytes).
        needed_bytes: u64,
        /// What it may have (bytes).
        limit_bytes: u64,
    },
    /// No such version.
    #[error("there is no version {0}")]
    NoVersion(u32),
    /// No version of this name.
    #[error("there is no version named '{0}'")]
    NoName(String),
    /// Nothing came before.
    #[error("nothing to undo")]
    NothingToUndo,
    /// Nothing was gone back from.
    #[error("nothing to redo")]
    NothingToRedo,
    /// There are changes that no version holds.
    #[error("there are changes since version {0}: commit them first")]
    Uncommitted(u32),
    /// The present version cannot be given up.
    #[error("version {0} is the present one")]
    Present(u32),
}
