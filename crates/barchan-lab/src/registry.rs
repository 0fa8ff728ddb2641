//! The list of all experiments.

use crate::experiment::Experiment;
use crate::experiments::{
    books, carry, chute, collapse, convergence, cut, damp, kinds, mesh_speed, push, ridges, slump,
};

/// Every experiment, in the order of `barchan lab list`.
pub const EXPERIMENTS: &[Experiment] = &[
    books::EXPERIMENT,
    kinds::EXPERIMENT,
    slump::EXPERIMENT,
    collapse::EXPERIMENT,
    convergence::EXPERIMENT,
    chute::EXPERIMENT,
    cut::EXPERIMENT,
    damp::EXPERIMENT,
    push::EXPERIMENT,
    carry::EXPERIMENT,
    ridges::EXPERIMENT,
    mesh_speed::EXPERIMENT,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
