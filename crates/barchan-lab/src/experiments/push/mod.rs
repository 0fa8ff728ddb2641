//! `push`: a block is pushed through a bed of soil, and the time of a step is measured against the size of the world
//! (Geiger, fig. 53-57). The block heaps soil in front of it and leaves a trench whose walls slip, so all of soil flow is
//! at work. Times are of the simulation alone.

mod plots;
mod push;
mod run_across;

pub use push::EXPERIMENT;
pub(super) use run_across::block_before_bed;
