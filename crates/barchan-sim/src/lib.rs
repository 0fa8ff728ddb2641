//! The world of moving ground: rock and soil in whole units, bodies, materials, one clock, one set of books.
//!
//! [`World`] owns all state and [`World::step`] moves it. Nothing here reads a file, a machine clock or a network.

mod awake_workers;
pub mod bearing;
pub mod bodies;
pub mod carry;
mod clock;
pub mod columns;
mod digest;
pub mod fall;
pub mod ground;
mod in_parts;
mod ledger;
pub mod material;
pub mod push;
mod settle;
pub mod slip;
mod steer;
mod step;
pub mod units;
mod voxel;
mod world;

pub use awake_workers::with_awake_workers;
pub use clock::Clock;
pub use ground::{Edit, EditError, EditReport, Ground};
pub use ledger::{Amounts, Ledger};
pub use material::{Material, MaterialId, Materials};
pub use settle::SettleReport;
pub use step::{LONGEST_STEP_S, Process, StepReport};
pub use voxel::{Parcel, Voxel};
pub use world::{DEFAULT_MEMORY_LIMIT_BYTES, World, WorldConfig, WorldError, WorldParts};
