//! A column is let go where sliding soil keeps its momentum: how far does it run out?

use barchan_volume::Shape;
use glam::Vec3;
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{Pile, SoilDepths};
use crate::plot::{Axis, Plot, Style};
use crate::rest::{LIMIT_S, balance_units, step_to_rest};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{self, TestSoil, TooLarge, bounds_around};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "collapse",
    about: "a column collapses and keeps its momentum: how far it runs out (Lube 2004)",
    parameters: &[
        Parameter {
            key: "aspect",
            about: "heights of the column over its radius (-)",
            default: &[0.5, 1.0, 1.5, 2.5, 4.0],
            range: (0.1, 20.0),
            whole: false,
            list: true,
        },
        test_soil::phi_deg(&[30.0]),
        test_soil::voxel_size_m(&[0.1, 0.0667, 0.05]),
        Parameter {
            key: "radius_m",
            about: "radius of the column (m)",
            default: &[1.0],
            range: (0.01, 1_000.0),
            whole: false,
            list: false,
        },
        LIMIT_S,
    ],
    run,
};

/// By what share of the expected radius a run-out may differ from it. A voxel is a tenth of the radius of the coarsest column,
/// and with the size of the voxels run-outs change by as much.
const TOLERANCE: f64 = 0.15;
const SOURCE: &str = "Lube2004: 1 + 1.24 a below an aspect a of 1.7, 1 + 1.6 sqrt(a) above";

/// Standard gravity, as far as times tell (m/s²).
const GRAVITY_M_S2: f64 = 9.81;

/// Radius of the deposit over that of the column (Lube2004).
fn expected_run_out(aspect: f64) -> f64 {
    if aspect < 1.7 { 1.0 + 1.24 * aspect } else { 1.0 + 1.6 * aspect.sqrt() }
}

/// A column that has collapsed.
struct Collapsed {
    aspect: f64,
    phi_deg: f64,
    voxel_size_m: f64,
    radius_m: f64,
    pile: Pile,
    seconds_to_rest: f64,
    at_rest: bool,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (sizes, angles, aspects) =
        (settings.list("voxel_size_m"), settings.list("phi_deg"), settings.list("aspect"));
    let count = sizes.len() * angles.len() * aspects.len();
    let (mut rows, mut all) = (Vec::with_capacity(count), Vec::new());
    for &voxel_size_m in sizes {
        for &phi_deg in angles {
            for &aspect in aspects {
                match collapse(aspect, phi_deg, voxel_size_m, settings) {
                    Ok(collapsed) => {
                        rows.push(collapsed.row());
                        all.push(collapsed);
                    }
                    Err(problem) => rows.push(row(json!({
                        "aspect": aspect, "phi_deg": phi_deg, "voxel_size_m": voxel_size_m,
                        "problem": problem.to_string(), "pass": false,
                    }))),
                }
                progress(rows.len() as f64 / count as f64);
            }
        }
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let off = all.iter().map(|c| (c.run_out() / expected_run_out(c.aspect) - 1.0).abs()).reduce(f64::max);
    summary.insert("largest_difference".into(), json!(off));
    let plots = if all.is_empty() { Vec::new() } else { vec![plot(&all)] };
    Outcome { rows, summary, plots, pass: failed == 0 }
}

fn collapse(
    aspect: f64,
    phi_deg: f64,
    voxel_size_m: f64,
    settings: &Settings,
) -> Result<Collapsed, TooLarge> {
    let radius_m = settings.number("radius_m");
    let (radius, height) = (radius_m as f32, (aspect * radius_m) as f32);
    // Half as far again as it is expected to come.
    let side = 3.0 * radius * expected_run_out(aspect) as f32;
    let bounds = bounds_around(Vec3::new(side, side, height), voxel_size_m);
    let mut world = TestSoil::loose(phi_deg).world(voxel_size_m, bounds)?;
    let column = Shape::Cylinder { radius, half_height: height / 2.0 };
    test_soil::place(&mut world, column, Vec3::Z * height / 2.0);
    let rest = step_to_rest(&mut world, settings.number("limit_s"));
    let pile = Pile::of(&SoilDepths::of(&world, bounds)).expect("the soil of the column is still there");
    Ok(Collapsed {
        aspect,
        phi_deg,
        voxel_size_m,
        radius_m,
        pile,
        seconds_to_rest: rest.seconds,
        at_rest: rest.at_rest,
        balance_units: balance_units(&world) + rest.off_balance as i64,
    })
}

impl Collapsed {
    /// Radius of the deposit over that of the column.
    fn run_out(&self) -> f64 {
        self.pile.base_radius_m / self.radius_m
    }

