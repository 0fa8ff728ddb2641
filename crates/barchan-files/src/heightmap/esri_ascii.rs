//! ESRI ASCII grid: a short header of words and numbers, then the heights as text, northernmost row first.

use std::io::{self, Write};

use super::heightmap::{HeightScale, Heightmap, checked_cell_size, sample_count, square_cell_size};
use crate::error::FormatError;

const FORMAT: &str = "ESRI ASCII grid";
/// Stands for no data when the header does not say otherwise, by the format's own rule.
const DEFAULT_NO_DATA: f64 = -9999.0;
const KEYS: &str =
    "a number, ncols, nrows, xllcorner, xllcenter, yllcorner, yllcenter, cellsize, dx, dy or NODATA_value";

impl Heightmap {
    /// Reads an ESRI ASCII grid. Header words may come in any order, upper or lower case, on any lines.
    pub fn read_esri_ascii(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut words = Words { rest: bytes, line: 1 };
        let header = Header::parse(&mut words)?;
        let (width, height) = (header.size("ncols", header.columns)?, header.size("nrows", header.rows)?);
        let count = sample_count(FORMAT, width, height)?;
        // A height takes a digit and a space: this many at most can follow.
        let at_most = (words.rest.len() as u64).div_ceil(2);
        if at_most < count as u64 {
            return Err(too_few(count, count_words(words)));
        }
        let samples = parse_heights(words, count, header.no_data.unwrap_or(DEFAULT_NO_DATA))?;
        let cell_size = header.cell_size()?;
        let origin_m = header.origin(cell_size);
        let map = Self::from_north_first(width as usize, height as usize, HeightScale::Metres, samples);
        Ok(Self { cell_size_m: Some(cell_size), origin_m, ..map })
    }
}

