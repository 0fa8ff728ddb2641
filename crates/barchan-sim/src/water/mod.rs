//! Water: particles that run over the ground, push it and each other, and are counted to the unit.
//!
//! Model: smoothed particle hydrodynamics on exact places. By default divergence-free SPH (BenderKoschier2015) with Wendland's
//! kernel of support twice the spacing; by choice the equation of state and the three kernels of Müller2003, as Weiss2016 has it.
//! Pressure comes from volumes (water and sediment), mass counts in momentum only: all fall alike, muddy water dives under clear.
//! The ground is the fill of its voxels folded with the kernel: density and normal of the boundary from one field.
//!
//! Water wears the ground along its path, carries what it took, lays it down where it is slow, and wets the soil that it touches
//! (Weiss2016). Sediment sinks among particles, surfaces evaporate, remnants join.
//!
//! Reads the ground and its hardness, the share that bodies take of each voxel (1/32,768), gravity and the materials; moves particles
//! (m, m/s), which hold water and sediment of each kind in 1/256 unit. What comes in, goes out or changes its account is told
//! as transfers of whole units.
//!
//! Bodies are walls that move, and take what particles press on them: their lift is the sum of it.
//!
//! Clear water that has been calm for a while sleeps until something comes to it (`rest.rs`).
//!
//! Conserves every part of a unit. Steps are divided so that no particle moves further than 0.4 of the spacing in one; their
//! number and the iterations of the pressure are bounded, and what they leave is reported.
//!
//! Checked by the experiments `dam-break`, `still-water`, `float`, `settling`, `erosion-convergence` and `water-speed`, and by `tests/it/water.rs`.

mod beds;
mod collide;
mod density;
mod dfsph;
mod diffusion;
mod drains;
mod erosion;
mod exchange;
mod float;
mod flow;
mod fold;
mod lanes;
mod leave;
mod make_way;
mod method;
mod muller;
mod params;
mod particles;
#[cfg(test)]
mod plain;
mod pour;
mod random;
mod report;
mod rest;
mod run;
mod scale;
mod solve;
mod sources;
mod vapour;
mod viscosity;
mod water;

pub use drains::{Drain, Open};
pub use erosion::ErosionParams;
pub use method::Method;
pub use params::{WaterParams, WaterRange};
pub use particles::Particles;
pub use pour::{Pour, PourError};
pub use report::WaterReport;
pub use sources::{Rain, Source};
pub use water::Water;
