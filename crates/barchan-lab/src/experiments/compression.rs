//! `compression`: every soil is loaded for the first time, unloaded and loaded again. Its bulk density goes along the lines of
//! critical-state compression, and once unloaded it comes back by kappa alone (O'Sullivan 1999).

use barchan_sim::material::{LEAST_PRESSURE_KPA, Phase};
use barchan_sim::{Material, Materials};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "compression",
    about: "bulk density of soils that are loaded, unloaded and loaded again (critical state)",
    parameters: &[
        Parameter {
            key: "soil",
            about: "soils by number: 0 dry_sand, 1 wet_sand, 2 gravel, 3 scree, 4 sandy_loam, 5 loam, 6 clay, 7 snow, 8 lunar_regolith",
            default: &[4.0, 5.0, 6.0],
            range: (0.0, 8.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "load_kpa",
            about: "mean normal stresses, one after the other on the same soil (kPa)",
            default: &[50.0, 100.0, 200.0, 400.0],
            range: (1.0, 1e4),
            whole: false,
            list: true,
        },
    ],
    run,
};

/// Densities must agree within this share: what single precision leaves.
const TOLERANCE: f64 = 1e-4;
const SOURCE: &str =
    "O'Sullivan 1999: v = N - lambda ln p on first loading, kappa on unloading and reloading";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let materials = Materials::builtin();
    let soils: Vec<&Material> =
        materials.iter().map(|(_, material)| material).filter(|m| m.phase == Phase::Soil).collect();
    let mut rows = Vec::new();
    let mut plot = Plot::new(
        "density",
        "Bulk density after loading and unloading",
        Axis::log("mean normal stress (kPa)"),
        Axis::linear("bulk density (kg/m³)"),
    );
    for &number in settings.list("soil") {
        let soil = soils[number as usize];
        let of_soil = rows_of(soil, settings.list("load_kpa"));
        for (unloaded, label) in [(false, "loaded"), (true, "unloaded")] {
            let of = of_soil.iter().filter(|row| row["unloaded"] == json!(unloaded));
            let points = of.filter_map(|row| Some([row["load_kpa"].as_f64()?, row["measured"].as_f64()?]));
            plot = plot.with(format!("{}, {label}", soil.name), Style::LinePoints, points.collect());
        }
        rows.extend(of_soil);
    }
    progress(1.0);
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

fn rows_of(soil: &Material, loads_kpa: &[f64]) -> Vec<Row> {
    let lines = soil.compression();
    let [n, lambda, kappa] = [lines.volume_at_1_kpa, lines.lambda, lines.kappa].map(f64::from);
    let rest_kpa = f64::from(LEAST_PRESSURE_KPA);
    let (mut rows, mut e) = (Vec::new(), soil.void_ratio_loose);
    // The greatest load so far says where the soil is.
    let mut most_kpa = f64::from(lines.preconsolidation_kpa(e, LEAST_PRESSURE_KPA));
    for &load_kpa in loads_kpa {
        let loaded = lines.loaded_void_ratio(e, LEAST_PRESSURE_KPA, load_kpa as f32);
        e = lines.void_ratio_after(e, LEAST_PRESSURE_KPA, load_kpa as f32);
        most_kpa = most_kpa.max(load_kpa);
        let unloaded_v = n - lambda * most_kpa.ln() + kappa * (most_kpa / rest_kpa).ln();
        let loaded_v = unloaded_v - kappa * (load_kpa / rest_kpa).ln();
        for (unloaded, void_ratio, expected_v) in [(false, loaded, loaded_v), (true, e, unloaded_v)] {
            let measured = f64::from(soil.density_kg_m3(void_ratio, 0.0));
            let expected = f64::from(soil.solid_density_kg_m3()) / expected_v;
            rows.push(row(json!({
                "soil": soil.name,
                "load_kpa": load_kpa,
                "unloaded": unloaded,
                "void_ratio": void_ratio,
                "bulk_density": measured,
                "measured": measured,
                "expected": expected,
                "tolerance": TOLERANCE * expected,
                "source": SOURCE,
                "pass": (measured - expected).abs() <= TOLERANCE * expected,
            })));
        }
    }
    rows
}
