//! The surface from outside.

mod golden;
mod mesh_levels;
mod mesh_oracle;
mod mesh_slopes;
mod mesh_update;
mod mesh_world;
mod pictures;
mod worlds;
