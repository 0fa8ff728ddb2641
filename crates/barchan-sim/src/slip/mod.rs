//! Slip: soil that is steeper than its strength allows slides, gathers speed, runs out and stops.
//!
//! Model: what fails in a pile becomes a layer that moves over a bed, with one velocity over its depth (SavageHutter1989; Geiger2015
//! 3.2.3 eq. 9-10, v += f / W dt): its weight drives it along its surface, Coulomb friction on the bed holds it back. It takes up
//! what fails below it and is laid down where it stops, as in BCRE models (Bouchaud1994). Whatever stands above the plane of
//! friction through the foot of a slope is part of it, so that a slope fails as a whole, at every size of voxels. Soil on smooth
//! bodies slides along these. Cohesive soil is judged by whole wedges (Culmann1866), which slide as blocks. Over edges soil pours and
//! falls on. What stands in its way feels its momentum and its weight.
//!
//! Reads the awake columns, the materials, gravity, the share that bodies take of each voxel (1/32,768) and their friction; moves
//! soil (units) between the tops of piles and keeps the height of beds (1/32,768 voxel) and the velocity (m/s) at faces between
//! piles where soil moves.
//!
//! Conserves every unit of every kind, and momentum where layers share it. Substeps are as short as 0.45 columns take at the
//! speed of soil and of its waves; all of a substep is computed from what was before it, so there is no order in it.
//!
//! Checked by the experiments `convergence`, `collapse`, `chute`, `slump` and `cut`, and by `tests/it/slip.rs`, `tests/it/sliding.rs`
//! and `tests/it/tilt.rs`.

mod apply;
mod beds;
mod drive;
mod floor_law;
mod flux;
mod footing;
mod horizon;
mod law;
mod net;
mod outline;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod plain_wedges;
mod pressing;
#[cfg(test)]
mod rough_ground;
mod rule;
mod sliding;
mod slip;
mod wedges;

pub use rule::{Strength, culmann_height_m, failure_plane};
pub use sliding::{Bed, PileKey, Sliding, Stream};
pub use slip::{Slip, SlipReport};
pub use wedges::Wedge;
