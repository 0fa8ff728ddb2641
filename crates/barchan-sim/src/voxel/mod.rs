//! What one voxel holds, to the unit: rock, two layers of soil and water, and what is too rare for a place of its own.

mod parcel;
mod side_list;
mod voxel;
mod writer;

pub use parcel::{Parcel, Parcels};
pub use side_list::{Channel, SideEntry, SideList};
pub use voxel::{Layer, Marks, Voxel};
pub use writer::VoxelMut;

pub(crate) use voxel::{DUST_SHARE, water_in_pores};
pub(crate) use writer::MOST_SOIL;
