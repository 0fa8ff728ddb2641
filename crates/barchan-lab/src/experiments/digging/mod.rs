//! Digging with particles: how evenly soil comes off, how it heaps up, what a bucket takes, how fast it all is.

mod blade;
pub mod bucket;
pub mod carving;
pub mod hele_shaw;
pub mod hybrid_speed;
