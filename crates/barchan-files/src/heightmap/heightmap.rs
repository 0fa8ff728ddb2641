//! The heightmap itself, and the choice of format by file ending.

use std::io;
use std::path::Path;

use super::{esri_ascii, geotiff, png, raw};
use crate::atomic_write::write_atomically;
use crate::error::{FileError, FormatError, file_ending};
use crate::heightmap::raw::{RawLayout, RawSample};
use crate::read_limit::read_file;

/// Most samples along one side of a heightmap.
pub const MAX_SIDE: usize = 65_536;
/// Most samples in one heightmap: 2²⁸, one gibibyte of heights.
pub const MAX_SAMPLES: usize = 1 << 28;

/// Largest file that is read (bytes): the most samples as 64-bit numbers, or as text of 16 characters each.
const MAX_FILE_BYTES: u64 = MAX_SAMPLES as u64 * 16;
const ENDINGS: &str = "png, tif, tiff, asc, raw, r16, r32";
const FORMAT: &str = "heightmap";

/// Heights on a regular grid of square cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightmap {
    /// Samples from west to east.
    pub width: usize,
    /// Samples from south to north.
    pub height: usize,
    /// Edge of a cell (m). `None` when the file does not say or counts in degrees.
    pub cell_size_m: Option<f64>,
    /// Projected coordinates of the lower-left corner of the lower-left cell (m).
    pub origin_m: Option<[f64; 2]>,
    /// What the samples count.
    pub scale: HeightScale,
    /// Heights row by row, the southernmost row first, each from west to east. `NaN` where there is no data.
    pub samples: Vec<f32>,
    /// What the file left open or what had to be assumed, in words for the user.
    pub warnings: Vec<String>,
}

/// What the samples of a heightmap count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightScale {
    /// Metres.
    Metres,
    /// Fractions 0..1 of a height range that the file does not tell.
    Unit,
}

impl Heightmap {
    /// Reads a heightmap in the format that the file ending names.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let parse: fn(&[u8]) -> Result<Self, FormatError> = match file_ending(path).as_str() {
            "png" => Self::read_png,
            "tif" | "tiff" => Self::read_tiff,
            "asc" => Self::read_esri_ascii,
            "raw" | "r16" => |bytes| Self::read_raw(bytes, RawLayout::default()),
            "r32" => |bytes| {
                Self::read_raw(
                    bytes,
                    RawLayout { sample: RawSample::F32LittleEndian, ..RawLayout::default() },
                )
            },
            _ => return Err(FileError::ending(path, ENDINGS)),
        };
        parse(&read_file(path, MAX_FILE_BYTES)?).map_err(FileError::in_file(path))
    }

    /// Reads a file of bare samples whose size or kind of sample its ending does not tell.
    pub fn read_raw_file(path: impl AsRef<Path>, layout: RawLayout) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::read_raw(&read_file(path, MAX_FILE_BYTES)?, layout).map_err(FileError::in_file(path))
    }

    /// Writes the heightmap in the format that the file ending names, replacing an older file only when done.
    ///
    /// What a format cannot carry is lost: see the table of [the module](crate::heightmap).
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        self.check().map_err(FileError::in_file(path))?;
        match file_ending(path).as_str() {
            "png" => write_atomically(path, |file| png::write(self, file).map_err(io::Error::other)),
            "tif" | "tiff" => {
                write_atomically(path, |file| geotiff::write(self, file).map_err(io::Error::other))
            }
            "asc" => write_atomically(path, |file| esri_ascii::write(self, file)),
            "raw" | "r16" => write_atomically(path, |file| raw::write_u16(self, file)),
            "r32" => write_atomically(path, |file| raw::write_f32(self, file)),
            _ => Err(FileError::ending(path, ENDINGS)),
        }
    }

    /// Whether sizes and numbers are such that every reader can make sense of them.
    pub fn check(&self) -> Result<(), FormatError> {
        let expected = sample_count(FORMAT, self.width as u64, self.height as u64)?;
        if self.samples.len() != expected {
            let (expected, found) = (expected as u64, self.samples.len() as u64);
            return Err(FormatError::Count { format: FORMAT, what: "samples", expected, found });
        }
        if let Some(cell_size) = self.cell_size_m {
            checked_cell_size(FORMAT, cell_size)?;
        }
        for coordinate in self.origin_m.into_iter().flatten() {
            finite(FORMAT, "the origin", coordinate)?;
        }
        match self.samples.iter().find(|height| height.is_infinite()) {
            Some(&height) => finite(FORMAT, "a height", f64::from(height)).map(drop),
            None => Ok(()),
        }
    }

    /// The height of cell (`x` from the west, `y` from the south), if it has one.
    pub fn get(&self, x: usize, y: usize) -> Option<f32> {
        let inside = x < self.width && y < self.height;
        let height = *self.samples.get(y.checked_mul(self.width)? + x).filter(|_| inside)?;
        (!height.is_nan()).then_some(height)
    }

    /// The lowest and the highest sample; `None` when no cell has data.
    pub fn range(&self) -> Option<(f32, f32)> {
        let known = self.samples.iter().copied().filter(|height| !height.is_nan());
        known.fold(None, |range, height| {
            let (low, high) = range.unwrap_or((height, height));
            Some((low.min(height), high.max(height)))
        })
    }

    /// Gives a map of fractions its unit: 0 becomes `low_m`, 1 becomes `high_m` (m). Metres stay as they are.
    pub fn into_metres(mut self, low_m: f32, high_m: f32) -> Self {
        if self.scale == HeightScale::Unit {
            for height in &mut self.samples {
                *height = low_m + *height * (high_m - low_m);
            }
            self.scale = HeightScale::Metres;
        }
        self
    }

    /// A map without georeference, from rows as files keep them: the northernmost first.
    pub(super) fn from_north_first(
        width: usize,
        height: usize,
        scale: HeightScale,
        mut samples: Vec<f32>,
    ) -> Self {
        debug_assert_eq!(samples.len(), width * height);
        for y in 0..height / 2 {
            let (upper, lower) = samples.split_at_mut((height - 1 - y) * width);
            upper[y * width..(y + 1) * width].swap_with_slice(&mut lower[..width]);
        }
        Self { width, height, cell_size_m: None, origin_m: None, scale, samples, warnings: Vec::new() }
    }

    /// The rows as files keep them: the northernmost first.
    pub(super) fn rows_from_north(&self) -> impl Iterator<Item = &[f32]> {
        self.samples.chunks_exact(self.width).rev()
    }
}

