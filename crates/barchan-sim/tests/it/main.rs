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
mod push;
mod reaction;
mod sliding;
mod slip;
mod soil_tables;
mod steer;
mod still_water;
mod tilt;
mod tools;
mod versions;
mod water;
mod weather;
