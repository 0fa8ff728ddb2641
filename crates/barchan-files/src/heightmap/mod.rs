//! Heightmaps: terrain as one height per cell, in the formats that surveys and terrain tools exchange.
//!
//! | ending | format | heights | carries |
//! | --- | --- | --- | --- |
//! | `.png` | 16-bit greyscale PNG | 0..1, or metres when written by us | no data; our files: range, cell size, origin |
//! | `.tif`, `.tiff` | TIFF and GeoTIFF | metres, or 0..1 for unsigned integers without georeference | all |
//! | `.asc` | ESRI ASCII grid | metres | all |
//! | `.raw`, `.r16` | unsigned 16-bit samples without header | 0..1 | nothing |
//! | `.r32` | 32-bit floating point samples without header | metres | no data |

mod esri_ascii;
mod georeference;
mod geotiff;
mod heightmap;
mod png;
mod raw;
mod sixteen_bit;
mod tiff_directory;

pub use heightmap::{HeightScale, Heightmap, MAX_SAMPLES, MAX_SIDE};
pub use raw::{RawLayout, RawSample};
