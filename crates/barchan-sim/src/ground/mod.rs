//! The ground: voxels of rock, soil and water, what changed in them, and which of them are awake.

mod awake;
mod brick;
mod brush;
mod change_log;
mod changes;
mod check;
mod edit;
mod ground;
mod packing;
mod rewrite;
mod smooth;

pub use awake::Awake;
pub use brick::GroundBrick;
pub use changes::Changes;
pub use edit::{Edit, EditError, EditReport};
pub use ground::Ground;
pub use packing::Packing;

pub(crate) use brush::Stuff;
pub(crate) use change_log::{ChangeLog, Since, Stamp, Touch};
pub(crate) use rewrite::BrickMut;
