//! The ground: voxels of rock and soil, what changed in them, and which of them are awake.

mod awake;
mod changes;
mod check;
mod edit;
mod ground;
mod smooth;

pub use awake::Awake;
pub use changes::Changes;
pub use edit::{Edit, EditError, EditReport};
pub use ground::Ground;
