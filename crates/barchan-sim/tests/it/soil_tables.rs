//! `docs/soils.md` says of every built-in soil what the program reckons with.

use std::fmt::Write;

use barchan_sim::material::Phase;
use barchan_sim::{Material, Materials};

const DOCUMENT: &str = include_str!("../../../../docs/soils.md");

/// Rows per soil.
const ROWS: u32 = 7;

#[test]
fn the_tables_are_those_of_the_program() {
    let tables = tables();
    let (_, found) = DOCUMENT.split_once("## Compression\n\n").expect("a heading");
    assert!(found == tables, "from '## Compression' on, docs/soils.md should be:\n\n{tables}");
}

fn tables() -> String {
    let materials = Materials::builtin();
    let soils = || materials.iter().map(|(_, material)| material).filter(|m| m.phase == Phase::Soil);
    let mut text = String::from("| soil | N | lambda | kappa | from |\n| --- | --- | --- | --- | --- |\n");
    for soil in soils() {
        let lines = soil.compression();
        let from = if soil.measured_compression.is_some() { "OSullivan1999" } else { "derived" };
        let (n, lambda, kappa) = (lines.volume_at_1_kpa, lines.lambda, lines.kappa);
        writeln!(text, "| {} | {n:.3} | {lambda:.4} | {kappa:.4} | {from} |", soil.name).expect("text");
    }
    text += "\n## Strength\n\nAll derived but the natural state.\n\n";
    text += "| soil | void ratio | phi (°) | c (kPa) | stands upright to (m) | borne before (kPa) |\n";
    text += "| --- | --- | --- | --- | --- | --- |\n";
    for (kind, soil) in materials.iter().filter(|(_, m)| m.phase == Phase::Soil) {
        for e in void_ratios(soil) {
            let row = soil.strength_at(e);
            let strength = materials.strength(kind, barchan_sim::units::VoidRatio::from_f32(e), false, 0.0);
            let natural = if e == soil.void_ratio_natural { " (natural)" } else { "" };
            writeln!(
                text,
                "| {}{natural} | {e:.3} | {:.1} | {:.2} | {:.2} | {:.0} |",
                soil.name,
                row.friction_angle.to_degrees(),
                row.cohesion_pa / 1e3,
                strength.cut_height_m(),
                soil.compression().preconsolidation_kpa(e, 1.0),
            )
            .expect("text");
        }
    }
    text
}

/// From the densest to the loosest, the natural one among them.
fn void_ratios(soil: &Material) -> Vec<f32> {
    let (dense, natural, loose) = (soil.void_ratio_dense, soil.void_ratio_natural, soil.void_ratio_loose);
    let half = ROWS / 2;
    let below = (0..half).map(|i| dense + (natural - dense) * i as f32 / half as f32);
    let above = (1..=half).map(|i| natural + (loose - natural) * i as f32 / half as f32);
    below.chain([natural]).chain(above).collect()
}
