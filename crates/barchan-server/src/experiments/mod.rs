//! The experiments that need a running sandbox.

mod crowd;
mod latency;
mod process;
mod soak;
mod stage;

use barchan_lab::Experiment;

/// The experiments that need a running sandbox, after those of the lab.
pub const EXPERIMENTS: &[Experiment] = &[latency::EXPERIMENT, crowd::EXPERIMENT, soak::EXPERIMENT];
