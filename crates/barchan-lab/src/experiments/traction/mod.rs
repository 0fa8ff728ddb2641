//! Wheels and a track shoe in a rig that imposes their slip and leaves them free to sink: what they pull, and how deep they go.

mod rig;
mod theory;
mod traction;

pub(crate) use rig::{Drive, Gear, Rig};
pub use traction::EXPERIMENT;
