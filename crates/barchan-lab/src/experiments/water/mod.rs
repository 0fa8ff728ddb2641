//! Water: how it runs, how it stands, how fast it is reckoned.

mod dam_break;
mod pool;
mod speed;
mod still;

pub const DAM_BREAK: crate::experiment::Experiment = dam_break::EXPERIMENT;
pub const STILL_WATER: crate::experiment::Experiment = still::EXPERIMENT;
pub const WATER_SPEED: crate::experiment::Experiment = speed::EXPERIMENT;
