//! `convergence`: does a collapse, or a heap that is poured, depend on the length of a step, on the size of a voxel or on how deep
//! the soil below is? And is any front faster than gravity allows?

use barchan_sim::World;
use barchan_volume::{Shape, VoxelBox};
use glam::{IVec3, Vec3};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{Pile, SoilDepths, moved_units};
use crate::rest::{LIMIT_S, balance_units};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{self, TestSoil, TooLarge, bounds_around};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "convergence",
    about: "columns collapse and heaps are poured the same at every step length, on every size of voxels, on rock and on soil",
    parameters: &[
        Parameter {
            key: "dt_s",
            about: "length of a step (s)",
            default: &[1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0, 1.0 / 2000.0],
            range: (1e-5, 1.0),
            whole: false,
            list: true,
        },
        test_soil::voxel_size_m(&[0.1, 0.0667, 0.05]),
        test_soil::phi_deg(&[30.0]),
        Parameter {
            key: "aspect",
            about: "height of the column over its radius, which is 1 m (-)",
            default: &[1.0],
            range: (0.1, 8.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "deep_m",
            about: "depth of the soil that the column also collapses on, instead of on rock (m)",
            default: &[1.0],
            range: (0.0, 20.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "poured_s",
            about: "how long a heap is poured (s)",
            default: &[20.0],
            range: (1.0, 1_000.0),
            whole: false,
            list: false,
        },
        LIMIT_S,
    ],
    run,
};

/// Standard gravity (m/s²).
const GRAVITY_M_S2: f64 = 9.81;

/// How far a front may be ahead of half g t² (voxels): it is seen once half a voxel of a column is filled.
const FRONT_VOXELS: f64 = 1.1;

/// How far run-outs may be off their mean over steps, and over voxels (-).
const OVER_STEPS: f64 = 0.05;
const OVER_VOXELS: f64 = 0.12;

/// How much steeper than the soil bears a pile may rest, and how much gentler, as it was poured (degrees).
const POURED_DEG: f64 = 2.0;

/// One run.
struct Run {
    case: &'static str,
    dt_s: f64,
    voxel_size_m: f64,
    phi_deg: f64,
    front_m_s: f64,
    /// How far the front was ahead of half g t² at most (voxels).
    ahead_voxels: f64,
    fall_m_s: f64,
    top_rise_m: f64,
    runout: f64,
    seconds_to_rest: f64,
    slope_deg: f64,
    at_rest: bool,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (steps, sizes) = (settings.list("dt_s"), settings.list("voxel_size_m"));
    let phi_deg = settings.list("phi_deg")[0];
    let count = 3 * steps.len() * sizes.len();
    let (mut runs, mut problems) = (Vec::new(), Vec::new());
    for &voxel_size_m in sizes {
        for &dt_s in steps {
            for case in ["rock", "soil", "pour"] {
                let run = if case == "pour" {
                    pour(phi_deg, voxel_size_m, dt_s, settings)
                } else {
                    collapse(case, phi_deg, voxel_size_m, dt_s, settings)
                };
                match run {
                    Ok(run) => runs.push(run),
                    Err(problem) => problems.push(row(json!({
                        "case": case, "dt_s": dt_s, "voxel_size_m": voxel_size_m,
                        "problem": problem.to_string(), "pass": false,
                    }))),
                }
                progress((runs.len() + problems.len()) as f64 / count as f64);
            }
        }
    }
    let mut rows: Vec<Row> = runs.iter().map(|run| run.row(&runs)).collect();
    rows.extend(problems);
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

/// Lets a column collapse, on rock or on soil.
fn collapse(
    case: &'static str,
    phi_deg: f64,
    voxel_size_m: f64,
    dt_s: f64,
    settings: &Settings,
) -> Result<Run, TooLarge> {
    let height_m = settings.number("aspect");
    let deep_m =
        if case == "soil" { (settings.number("deep_m") / voxel_size_m).round() * voxel_size_m } else { 0.0 };
    let side = 3.0 * (1.0 + 1.6 * height_m.max(height_m.sqrt()));
    let bounds = bounds_around(Vec3::new(side as f32, side as f32, (height_m + deep_m) as f32), voxel_size_m);
    let mut world = TestSoil::loose(phi_deg).world(voxel_size_m, bounds)?;
    let half = Vec3::new(side as f32, side as f32, 0.5 * deep_m as f32);
    if deep_m > 0.0 {
        test_soil::place(&mut world, Shape::Box { half_extents: half }, Vec3::Z * half.z);
    }
    let column = Shape::Cylinder { radius: 1.0, half_height: 0.5 * height_m as f32 };
    test_soil::place(&mut world, column, Vec3::Z * (deep_m + 0.5 * height_m) as f32);
    Ok(watch(case, phi_deg, deep_m, dt_s, world, bounds, settings))
}

/// Steps a column to rest and watches its front and its top.
fn watch(
    case: &'static str,
    phi_deg: f64,
    deep_m: f64,
    dt_s: f64,
    mut world: World,
    bounds: VoxelBox,
    settings: &Settings,
) -> Run {
    let (voxel_size_m, height_m) = (f64::from(world.ground().voxel_size_m()), settings.number("aspect"));
    let (mut fronts, mut ahead_voxels, mut top_rise_m) = (vec![[0.0, 1.0]], 0.0_f64, 0.0_f64);
    let (mut last_moved, mut time_s, mut off_balance) = (0.0, 0.0, 0);
    while time_s < settings.number("limit_s") && time_s - last_moved < 0.25 {
        let report = world.step(dt_s);
        time_s += dt_s;
        off_balance += i64::from(!report.imbalance.is_zero());
        if moved_units(world.ground(), &report.changes) > 0 {
            last_moved = time_s;
        }
        let [front, top] = front_and_top(&world, bounds, deep_m);
        ahead_voxels = ahead_voxels.max((front - 1.0 - 0.5 * GRAVITY_M_S2 * time_s * time_s) / voxel_size_m);
        top_rise_m = top_rise_m.max(top - height_m);
        fronts.push([time_s, front]);
    }
    let mut depths = SoilDepths::of(&world, bounds);
    depths.depths_m.iter_mut().for_each(|depth| *depth = (*depth - deep_m).max(0.0));
    let pile = Pile::of(&depths).expect("the soil of the column is still there");
    Run {
        case,
        dt_s,
        voxel_size_m,
        phi_deg,
        front_m_s: fastest(&fronts),
        ahead_voxels,
        fall_m_s: (2.0 * GRAVITY_M_S2 * height_m).sqrt(),
        top_rise_m,
        runout: pile.base_radius_m,
        seconds_to_rest: last_moved,
        slope_deg: pile.slope.to_degrees(),
        at_rest: time_s - last_moved >= 0.25,
        balance_units: balance_units(&world) + off_balance,
    }
}

/// How far soil reaches along an axis with half a voxel or more, as the surface shows it, and how high it stands, both above what it lies on (m).
fn front_and_top(world: &World, bounds: VoxelBox, deep_m: f64) -> [f64; 2] {
    let size = f64::from(world.ground().voxel_size_m());
    let row = VoxelBox::new(IVec3::new(0, 0, bounds.min.z), IVec3::new(bounds.max.x, 1, bounds.max.z));
    let depths = SoilDepths::of(world, row);
    let above = |depth: &f64| depth - deep_m;
    let last = depths.depths_m.iter().rposition(|depth| above(depth) >= 0.5 * size);
    let top = depths.depths_m.iter().map(above).fold(0.0, f64::max);
    [last.map_or(0.0, |last| (last + 1) as f64 * size), top]
}

/// The fastest that a front was over a tenth of a second (m/s).
fn fastest(fronts: &[[f64; 2]]) -> f64 {
    let speed = |at: usize| {
        let [time, front] = fronts[at];
        let before = fronts[..at].iter().rev().find(|[earlier, _]| time - earlier >= 0.1)?;
        Some((front - before[1]) / (time - before[0]))
    };
    (1..fronts.len()).filter_map(speed).fold(0.0, f64::max)
}

/// Pours a heap: small lumps fall on its top from a little above, without pause. Each has fallen out of the way of the next.
fn pour(phi_deg: f64, voxel_size_m: f64, dt_s: f64, settings: &Settings) -> Result<Run, TooLarge> {
    let poured_s = settings.number("poured_s");
    let bounds = bounds_around(Vec3::new(6.0, 6.0, 2.5), voxel_size_m);
    let mut world = TestSoil::loose(phi_deg).world(voxel_size_m, bounds)?;
    let (mut time_s, mut last_moved, mut next_s, mut off_balance) = (0.0, 0.0, 0.0, 0);
    while time_s < settings.number("limit_s") && time_s - last_moved < 0.25 {
        if time_s >= next_s && time_s < poured_s {
            let [_, top] = front_and_top(&world, bounds, 0.0);
            let lump = Shape::Box { half_extents: Vec3::new(0.1, 0.1, 0.05) };
            test_soil::place(&mut world, lump, Vec3::Z * (top + 0.3) as f32);
            next_s += 0.2;
        }
        let report = world.step(dt_s);
        time_s += dt_s;
        off_balance += i64::from(!report.imbalance.is_zero());
        if moved_units(world.ground(), &report.changes) > 0 {
            last_moved = time_s;
        }
    }
    let pile = Pile::of(&SoilDepths::of(&world, bounds)).expect("something was poured");
    Ok(Run {
        case: "pour",
        dt_s,
        voxel_size_m,
        phi_deg,
        front_m_s: 0.0,
        ahead_voxels: 0.0,
        fall_m_s: 0.0,
        top_rise_m: 0.0,
        // As if a cubic metre had been poured: how much finds room depends a little on where the last lump is.
        runout: pile.base_radius_m / world.inventory().iter().map(|stock| stock.m3).sum::<f64>().cbrt(),
        seconds_to_rest: last_moved - poured_s,
        slope_deg: pile.slope.to_degrees(),
        at_rest: time_s - last_moved >= 0.25,
        balance_units: balance_units(&world) + off_balance,
    })
}

impl Run {
    /// By what share the run-out is off the mean of those that differ only in what `is_like` leaves free.
    fn off_mean(&self, all: &[Self], is_like: impl Fn(&Self) -> bool) -> f64 {
        let like: Vec<f64> = all.iter().filter(|run| is_like(run)).map(|run| run.runout).collect();
        let mean = like.iter().sum::<f64>() / like.len().max(1) as f64;
        (self.runout / mean - 1.0).abs()
    }

    fn row(&self, all: &[Self]) -> Row {
        let over_steps =
            self.off_mean(all, |run| run.case == self.case && run.voxel_size_m == self.voxel_size_m);
        let over_voxels = self.off_mean(all, |run| run.case == self.case && run.dt_s == self.dt_s);
        let rock_and_soil = self.off_mean(all, |run| {
            (run.case == "pour") == (self.case == "pour")
                && (run.dt_s, run.voxel_size_m) == (self.dt_s, self.voxel_size_m)
        });
        let is_physical = self.ahead_voxels <= FRONT_VOXELS
            && self.front_m_s <= self.fall_m_s
            && self.top_rise_m <= 0.02 * self.voxel_size_m;
        let agrees = over_steps <= OVER_STEPS && over_voxels <= OVER_VOXELS && rock_and_soil <= OVER_VOXELS;
        // A column runs out below the angle of the soil; nothing rests above it.
        let slope = self.slope_deg - self.phi_deg;
        let is_sloped = slope <= POURED_DEG && (self.case != "pour" || slope >= -POURED_DEG);
        row(json!({
            "case": self.case,
            "dt_s": self.dt_s,
            "voxel_size_m": self.voxel_size_m,
            "front_m_s": self.front_m_s,
            "front_ahead_voxels": self.ahead_voxels,
            "top_rise_m": self.top_rise_m,
            "runout": self.runout,
            "runout_off_steps": over_steps,
            "runout_off_voxels": over_voxels,
            "runout_off_soil": rock_and_soil,
            "seconds_to_rest": self.seconds_to_rest,
            "slope_deg": self.slope_deg,
            "at_rest": self.at_rest,
            "balance_units": self.balance_units,
            "pass": is_physical && agrees && is_sloped && self.at_rest && self.balance_units == 0,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_agree_on_a_coarse_column_and_a_heap() {
        let sets = ["dt_s=0.033,0.008", "voxel_size_m=0.125", "deep_m=0.5", "poured_s=12"];
        let settings = Settings::new(EXPERIMENT.parameters, &sets).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:#?}", outcome.rows);
    }

    #[test]
    fn the_fastest_stretch_of_a_front_counts() {
        let fronts: Vec<[f64; 2]> = (0..100)
            .map(|k| f64::from(k) * 0.01)
            .map(|t| [t, if t < 0.5 { t } else { 0.5 + 3.0 * (t - 0.5) }])
            .collect();
        assert!((fastest(&fronts) - 3.0).abs() < 0.01);
    }
}
