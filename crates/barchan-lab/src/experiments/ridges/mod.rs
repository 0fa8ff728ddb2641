//! `ridges`: how far the normals of the mesh are off the true slope on piles that soil made by sliding, without ridges and
//! for comparison with them: the bare 0.5 level of the fill shows a step for every voxel of height.

mod ridges;

pub use ridges::EXPERIMENT;
