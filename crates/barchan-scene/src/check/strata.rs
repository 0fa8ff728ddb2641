//! `kind = "strata"`: layers on top of each other, level or tilted.

use super::ground::Surroundings;
use super::materials::MaterialName;
use super::packing::read_packing;
use super::ranges::{LENGTH, PLACE, SHARE, TURN};
use crate::reader::{Number, OneOf, TableReader};
use crate::scene::{Strata, Stratum};

/// Layers that one entry may have.
const MOST_LAYERS: usize = 1_000;

/// Reads the layers.
pub fn read(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Strata> {
    let walls = around.site.walls(table);
    table.or("op", &OneOf(&[("add", ())]), ());
    let base_m = table.required("base_m", &PLACE);
    let dip = table.or("dip_deg", &Number { min: 0.0, max: 60.0 }, 0.0);
    let dip_direction = table.or("dip_direction_deg", &TURN, 0.0);
    table.refuse("void_ratio", "is said by the layers");
    let moisture = table.or("moisture", &SHARE, 0.0);
    if !table.has("layers") {
        table.wrong("layers", "is missing; must be a list of { material, thickness_m }, lowest first");
    }
    let layers: Vec<_> =
        table.tables("layers", MOST_LAYERS).into_iter().map(|t| read_layer(t, around)).collect();
    if table.has("layers") && layers.is_empty() {
        table.wrong("layers", "must be a list of at least one { material, thickness_m }");
    }
    if let Some(walls) = walls {
        around.site.check_reach(table, &walls.box_m());
    }
    Some(Strata {
        base_m: base_m?,
        layers: layers.into_iter().collect::<Option<_>>()?,
        dip: dip?.to_radians(),
        dip_direction: dip_direction?.to_radians(),
        moisture: moisture?,
    })
}

fn read_layer(mut table: TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Stratum> {
    let material = table.required("material", &MaterialName(around.palette));
    let thickness_m = table.required("thickness_m", &LENGTH);
    let packing = read_packing(&mut table, material.as_slice(), around.palette);
    table.finish();
    Some(Stratum { material: material?, thickness_m: thickness_m?, packing: packing? })
}
