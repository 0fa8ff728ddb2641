//! Pictures as PNG files.

use std::io::{self, Write};
use std::path::Path;

use barchan_surface::Image;

use crate::atomic_write::write_atomically;
use crate::error::FileError;

/// Writes `image` as an 8-bit RGB PNG.
pub fn write_png(path: &Path, image: &Image) -> Result<(), FileError> {
    write_atomically(path, |file| encode_png(file, image))
}

/// Writes the bytes of `image` as an 8-bit RGB PNG.
pub fn encode_png(out: &mut impl Write, image: &Image) -> io::Result<()> {
    let mut encoder = png::Encoder::new(out, image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&image.rgb).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}
