//! `[hardness]`: how well the ground withstands weathering and running water, from place to place.

use barchan_sim::MaterialId;
use barchan_sim::material::{Bed, Hardness, Noise};
use barchan_volume::Fractal;
use glam::Vec2;

use super::materials::{MaterialName, Palette};
use super::ranges::{LENGTH, PLACE, SHARE, TURN};
use crate::reader::{Number, TableReader, Whole};

/// Kinds and beds that a field may have.
const MOST: usize = Hardness::MOST_BEDS;

/// The field of the scene, or one that is even everywhere.
pub fn read(scene: &mut TableReader<'_>, seed: u64, palette: &Palette) -> Option<Hardness> {
    let Some(mut table) = scene.table("hardness") else { return Some(Hardness::default()) };
    let kinds: Vec<_> = table.tables("kinds", MOST).into_iter().map(|t| read_kind(t, palette)).collect();
    let beds: Vec<_> = table.tables("beds", MOST).into_iter().map(read_bed).collect();
    let base_m = table.or("base_m", &PLACE, 0.0);
    let dip = table.or("dip_deg", &Number { min: 0.0, max: 60.0 }, 0.0);
    let dip_direction = table.or("dip_direction_deg", &TURN, 0.0);
    let per_m = table.or("softer_per_m", &Number { min: -10.0, max: 10.0 }, 0.0);
    let noise = read_noise(&mut table, seed);
    let down = Vec2::from_angle(dip_direction?.to_radians()) * dip?.to_radians().tan();
    let hardness = Hardness {
        kinds: kinds.into_iter().collect::<Option<_>>()?,
        beds: beds.into_iter().collect::<Option<_>>()?,
        base_m: base_m?,
        dip: down,
        per_m: per_m?,
        noise: noise?,
    };
    for (at, (kind, _)) in hardness.kinds.iter().enumerate() {
        if hardness.kinds[..at].iter().any(|(other, _)| other == kind) {
            table.wrong("kinds", "names a material twice");
            return None;
        }
    }
    table.finish();
    Some(hardness)
}

fn read_kind(mut table: TableReader<'_>, palette: &Palette) -> Option<(MaterialId, f32)> {
    let material = table.required("material", &MaterialName(palette));
    let resistance = table.required("resistance", &SHARE);
    table.finish();
    Some((material?, resistance?))
}

fn read_bed(mut table: TableReader<'_>) -> Option<Bed> {
    let thickness_m = table.required("thickness_m", &LENGTH);
    let softness = table.required("softness", &Number { min: 0.0, max: 100.0 });
    table.finish();
    Some(Bed { thickness_m: thickness_m?, softness: softness? })
}

/// The pattern of softer and harder spots; the outer option is none where something is wrong.
fn read_noise(table: &mut TableReader<'_>, seed: u64) -> Option<Option<Noise>> {
    let share = table.or("noise_share", &SHARE, 0.0)?;
    let size_m = table.or("noise_size_m", &LENGTH, 1.0);
    let octaves = table.or("noise_octaves", &Whole { min: 1, max: 16 }, 3);
    if share == 0.0 {
        for key in ["noise_size_m", "noise_octaves"] {
            table.refuse(key, "has no place without noise_share");
        }
        return Some(None);
    }
    let pattern = Fractal {
        seed: (seed ^ (seed >> 32)) as u32 ^ 0x6861_7264,
        frequency_per_m: 1.0 / size_m?,
        octaves: octaves? as u32,
        ..Fractal::default()
    };
    Some(Some(Noise { pattern, share }))
}
