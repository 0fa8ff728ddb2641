//! `rest-threshold`: a plain sweep stops where stacks give less than a threshold, which buys time with a wrong angle; our sliding
//! has no such threshold.

use std::time::Instant;

use serde_json::json;

use super::debris::{flank_deg, rest_on_plane};
use super::sweep::Sweep;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "rest-threshold",
    about: "the threshold at which a plain sweep stops: time against angle (Kuijpers2023, figs 5.1-5.2), beside ours",
    parameters: &[
        Parameter {
            key: "threshold",
            about: "thresholds of the sweep (voxels)",
            default: &[0.001, 0.01, 0.05, 0.1, 0.2, 0.5],
            range: (1e-6, 10.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "n",
            about: "edge of the cube (voxels)",
            default: &[40.0],
            range: (1.0, 100.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "angle_deg",
            about: "angle of repose (°)",
            default: &[45.0],
            range: (1.0, 85.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// How far from the set angle ours may rest (°).
const TOLERANCE_DEG: f64 = 1.5;
const MOST_SWEEPS: usize = 10_000_000;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (n, angle_deg) = (settings.count("n"), settings.number("angle_deg"));
    let thresholds = settings.list("threshold");
    let mut rows = Vec::new();
    for (at, &threshold) in thresholds.iter().enumerate() {
        let side = 8 * n;
        let mut sweep = Sweep::new(side, angle_deg, |_, _| 0.0);
        sweep.add_cube(n);
        let start = Instant::now();
        let sweeps = sweep.run(threshold, MOST_SWEEPS);
        let seconds = start.elapsed().as_secs_f64();
        rows.push(row(json!({
            "method": "sweep", "threshold": threshold, "seconds": seconds,
            "angle_deg": flank_deg(&|x, y| sweep.depth(x, y), 1.0, side as i32 / 2), "rounds": sweeps,
            "pass": true,
        })));
        progress((at + 1) as f64 / (thresholds.len() + 1) as f64);
    }
    let ours = rest_on_plane(n as i32, angle_deg);
    let pass = ours.measured_deg.is_some_and(|deg| (deg - angle_deg).abs() <= TOLERANCE_DEG);
    rows.push(row(json!({
        "method": "ours", "threshold": 0.0, "seconds": ours.seconds, "angle_deg": ours.measured_deg,
        "rounds": ours.rounds, "pass": pass && ours.balance_units == 0,
    })));
    progress(1.0);
    let pass = rows.iter().all(|row| row["pass"] == json!(true));
    Outcome { plots: plots(&rows, angle_deg), rows, summary: Row::new(), pass }
}

/// Time and angle over the threshold, ours as a line across.
fn plots(rows: &[Row], angle_deg: f64) -> Vec<Plot> {
    let points = |key: &str| -> Vec<[f64; 2]> {
        let of_sweep = rows.iter().filter(|row| row["method"] == json!("sweep"));
        of_sweep.filter_map(|row| Some([row["threshold"].as_f64()?, row[key].as_f64()?])).collect()
    };
    let ends = points("seconds");
    let across = |value: Option<f64>| -> Vec<[f64; 2]> {
        let Some(value) = value else { return Vec::new() };
        [ends.first(), ends.last()].into_iter().flatten().map(|[x, _]| [*x, value]).collect()
    };
    let ours = |key: &str| rows.last().and_then(|row| row[key].as_f64());
    let threshold = || Axis::log("threshold (voxels)");
    let time = Plot::new("time", "Time to rest", threshold(), Axis::log("time (s)"))
        .with("plain sweep", Style::LinePoints, points("seconds"))
        .with("ours, without a threshold", Style::Line, across(ours("seconds")));
    let angle = Plot::new("angle", "Angle at rest", threshold(), Axis::linear("angle (°)"))
        .with("plain sweep", Style::LinePoints, points("angle_deg"))
        .with("ours, without a threshold", Style::Line, across(ours("angle_deg")))
        .with("as set", Style::Reference, across(Some(angle_deg)));
    vec![time, angle]
}
