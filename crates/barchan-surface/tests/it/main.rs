//! The surface from outside.

mod golden;
mod mesh_levels;
mod mesh_world;
mod pictures;
mod worlds;
