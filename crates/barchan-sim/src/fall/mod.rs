//! Fall: soil that nothing carries falls, with the speed it has gathered, to what does.
//!
//! Model: each voxel's soil is displaced by its velocity (Geiger2015 3.2.1), but goes on by whole voxels and keeps in
//! mind how far it is ahead of its voxel, so that it does not spread on its way; a full voxel is locked and what would
//! enter it stays; velocity is averaged by mass. A voxel's soil is carried by a full voxel below it, by the floor, or by
//! rock or a body whose upper side lies in its voxel. What rests on falling soil falls with it.
//!
//! Reads the awake bricks, the materials, gravity and the share that bodies take of each voxel (1/32,768); moves soil
//! (units), keeps the velocity (m/s) and the way ahead (voxels) of what is in the air and of nothing else. Where gravity
//! does not point mainly down, soil stays where it is.
//!
//! Conserves every unit, and never fills a voxel beyond its room: soil goes from the bottom up, each into room that is
//! there. Steps are cut so that nothing crosses more than a voxel at once. Fallen soil is loose.
//!
//! Checked by `tests/it/fall.rs` and the experiment `books`.

mod air;
mod arrivals;
mod drop;
mod fall;
mod hanging;
mod riders;

pub use fall::{Fall, FallReport, Moving};

pub(crate) use drop::drop_all;
