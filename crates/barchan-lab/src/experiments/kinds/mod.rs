//! `kinds`: soils that touch, slide over each other and are dug through each other stay what they are, to the unit, and each
//! stands at its own angle.

mod case;
mod kinds;

pub use kinds::EXPERIMENT;
