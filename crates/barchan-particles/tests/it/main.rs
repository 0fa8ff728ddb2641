//! Integration tests of barchan-particles, in one binary.

mod levels;
mod lists;
mod scattered;
mod sizes;
