//! The experiments: named, parameterised runs that yield rows, each row comparable with a number from the literature
//! or with an invariant of the engine.
//!
//! [`registry::EXPERIMENTS`] lists them all; [`run`] runs one.

mod experiment;
pub mod experiments;
pub mod measure;
pub mod plot;
pub mod registry;
mod rest;
mod settings;
mod test_soil;

pub use experiment::{Experiment, Outcome, Row, run};
pub use plot::Plot;
pub use registry::find;
pub use settings::{Parameter, Settings, SettingsError};
