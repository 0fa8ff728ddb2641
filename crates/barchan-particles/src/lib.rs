//! Neighbour search for particles: exact positions, sorted cells, runs, lists. No word of physics.
//!
//! A [`Lattice`] gives positions ([`Place`]) that are equally exact everywhere. [`Cells`] sorts places into cubic
//! cells, so that the particles around a particle stand in a few runs of consecutive slots. Particles that are
//! sorted anew in every step search these runs directly ([`Candidates`]); those that keep their neighbours for many
//! steps make [`Lists`] of them, with a skin that tells when they are outgrown ([`Skin`]). [`SizeClasses`] does the
//! same for particles of different sizes.
//!
//! Who owns particles keeps them in arrays in the order of [`Cells::order`]: the place in these arrays is the slot.
//! What this crate makes never depends on the number of threads or on what the CPU can do.

#![forbid(unsafe_code)]

mod bundles;
mod candidates;
mod cells;
mod ids;
pub mod lanes;
mod lattice;
mod lists;
mod neighbourhoods;
mod records;
mod size_classes;
mod skin;
mod sort;

pub use bundles::{BUNDLE, Bundle, Bundles, gather};
pub use candidates::Candidates;
pub use cells::Cells;
pub use ids::{Id, Ids};
pub use lattice::{Lattice, LatticeError, Place};
pub use lists::Lists;
pub use neighbourhoods::{Neighbourhood, Neighbourhoods};
pub use records::Records;
pub use size_classes::SizeClasses;
pub use skin::Skin;
