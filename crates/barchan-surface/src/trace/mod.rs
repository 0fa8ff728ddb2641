//! Pictures by ray tracing: rays walk the smoothed field of the ground ([`field`], [`walk`]) and the bodies
//! ([`bodies`]); where they end, looks ([`ground_look`], [`body_look`]) and light ([`light`]) give the colour.
//!
//! Every pixel depends on its own place alone, never on threads.

mod bodies;
mod body_look;
mod boxes;
mod build;
mod chance;
mod even_out;
mod field;
mod fills;
mod ground_look;
mod leaps;
mod light;
mod look;
mod normal;
mod render;
mod shapes;
mod sky;
mod smooth;
mod stage;
mod thin;
mod walk;

pub(crate) use render::render;
