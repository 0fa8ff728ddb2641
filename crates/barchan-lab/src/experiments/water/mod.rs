//! Water: how it runs and stands, how bodies lie in it, what it takes and lays down, how fast it is reckoned.

pub mod convergence;
pub mod dam_break;
pub mod float;
mod pool;
pub mod settling;
pub mod speed;
pub mod still;
