//! The map of what lies on top: a picture whose pixels are numbers of materials, and a table that names them.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use barchan_sim::material::{MOST_MATERIALS, MaterialId, Materials, Phase};
use barchan_surface::TopSurface;
use png::{BitDepth, ColorType, Compression, Encoder};

use crate::atomic_write::write_atomically;
use crate::error::{FileError, FormatError, file_ending};

const FORMAT: &str = "material map";
/// The pixel that stands for no ground.
const NO_GROUND: u8 = 255;

const _: () = assert!(MOST_MATERIALS <= NO_GROUND as usize, "no material may have the number of no ground");

/// Writes the materials of `top` as a `.png` with a palette and, beside it, the legend as a `.csv` of the same name,
/// whose path is returned. One pixel a column, north up; a pixel is the number of its material, 255 no ground.
pub fn write_material_map(
    path: &Path,
    top: &TopSurface,
    materials: &Materials,
) -> Result<PathBuf, FileError> {
    if file_ending(path) != "png" {
        return Err(FileError::ending(path, "png"));
    }
    let sides = [top.width, top.height].map(u32::try_from);
    let (Ok(width), Ok(height)) = (sides[0], sides[1]) else {
        let (expected, found) =
            ("at most 2^32 pixels a side".into(), format!("{} x {}", top.width, top.height));
        return Err(FileError::in_file(path)(FormatError::Unsupported { format: FORMAT, expected, found }));
    };
    let legend = path.with_extension("csv");
    write_atomically(&legend, |file| file.write_all(legend_text(top, materials).as_bytes()))?;
    write_atomically(path, |file| {
        let mut encoder = Encoder::new(file, width, height);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let (palette, opacity) = palette(materials);
        encoder.set_palette(palette);
        encoder.set_trns(opacity);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        let mut stream = writer.stream_writer().map_err(io::Error::other)?;
        for row in top.materials.chunks_exact(top.width).rev() {
            let row: Vec<u8> = row.iter().map(|material| material.map_or(NO_GROUND, |id| id.0)).collect();
            stream.write_all(&row)?;
        }
        stream.finish().map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)
    })?;
    Ok(legend)
}

/// Colours and opacities of all 256 pixels; those that stand for nothing are black.
fn palette(materials: &Materials) -> (Vec<u8>, Vec<u8>) {
    let (mut colors, mut opacity) = ([[0; 3]; 256], vec![255; 256]);
    for (id, material) in materials.iter() {
        colors[usize::from(id.0)] = material.color;
    }
    opacity[usize::from(NO_GROUND)] = 0;
    (colors.concat(), opacity)
}

/// One line for each material that is there, and one for columns without ground.
fn legend_text(top: &TopSurface, materials: &Materials) -> String {
    let mut counts = [0_u64; 256];
    for material in &top.materials {
        counts[usize::from(material.map_or(NO_GROUND, |id| id.0))] += 1;
    }
    let column_m2 = f64::from(top.voxel_size_m).powi(2);
    let mut text = String::from("pixel,material,phase,red,green,blue,columns,area_m2\n");
    for (pixel, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (name, phase, [r, g, b]) = match materials.get(MaterialId(pixel as u8)) {
            Some(material) => (material.name.as_str(), phase_word(material.phase), material.color),
            None => ("", "none", [0; 3]),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{pixel},{name},{phase},{r},{g},{b},{count},{}", count as f64 * column_m2);
    }
    text
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Soil => "soil",
        Phase::Rock => "rock",
    }
}
