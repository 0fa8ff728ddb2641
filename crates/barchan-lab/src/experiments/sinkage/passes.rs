//! The experiment `passes`.

use serde_json::json;

use super::plate::{Bed, KINDS};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "passes",
    about: "a plate that is set on the same place again and again: each time it sinks less",
    parameters: &[
        Parameter {
            key: "kind",
            about: "soil: 0 dry_sand, 1 sandy_loam, 2 loam, 3 clay",
            default: &[1.0],
            range: (0.0, 3.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "void_ratio",
            about: "void ratio before (-), brought into the range of the soil",
            default: &[0.95],
            range: (0.1, 3.9),
            whole: false,
            list: false,
        },
        Parameter {
            key: "pressure_kpa",
            about: "pressure (kPa)",
            default: &[150.0],
            range: (0.1, 2_000.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "passes",
            about: "how often",
            default: &[4.0],
            range: (2.0, 50.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "width_m",
            about: "width of the plate (m)",
            default: &[0.3],
            range: (0.02, 10.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Longest time to wait for rest (s).
const LIMIT_S: f64 = 10.0;
/// Voxels across the plate.
const ACROSS: f64 = 8.0;
/// A later pass deepens the rut by this share of the first at most.
const MOST_LATER: f64 = 0.5;
const SOURCE: &str = "O'Sullivan 1999: what bore a load bears it again along kappa";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let kind = settings.number("kind") as usize;
    let soil = crate::test_soil::DampSoil { name: KINDS[kind], moisture: 0.0, void_ratio: None }.material();
    let e = settings
        .number("void_ratio")
        .clamp(f64::from(soil.void_ratio_dense), f64::from(soil.void_ratio_loose));
    let mut rows = Vec::new();
    let mut points = Vec::new();
    match Bed::new(kind, Some(e), settings.number("width_m"), ACROSS) {
        Ok(mut bed) => {
            let count = settings.number("passes") as u32;
            let (mut rut_m, mut first_m, mut void_ratio) = (0.0, 0.0, bed.void_ratio_below());
            for pass in 1..=count {
                let pressed = bed.press(settings.number("pressure_kpa") * 1e3, LIMIT_S);
                let deeper_m = bed.top_m() - bed.surface_m() - rut_m;
                rut_m += deeper_m;
                first_m = if pass == 1 { deeper_m } else { first_m };
                let (before, balance) = (void_ratio, bed.balance_units());
                void_ratio = bed.void_ratio_below();
                let holds = if pass == 1 {
                    rut_m > 0.0 && pressed.closed_m3 > 0.0 && void_ratio < before
                } else {
                    deeper_m <= MOST_LATER * first_m && void_ratio <= before + 1e-3
                };
                points.push([f64::from(pass), rut_m]);
                rows.push(row(json!({
                    "pass": pass,
                    "material": KINDS[kind],
                    "rut_m": rut_m,
                    "deeper_m": deeper_m,
                    "void_ratio": void_ratio,
                    "closed_m3": pressed.closed_m3,
                    "balance_units": balance,
                    "source": SOURCE,
                    "holds": holds && balance == 0,
                })));
                progress(f64::from(pass) / f64::from(count));
            }
        }
        Err(problem) => rows.push(row(json!({ "problem": problem.to_string(), "holds": false }))),
    }
    let failed = rows.iter().filter(|row| row["holds"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let plot = Plot::new("rut", "Depth of the rut", Axis::linear("pass"), Axis::linear("rut (m)"));
    Outcome {
        rows,
        summary,
        plots: vec![plot.with(KINDS[kind], Style::LinePoints, points)],
        pass: failed == 0,
    }
}
