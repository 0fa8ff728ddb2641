//! 16-bit greyscale PNG.
//!
//! The format knows neither metres nor cells, so a file from elsewhere gives fractions 0..1. Our own files say in a
//! text chunk which heights black and white stand for, and so come back in metres. Where a map has gaps, sample 0 is
//! declared transparent and means no data; other programs' transparent samples are read the same way.

use std::io::{Cursor, Write};

use ::png::{BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, EncodingError, Info};

use super::heightmap::{HeightScale, Heightmap, checked_cell_size, finite, sample_count};
use super::sixteen_bit::SixteenBit;
use crate::error::FormatError;

const FORMAT: &str = "PNG";
/// The keyword of the text chunk that holds what PNG has no place for.
const KEYWORD: &str = "barchan:heightmap";
/// A deflate stream cannot expand further than this: a smaller file cannot hold what its header claims.
const MAX_EXPANSION: u64 = 1032;

impl Heightmap {
    /// Reads a 16-bit greyscale PNG.
    pub fn read_png(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_ignore_iccp_chunk(true);
        let header = decoder.read_header_info().map_err(corrupt)?;
        let (width, height) = (header.width, header.height);
        check_kind(header.color_type, header.bit_depth)?;
        let count = sample_count(FORMAT, width.into(), height.into())?;
        check_content(bytes, 2 * count as u64)?;

        let mut reader = decoder.read_info().map_err(corrupt)?;
        let ScaleText { line, cell_size_m, origin_m } = ScaleText::find(reader.info())?;
        let no_data = transparent_sample(reader.info());
        let mut image = vec![0; 2 * count];
        reader.next_frame(&mut image).map_err(corrupt)?;

        let scale = if line.is_some() { HeightScale::Metres } else { HeightScale::Unit };
        let line = line.unwrap_or(SixteenBit::UNIT);
        let samples = image.chunks_exact(2).map(|pair| match u16::from_be_bytes([pair[0], pair[1]]) {
            sample if Some(sample) == no_data => f32::NAN,
            sample => line.decode(sample),
        });
        let map = Self::from_north_first(width as usize, height as usize, scale, samples.collect());
        Ok(Self { cell_size_m, origin_m, ..map })
    }
}

/// Writes `map` as a PNG.
pub(super) fn write(map: &Heightmap, out: impl Write) -> Result<(), EncodingError> {
    let has_gaps = map.samples.iter().any(|height| height.is_nan());
    let line = SixteenBit::for_map(map, has_gaps);

    let mut encoder = Encoder::new(out, map.width as u32, map.height as u32);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Sixteen);
    encoder.set_compression(Compression::Fast);
    if has_gaps {
        encoder.set_trns(vec![0, 0]);
    }
    let text = ScaleText {
        line: (map.scale == HeightScale::Metres).then_some(line),
        cell_size_m: map.cell_size_m,
        origin_m: map.origin_m,
    };
    if let Some(text) = text.to_text() {
        encoder.add_text_chunk(KEYWORD.into(), text)?;
    }

    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    let mut row_bytes = Vec::with_capacity(2 * map.width);
    for row in map.rows_from_north() {
        row_bytes.clear();
        row_bytes.extend(row.iter().flat_map(|&height| line.encode(height).to_be_bytes()));
        stream.write_all(&row_bytes)?;
    }
    stream.finish()?;
    writer.finish()
}

fn check_kind(color: ColorType, depth: BitDepth) -> Result<(), FormatError> {
    if (color, depth) == (ColorType::Grayscale, BitDepth::Sixteen) {
        return Ok(());
    }
    let color = match color {
        ColorType::Grayscale => "greyscale",
        ColorType::Rgb => "RGB",
        ColorType::Indexed => "palette",
        ColorType::GrayscaleAlpha => "greyscale with alpha",
        ColorType::Rgba => "RGB with alpha",
    };
    Err(FormatError::Unsupported {
        format: FORMAT,
        expected: "16-bit greyscale".into(),
        found: format!("{}-bit {color}", depth as u8),
    })
}

