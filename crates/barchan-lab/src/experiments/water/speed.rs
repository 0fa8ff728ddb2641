//! How long a step of water takes.

use std::time::Instant;

use glam::Vec3;
use serde_json::json;

use super::pool::{METHOD, Pool, balance_units, method};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "water-speed",
    about: "milliseconds of a substep of water, for a dam that breaks, over the number of particles",
    parameters: &[
        METHOD,
        Parameter {
            key: "particles",
            about: "about how many particles",
            default: &[25_000.0, 100_000.0],
            range: (1_000.0, 2_000_000.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "tolerance",
            about: "compression at which the pressure is good enough (-)",
            default: &[0.001],
            range: (1e-5, 0.1),
            whole: false,
            list: true,
        },
        Parameter {
            key: "seconds",
            about: "how long the water runs (s)",
            default: &[0.3],
            range: (0.01, 10.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Spacing of the particles (m), and the length of a step (s).
const SPACING_M: f64 = 0.05;
const STEP_S: f64 = 1.0 / 60.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases: Vec<[f64; 3]> = settings
        .list("method")
        .iter()
        .flat_map(|&m| settings.list("tolerance").iter().map(move |&tolerance| (m, tolerance)))
        .flat_map(|(m, tolerance)| settings.list("particles").iter().map(move |&n| [m, tolerance, n]))
        .collect();
    let mut rows: Vec<Row> = Vec::new();
    for (done, case) in cases.iter().enumerate() {
        rows.push(
            measure(*case, settings.number("seconds"))
                .unwrap_or_else(|problem| row(json!({ "case": "dam", "problem": problem, "pass": false }))),
        );
        progress((done + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

fn measure([number, tolerance, particles]: [f64; 3], seconds: f64) -> Result<Row, String> {
    // A column twice as high as it is long and wide, in a channel four times as long.
    let spacings = 2.0 * (particles / 16.0).cbrt().round();
    let side = (spacings * SPACING_M) as f32;
    let water_m = Vec3::new(side, side, 2.0 * side);
    let mut pool = Pool::new(water_m, Vec3::new(4.0 * side, side, 3.0 * side), method(number), SPACING_M);
    pool.params.tolerance = tolerance as f32;
    let mut world = pool.world()?;
    let (mut substeps, mut iterations, mut residual, mut neighbours) = (0, 0, 0.0f32, 0.0);
    // The first step makes the walls ready.
    world.step(STEP_S);
    let began = Instant::now();
    for _ in 0..(seconds / STEP_S).ceil() as usize {
        let report = world.step(STEP_S).water;
        substeps += report.substeps;
        iterations += report.iterations;
        residual = residual.max(report.residual);
        neighbours = report.neighbours;
    }
    let ms = began.elapsed().as_secs_f64() * 1e3;
    let steps = f64::from(substeps.max(1));
    Ok(row(json!({
        "case": "dam",
        "method": method(number).name(),
        "particles": world.water().particles().len(),
        "threads": rayon::current_num_threads(),
        "ms_per_step": ms / steps,
        "step_s": seconds / steps,
        "neighbours": neighbours,
        "iterations": f64::from(iterations) / steps,
        "tolerance": tolerance,
        "residual": residual,
        "balance_units": balance_units(&world),
        "pass": balance_units(&world) == 0,
    })))
}
