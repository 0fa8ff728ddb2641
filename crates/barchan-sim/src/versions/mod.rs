//! All versions of a world, in little memory: its voxels in an archive, everything else as it was.

mod shelf;
mod versions;

pub use versions::Versions;
