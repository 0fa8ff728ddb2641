//! The surface from outside.

mod mesh_levels;
mod mesh_world;
