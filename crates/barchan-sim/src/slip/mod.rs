//! Slip: piled soil that is steeper than its strength allows slides down until it is not.
//!
//! Model: Mohr-Coulomb on the piles of neighbouring columns (Geiger2015 ch. 3, after LiMoshell1993): a pair of columns fails
//! above the plane at which its factor of safety is one, and the wedge above it moves with the speed that its net force
//! gives it. A slope comes down as a whole, with all that stands above the plane through its foot, so that the time that
//! it takes depends little on the size of the voxels. Cohesive soil is judged by whole wedges over many columns (Culmann),
//! so that its strength does not depend on it at all. Soil that ends at an edge pours over it and falls.
//!
//! Soil on a body slides along it as well, where that has less friction than the soil: an even layer lets go when the
//! body leans more than its angle of friction, whatever its cohesion, and a heap of broken or loose soil on level ice spreads
//! (SavageHutter1989).
//!
//! Where a world keeps momentum, sliding soil has a speed of its own: it gathers it on slopes that are too steep, loses it to
//! friction on those that are not, and runs out until it stands, as collapsing columns do (Lube2004).
//!
//! Reads the awake columns, the materials, gravity, the share that bodies take of each voxel (1/32,768) and their
//! friction; moves soil (units) between the tops of piles and keeps, with momentum, the speed (m/s) of what slides.
//!
//! Conserves every unit. Without momentum no pair moves further than to its failure angle, and with it none takes more than it
//! gives and may rise, so nothing rings; steps are cut into as many
//! rounds as the sliding soil needs to cross little more than a column in each, and what has no further to go stays out
//! of the later ones.
//!
//! Checked by the experiments `slump`, `collapse` and `cut`, by `tests/it/slip.rs`, `tests/it/momentum.rs` and, on bodies, by
//! `tests/it/tilt.rs`.

mod apply;
mod around;
mod floor_law;
mod flow;
mod footing;
mod horizon;
mod law;
mod links;
mod momentum;
mod motion;
mod net;
mod outline;
mod pairs;
mod parts;
#[cfg(test)]
mod plain_motion;
#[cfg(test)]
mod plain_wedges;
mod relay;
#[cfg(test)]
mod rough_ground;
mod routes;
mod rule;
mod seam;
mod section;
mod slip;
mod surge;
mod sweep;
mod wedges;

pub use momentum::{Momentum, Sliding};
pub use rule::{Strength, culmann_height_m, failure_plane};
pub use slip::{Slip, SlipReport};
pub use wedges::Wedge;
