//! `kind = "heightmap"`: terrain from a file.

use std::sync::Arc;

use barchan_files::heightmap::{HeightScale, Heightmap};
use barchan_volume::{HeightSamples, Heights, Region};
use glam::Vec2;

use super::ground::Surroundings;
use super::ranges::{LENGTH, PLACE};
use super::shapes::FILE;
use crate::reader::{TableReader, Vector2, Whole};

/// Reads where the map lies, and the map.
pub fn read(table: &mut TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<Region> {
    let walls = around.site.walls(table);
    let map = read_file(table, around);
    let cell_size_m = match &map {
        Some(map) if map.cell_size_m.is_none() => table.required("cell_size_m", &LENGTH),
        Some(map) => {
            let own = map.cell_size_m.unwrap_or_default() as f32;
            table.or("cell_size_m", &LENGTH, own)
        }
        None => table.or("cell_size_m", &LENGTH, 1.0),
    };
    let heights = read_heights(table, map.as_ref());
    let base_m = table.or("base_m", &PLACE, 0.0);
    let corner = walls.map_or(Vec2::ZERO, |walls| walls.box_m().min.truncate());
    let origin_m = table.or("origin_m", &Vector2(PLACE), corner);
    let (low_m, high_m) = heights?;
    let map = map?.into_metres(low_m, high_m);
    let samples = with_rim(&map, cell_size_m?, origin_m?, base_m?);
    around.site.check_reach(table, &walls?.box_m());
    match Heights::new(samples) {
        Ok(heights) => Some(Region::Heights(Arc::new(heights))),
        Err(error) => {
            table.wrong("file", error.to_string());
            None
        }
    }
}

fn read_file(table: &mut TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<Heightmap> {
    let file = table.required("file", &FILE);
    let side = Whole { min: 2, max: 65_536 };
    let is_raw = file
        .as_ref()
        .is_some_and(|file| file.ends_with(".raw") || file.ends_with(".r16") || file.ends_with(".r32"));
    let size = if is_raw {
        let width = table.optional("width", &side);
        let height = table.optional("height", &side);
        match (width?, height?) {
            (Some(width), Some(height)) => Some([width as usize, height as usize]),
            (None, None) => None,
            (Some(_), None) => {
                table.wrong("height", "is missing beside width");
                return None;
            }
            (None, Some(_)) => {
                table.wrong("width", "is missing beside height");
                return None;
            }
        }
    } else {
        None
    };
    match around.files.heightmap(&file?, size) {
        Ok(map) => Some(map),
        Err(error) => {
            table.wrong("file", error);
            None
        }
    }
}

/// The heights (m) that 0 and 1 stand for, where the file has shares and not metres.
fn read_heights(table: &mut TableReader<'_>, map: Option<&Heightmap>) -> Option<(f32, f32)> {
    match map.map(|map| map.scale) {
        Some(HeightScale::Metres) => {
            for key in ["height_min_m", "height_max_m"] {
                table.refuse(key, "has no place here: the file has its heights in metres");
            }
            Some((0.0, 1.0))
        }
        Some(HeightScale::Unit) => {
            let low = table.required("height_min_m", &PLACE);
            let high = table.required("height_max_m", &PLACE);
            Some((low?, high?))
        }
        None => {
            let low = table.or("height_min_m", &PLACE, 0.0);
            let high = table.or("height_max_m", &PLACE, 1.0);
            Some((low?, high?))
        }
    }
}

/// The samples with one more row around them, so that the ground reaches to the rim of the outer cells: a sample is
/// the height in the middle of its cell.
fn with_rim(map: &Heightmap, cell_size_m: f32, origin_m: Vec2, base_m: f32) -> HeightSamples {
    let (width, height) = (map.width + 2, map.height + 2);
    let within = |at: usize, count: usize| at.saturating_sub(1).min(count - 1);
    let mut samples_m = Vec::with_capacity(width * height);
    for y in 0..height {
        let row = within(y, map.height) * map.width;
        samples_m.extend((0..width).map(|x| map.samples[row + within(x, map.width)] + base_m));
    }
    HeightSamples { width, height, cell_size_m, origin: origin_m - 0.5 * cell_size_m, samples_m }
}
