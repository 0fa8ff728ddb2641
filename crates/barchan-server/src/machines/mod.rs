//! Vehicles that hands drive: sets of scripted bodies whose tracks are laid anew in every step.

mod bulldozer;
mod excavator;
mod joint;
mod machine;
mod machines;
mod part;

pub use machine::Machine;
pub use machines::Machines;
