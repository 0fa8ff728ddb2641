//! TIFF and GeoTIFF: strips or tiles, 16- and 32-bit integers, 32- and 64-bit floating point.

use std::fmt::Display;
use std::io::{Cursor, Seek, Write};
use std::ops::Range;

use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Tag;
use tiff::{TiffError, TiffResult};

use super::georeference::{Georeference, write_tags};
use super::heightmap::{HeightScale, Heightmap, MAX_SAMPLES, MAX_SIDE, sample_count};
use super::tiff_directory::check_first_directory;
use crate::error::FormatError;

pub(super) const FORMAT: &str = "TIFF";

impl Heightmap {
    /// Reads the first image of a TIFF or GeoTIFF.
    ///
    /// Heights are metres. Only unsigned integers without any georeference are fractions 0..1, as terrain tools
    /// write them.
    pub fn read_tiff(bytes: &[u8]) -> Result<Self, FormatError> {
        check_first_directory(bytes)?;
        let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(decoder_error)?;
        let (width, height) = decoder.dimensions().map_err(decoder_error)?;
        let count = sample_count(FORMAT, width.into(), height.into())?;
        let kind = SampleKind::read(&mut decoder)?;
        let chunks = Chunks::read(&mut decoder, kind, bytes.len() as u64)?;
        let reference = Georeference::read(&mut decoder, height as usize)?;

        let largest = MAX_SAMPLES * 8;
        let mut limits = Limits::default();
        (limits.decoding_buffer_size, limits.intermediate_buffer_size) = (largest, largest);
        let mut decoder = decoder.with_limits(limits);
        let conversion = Conversion::new(kind, &reference);
        let mut samples = vec![0.0; count];
        for index in 0..chunks.count {
            let chunk = decoder.read_chunk(index).map_err(decoder_error)?;
            let (columns, rows) = chunks.place(index);
            let target = samples.chunks_exact_mut(chunks.image_width).skip(rows.start).take(rows.len());
            conversion.copy(chunk, target.map(|row| &mut row[columns.clone()]))?;
        }

        let map = Self::from_north_first(width as usize, height as usize, conversion.scale, samples);
        let Georeference { cell_size_m, origin_m, warnings, .. } = reference;
        Ok(Self { cell_size_m, origin_m, warnings, ..map })
    }
}

/// Writes `map` as 32-bit floating point with GeoTIFF tags, uncompressed: every program reads that.
pub(super) fn write(map: &Heightmap, out: impl Write + Seek) -> TiffResult<()> {
    let mut encoder = TiffEncoder::new(out)?;
    let mut image = encoder.new_image::<colortype::Gray32Float>(map.width as u32, map.height as u32)?;
    write_tags(map, image.encoder())?;
    let mut rows = map.rows_from_north();
    let mut strip = Vec::new();
    while let count @ 1.. = image.next_strip_sample_count() {
        strip.clear();
        rows.by_ref().take(count as usize / map.width).for_each(|row| strip.extend_from_slice(row));
        image.write_strip(&strip)?;
    }
    image.finish()
}

/// The kinds of sample that are fine enough for heights.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SampleKind {
    U16,
    U32,
    I16,
    I32,
    F32,
    F64,
}

