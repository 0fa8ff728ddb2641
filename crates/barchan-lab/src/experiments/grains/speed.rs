//! How fast grains are: beds that have settled, stepped for a while, timed.

use std::time::Instant;

use barchan_sim::World;
use barchan_sim::grains::{Fill, Template, Wall};
use glam::DVec3;
use serde_json::json;

use super::{WithGrains, parameter, parameter_list};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::median;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "grain-speed",
    about: "settled beds of tetrahedra and of spheres: grain steps in a second",
    parameters: &[
        parameter_list("tetrahedra", "grains of four balls, one bed each", &[16_384.0], (1.0, 1e6), true),
        parameter_list("spheres", "grains of one ball, one bed each", &[64_000.0], (1.0, 1e6), true),
        parameter(
            "spacing",
            "distance of the balls of a tetrahedron (diameters)",
            &[0.75],
            (0.1, 2.0),
            false,
        ),
        parameter("settle_s", "time to settle (s)", &[0.25], (0.0, 10.0), false),
        parameter("substeps", "substeps of a round", &[200.0], (1.0, 1e6), true),
        parameter("rounds", "rounds, of which the median counts", &[5.0], (1.0, 1000.0), true),
    ],
    run,
};

/// Diameter of a ball, as in the beds of other programs (m).
const DIAMETER_M: f64 = 0.002;

/// Cundall numbers of table 7.4 of the source: grains times steps in a second.
const CUNDALL: [(&str, f64); 4] =
    [("Longmore", 1.490e6), ("Harada", 6.652e5), ("Venetillo", 4.736e6), ("Ferrez", 2.0234e4)];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let tetrahedra = settings.list("tetrahedra").iter().map(|&n| (n, true));
    let cases: Vec<_> = tetrahedra.chain(settings.list("spheres").iter().map(|&n| (n, false))).collect();
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    for (at, &(grains, is_clump)) in cases.iter().enumerate() {
        let row = measure(grains as usize, is_clump, settings)
            .unwrap_or_else(|problem| row(json!({ "grains": grains, "problem": problem, "pass": false })));
        outcome.pass &= !row.contains_key("problem");
        outcome.rows.push(row);
        progress((at + 1) as f64 / cases.len() as f64);
    }
    let mut beside = Row::new();
    for (who, number) in CUNDALL {
        beside.insert(who.to_owned(), json!(number));
    }
    outcome.summary.insert("cundall_numbers_of_table_7_4".to_owned(), json!(beside));
    outcome
}

fn measure(grains: usize, is_clump: bool, settings: &Settings) -> Result<Row, String> {
    let template =
        if is_clump { Template::tetrahedron(settings.number("spacing")) } else { Template::sphere() };
    let mut world = bed(template, grains)?;
    let settle = settings.number("settle_s");
    let mut substep_s = 1e-5;
    if settle > 0.0 {
        for _ in 0..10 {
            substep_s = world.step(settle / 10.0).grains.substep_s;
        }
    }
    let (mut times_ms, mut rebuilds, mut substeps, mut memory) = (Vec::new(), 0, 0, 0);
    let mut mean_overlap = 0.0;
    for _ in 0..settings.count("rounds") {
        let start = Instant::now();
        let report = world.step((substep_s * settings.number("substeps")).min(1.0)).grains;
        times_ms.push(start.elapsed().as_secs_f64() * 1e3 / f64::from(report.substeps.max(1)));
        (rebuilds, substeps) = (rebuilds + report.rebuilds, substeps + report.substeps);
        (memory, mean_overlap) = (report.memory_bytes, report.mean_overlap);
    }
    let ms = median(&times_ms).unwrap_or(f64::NAN);
    let seen = world.grains().seen();
    let contacts = seen.iter().map(|ball| f64::from(ball.contacts)).sum::<f64>() / 2.0;
    let count = world.grains().len();
    Ok(row(json!({
        "case": if is_clump { "tetrahedra" } else { "spheres" },
        "law": "hertz, springs",
        "grains": count,
        "spheres": seen.len(),
        "contacts": contacts,
        "contacts_per_grain": 2.0 * contacts / count as f64,
        "threads": rayon::current_num_threads(),
        "ms_per_step": ms,
        "grain_steps_per_second": count as f64 / ms * 1e3,
        "sphere_steps_per_second": seen.len() as f64 / ms * 1e3,
        "contact_steps_per_second": contacts / ms * 1e3,
        "steps_per_search": f64::from(substeps) / f64::from(rebuilds.max(1)),
        "bytes_per_grain": memory as f64 / count as f64,
        "substep_s": substep_s,
        "mean_overlap": mean_overlap,
    })))
}

/// A box of square floor, as high as the grains need, filled loosely.
fn bed(template: Template, grains: usize) -> Result<World, String> {
    let mut with = WithGrains::of(template, DIAMETER_M);
    with.setup.substances[0].density_kg_m3 = 2500.0;
    let reach = with.setup.templates[0].reach_from(DVec3::ZERO) * DIAMETER_M;
    let pitch = 2.0 * reach * 1.01;
    // As many layers as there are grains along a side.
    let side = (grains as f64).cbrt().ceil() * pitch;
    for (at, way) in [(DVec3::ZERO, DVec3::X), (DVec3::ZERO, DVec3::Y), (DVec3::ZERO, DVec3::Z)] {
        with.setup.walls.push(Wall::plane("side", at, way));
    }
    for way in [DVec3::X, DVec3::Y] {
        with.setup.walls.push(Wall::plane("side", way * side, -way));
    }
    let mut world = with.world()?;
    let fill = Fill {
        mix: vec![(0, 1.0)],
        low_m: DVec3::ZERO,
        high_m: DVec3::new(side, side, 100.0 * side),
        pitch_m: Some(pitch),
        jitter: 1.0,
        count: grains,
        turned: true,
        velocity_m_s: DVec3::new(0.0, 0.0, -0.3),
        seed: 1,
    };
    world.fill_with_grains(&fill).map_err(|error| error.to_string())?;
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_bed_is_timed() {
        let sets = ["tetrahedra=64", "spheres=64", "settle_s=0.02", "substeps=10", "rounds=2"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass && outcome.rows.len() == 2);
        for row in &outcome.rows {
            assert_eq!(row["grains"], json!(64));
            assert!(row["grain_steps_per_second"].as_f64().unwrap() > 0.0, "{row:?}");
        }
    }
}