/// The number of samples of a map of `width` x `height`, when that is within the limits.
pub(super) fn sample_count(format: &'static str, width: u64, height: u64) -> Result<usize, FormatError> {
    for (what, side) in [("width", width), ("height", height)] {
        if side == 0 || side > MAX_SIDE as u64 {
            let allowed = format!("1..={MAX_SIDE} samples");
            return Err(FormatError::OutOfRange { format, what, allowed, found: side.to_string() });
        }
    }
    let count = width * height;
    if count > MAX_SAMPLES as u64 {
        let (what, allowed) = ("width x height", format!("at most {MAX_SAMPLES} samples"));
        return Err(FormatError::OutOfRange { format, what, allowed, found: count.to_string() });
    }
    Ok(count as usize)
}

/// `value`, when it can be the edge of a cell (m).
pub(super) fn checked_cell_size(format: &'static str, value: f64) -> Result<f64, FormatError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    let allowed = "a positive number".into();
    Err(FormatError::OutOfRange { format, what: "the cell size", allowed, found: value.to_string() })
}

/// The edge of a cell of `dx` x `dy`, when it is a square but for rounding: a thousandth.
pub(super) fn square_cell_size(format: &'static str, dx: f64, dy: f64) -> Result<f64, FormatError> {
    let (dx, dy) = (checked_cell_size(format, dx)?, checked_cell_size(format, dy)?);
    if (dx - dy).abs() > 1e-3 * dx {
        let (expected, found) = ("square cells".into(), format!("cells of {dx} x {dy}"));
        return Err(FormatError::Unsupported { format, expected, found });
    }
    Ok(dx)
}

/// `value`, when it is neither infinite nor `NaN`.
pub(super) fn finite(format: &'static str, what: &'static str, value: f64) -> Result<f64, FormatError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(FormatError::OutOfRange { format, what, allowed: "finite".into(), found: value.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: usize, height: usize, samples: Vec<f32>) -> Heightmap {
        Heightmap::from_north_first(width, height, HeightScale::Metres, samples)
    }

    #[test]
    fn rows_turn_so_that_the_south_comes_first() {
        let three_rows = map(2, 3, vec![5.0, 6.0, 3.0, 4.0, 1.0, 2.0]);
        assert_eq!(three_rows.samples, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(three_rows.rows_from_north().next(), Some(&[5.0, 6.0][..]));
        assert_eq!(three_rows.get(1, 2), Some(6.0));
        assert_eq!(three_rows.get(2, 0), None);
        assert_eq!(map(1, 2, vec![2.0, 1.0]).samples, [1.0, 2.0]);
    }

    #[test]
    fn the_range_leaves_out_what_is_unknown() {
        assert_eq!(map(3, 1, vec![f32::NAN, 4.0, -1.0]).range(), Some((-1.0, 4.0)));
        assert_eq!(map(1, 1, vec![f32::NAN]).range(), None);
    }

    #[test]
    fn fractions_become_metres_once() {
        let mut unit = map(2, 1, vec![0.25, 1.0]);
        unit.scale = HeightScale::Unit;
        let metres = unit.into_metres(100.0, 200.0);
        assert_eq!(metres.samples, [125.0, 200.0]);
        assert_eq!(metres.into_metres(0.0, 1.0).samples, [125.0, 200.0]);
    }

    #[test]
    fn limits_are_exact() {
        assert_eq!(sample_count("x", 65_536, 4096), Ok(MAX_SAMPLES));
        assert!(sample_count("x", 65_536, 4097).is_err());
        assert!(sample_count("x", 65_537, 1).is_err());
        assert!(sample_count("x", 0, 1).is_err());
        assert!(sample_count("x", u64::MAX, u64::MAX).is_err());
    }

    #[test]
    fn a_map_that_contradicts_itself_is_refused() {
        let good = map(2, 1, vec![0.0, f32::NAN]);
        assert_eq!(good.check(), Ok(()));
        assert!(Heightmap { width: 3, ..good.clone() }.check().is_err());
        assert!(Heightmap { cell_size_m: Some(0.0), ..good.clone() }.check().is_err());
        assert!(Heightmap { origin_m: Some([0.0, f64::NAN]), ..good.clone() }.check().is_err());
        assert!(Heightmap { samples: vec![0.0, f32::INFINITY], ..good }.check().is_err());
    }
}