fn check_content(bytes: &[u8], expected: u64) -> Result<(), FormatError> {
    let at_most = (bytes.len() as u64).saturating_mul(MAX_EXPANSION);
    if at_most >= expected {
        return Ok(());
    }
    let what = "bytes of image (at the best compression there is)";
    Err(FormatError::Count { format: FORMAT, what, expected, found: at_most })
}

fn transparent_sample(info: &Info) -> Option<u16> {
    match info.trns.as_deref() {
        Some(&[high, low]) => Some(u16::from_be_bytes([high, low])),
        _ => None,
    }
}

fn corrupt(error: DecodingError) -> FormatError {
    FormatError::Corrupt { format: FORMAT, reason: error.to_string() }
}

/// What our text chunk says, as `key=value` words.
#[derive(Debug, Default, PartialEq)]
struct ScaleText {
    line: Option<SixteenBit>,
    cell_size_m: Option<f64>,
    origin_m: Option<[f64; 2]>,
}

impl ScaleText {
    fn find(info: &Info) -> Result<Self, FormatError> {
        let chunk = info.uncompressed_latin1_text.iter().find(|chunk| chunk.keyword == KEYWORD);
        chunk.map_or(Ok(Self::default()), |chunk| Self::parse(&chunk.text))
    }

    fn parse(text: &str) -> Result<Self, FormatError> {
        let [mut black, mut white, mut cell_size, mut x, mut y] = [None; 5];
        for word in text.split_ascii_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let slot = match key {
                "black_m" => &mut black,
                "white_m" => &mut white,
                "cell_size_m" => &mut cell_size,
                "origin_x_m" => &mut x,
                "origin_y_m" => &mut y,
                // A later version may have more to say.
                _ => continue,
            };
            let number = value.parse().map_err(|_| FormatError::Corrupt {
                format: FORMAT,
                reason: format!("text chunk `{KEYWORD}`: expected a number after `{key}=`, found `{value}`"),
            })?;
            *slot = Some(finite(FORMAT, "a number of the text chunk", number)?);
        }
        let line = black.zip(white).map(|(black, white)| SixteenBit { black, white, lowest: 0 });
        if let Some(line) = line {
            finite(FORMAT, "black_m", f64::from(line.black as f32))?;
            finite(FORMAT, "white_m", f64::from(line.white as f32))?;
        }
        let cell_size_m = cell_size.map(|value| checked_cell_size(FORMAT, value)).transpose()?;
        Ok(Self { line, cell_size_m, origin_m: x.zip(y).map(<[f64; 2]>::from) })
    }

    fn to_text(&self) -> Option<String> {
        let (black, white) = self.line.map(|line| (line.black, line.white)).unzip();
        let [x, y] = self.origin_m.map_or([None; 2], |origin| origin.map(Some));
        let words = [
            ("black_m", black),
            ("white_m", white),
            ("cell_size_m", self.cell_size_m),
            ("origin_x_m", x),
            ("origin_y_m", y),
        ];
        let words = words.into_iter().filter_map(|(key, value)| Some(format!("{key}={:?}", value?)));
        Some(words.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_chunk_returns_exactly() {
        let line = Some(SixteenBit { black: -12.3, white: 1e-7, lowest: 0 });
        let text = ScaleText { line, cell_size_m: Some(0.1), origin_m: Some([-1e300, 4.0]) };
        assert_eq!(ScaleText::parse(&text.to_text().unwrap()).unwrap(), text);
        assert_eq!(ScaleText::default().to_text(), None);
    }

    #[test]
    fn bad_numbers_in_the_text_chunk_are_refused() {
        for text in ["black_m=x", "black_m", "cell_size_m=-1", "white_m=nan", "black_m=1e60 white_m=0"] {
            assert!(ScaleText::parse(text).is_err(), "{text}");
        }
        assert_eq!(ScaleText::parse("later=thing black_m=1"), Ok(ScaleText::default()));
    }
}
