//! What the world promises, as seen from outside.

mod bearing;
mod bodies;
mod carry;
mod edits;
mod fall;
mod invariants;
mod push;
mod slip;
mod steer;
