//! Grains: sand as single bodies. A grain is a rigid clump of balls that falls, rolls, sticks and slides on its own.
//!
//! Model: each pair of balls that overlap pushes by Hertz's law with damping, holds by a spring after Mindlin up to Coulomb's limit,
//! and may resist rolling up to a limit of its own (Longmore ch. 3-5, its errors mended; see `press`). Momentum is a semi-implicit sum,
//! turns keep angular momentum to rounding (Dullweber 1997).
//! Reads gravity (m/s²), walls, ground and bodies; writes places, velocities (m/s), spins (rad/s) and springs (m), and gives forces
//! (N) to walls and bodies.
//! Conserves units exactly, momentum in contacts to rounding; stable while a substep is short against the shortest contact and the
//! period of the stiffest, into which it cuts every step.
//! Experiments: `restitution`, `clump-inertia`, `grain-repose`, `orifice`, `grain-energy`, `grain-speed`.

mod chance;
mod damping;
mod energy;
mod enter;
mod faces;
mod feel;
mod feel_lanes;
#[cfg(test)]
mod feel_plain;
mod footing;
mod form;
mod grain;
mod grains;
mod hands;
mod inertia;
mod law;
mod lay;
mod memory;
mod motion;
mod press;
mod records;
mod setup;
mod sizes;
mod sleep;
mod source;
mod step;
mod substance;
mod surface;
mod template;
#[cfg(test)]
mod tests;
mod wall;
mod workshop;

pub use chance::Chance;
pub use damping::{LOWEST_RESTITUTION, damping_number, restitution_of};
pub use energy::{Energy, Lost};
pub use form::{BallKind, Form, FormBall, FormSpec};
pub use grain::{FASTEST_M_S, Grain};
pub use grains::{GrainSpec, Grains, Tie};
pub use inertia::Bulk;
pub use law::{Law, Laws, Manners, Pace, Pair, Sliding, Touching};
pub use setup::{GrainsError, MOST_KINDS, SIZES_M, Setup, Worked};
pub use sizes::Sizes;
pub use source::{Fill, Source, SourceState};
pub use step::{GrainsReport, MOST_SUBSTEPS};
pub use substance::{Between, Substance};
pub use template::{Ball, MOST_BALLS, Template, TemplateError};
pub use wall::{MOST_POINTS, Plunged, Wall, WallError, WallForm, WallMotion, WallPose};
