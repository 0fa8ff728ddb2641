//! A column is let go, round or in a channel: how far does it run out, and how high is what is left of it?

use barchan_volume::{Shape, VoxelBox};
use glam::{IVec3, Vec3};
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
    about: "columns collapse, round and in a channel: how far they run out (Lube 2004, Lajeunesse 2004 and 2005)",
    parameters: &[
        Parameter {
            key: "aspect",
            about: "heights of the column over its radius or length (-)",
            default: &[0.5, 1.0, 1.5, 2.5, 4.0],
            range: (0.1, 20.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "channel",
            about: "0: a round column; 1: one that fills a channel up to a wall",
            default: &[0.0, 1.0],
            range: (0.0, 1.0),
            whole: true,
            list: true,
        },
        test_soil::phi_deg(&[30.0]),
        test_soil::voxel_size_m(&[0.1, 0.0667, 0.05]),
        Parameter {
            key: "radius_m",
            about: "radius of the column, or its length in a channel (m)",
            default: &[1.0],
            range: (0.01, 1_000.0),
            whole: false,
            list: false,
        },
        LIMIT_S,
    ],
    run,
};

/// By what share of what is expected run-outs and heights may differ. The fits leave out the friction of the soil, by which both
/// change, and measurements scatter around them by about as much.
const RUN_OUT_TOLERANCE: f64 = 0.20;
const HEIGHT_TOLERANCE: f64 = 0.25;

/// Width of a channel (voxels).
const CHANNEL_VOXELS: i32 = 4;

/// Standard gravity, as far as times tell (m/s²).
const GRAVITY_M_S2: f64 = 9.81;

/// A column, and what is measured of such.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Round,
    Channel,
}

impl Column {
    fn name(self) -> &'static str {
        if self == Self::Round { "round" } else { "channel" }
    }

    fn source(self) -> &'static str {
        match self {
            Self::Round => {
                "Lube2004: 1 + 1.24 a below an aspect a of 1.7, 1 + 1.6 sqrt(a) above; Lajeunesse2004: height 0.74"
            }
            Self::Channel => {
                "Lajeunesse2005: 1 + 1.2 a below 2.3, 1 + 1.9 a^(2/3) above; height a below 0.7, a^(1/3) above"
            }
        }
    }

    /// How far it comes, over its radius or length.
    fn run_out(self, aspect: f64) -> f64 {
        match self {
            Self::Round if aspect < 1.7 => 1.0 + 1.24 * aspect,
            Self::Round => 1.0 + 1.6 * aspect.sqrt(),
            Self::Channel if aspect < 2.3 => 1.0 + 1.2 * aspect,
            Self::Channel => 1.0 + 1.9 * aspect.powf(2.0 / 3.0),
        }
    }

    /// How high what is left stands, over its radius or length: from one measurement to the other.
    fn height(self, aspect: f64) -> [f64; 2] {
        match self {
            // Lajeunesse2004 and Lube2004.
            Self::Round => [aspect.min(0.74), aspect.min(0.88 * aspect.powf(1.0 / 6.0))],
            Self::Channel if aspect < 0.7 => [aspect; 2],
            Self::Channel => [aspect.powf(1.0 / 3.0); 2],
        }
    }
}

