//! Bubbles: how much of the space around a voxel is filled, weighted, and counted exactly.
//!
//! A [`Bubble`] gives every place in a box around a voxel a whole weight. [`count_bubbles`] sums, for every voxel of a
//! region, the weights of what is filled around it. All of it is whole numbers, so nothing depends on order, on tiles
//! or on threads.
//!
//! The sums are nested: a row of weights along z is a difference of running sums; rows make the discs of one slice of
//! the bubble; discs make the bubble. Rows and discs that are alike are summed once, so that a ball of radius r costs
//! about r² additions per voxel instead of r³, many of them in eight bits.

mod bubble;
mod count;
mod discs;
mod filling;
mod form;
mod lane;
mod live;
mod plan;
mod profile;
mod tile;

pub use bubble::{Bubble, BubbleError};
pub use count::{Around, Counts, TileCounts, count_bubbles};
pub use filling::{Filling, GridFilling, Plugged, Walled};
pub use form::Form;
pub use live::LiveCounts;