impl SampleKind {
    fn read(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<Self, FormatError> {
        let mut first = |tag, default| {
            let values = decoder.find_tag_unsigned_vec::<u16>(tag).map_err(decoder_error)?;
            Ok::<_, FormatError>(values.and_then(|values| values.first().copied()).unwrap_or(default))
        };
        let photometric = first(Tag::PhotometricInterpretation, 1)?;
        let (format, bits) = (first(Tag::SampleFormat, 1)?, first(Tag::BitsPerSample, 1)?);
        let kind = match (photometric, format, bits) {
            (1, 1, 16) => Self::U16,
            (1, 1, 32) => Self::U32,
            (1, 2, 16) => Self::I16,
            (1, 2, 32) => Self::I32,
            (1, 3, 32) => Self::F32,
            (1, 3, 64) => Self::F64,
            _ => return Err(Self::unsupported(photometric, format, bits)),
        };
        Ok(kind)
    }

    fn unsupported(photometric: u16, format: u16, bits: u16) -> FormatError {
        let format = match format {
            1 => "unsigned integer",
            2 => "signed integer",
            3 => "floating point",
            _ => "unknown",
        };
        let colour = match photometric {
            1 => "greyscale",
            0 => "inverted greyscale",
            2 => "RGB",
            3 => "palette",
            _ => "other colour",
        };
        FormatError::Unsupported {
            format: FORMAT,
            expected: "greyscale of 16- or 32-bit integers or 32- or 64-bit floating point".into(),
            found: format!("{bits}-bit {format}, {colour}"),
        }
    }

    fn bytes(self) -> u64 {
        match self {
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of white, for unsigned samples.
    fn full_scale(self) -> Option<f64> {
        match self {
            Self::U16 => Some(f64::from(u16::MAX)),
            Self::U32 => Some(f64::from(u32::MAX)),
            _ => None,
        }
    }
}

/// How the image is cut into strips or tiles.
struct Chunks {
    count: u32,
    chunk_width: usize,
    chunk_height: usize,
    image_width: usize,
    image_height: usize,
}

impl Chunks {
    /// Reads the cut and checks that all pieces lie in the file and can hold what they must.
    fn read(
        decoder: &mut Decoder<Cursor<&[u8]>>,
        kind: SampleKind,
        file_bytes: u64,
    ) -> Result<Self, FormatError> {
        let (width, height) = decoder.dimensions().map_err(decoder_error)?;
        let (chunk_width, chunk_height) = decoder.chunk_dimensions();
        let (offsets, lengths) = match decoder.get_chunk_type() {
            ChunkType::Strip => (Tag::StripOffsets, Tag::StripByteCounts),
            ChunkType::Tile => (Tag::TileOffsets, Tag::TileByteCounts),
        };
        let offsets =
            decoder.find_tag_unsigned_vec::<u64>(offsets).map_err(decoder_error)?.unwrap_or_default();
        let lengths =
            decoder.find_tag_unsigned_vec::<u64>(lengths).map_err(decoder_error)?.unwrap_or_default();
        let chunks = Self {
            count: offsets.len() as u32,
            chunk_width: chunk_width as usize,
            chunk_height: (chunk_height as usize).min(MAX_SIDE),
            image_width: width as usize,
            image_height: height as usize,
        };
        let expansion = max_expansion(decoder)?;
        let mut stored: u64 = 0;
        for (index, (&offset, &length)) in offsets.iter().zip(&lengths).enumerate() {
            let end = offset.saturating_add(length);
            stored = stored.saturating_add(length);
            if end.max(stored) > file_bytes {
                let (what, expected) = ("bytes to hold all strips or tiles", end.max(stored));
                return Err(FormatError::Count { format: FORMAT, what, expected, found: file_bytes });
            }
            // Rows outside the image are not read, but columns are: a tile is as wide as it says.
            let rows = chunks.place(index as u32).1.len() as u64;
            let (expected, found) =
                (rows * u64::from(chunk_width) * kind.bytes(), length.saturating_mul(expansion));
            if expected > found {
                let what = "bytes in a strip or tile (at the best compression there is)";
                return Err(FormatError::Count { format: FORMAT, what, expected, found });
            }
        }
        Ok(chunks)
    }

    /// The columns and rows of the image that piece `index` holds.
    fn place(&self, index: u32) -> (Range<usize>, Range<usize>) {
        let across = self.image_width.div_ceil(self.chunk_width);
        let (x, y) =
            (index as usize % across * self.chunk_width, index as usize / across * self.chunk_height);
        let columns = x..(x + self.chunk_width).min(self.image_width);
        (columns, y..(y + self.chunk_height).min(self.image_height).max(y))
    }
}

/// The furthest that the image's compression can expand a byte.
fn max_expansion(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<u64, FormatError> {
    match decoder.find_tag_unsigned::<u16>(Tag::Compression).map_err(decoder_error)?.unwrap_or(1) {
        1 => Ok(1),
        // Twelve bits stand for at most 4096 bytes.
        5 => Ok(4096),
        8 | 32_946 => Ok(1032),
        32_773 => Ok(64),
        other => Err(FormatError::Unsupported {
            format: FORMAT,
            expected: "compression none (1), LZW (5), deflate (8, 32946) or PackBits (32773)".into(),
            found: format!("compression {other}"),
        }),
    }
}

/// How samples become heights.
struct Conversion {
    scale: HeightScale,
    factor: f64,
    no_data: Option<f64>,
}

impl Conversion {
    fn new(kind: SampleKind, reference: &Georeference) -> Self {
        let no_data = reference.no_data;
        match kind.full_scale() {
            Some(white) if !reference.present => {
                Self { scale: HeightScale::Unit, factor: 1.0 / white, no_data }
            }
            _ if reference.declared_unit => Self { scale: HeightScale::Unit, factor: 1.0, no_data },
            _ => Self { scale: HeightScale::Metres, factor: reference.metres_per_height, no_data },
        }
    }

    fn copy<'a>(
        &self,
        chunk: DecodingResult,
        rows: impl Iterator<Item = &'a mut [f32]>,
    ) -> Result<(), FormatError> {
        match chunk {
            DecodingResult::U16(samples) => self.fill(rows, samples),
            DecodingResult::U32(samples) => self.fill(rows, samples),
            DecodingResult::I16(samples) => self.fill(rows, samples),
            DecodingResult::I32(samples) => self.fill(rows, samples),
            DecodingResult::F32(samples) => self.fill(rows, samples),
            DecodingResult::F64(samples) => self.fill(rows, samples),
            _ => Err(corrupt("the samples are not of the announced kind")),
        }
    }

    fn fill<'a, T: Into<f64>>(
        &self,
        rows: impl Iterator<Item = &'a mut [f32]>,
        samples: Vec<T>,
    ) -> Result<(), FormatError> {
        let mut samples = samples.into_iter();
        for row in rows {
            for height in row {
                let sample = samples.next().ok_or_else(|| corrupt("a strip or tile is too short"))?;
                *height = self.height(sample.into())?;
            }
        }
        Ok(())
    }

    fn height(&self, sample: f64) -> Result<f32, FormatError> {
        // GDAL writes the no-data value of 32-bit samples with more digits than they have.
        let is_no_data = |no_data: f64| sample == no_data || sample as f32 == no_data as f32;
        if sample.is_nan() || self.no_data.is_some_and(is_no_data) {
            return Ok(f32::NAN);
        }
        let height = (sample * self.factor) as f32;
        if height.is_finite() {
            return Ok(height);
        }
        let allowed = "a number that 32-bit floating point can hold".into();
        Err(FormatError::OutOfRange { format: FORMAT, what: "a height", allowed, found: sample.to_string() })
    }
}

pub(super) fn decoder_error(error: TiffError) -> FormatError {
    corrupt(error)
}

pub(super) fn corrupt(reason: impl Display) -> FormatError {
    FormatError::Corrupt { format: FORMAT, reason: reason.to_string() }
}
