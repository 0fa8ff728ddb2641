//! From a checked scene to a world: its edits in order, its bodies, and a look at the memory before.

mod dunes;
mod edits;
mod memory;
mod relief;
mod world;

pub use world::{BuildOptions, Laid};
