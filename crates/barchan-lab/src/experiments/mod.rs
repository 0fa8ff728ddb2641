//! The experiments, one file or folder each.

pub mod books;
pub mod carry;
pub mod chute;
pub mod collapse;
pub mod convergence;
pub mod cut;
pub mod damp;
pub mod kinds;
pub mod mesh_speed;
pub mod push;
pub mod ridges;
pub mod slump;
