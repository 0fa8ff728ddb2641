//! The surface from outside.

mod golden;
mod pictures;
mod worlds;
