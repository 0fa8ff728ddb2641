//! `carry`: soil on a plate that moves. Friction takes it along when the plate drives off, and when it swings about; on ice
//! it stays behind, and a plate that tips loses it.

mod carry;
mod plate;

pub use carry::EXPERIMENT;
