//! Grains as single bodies: collisions, inertia, heaps, flow, energy, speed.

mod bed;
pub mod clump_inertia;
pub mod energy;
pub mod orifice;
pub mod repose;
pub mod restitution;
pub mod speed;

pub(super) use bed::{WithGrains, parameter, parameter_list};
