//! The experiments: named, parameterised runs that yield rows, each row comparable with a number from the literature
//! or with an invariant of the engine.
//!
//! [`registry::EXPERIMENTS`] lists them all; [`run`] runs one.

mod experiment;
pub mod experiments;
pub mod registry;
mod settings;

pub use experiment::{Experiment, Outcome, Row, run};
pub use registry::find;
pub use settings::{Parameter, Settings, SettingsError};
