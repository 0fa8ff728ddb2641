//! The experiment `sinkage`.

use serde_json::json;

use super::plate::{Bed, KINDS};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "sinkage",
    about: "how far a square plate sinks (Bekker), what vanishes into pores included",
    parameters: &[
        Parameter {
            key: "kind",
            about: "soils: 0 dry_sand, 1 sandy_loam, 2 loam, 3 clay, 4 lunar_regolith (at lunar gravity)",
            default: &[0.0, 1.0, 3.0, 4.0],
            range: (0.0, 4.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "width_m",
            about: "widths of the plate (m)",
            default: &[0.3],
            range: (0.02, 10.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "pressure_kpa",
            about: "pressures (kPa)",
            default: &[30.0, 60.0],
            range: (0.1, 2_000.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "voxels",
            about: "voxels across the plate",
            default: &[8.0],
            range: (2.0, 64.0),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// Longest time to wait for rest (s).
const LIMIT_S: f64 = 10.0;
/// Sinkage must agree within this share.
const TOLERANCE: f64 = 0.1;
const SOURCE: &str = "Bekker: p = (kc/b + kphi) z^n, Wong 2008 table 2.3";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut cases = Vec::new();
    for &kind in settings.list("kind") {
        for &width_m in settings.list("width_m") {
            cases.extend(settings.list("pressure_kpa").iter().map(|&kpa| (kind as usize, width_m, kpa)));
        }
    }
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for (index, &(kind, width_m, pressure_kpa)) in cases.iter().enumerate() {
        let head = json!({ "material": KINDS[kind], "width_m": width_m, "pressure_kpa": pressure_kpa });
        let mut row = row(head);
        match Bed::new(kind, None, width_m, settings.number("voxels")) {
            Ok(mut bed) => {
                let pressed = bed.press(pressure_kpa * 1e3, LIMIT_S);
                let expected = bed.bekker_m(pressure_kpa * 1e3);
                let (measured, balance) = (pressed.sinkage_m, bed.balance_units());
                let holds = (measured - expected).abs() <= TOLERANCE * expected;
                points.push([expected, measured]);
                row.extend(self::row(json!({
                    "sinkage_m": measured,
                    "closed_share": pressed.closed_m3 / (width_m * width_m * measured.max(1e-9)),
                    "measured": measured,
                    "expected": expected,
                    "tolerance": TOLERANCE * expected,
                    "balance_units": balance,
                    "source": SOURCE,
                    "pass": holds && pressed.at_rest && balance == 0,
                })));
            }
            Err(problem) => {
                row.insert("problem".into(), json!(problem.to_string()));
                row.insert("pass".into(), json!(false));
            }
        }
        rows.push(row);
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let plot = Plot::new(
        "sinkage",
        "Sinkage of plates",
        Axis::log("sinkage by Bekker (m)"),
        Axis::log("sinkage (m)"),
    );
    let even = points.iter().map(|point| [point[0], point[0]]).collect();
    let plot = plot.with("measured", Style::Points, points).with("Bekker", Style::Reference, even);
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}
