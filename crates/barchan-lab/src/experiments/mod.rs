//! The experiments, one file or folder each.

pub mod archive;
pub mod blade;
pub mod books;
pub mod carry;
pub mod chute;
pub mod collapse;
pub mod compression;
pub mod convergence;
pub mod cut;
pub mod damp;
pub mod digging;
pub mod grains;
pub mod kinds;
pub mod mesh_speed;
pub mod particle_speed;
pub mod push;
pub mod ridges;
pub mod sinkage;
pub mod slump;
pub mod stress;
pub mod traction;
pub mod trench;
pub mod water;
pub mod weathering;
pub mod world_size;
