//! The ground as columns: what carries soil, and the multi-level height field of piles that slide.
//!
//! Every column of voxels is a list of openings, one above the other: a solid floor, the soil piled on it, air, and a
//! ceiling or the sky. [`Pile`] is one of them; a bare floor is a pile of no height. Soil on a shelf, under an
//! overhang, on a bridge and on the ground below it are different piles of the same column.
//! All of it is derived from the voxels and the share that bodies take of them, and only where something is awake.

mod body_run;
mod field;
mod patch;
mod pile;
mod scan;
mod space;
mod tile;

pub use field::{Field, PileRef};
pub use pile::Pile;
pub use space::Space;
pub use tile::Tile;

pub(crate) use body_run::BodyRun;
pub(crate) use patch::{ChangedBricks, Patch, commit};
pub(crate) use pile::{HEIGHT_ONE, height_of};
pub(crate) use space::{FULL_SLACK, FullSoil, LEDGE_SHARE, Look, downward, is_ledge};
