//! Which voxels hang together: sets of voxels, and what a flood reaches from face to face.
//!
//! Voxels that touch by an edge or a corner only are not connected.

mod enclosed;
mod flood;
mod mask;
mod voxel_set;

pub use enclosed::{components, enclosed};
pub use flood::{FloodError, flood, flood_hollow};
pub use mask::Mask;
pub use voxel_set::VoxelSet;
