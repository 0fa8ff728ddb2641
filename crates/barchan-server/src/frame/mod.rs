//! Frames: what ground, bodies and particles look like, as bytes (`docs/wire.md`).

mod block;
mod bodies;
mod deflate;
mod outbox;
mod particles;
mod soften;
mod writer;

pub use block::Block;
pub use outbox::Outbox;
pub use soften::soften;

/// The version of the wire format.
pub const VERSION: u32 = 6;
