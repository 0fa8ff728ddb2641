//! `stress`: the stress below a loaded disc, superposed from small patches as contacts are, against Fröhlich's closed form.

use std::f64::consts::{PI, TAU};

use barchan_sim::compact::{Load, mean_stress_pa, vertical_stress_pa};
use glam::Vec3;
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "stress",
    about: "vertical stress below a loaded disc (Fröhlich), on its axis and beside it",
    parameters: &[
        list("nu", "concentration factors (-)", &[3.0, 4.0, 5.0, 6.0], (3.0, 6.0)),
        list("radius_m", "radii of the disc (m)", &[0.2], (0.001, 100.0)),
        list("load_kpa", "pressures on it (kPa)", &[100.0], (0.001, 1e6)),
        list("depth_m", "depths (m)", &[0.1, 0.2, 0.3, 0.5, 1.0], (0.001, 1_000.0)),
        list("r_m", "distances from the axis (m)", &[0.0, 0.3], (0.0, 1_000.0)),
    ],
    run,
};

const fn list(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
) -> Parameter {
    Parameter { key, about, default, range, whole: false, list: true }
}

/// Rings that the disc is cut into.
const RINGS: u32 = 24;
/// Rings and sectors of the sum that it is compared with beside the axis.
const FINE: u32 = 400;
/// Stresses must agree within this share, or this part of the pressure.
const TOLERANCE: f64 = 0.03;
const FLOOR: f64 = 0.005;
const SOURCE: &str = "Froehlich 1934: nu Q / (2 pi R²) cos^nu; below the middle of a disc q (1 - cos^nu)";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (mut rows, mut plot) = (
        Vec::new(),
        Plot::new(
            "depth",
            "Vertical stress below the middle of a disc",
            Axis::linear("depth (m)"),
            Axis::linear("vertical stress (kPa)"),
        ),
    );
    for &nu in settings.list("nu") {
        for &radius_m in settings.list("radius_m") {
            for &load_kpa in settings.list("load_kpa") {
                let parts = disc(radius_m, load_kpa);
                let mut axis = [Vec::new(), Vec::new()];
                for &r_m in settings.list("r_m") {
                    for &depth_m in settings.list("depth_m") {
                        let point = Vec3::new(r_m as f32, 0.0, -depth_m as f32);
                        let sum = |of: fn(&Load, Vec3, f32) -> f32| {
                            parts.iter().map(|part| f64::from(of(part, point, nu as f32))).sum::<f64>() / 1e3
                        };
                        let measured = sum(vertical_stress_pa);
                        let expected = expected_kpa(nu, radius_m, load_kpa, depth_m, r_m);
                        if r_m == 0.0 {
                            axis[0].push([depth_m, measured]);
                            axis[1].push([depth_m, expected]);
                        }
                        let tolerance = (TOLERANCE * expected).max(FLOOR * load_kpa);
                        rows.push(row(json!({
                            "nu": nu, "radius_m": radius_m, "load_kpa": load_kpa, "depth_m": depth_m, "r_m": r_m,
                            "mean_kpa": sum(mean_stress_pa),
                            "measured": measured, "expected": expected, "tolerance": tolerance,
                            "source": SOURCE, "pass": (measured - expected).abs() <= tolerance,
                        })));
                    }
                }
                let [measured, expected] = axis;
                plot = plot.with(format!("nu {nu}, {radius_m} m"), Style::Points, measured);
                plot = plot.with(format!("nu {nu}, {radius_m} m, Fröhlich"), Style::Reference, expected);
            }
        }
    }
    progress(1.0);
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

/// The disc as patches of about equal size.
fn disc(radius_m: f64, load_kpa: f64) -> Vec<Load> {
    let mut loads = Vec::new();
    for ring in 0..RINGS {
        let [inner, outer] = [ring, ring + 1].map(|ring| radius_m * f64::from(ring) / f64::from(RINGS));
        let count = 6 * ring + 4;
        let area_m2 = PI * (outer * outer - inner * inner) / f64::from(count);
        for i in 0..count {
            let (sin, cos) = (TAU * (f64::from(i) + 0.5) / f64::from(count)).sin_cos();
            let at = 0.5 * (inner + outer);
            loads.push(Load {
                point_m: Vec3::new((at * cos) as f32, (at * sin) as f32, 0.0),
                down_n: (load_kpa * 1e3 * area_m2) as f32,
                area_m2: area_m2 as f32,
            });
        }
    }
    loads
}

/// On the axis the closed form, beside it the sum over very many points.
fn expected_kpa(nu: f64, radius_m: f64, load_kpa: f64, depth_m: f64, r_m: f64) -> f64 {
    if r_m == 0.0 {
        let cosine = depth_m / depth_m.hypot(radius_m);
        return load_kpa * (1.0 - cosine.powf(nu));
    }
    let mut sum = 0.0;
    let ring_m = radius_m / f64::from(FINE);
    for ring in 0..FINE {
        let at = (f64::from(ring) + 0.5) * ring_m;
        for i in 0..FINE {
            let (sin, cos) = (TAU * (f64::from(i) + 0.5) / f64::from(FINE)).sin_cos();
            let square = (at * cos - r_m).powi(2) + (at * sin).powi(2) + depth_m * depth_m;
            let q = load_kpa * at * ring_m * TAU / f64::from(FINE);
            sum += nu * q / (TAU * square) * (depth_m / square.sqrt()).powf(nu);
        }
    }
    sum
}
