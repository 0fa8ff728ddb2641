//! A first look at a TIFF file, before the decoder sees it.
//!
//! The decoder multiplies the number of bands with the number of strips before it checks either, and reserves memory
//! for a tag's values before it knows that the file holds them. What passes here does neither harm.

use super::geotiff::{FORMAT, corrupt};
use crate::error::FormatError;

const SAMPLES_PER_PIXEL: u16 = 277;

/// Checks that the first directory and all its values lie inside the file, and that the image has a single band.
pub(super) fn check_first_directory(bytes: &[u8]) -> Result<(), FormatError> {
    let file = Tiff::open(bytes)?;
    let start = file.word(if file.big { 8 } else { 4 })?;
    let (entries, first) = match file.big {
        true => (file.integer(start, 8)?, start.saturating_add(8)),
        false => (file.integer(start, 2)?, start.saturating_add(2)),
    };
    let entry_bytes = if file.big { 20 } else { 12 };
    let at_most = (bytes.len() as u64).saturating_sub(first) / entry_bytes;
    if entries > at_most {
        let what = "directory entries";
        return Err(FormatError::Count { format: FORMAT, what, expected: entries, found: at_most });
    }
    (0..entries).try_for_each(|entry| file.check_entry(first + entry * entry_bytes))
}

/// The bytes of a TIFF file and how to read numbers from them.
struct Tiff<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    /// Whether offsets and counts are 64 bits wide: BigTIFF.
    big: bool,
}

impl<'a> Tiff<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let (big_endian, version) = match bytes {
            [b'I', b'I', low, high, ..] => (false, u16::from_le_bytes([*low, *high])),
            [b'M', b'M', high, low, ..] => (true, u16::from_be_bytes([*high, *low])),
            _ => return Err(corrupt("the file does not begin with II or MM")),
        };
        match version {
            42 => Ok(Self { bytes, big_endian, big: false }),
            43 => Ok(Self { bytes, big_endian, big: true }),
            _ => Err(corrupt(format!("expected version 42 or 43, found {version}"))),
        }
    }

    fn check_entry(&self, at: u64) -> Result<(), FormatError> {
        let (tag, kind) = (self.integer(at, 2)? as u16, self.integer(at + 2, 2)?);
        let value_at = at + if self.big { 12 } else { 8 };
        let count = self.word(at + 4)?;
        let size: u64 = match kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16 | 17 | 18 => 8,
            // The decoder skips entries of unknown kind, as the format demands, but loses its place in BigTIFF.
            _ if self.big => return Err(corrupt(format!("tag {tag} is of unknown kind {kind}"))),
            _ => return Ok(()),
        };
        let length = count.saturating_mul(size);
        if length > (if self.big { 8 } else { 4 }) {
            let end = self.word(value_at)?.saturating_add(length);
            let found = self.bytes.len() as u64;
            if end > found {
                let what = "bytes to hold the values of all tags";
                return Err(FormatError::Count { format: FORMAT, what, expected: end, found });
            }
        }
        if tag == SAMPLES_PER_PIXEL {
            self.check_bands(kind, count, value_at)?;
        }
        Ok(())
    }

    fn check_bands(&self, kind: u64, count: u64, value_at: u64) -> Result<(), FormatError> {
        let bands = match (kind, count) {
            (3, 1) => self.integer(value_at, 2)?,
            (4, 1) => self.integer(value_at, 4)?,
            _ => return Err(corrupt("SamplesPerPixel is not one unsigned integer")),
        };
        if bands == 1 {
            return Ok(());
        }
        let (expected, found) = ("a single band of heights".into(), format!("{bands} bands"));
        Err(FormatError::Unsupported { format: FORMAT, expected, found })
    }

    /// A count or an offset.
    fn word(&self, at: u64) -> Result<u64, FormatError> {
        self.integer(at, if self.big { 8 } else { 4 })
    }

    fn integer(&self, at: u64, length: usize) -> Result<u64, FormatError> {
        let field = usize::try_from(at).ok().and_then(|at| self.bytes.get(at..)?.get(..length));
        let field = field.ok_or_else(|| FormatError::Count {
            format: FORMAT,
            what: "bytes to hold the directory",
            expected: at.saturating_add(length as u64),
            found: self.bytes.len() as u64,
        })?;
        let push = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
        Ok(if self.big_endian { field.iter().fold(0, push) } else { field.iter().rev().fold(0, push) })
    }
}
