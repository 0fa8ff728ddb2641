//! The world of moving ground: rock and soil in whole units, bodies, materials, one clock, one set of books.
//!
//! [`World`] owns all state and [`World::step`] moves it. Nothing here reads a file, a machine clock or a network.

mod awake_workers;
pub mod bearing;
pub mod bodies;
mod cache;
pub mod carry;
pub mod carve;
mod clock;
mod close;
pub mod columns;
pub mod compact;
mod digest;
pub mod fall;
pub mod grains;
pub mod ground;
mod in_parts;
pub mod inventory;
pub mod ledger;
pub mod material;
pub mod merge;
mod now;
mod payload;
pub mod push;
pub mod reaction;
pub mod reader;
mod seen;
pub mod sense;
mod settle;
pub mod slip;
pub mod state;
mod steer;
mod step;
pub mod tools;
pub mod units;
pub mod versions;
pub mod voxel;
pub mod water;
pub mod weather;
mod world;

pub use awake_workers::with_awake_workers;
pub use clock::Clock;
pub use close::Closing;
pub use ground::{Edit, EditError, EditReport, Ground, GroundBrick, Packing};
pub use ledger::{Account, Amounts, Ledger, Place, Transfers};
pub use material::{Material, MaterialId, Materials};
pub use now::Now;
pub use payload::Payload;
pub use seen::{ParticleForm, ParticleId, SeenParticle, SeenParticles};
pub use settle::SettleReport;
pub use state::WorldState;
pub use step::{LONGEST_STEP_S, Process, StepReport};
pub use versions::Versions;
pub use voxel::{SideList, Voxel};
pub use world::{DEFAULT_MEMORY_LIMIT_BYTES, World, WorldConfig, WorldError};
