//! What crates above keep in a world's file, beside the world: bytes that only they understand.

use super::chunk::Tag;

/// Bytes that go with a world in its file and are no part of its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// What it is: one of [`Attachment::TAGS`].
    pub tag: [u8; 4],
    /// Of which form the bytes are.
    pub version: u16,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Attachment {
    /// How a run goes on: step, recording, camera. Written and read by barchan-scene.
    pub const PLAN: [u8; 4] = *b"PLAN";

    /// All that may be attached; anything else in a file is refused.
    pub const TAGS: [[u8; 4]; 1] = [Self::PLAN];

    pub(super) fn is_known(tag: Tag) -> bool {
        Self::TAGS.contains(&tag.0)
    }
}
