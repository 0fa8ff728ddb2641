//! What the world promises, as seen from outside.

mod bodies;
mod edits;
mod invariants;
