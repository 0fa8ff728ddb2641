//! Carry: soil that rests on a moving body moves with it.
//!
//! Model: the soil on a body follows a frame that moves level and turns about the vertical; friction drives the frame
//! after the body with at most mu (g + a_z), mu being the smaller of the body's friction and the soil's tan phi
//! (Coulomb1776). Where turning demands more than that, soil is flung outwards. Down it falls, up it is pushed.
//!
//! Reads bodies (m, m/s), the share they take of each voxel (1/32,768), gravity (m/s²) and the materials; moves soil
//! (units) within the ground and keeps the frame of each moving body.
//!
//! Conserves every unit and, on a body that only moves level and turns, every voxel: frames are mapped on voxels one to
//! one, from where they are and not from how they came there, so that nothing smears however far it is carried.
//! Bodies that touch and move as one share a frame, and what one of their sides displaces fills the gap that another
//! leaves; where a body rises more than it moves along, as a plate that tips, it lifts what is on it instead. What finds
//! no room stays where it is, and what is behind it stays too. Cohesive soil that moves breaks and swells.
//!
//! Checked by the experiment `carry`, by `tests/it/carry.rs` and, with a bucket, by `tests/it/push.rs`, with plates
//! that tip by `tests/it/tilt.rs`.

mod carry;
mod exchange;
mod frame;
mod lattice;
mod load;
mod marks;
mod moves;
mod site;
mod sites;

pub use carry::{Carry, CarryReport};

pub(crate) use moves::Moves;
