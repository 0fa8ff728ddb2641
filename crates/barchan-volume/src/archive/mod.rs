//! The archive: voxels of a space 131,072 a side, with every version there was of it, in little memory.
//!
//! An octree in which equal parts are stored once (Careil2020). What is all of one
//! value needs no storage at any level. Leaves are 4x4x4 voxels: a mask of the solid ones, their materials, and the exact contents
//! of those that are not wholly of their material. An edit writes what changed up to a new root; the old root is the old version.
//!
//! To the archive a material is a number (0: not solid) and contents are 16 bytes: it knows nothing of what they mean.

mod base;
mod chains;
mod change;
mod collect;
mod copy;
mod count;
mod cube;
mod dab;
mod diff;
mod draft;
mod error;
mod history;
mod leaf;
mod leaf_words;
mod leaves;
mod nodes;
mod rays;
mod segments;
mod store;
mod subtree;
mod view;

pub use base::{Base, Stratum};
pub use change::{Change, Verdict};
pub use count::MaterialCounts;
pub use cube::{Cube, SPAN};
pub use dab::{Act, Dab, Extent};
pub use error::ArchiveError;
pub use history::{Archive, Version, VersionId};
pub use leaf::{Contents, Leaf, Rare, Value};
pub use rays::ArchiveHit;
pub use store::Usage;
pub use subtree::Subtree;
pub use view::View;
