//! Fall: soil that nothing carries falls to what does.
//!
//! Model: the quasi-static limit of falling: soil reaches the ground below within the step, without speed or bounce.
//! A voxel's soil is carried by a full voxel below it, by the floor, or by rock or a body that shares its voxel.
//!
//! Reads the awake bricks, the materials and the share that bodies take of each voxel (1/32,768); moves soil (units)
//! straight down. Gravity that does not point mainly down leaves soil where it is.
//!
//! Conserves every unit, and never fills a voxel beyond its room. Stable at any step length. Fallen soil is loose.
//!
//! Checked by `tests/it/fall.rs` and the experiment `books`.

mod fall;

pub use fall::{Fall, FallReport};
