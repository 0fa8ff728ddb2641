//! Where a GeoTIFF lies and what its numbers count: the GeoTIFF and GDAL tags.

use std::io::{Cursor, Seek, Write};

use tiff::TiffResult;
use tiff::decoder::Decoder;
use tiff::encoder::{DirectoryEncoder, TiffKind};
use tiff::tags::Tag;

use super::geotiff::{FORMAT, corrupt, decoder_error};
use super::heightmap::{HeightScale, Heightmap, checked_cell_size, finite, square_cell_size};
use crate::error::FormatError;

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const PROJECTED_SYSTEM: u16 = 3072;
const LINEAR_UNITS: u16 = 3076;
const VERTICAL_UNITS: u16 = 4099;
const METRE: u16 = 9001;
const PROJECTED: u16 = 1;
const GEOGRAPHIC: u16 = 2;
const PIXEL_IS_AREA: u16 = 1;
const PIXEL_IS_POINT: u16 = 2;
const USER_DEFINED: u16 = 32_767;
/// What our files say in the image description when their samples are fractions.
const UNIT_DESCRIPTION: &str = "barchan heightmap: heights as fractions 0..1";

/// What the tags say beside the samples.
#[derive(Debug)]
pub(super) struct Georeference {
    /// Whether any tag places the map on the earth.
    pub present: bool,
    /// Whether our own writer declared the samples fractions.
    pub declared_unit: bool,
    /// Edge of a cell (m).
    pub cell_size_m: Option<f64>,
    /// Projected coordinates of the lower-left corner (m).
    pub origin_m: Option<[f64; 2]>,
    /// Metres per unit of height.
    pub metres_per_height: f64,
    /// The sample that stands for no data.
    pub no_data: Option<f64>,
    /// What had to be assumed.
    pub warnings: Vec<String>,
}

impl Georeference {
    /// Reads the tags of an image of `height` rows.
    pub fn read(decoder: &mut Decoder<Cursor<&[u8]>>, height: usize) -> Result<Self, FormatError> {
        let keys = GeoKeys::read(decoder)?;
        let scale = doubles(decoder, Tag::ModelPixelScaleTag)?;
        let tiepoint = doubles(decoder, Tag::ModelTiepointTag)?;
        let description = decoder.find_tag(Tag::ImageDescription).ok().flatten();
        let mut reference = Self {
            present: scale.is_some() || tiepoint.is_some() || !keys.0.is_empty(),
            declared_unit: description.and_then(|text| text.into_string().ok()).as_deref()
                == Some(UNIT_DESCRIPTION),
            cell_size_m: None,
            origin_m: None,
            metres_per_height: 1.0,
            no_data: no_data(decoder)?,
            warnings: Vec::new(),
        };
        reference.set_heights(&keys);
        reference.set_place(&keys, scale.as_deref(), tiepoint.as_deref(), height)?;
        Ok(reference)
    }

    fn set_heights(&mut self, keys: &GeoKeys) {
        let Some(unit) = keys.get(VERTICAL_UNITS) else { return };
        match metres_per_unit(unit) {
            Some(metres) => self.metres_per_height = metres,
            None => self.warnings.push(format!("unknown unit of height (EPSG {unit}): metres are assumed")),
        }
    }

    fn set_place(
        &mut self,
        keys: &GeoKeys,
        scale: Option<&[f64]>,
        tiepoint: Option<&[f64]>,
        height: usize,
    ) -> Result<(), FormatError> {
        if keys.get(MODEL_TYPE) == Some(GEOGRAPHIC) {
            self.warnings.push("the map counts in degrees: its cell size in metres is not known".into());
            return Ok(());
        }
        let Some(&[dx, dy, ..]) = scale else {
            if self.present {
                self.warnings
                    .push("the map has a place but no ModelPixelScale: its cell size is not known".into());
            }
            return Ok(());
        };
        let unit = keys.get(LINEAR_UNITS).unwrap_or(METRE);
        let Some(metres) = metres_per_unit(unit) else {
            self.warnings.push(format!("unknown unit of length (EPSG {unit}): the cell size is not known"));
            return Ok(());
        };
        let cell = square_cell_size(FORMAT, dx, dy)?;
        self.cell_size_m = Some(checked_cell_size(FORMAT, cell * metres)?);
        if let Some(&[column, row, _, x, y, ..]) = tiepoint {
            // A tie point lies on the corner of its cell, or on the centre where cells are points.
            let half = if keys.get(RASTER_TYPE) == Some(PIXEL_IS_POINT) { 0.5 } else { 0.0 };
            let west = x - (column + half) * dx;
            let north = y + (row + half) * dy;
            let south = north - height as f64 * dy;
            let [west, south] = [west * metres, south * metres];
            self.origin_m =
                Some([finite(FORMAT, "the tie point", west)?, finite(FORMAT, "the tie point", south)?]);
        }
        Ok(())
    }
}