    fn row(&self) -> Row {
        let (measured, expected) = (self.run_out(), expected_run_out(self.aspect));
        let agrees = (measured / expected - 1.0).abs() <= TOLERANCE;
        let fall_s = (self.aspect * self.radius_m / GRAVITY_M_S2).sqrt();
        row(json!({
            "aspect": self.aspect,
            "phi_deg": self.phi_deg,
            "voxel_size_m": self.voxel_size_m,
            "radius_m": self.radius_m,
            "measured": measured,
            "expected": expected,
            "tolerance": TOLERANCE * expected,
            "source": SOURCE,
            "height_radii": self.pile.peak_m / self.radius_m,
            "slope_deg": self.pile.slope.to_degrees(),
            "roundness": self.pile.roundness,
            "seconds_to_rest": self.seconds_to_rest,
            "lube_seconds": 3.0 * fall_s,
            "at_rest": self.at_rest,
            "balance_units": self.balance_units,
            "pass": agrees && self.at_rest && self.balance_units == 0,
        }))
    }
}

fn plot(all: &[Collapsed]) -> Plot {
    let axes =
        (Axis::linear("height over radius of the column"), Axis::linear("radius of the deposit over that"));
    let mut plot = Plot::new("run_out", "How far columns run out", axes.0, axes.1);
    let mut sizes: Vec<f64> = all.iter().map(|c| c.voxel_size_m).collect();
    sizes.dedup();
    for size in sizes {
        let points = all.iter().filter(|c| c.voxel_size_m == size).map(|c| [c.aspect, c.run_out()]).collect();
        plot = plot.with(format!("voxels of {size} m"), Style::LinePoints, points);
    }
    let farthest = all.iter().map(|c| c.aspect).fold(0.0, f64::max);
    let lube = (0..=64).map(|k| f64::from(k) / 64.0 * farthest).map(|a| [a, expected_run_out(a)]);
    plot.with("Lube 2004", Style::Reference, lube.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_out_rest_and_books_decide() {
        let pile = |radius| Pile {
            peak_m: 0.8,
            slope: 0.4,
            roundness: 1.0,
            base_radius_m: radius,
            profile_m: vec![],
        };
        let collapsed = |radius, at_rest, balance_units| Collapsed {
            aspect: 1.0,
            phi_deg: 30.0,
            voxel_size_m: 0.1,
            radius_m: 0.5,
            pile: pile(radius),
            seconds_to_rest: 1.0,
            at_rest,
            balance_units,
        };
        let pass = |c: Collapsed| c.row()["pass"].as_bool().unwrap();
        assert!(pass(collapsed(1.12, true, 0)));
        assert!(!pass(collapsed(0.94, true, 0)), "too near");
        assert!(!pass(collapsed(1.3, true, 0)), "too far");
        assert!(!pass(collapsed(1.12, false, 0)) && !pass(collapsed(1.12, true, 1)));
        assert!((expected_run_out(4.0) - 4.2).abs() < 1e-12);
    }

    #[test]
    fn a_column_runs_out_as_measured() {
        let sets = ["aspect=1", "voxel_size_m=0.1"];
        let settings = Settings::new(EXPERIMENT.parameters, &sets).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
    }
}
