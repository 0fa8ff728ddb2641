//! `damp`: what water in the pores does to a cut and to a heap. Dry and drowned sand run, damp sand stands; suction and weight
//! say how high, in closed form.

mod damp;
mod heap;
mod plots;

pub use damp::EXPERIMENT;