/// Writes the tags of `map`. A map with a cell size but no origin is placed at 0, 0: without a tie point other
/// programs would overlook the cell size.
pub(super) fn write_tags<W: Write + Seek, K: TiffKind>(
    map: &Heightmap,
    tags: &mut DirectoryEncoder<W, K>,
) -> TiffResult<()> {
    if map.scale == HeightScale::Unit {
        tags.write_tag(Tag::ImageDescription, UNIT_DESCRIPTION)?;
    }
    if map.samples.iter().any(|height| height.is_nan()) {
        tags.write_tag(Tag::GdalNodata, "nan")?;
    }
    let Some(cell) = map.cell_size_m else { return Ok(()) };
    let [west, south] = map.origin_m.unwrap_or([0.0, 0.0]);
    let north = south + map.height as f64 * cell;
    tags.write_tag(Tag::ModelPixelScaleTag, &[cell, cell, 0.0][..])?;
    tags.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, west, north, 0.0][..])?;
    let keys = [
        (MODEL_TYPE, PROJECTED),
        (RASTER_TYPE, PIXEL_IS_AREA),
        (PROJECTED_SYSTEM, USER_DEFINED),
        (LINEAR_UNITS, METRE),
        (VERTICAL_UNITS, METRE),
    ];
    let mut directory = vec![1, 1, 0, keys.len() as u16];
    directory.extend(keys.iter().flat_map(|&(key, value)| [key, 0, 1, value]));
    tags.write_tag(Tag::GeoKeyDirectoryTag, &directory[..])
}

/// The GeoKeys whose value is a single short integer.
struct GeoKeys(Vec<(u16, u16)>);

impl GeoKeys {
    fn read(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<Self, FormatError> {
        let words = decoder.find_tag_unsigned_vec::<u16>(Tag::GeoKeyDirectoryTag).map_err(decoder_error)?;
        let Some(words) = words else { return Ok(Self(Vec::new())) };
        let [_, _, _, count, rest @ ..] = words.as_slice() else {
            return Err(corrupt("the GeoKey directory is shorter than its header"));
        };
        let (entries, _) = rest.as_chunks::<4>();
        if entries.len() < usize::from(*count) {
            let (expected, found) = (u64::from(*count), entries.len() as u64);
            return Err(FormatError::Count { format: FORMAT, what: "GeoKeys", expected, found });
        }
        // The second word names the tag that holds the value; 0 means that it stands in the entry itself.
        let inline = entries.iter().filter(|entry| entry[1] == 0);
        Ok(Self(inline.map(|entry| (entry[0], entry[3])).collect()))
    }

    fn get(&self, key: u16) -> Option<u16> {
        self.0.iter().find(|entry| entry.0 == key).map(|entry| entry.1)
    }
}

/// Metres per unit of length, by its EPSG code.
fn metres_per_unit(epsg: u16) -> Option<f64> {
    match epsg {
        METRE => Some(1.0),
        9002 => Some(0.3048),
        // The foot of the United States survey.
        9003 => Some(1200.0 / 3937.0),
        _ => None,
    }
}

fn doubles(decoder: &mut Decoder<Cursor<&[u8]>>, tag: Tag) -> Result<Option<Vec<f64>>, FormatError> {
    let value = decoder.find_tag(tag).map_err(decoder_error)?;
    value.map(|value| value.into_f64_vec().map_err(decoder_error)).transpose()
}

fn no_data(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<Option<f64>, FormatError> {
    let Some(value) = decoder.find_tag(Tag::GdalNodata).map_err(decoder_error)? else { return Ok(None) };
    let text = value.into_string().map_err(decoder_error)?;
    let number = text.trim().parse();
    number
        .map(Some)
        .map_err(|_| corrupt(format!("expected a number in GDAL_NODATA, found `{}`", text.escape_debug())))
}
