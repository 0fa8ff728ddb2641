//! `cut`: how high a cut in cohesive soil stands, and on which plane it fails. Culmann's wedge gives both in closed form,
//! and neither may depend on the voxel size.

mod cut;
mod face;
mod plots;
mod theory;

pub use cut::EXPERIMENT;

pub(super) use cut::bisect;
pub(super) use face::Face;
