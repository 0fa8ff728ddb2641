//! Bare samples without a header, northernmost row first.

use std::io::{self, Write};

use super::heightmap::{HeightScale, Heightmap, finite, sample_count};
use super::sixteen_bit::SixteenBit;
use crate::error::FormatError;

const FORMAT: &str = "raw heightmap";

/// What a file of bare samples does not say about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawLayout {
    /// The kind of sample.
    pub sample: RawSample,
    /// Width and height (samples). `None` for a square map, whose side follows from the length of the file.
    pub size: Option<[usize; 2]>,
}

/// The kind of sample in a file of bare samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawSample {
    /// Unsigned 16-bit, low byte first, read as fractions 0..1.
    #[default]
    U16LittleEndian,
    /// Unsigned 16-bit, high byte first, read as fractions 0..1.
    U16BigEndian,
    /// 32-bit floating point, low byte first, read as metres; `NaN` is no data.
    F32LittleEndian,
}

impl Heightmap {
    /// Reads bare samples.
    pub fn read_raw(bytes: &[u8], layout: RawLayout) -> Result<Self, FormatError> {
        let sample_bytes = match layout.sample {
            RawSample::U16LittleEndian | RawSample::U16BigEndian => 2,
            RawSample::F32LittleEndian => 4,
        };
        let [width, height] = match layout.size {
            Some(size) => size,
            None => square_size(bytes.len(), sample_bytes)?,
        };
        let count = sample_count(FORMAT, width as u64, height as u64)?;
        if bytes.len() != count * sample_bytes {
            let (expected, found) = ((count * sample_bytes) as u64, bytes.len() as u64);
            return Err(FormatError::Count { format: FORMAT, what: "bytes", expected, found });
        }

        let unit = |pair: [u8; 2], decode: fn([u8; 2]) -> u16| SixteenBit::UNIT.decode(decode(pair));
        let (pairs, _) = bytes.as_chunks::<2>();
        let (scale, samples) = match layout.sample {
            RawSample::U16LittleEndian => {
                (HeightScale::Unit, pairs.iter().map(|&pair| unit(pair, u16::from_le_bytes)).collect())
            }
            RawSample::U16BigEndian => {
                (HeightScale::Unit, pairs.iter().map(|&pair| unit(pair, u16::from_be_bytes)).collect())
            }
            RawSample::F32LittleEndian => (HeightScale::Metres, read_f32(bytes)?),
        };
        Ok(Self::from_north_first(width, height, scale, samples))
    }
}

/// Writes unsigned 16-bit samples, low byte first. Metres are spread over all samples: the range is lost, and so is
/// no data, which becomes the lowest sample.
pub(super) fn write_u16(map: &Heightmap, out: &mut impl Write) -> io::Result<()> {
    let line = SixteenBit::for_map(map, false);
    map.rows_from_north().flatten().try_for_each(|&height| out.write_all(&line.encode(height).to_le_bytes()))
}

/// Writes 32-bit floating point samples, low byte first.
pub(super) fn write_f32(map: &Heightmap, out: &mut impl Write) -> io::Result<()> {
    map.rows_from_north().flatten().try_for_each(|height| out.write_all(&height.to_le_bytes()))
}

fn square_size(bytes: usize, sample_bytes: usize) -> Result<[usize; 2], FormatError> {
    let side = (bytes / sample_bytes).isqrt();
    if side * side * sample_bytes == bytes {
        return Ok([side, side]);
    }
    Err(FormatError::Unsupported {
        format: FORMAT,
        expected: format!("a square map of {sample_bytes}-byte samples, or a size beside the file"),
        found: format!("{bytes} bytes"),
    })
}

fn read_f32(bytes: &[u8]) -> Result<Vec<f32>, FormatError> {
    let (words, _) = bytes.as_chunks::<4>();
    let heights = words.iter().map(|&word| f32::from_le_bytes(word));
    heights
        .map(|height| match height.is_nan() {
            true => Ok(f32::NAN),
            false => finite(FORMAT, "a height", f64::from(height)).map(|_| height),
        })
        .collect()
}
