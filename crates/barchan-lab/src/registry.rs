//! The list of all experiments.

use crate::experiment::Experiment;
use crate::experiments::{books, carry, cut, push, slump};

/// Every experiment, in the order of `barchan lab list`.
pub const EXPERIMENTS: &[Experiment] =
    &[books::EXPERIMENT, slump::EXPERIMENT, cut::EXPERIMENT, push::EXPERIMENT, carry::EXPERIMENT];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
