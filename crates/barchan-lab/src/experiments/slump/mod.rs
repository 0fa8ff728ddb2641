//! `slump`: a column of soil collapses on a flat floor. Without cohesion it must come to rest as a round cone at its angle
//! of friction, at any voxel size; with more friction or cohesion it stands steeper and rests sooner, with more weight
//! (and cohesion) flatter and later (Geiger, fig. 45-47).

mod cases;
mod plots;
mod slump;

pub use slump::EXPERIMENT;