/// Writes `map` as an ESRI ASCII grid. What the map does not know is written as origin 0, 0 and cells of 1 m, since
/// the format demands both.
pub(super) fn write(map: &Heightmap, out: &mut impl Write) -> io::Result<()> {
    let taken = map.samples.iter().any(|&height| f64::from(height) == DEFAULT_NO_DATA);
    let no_data = if taken { f32::MIN } else { DEFAULT_NO_DATA as f32 };
    let [x, y] = map.origin_m.unwrap_or([0.0, 0.0]);
    writeln!(out, "ncols {}\nnrows {}", map.width, map.height)?;
    writeln!(out, "xllcorner {x}\nyllcorner {y}")?;
    writeln!(out, "cellsize {}\nNODATA_value {no_data:?}", map.cell_size_m.unwrap_or(1.0))?;
    for row in map.rows_from_north() {
        for (x, &height) in row.iter().enumerate() {
            let space = if x == 0 { "" } else { " " };
            // The shortest text that gives the same number back.
            write!(out, "{space}{:?}", if height.is_nan() { no_data } else { height })?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The words of a file, with the line of each.
#[derive(Clone, Copy)]
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.line += self.rest[..start].iter().filter(|&&byte| byte == b'\n').count();
        let word = &self.rest[start..];
        let end = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
        self.rest = &word[end..];
        Some(&word[..end])
    }

    fn next_number(&mut self, expected: &str) -> Result<f64, FormatError> {
        let Some(word) = self.next() else { return Err(self.wrong(expected, None)) };
        number(word).ok_or_else(|| self.wrong(expected, Some(word)))
    }

    /// The error that `word`, which was just read, is not `expected`.
    fn wrong(&self, expected: impl Into<String>, word: Option<&[u8]>) -> FormatError {
        let found = word.map_or("the end of the file".into(), |word| {
            // Enough to find the place; a binary file can have words of any length.
            format!("`{}`", String::from_utf8_lossy(&word[..word.len().min(40)]).escape_debug())
        });
        FormatError::Syntax { format: FORMAT, line: self.line, expected: expected.into(), found }
    }
}

fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The header; `None` for what it does not say.
#[derive(Default)]
struct Header {
    columns: Option<f64>,
    rows: Option<f64>,
    x_corner: Option<f64>,
    x_center: Option<f64>,
    y_corner: Option<f64>,
    y_center: Option<f64>,
    cell_size: Option<f64>,
    dx: Option<f64>,
    dy: Option<f64>,
    no_data: Option<f64>,
}

impl Header {
    /// Takes words until the first height.
    fn parse(words: &mut Words) -> Result<Self, FormatError> {
        let mut header = Self::default();
        loop {
            let before = *words;
            let Some(word) = words.next() else { return Ok(header) };
            let key = String::from_utf8_lossy(word).to_ascii_lowercase();
            let Some(slot) = header.slot(&key) else {
                if number(word).is_none() {
                    return Err(words.wrong(KEYS, Some(word)));
                }
                *words = before;
                return Ok(header);
            };
            if slot.is_some() {
                return Err(words.wrong(format!("{key} only once"), Some(word)));
            }
            let value = words.next_number(&format!("a number after {key}"))?;
            if !value.is_finite() && key != "nodata_value" {
                return Err(
                    words.wrong(format!("a finite number after {key}"), Some(value.to_string().as_bytes()))
                );
            }
            *slot = Some(value);
        }
    }

    fn slot(&mut self, key: &str) -> Option<&mut Option<f64>> {
        Some(match key {
            "ncols" => &mut self.columns,
            "nrows" => &mut self.rows,
            "xllcorner" => &mut self.x_corner,
            "xllcenter" => &mut self.x_center,
            "yllcorner" => &mut self.y_corner,
            "yllcenter" => &mut self.y_center,
            "cellsize" => &mut self.cell_size,
            "dx" => &mut self.dx,
            "dy" => &mut self.dy,
            "nodata_value" => &mut self.no_data,
            _ => return None,
        })
    }

    fn size(&self, key: &'static str, value: Option<f64>) -> Result<u64, FormatError> {
        let value = value.ok_or_else(|| missing(key))?;
        if value.fract() != 0.0 || value < 0.0 {
            let allowed = "a whole number".into();
            return Err(FormatError::OutOfRange {
                format: FORMAT,
                what: key,
                allowed,
                found: value.to_string(),
            });
        }
        Ok(value as u64)
    }

    fn cell_size(&self) -> Result<f64, FormatError> {
        match (self.cell_size, self.dx, self.dy) {
            (Some(size), None, None) => checked_cell_size(FORMAT, size),
            (None, Some(dx), Some(dy)) => square_cell_size(FORMAT, dx, dy),
            (None, None, None) => Err(missing("cellsize")),
            _ => Err(FormatError::Corrupt {
                format: FORMAT,
                reason: "expected either cellsize or both dx and dy".into(),
            }),
        }
    }

    fn origin(&self, cell_size: f64) -> Option<[f64; 2]> {
        let corner =
            |corner: Option<f64>, center: Option<f64>| corner.or(center.map(|at| at - 0.5 * cell_size));
        Some([corner(self.x_corner, self.x_center)?, corner(self.y_corner, self.y_center)?])
    }
}

fn parse_heights(mut words: Words, count: usize, no_data: f64) -> Result<Vec<f32>, FormatError> {
    let mut samples = Vec::with_capacity(count);
    while let Some(word) = words.next() {
        if samples.len() == count {
            return Err(words.wrong(format!("the end of the file after {count} heights"), Some(word)));
        }
        let value = number(word).ok_or_else(|| words.wrong("a height", Some(word)))?;
        let height = value as f32;
        if value == no_data || value.is_nan() {
            samples.push(f32::NAN);
        } else if height.is_finite() {
            samples.push(height);
        } else {
            return Err(words.wrong("a height that a 32-bit number can hold", Some(word)));
        }
    }
    if samples.len() < count { Err(too_few(count, samples.len())) } else { Ok(samples) }
}

fn count_words(mut words: Words) -> usize {
    let mut count = 0;
    while words.next().is_some() {
        count += 1;
    }
    count
}

fn too_few(expected: usize, found: usize) -> FormatError {
    FormatError::Count { format: FORMAT, what: "heights", expected: expected as u64, found: found as u64 }
}

fn missing(key: &str) -> FormatError {
    FormatError::Corrupt { format: FORMAT, reason: format!("the header does not say {key}") }
}
