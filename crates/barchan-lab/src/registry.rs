//! The list of all experiments.

use crate::experiment::Experiment;
use crate::experiments::{books, mesh_speed};

/// Every experiment, in the order of `barchan lab list`.
pub const EXPERIMENTS: &[Experiment] = &[books::EXPERIMENT, mesh_speed::EXPERIMENT];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
