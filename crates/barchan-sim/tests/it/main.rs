//! What the world promises, as seen from outside.

mod bearing;
mod bodies;
mod caches;
mod carry;
mod compact;
mod edits;
mod fall;
mod hard_cases;
mod invariants;
mod leaks;
mod sliding;
mod push;
mod slip;
mod soil_tables;
mod steer;
mod tilt;
mod water;
