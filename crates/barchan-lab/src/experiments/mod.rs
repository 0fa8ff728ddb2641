//! The experiments, one file each.

pub mod books;
pub mod mesh_speed;
