//! Frames: what the ground and the bodies look like, as bytes (`docs/wire.md`).

mod block;
mod bodies;
mod deflate;
mod outbox;
mod writer;

pub use block::Block;
pub use outbox::Outbox;

/// The version of the wire format.
pub const VERSION: u32 = 2;
