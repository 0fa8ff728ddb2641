//! The surface from outside.

mod mesh_levels;
mod mesh_oracle;
mod mesh_slopes;
mod mesh_update;
mod mesh_world;
