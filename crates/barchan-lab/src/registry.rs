//! The list of all experiments.

use crate::experiment::Experiment;
use crate::experiments::digging::{bucket, carving, hele_shaw, hybrid_speed};
use crate::experiments::grains::{clump_inertia, energy, orifice, repose, restitution, speed};
use crate::experiments::{
    archive, blade, books, carry, chute, collapse, compression, convergence, cut, damp, kinds, mesh_speed,
    particle_speed, push, ridges, sinkage, slump, stress, traction, trench, water, weathering, world_size,
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
    trench::EXPERIMENT,
    stress::EXPERIMENT,
    compression::EXPERIMENT,
    sinkage::SINKAGE,
    sinkage::PASSES,
    traction::EXPERIMENT,
    blade::EXPERIMENT,
    push::EXPERIMENT,
    carry::EXPERIMENT,
    ridges::EXPERIMENT,
    weathering::tool::EXPERIMENT,
    weathering::debris::EXPERIMENT,
    weathering::rest_threshold::EXPERIMENT,
    weathering::combined::EXPERIMENT,
    restitution::EXPERIMENT,
    clump_inertia::EXPERIMENT,
    repose::EXPERIMENT,
    orifice::EXPERIMENT,
    energy::EXPERIMENT,
    speed::EXPERIMENT,
    carving::EXPERIMENT,
    bucket::EXPERIMENT,
    hele_shaw::EXPERIMENT,
    hybrid_speed::EXPERIMENT,
    mesh_speed::EXPERIMENT,
    particle_speed::EXPERIMENT,
    world_size::EXPERIMENT,
    archive::EDIT,
    archive::MEMORY,
    archive::HISTORY,
    water::dam_break::EXPERIMENT,
    water::still::EXPERIMENT,
    water::float::EXPERIMENT,
    water::settling::EXPERIMENT,
    water::convergence::EXPERIMENT,
    water::speed::EXPERIMENT,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
