//! Plates that press on soil: `sinkage` compares how far with Bekker, `passes` presses on the same place again and again.

mod passes;
mod plate;
mod sinkage;

pub use passes::EXPERIMENT as PASSES;
pub use sinkage::EXPERIMENT as SINKAGE;
