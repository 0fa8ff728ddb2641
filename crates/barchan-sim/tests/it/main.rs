//! What the world promises, as seen from outside.

mod bearing;
mod bodies;
mod caches;
mod carry;
mod edits;
mod fall;
mod hard_cases;
mod invariants;
mod leaks;
mod sliding;
mod push;
mod slip;
mod steer;
mod tilt;