/// A column that has collapsed.
struct Collapsed {
    column: Column,
    aspect: f64,
    phi_deg: f64,
    voxel_size_m: f64,
    /// Over the radius or length of the column.
    run_out: f64,
    height: f64,
    roundness: Option<f64>,
    seconds_to_rest: f64,
    fall_s: f64,
    at_rest: bool,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut cases = Vec::new();
    for &voxel_size_m in settings.list("voxel_size_m") {
        for &phi_deg in settings.list("phi_deg") {
            for &channel in settings.list("channel") {
                let column = if channel > 0.0 { Column::Channel } else { Column::Round };
                let aspects = settings.list("aspect").iter();
                cases.extend(aspects.map(|aspect| (column, *aspect, phi_deg, voxel_size_m)));
            }
        }
    }
    let (mut rows, mut all) = (Vec::with_capacity(cases.len()), Vec::new());
    for &(column, aspect, phi_deg, voxel_size_m) in &cases {
        match collapse(column, aspect, phi_deg, voxel_size_m, settings) {
            Ok(collapsed) => {
                rows.push(collapsed.row());
                all.push(collapsed);
            }
            Err(problem) => rows.push(row(json!({
                "column": column.name(), "aspect": aspect, "phi_deg": phi_deg, "voxel_size_m": voxel_size_m,
                "problem": problem.to_string(), "pass": false,
            }))),
        }
        progress(rows.len() as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let off = all.iter().map(|c| (c.run_out / c.column.run_out(c.aspect) - 1.0).abs()).reduce(f64::max);
    summary.insert("largest_difference".into(), json!(off));
    let plots = if all.is_empty() { Vec::new() } else { vec![plot(&all)] };
    Outcome { rows, summary, plots, pass: failed == 0 }
}

fn collapse(
    column: Column,
    aspect: f64,
    phi_deg: f64,
    voxel_size_m: f64,
    settings: &Settings,
) -> Result<Collapsed, TooLarge> {
    let radius_m = settings.number("radius_m");
    let (radius, height) = (radius_m as f32, (aspect * radius_m) as f32);
    // Half as far again as it is expected to come.
    let side = 1.5 * radius * column.run_out(aspect) as f32;
    let bounds = match column {
        Column::Round => bounds_around(Vec3::new(2.0 * side, 2.0 * side, height), voxel_size_m),
        Column::Channel => {
            let size = (Vec3::new(side, 0.0, height) / voxel_size_m as f32).ceil().as_ivec3();
            VoxelBox::new(IVec3::ZERO, size.with_y(CHANNEL_VOXELS))
        }
    };
    let mut world = TestSoil::loose(phi_deg).world(voxel_size_m, bounds)?;
    match column {
        Column::Round => {
            let shape = Shape::Cylinder { radius, half_height: height / 2.0 };
            test_soil::place(&mut world, shape, Vec3::Z * height / 2.0);
        }
        Column::Channel => {
            let half_extents = Vec3::new(radius, side, height / 2.0);
            test_soil::place(&mut world, Shape::Box { half_extents }, Vec3::Z * height / 2.0);
        }
    }
    let rest = step_to_rest(&mut world, settings.number("limit_s"));
    let depths = SoilDepths::of(&world, bounds);
    let (reach_m, peak_m, roundness) = match column {
        Column::Round => {
            let pile = Pile::of(&depths).expect("the soil of the column is still there");
            (pile.base_radius_m, pile.peak_m, Some(pile.roundness))
        }
        Column::Channel => {
            let last =
                depths.depths_m[..depths.size[0]].iter().rposition(|depth| *depth > 0.5 * voxel_size_m);
            let peak_m = depths.depths_m.iter().copied().fold(0.0, f64::max);
            (last.map_or(0.0, |last| (last + 1) as f64) * voxel_size_m, peak_m, None)
        }
    };
    Ok(Collapsed {
        column,
        aspect,
        phi_deg,
        voxel_size_m,
        run_out: reach_m / radius_m,
        height: peak_m / radius_m,
        roundness,
        seconds_to_rest: rest.seconds,
        fall_s: (aspect * radius_m / GRAVITY_M_S2).sqrt(),
        at_rest: rest.at_rest,
        balance_units: balance_units(&world) + rest.off_balance as i64,
    })
}

impl Collapsed {
    fn row(&self) -> Row {
        let expected = self.column.run_out(self.aspect);
        let [low, high] = self.column.height(self.aspect);
        let agrees = (self.run_out / expected - 1.0).abs() <= RUN_OUT_TOLERANCE
            && self.height >= low * (1.0 - HEIGHT_TOLERANCE)
            && self.height <= high * (1.0 + HEIGHT_TOLERANCE);
        row(json!({
            "column": self.column.name(),
            "aspect": self.aspect,
            "phi_deg": self.phi_deg,
            "voxel_size_m": self.voxel_size_m,
            "measured": self.run_out,
            "expected": expected,
            "tolerance": RUN_OUT_TOLERANCE * expected,
            "source": self.column.source(),
            "height": self.height,
            "height_expected": [low, high],
            "roundness": self.roundness,
            "seconds_to_rest": self.seconds_to_rest,
            "lube_seconds": 3.0 * self.fall_s,
            "at_rest": self.at_rest,
            "balance_units": self.balance_units,
            "pass": agrees && self.at_rest && self.balance_units == 0,
        }))
    }
}

fn plot(all: &[Collapsed]) -> Plot {
    let axes = (Axis::linear("height over radius or length of the column"), Axis::linear("reach over that"));
    let mut plot = Plot::new("run_out", "How far columns run out", axes.0, axes.1);
    let mut sets: Vec<(Column, f64)> = all.iter().map(|c| (c.column, c.voxel_size_m)).collect();
    sets.dedup();
    let farthest = all.iter().map(|c| c.aspect).fold(0.0, f64::max);
    for (column, size) in sets {
        let of_set = all.iter().filter(|c| (c.column, c.voxel_size_m) == (column, size));
        let points = of_set.map(|c| [c.aspect, c.run_out]).collect();
        plot = plot.with(format!("{}, voxels of {size} m", column.name()), Style::LinePoints, points);
    }
    for (column, label) in [(Column::Round, "Lube 2004"), (Column::Channel, "Lajeunesse 2005")] {
        let line = (0..=64).map(|k| f64::from(k) / 64.0 * farthest).map(|a| [a, column.run_out(a)]).collect();
        plot = plot.with(label, Style::Reference, line);
    }
    plot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_out_height_rest_and_books_decide() {
        let collapsed = |run_out, height, at_rest, balance_units| Collapsed {
            column: Column::Round,
            aspect: 1.0,
            phi_deg: 30.0,
            voxel_size_m: 0.1,
            run_out,
            height,
            roundness: Some(1.0),
            seconds_to_rest: 1.0,
            fall_s: 0.3,
            at_rest,
            balance_units,
        };
        let pass = |c: Collapsed| c.row()["pass"].as_bool().unwrap();
        assert!(pass(collapsed(2.24, 0.7, true, 0)));
        assert!(!pass(collapsed(1.7, 0.7, true, 0)), "too near");
        assert!(!pass(collapsed(2.8, 0.7, true, 0)), "too far");
        assert!(!pass(collapsed(2.24, 0.5, true, 0)), "too low");
        assert!(!pass(collapsed(2.24, 0.7, false, 0)) && !pass(collapsed(2.24, 0.7, true, 1)));
        assert!((Column::Round.run_out(4.0) - 4.2).abs() < 1e-12);
        assert!((Column::Channel.run_out(8.0) - 8.6).abs() < 1e-12);
    }

    #[test]
    fn columns_run_out_as_measured() {
        let sets = ["aspect=1", "voxel_size_m=0.1"];
        let settings = Settings::new(EXPERIMENT.parameters, &sets).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
    }
}
