//! Chunks: the framing of a .barchan file. A chunk that was changed by as much as a bit is not read.

use std::borrow::Cow;
use std::io::{self, Write};

use xxhash_rust::xxh3::Xxh3;

use super::FORMAT;
use crate::error::FormatError;

/// Largest chunk before compression (bytes). The largest that is written holds the bodies.
pub(super) const MAX_RAW_BYTES: usize = 1 << 30;
/// tag, version, raw length, stored length, checksum
pub(super) const FRAME_BYTES: usize = 4 + 2 + 4 + 4 + 8;
/// LZ4 cannot compress better than this; a chunk that claims more is broken.
const MAX_RATIO: usize = 256;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(pub [u8; 4]);

impl Tag {
    pub(super) const GROUND: Self = Self(*b"GRND");
    pub(super) const BODY: Self = Self(*b"BODY");
    pub(super) const BRICKS: Self = Self(*b"BRIC");
    pub(super) const NODE: Self = Self(*b"NODE");
    pub(super) const RECORD: Self = Self(*b"VERS");
    pub(super) const END: Self = Self(*b"END!");

    /// As it can be shown.
    pub(super) fn name(self) -> String {
        self.0.escape_ascii().to_string()
    }
}

/// What stands before the stored bytes of a chunk.
pub(super) struct Frame {
    pub tag: Tag,
    pub version: u16,
    /// Of the raw and of the stored bytes.
    pub lengths: (usize, usize),
    pub checksum: u64,
}

impl Frame {
    pub(super) fn read(frame: &[u8; FRAME_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
        Self {
            tag: Tag([frame[0], frame[1], frame[2], frame[3]]),
            version: u16::from_le_bytes([frame[4], frame[5]]),
            lengths: (word(6) as usize, word(10) as usize),
            checksum: u64::from(word(14)) | u64::from(word(18)) << 32,
        }
    }
}

/// A chunk ready to be written, or as found in a file and checked against its sum.
pub(super) struct Chunk<'a> {
    pub(super) tag: Tag,
    /// Of which form its bytes are.
    pub(super) version: u16,
    raw_length: usize,
    stored: Cow<'a, [u8]>,
}

impl<'a> Chunk<'a> {
    /// Compresses `raw`, which must not be longer than [`MAX_RAW_BYTES`].
    pub(super) fn compress(tag: Tag, version: u16, raw: &[u8]) -> Self {
        assert!(raw.len() <= MAX_RAW_BYTES, "a chunk of {} bytes", raw.len());
        Self { tag, version, raw_length: raw.len(), stored: lz4_flex::block::compress(raw).into() }
    }

    /// Size when unpacked (bytes).
    pub(super) fn raw_bytes(&self) -> u64 {
        self.raw_length as u64
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (raw, stored) = (self.raw_length as u32, self.stored.len() as u32);
        out.write_all(&self.tag.0)?;
        out.write_all(&self.version.to_le_bytes())?;
        out.write_all(&raw.to_le_bytes())?;
        out.write_all(&stored.to_le_bytes())?;
        out.write_all(&self.checksum().to_le_bytes())?;
        out.write_all(&self.stored)
    }

    /// Reads the chunk at the start of `bytes` and moves `bytes` past it. The checksum is looked at by
    /// [`Chunk::decompress`], so that it can be done in parallel.
    pub(super) fn read(bytes: &mut &'a [u8]) -> Result<(Self, u64), FormatError> {
        let frame = bytes.split_first_chunk().ok_or_else(|| corrupt("the file ends in the middle"))?;
        *bytes = frame.1;
        let Frame { tag, version, lengths, checksum } = Frame::read(frame.0);
        Ok((Self::stored(tag, version, lengths, bytes)?, checksum))
    }

    /// The same with bytes of its own.
    pub(super) fn into_owned(self) -> Chunk<'static> {
        let Self { tag, version, raw_length, stored } = self;
        Chunk { tag, version, raw_length, stored: stored.into_owned().into() }
    }

    /// What it takes in a file, its frame included (bytes).
    pub(super) fn file_bytes(&self) -> u64 {
        (FRAME_BYTES + self.stored.len()) as u64
    }

    /// The chunk whose bytes stand at the start of `bytes`, which is moved past them; `lengths` are those of its raw and of its
    /// stored bytes.
    pub(super) fn stored(
        tag: Tag,
        version: u16,
        (raw_length, stored_length): (usize, usize),
        bytes: &mut &'a [u8],
    ) -> Result<Self, FormatError> {
        let stored =
            bytes.split_off(..stored_length).ok_or_else(|| corrupt("the file ends in the middle"))?;
        if raw_length > MAX_RAW_BYTES || raw_length > stored_length.saturating_mul(MAX_RATIO) {
            return Err(corrupt("a chunk claims to be larger than it can be"));
        }
        Ok(Self { tag, version, raw_length, stored: stored.into() })
    }

    /// The raw bytes, when the chunk is whole.
    pub(super) fn decompress(&self, checksum: u64) -> Result<Vec<u8>, FormatError> {
        if self.checksum() != checksum {
            return Err(corrupt("a checksum does not match: the file was damaged"));
        }
        self.unpack()
    }

    /// The raw bytes, whose sum was looked at.
    pub(super) fn unpack(&self) -> Result<Vec<u8>, FormatError> {
        let mut raw = vec![0; self.raw_length];
        match lz4_flex::block::decompress_into(&self.stored, &mut raw) {
            Ok(length) if length == self.raw_length => Ok(raw),
            _ => Err(corrupt("a chunk does not decompress to its length")),
        }
    }

    /// What was stored, as it stands in the file.
    pub(super) fn stored_bytes(&self) -> &[u8] {
        &self.stored
    }

    fn checksum(&self) -> u64 {
        let mut hasher = Xxh3::new();
        hasher.update(&self.tag.0);
        hasher.update(&self.version.to_le_bytes());
        hasher.update(&(self.raw_length as u32).to_le_bytes());
        hasher.update(&self.stored);
        hasher.digest()
    }
}

/// The bytes do not follow the format.
pub(super) fn corrupt(reason: impl Into<String>) -> FormatError {
    FormatError::Corrupt { format: FORMAT, reason: reason.into() }
}
