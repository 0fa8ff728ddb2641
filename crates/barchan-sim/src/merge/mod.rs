//! Merge: grains that have come to rest on the ground become ground again.
//!
//! Model: what is slower and turns more slowly than both thresholds for a while, and lies on the ground, no longer matters to the
//! motion of the soil (Holz2009, section 4.2). It returns with exactly its units, spread over the columns around by a tent that is
//! a partition of unity, as loose as the cells around say (section 5.2). Nothing returns close to a tool that works, nor on one.
//! Reads bodies, the share they take of each voxel (1/32,768), materials; writes ground and grains (units).
//! Conserves every unit: what does not find room as a whole stays a grain. Beyond the number that may be alive the oldest at rest go
//! first, whatever they lie on the ground for, and the report says how many.
//! Experiment: `carving`.

mod hands;
mod looseness;
mod merge;
mod params;
mod spread;
#[cfg(test)]
mod tests;

pub use looseness::Looseness;
pub use merge::{Merge, MergeReport};
pub use params::MergeParams;
