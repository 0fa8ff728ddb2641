//! Pictures as PNG files.

use std::io;
use std::path::Path;

use barchan_surface::Image;

use crate::atomic_write::write_atomically;
use crate::error::FileError;

/// Writes `image` as an 8-bit RGB PNG.
pub fn write_png(path: &Path, image: &Image) -> Result<(), FileError> {
    write_atomically(path, |file| {
        let mut encoder = png::Encoder::new(file, image.width as u32, image.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&image.rgb).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)
    })
}
