//! Pictures by ray tracing: rays walk the smoothed field of the ground ([`field`], [`walk`]) and the bodies
//! ([`bodies`]), grains ([`grains`]) and water ([`water_field`], [`water_walk`]); where they end, looks ([`ground_look`], [`body_look`], [`water_look`]) and light ([`light`]) give the colour.
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
mod grains;
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
#[cfg(test)]
mod test_water;
mod thin;
mod walk;
mod water_field;
mod water_look;
mod water_walk;

pub(crate) use render::render;
