//! Kinds of ground that are grown from a seed: `terrain`, `dunes` and `caves`.

use std::sync::Arc;

use barchan_sim::MaterialId;
use barchan_volume::{Caves, Density, Fractal, Region};

use super::ground::{Surroundings, read_slope};
use super::ranges::{LENGTH, LENGTH_OR_ZERO, PLACE, SHARE, TURN};
use crate::reader::{Flag, Number, TableReader, Vector2, Whole};
use crate::scene::{Area, Dunes, Relief};

/// Patterns that differ by these do not look alike.
const OVERHANG_SEED: u32 = 0x6f76_6572;
const CAVE_SEED: u32 = 0x6361_7665;

/// Hills and valleys over an area.
pub fn read_terrain(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Relief> {
    let area = read_area(table, around);
    let base_m = table.required("base_m", &PLACE);
    let relief_m = table.required("relief_m", &LENGTH_OR_ZERO);
    let pattern = read_pattern(table, around.seed);
    Some(Relief::Hills { area: area?, base_m: base_m?, relief_m: relief_m?, pattern: pattern? })
}

/// Dunes across the wind.
pub fn read_dunes(
    table: &mut TableReader<'_>,
    material: Option<MaterialId>,
    around: &Surroundings<'_, '_>,
) -> Option<Relief> {
    let area = read_area(table, around);
    let base_m = table.required("base_m", &PLACE);
    let height_m = table.required("height_m", &LENGTH);
    let wavelength_m = table.required("wavelength_m", &LENGTH);
    let wind = table.or("wind_deg", &TURN, 0.0);
    let waviness = table.or("waviness", &SHARE, 0.5);
    let seed = read_seed(table, around.seed);
    let slope = read_slope(table, material.map(|id| around.palette.repose_angle(id)));
    let (height_m, wavelength_m, slope) = (height_m?, wavelength_m?, slope?);
    // The slip face takes at most half of the way: the side to the wind is the gentler one.
    let highest = 0.5 * wavelength_m * slope.tan();
    if height_m > highest {
        let slope_deg = slope.to_degrees();
        table
            .wrong("height_m", format!("must be at most {highest}, half of wavelength_m at {slope_deg:.1}°"));
        return None;
    }
    Some(Relief::Dunes(Dunes {
        area: area?,
        base_m: base_m?,
        height_m,
        wavelength_m,
        wind: wind?.to_radians(),
        waviness: waviness?,
        slope,
        seed: seed?,
    }))
}

/// Terrain with overhangs, arches and caves.
pub fn read_caves(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Region> {
    let walls = around.site.walls(table);
    let base_height_m = table.required("base_m", &PLACE);
    let relief_m = table.required("relief_m", &LENGTH_OR_ZERO);
    let relief = read_pattern(table, around.seed);
    let feature_size_m = relief.map_or(1.0, |relief| 1.0 / relief.frequency_per_m);
    let overhang_m = table.or("overhang_m", &LENGTH_OR_ZERO, 0.0);
    let overhang_size_m = table.or("overhang_size_m", &LENGTH, feature_size_m * 0.25);
    let radius_m = table.optional("cave_radius_m", &LENGTH);
    let spacing_m = match radius_m {
        Some(None) => {
            table.refuse("cave_spacing_m", "has no place without cave_radius_m");
            None
        }
        Some(Some(radius_m)) => table.or("cave_spacing_m", &LENGTH, 8.0 * radius_m),
        None => table.or("cave_spacing_m", &LENGTH, 1.0),
    };
    let relief = relief?;
    let of_size = |size_m: f32, seed: u32| Fractal {
        seed: relief.seed ^ seed,
        frequency_per_m: 1.0 / size_m,
        octaves: relief.octaves.min(3),
        lacunarity: 2.0,
        gain: 0.5,
        ridged: false,
    };
    let caves = radius_m?.map(|radius_m| Some(Caves { pattern: of_size(spacing_m?, CAVE_SEED), radius_m }));
    let density = Density {
        base_height_m: base_height_m?,
        relief,
        relief_m: relief_m?,
        overhang: of_size(overhang_size_m?, OVERHANG_SEED),
        overhang_m: overhang_m?,
        caves: caves.map_or(Some(None), |caves| caves.map(Some))?,
    };
    if let Err(error) = density.check() {
        table.wrong_here(error.to_string());
        return None;
    }
    around.site.check_reach(table, &walls?.box_m());
    Some(Region::Density(Arc::new(density)))
}

/// The area of `center_m` and `size_m`, or all of the bounds.
fn read_area(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Area> {
    let walls = around.site.walls(table);
    let center = table.optional("center_m", &Vector2(PLACE));
    let size = table.optional("size_m", &Vector2(LENGTH));
    let area = match (center?, size?) {
        (None, None) => walls?.area(),
        (Some(center_m), Some(size_m)) => {
            let area = walls?.area_of(center_m, size_m);
            if area.is_none() {
                table.wrong("size_m", "the area has no voxel within [bounds]");
            }
            area?
        }
        (None, Some(_)) => {
            table.wrong("center_m", "is missing beside size_m; must be two numbers [x, y]");
            return None;
        }
        (Some(_), None) => {
            table.wrong("size_m", "is missing beside center_m; must be two numbers [x, y]");
            return None;
        }
    };
    around.site.check_reach(table, &walls?.box_m());
    Some(area)
}

fn read_pattern(table: &mut TableReader<'_>, scene_seed: u64) -> Option<Fractal> {
    let feature_size_m = table.required("feature_size_m", &LENGTH);
    let octaves = table.or("octaves", &Whole { min: 1, max: 16 }, 5);
    let gain = table.or("gain", &SHARE, 0.5);
    let lacunarity = table.or("lacunarity", &Number { min: 1.0, max: 8.0 }, 2.0);
    let ridged = table.or("ridged", &Flag, false);
    let seed = read_seed(table, scene_seed);
    Some(Fractal {
        seed: seed?,
        frequency_per_m: 1.0 / feature_size_m?,
        octaves: octaves? as u32,
        lacunarity: lacunarity?,
        gain: gain?,
        ridged: ridged?,
    })
}

/// The seed of a pattern: that of the scene, and the entry's own.
pub fn read_seed(table: &mut TableReader<'_>, scene_seed: u64) -> Option<u32> {
    let own = table.or("seed", &Whole { min: 0, max: u64::from(u32::MAX) }, 0)?;
    // Multiplied by an odd constant, so that neither seed can undo a small change of the other.
    let mixed = scene_seed ^ own.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Some((mixed ^ (mixed >> 32)) as u32)
}
