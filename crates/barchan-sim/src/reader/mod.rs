//! Reading the ground: which voxel, how full, how far from its surface.
//!
//! [`Reader`] reads voxel by voxel and between voxels, with a small cache of bricks: one for each task. [`SurfaceField`] knows
//! the distance to the surface, the 0.5 level of the fill, near any point where it was asked to; it is kept from step to step
//! and shared by all tasks. Both only read, and what they say does not depend on what they were asked before.

mod brick_pair;
mod reader;
mod surface_field;

pub(crate) use brick_pair::BrickPair;
pub(crate) use reader::rock_fill;
pub use reader::{Reader, voxel_at};
pub use surface_field::{MOST_BAND, Near, SurfaceCursor, SurfaceField};

use crate::units::LOOSE_FULL;

/// Share of a voxel from which on rock and bodies bar the way of soil (1/32,768): half of it, for a plate may lie in two voxels
/// and fill neither. Bodies are made thick enough for the soil that they take this much of some voxel wherever one crosses them.
pub(crate) const BARRIER_SHARE: u32 = LOOSE_FULL / 2;
