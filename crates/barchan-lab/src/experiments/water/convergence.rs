//! Erosion is a matter of seconds and volumes: halving steps, particles or voxels changes little of what is taken and laid down.

use barchan_sim::water::{Drain, ErosionParams, Open, Rain, Source, WaterParams};
use barchan_sim::{Account, Edit, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};
use serde_json::json;

use super::pool::balance_units;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "erosion-convergence",
    about: "water runs down a slope of loam into a basin: what it takes with half the step, spacing and voxel",
    parameters: &[
        Parameter {
            key: "voxel_size_m",
            about: "edge of a voxel (m)",
            default: &[0.2],
            range: (0.05, 2.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "spacing_m",
            about: "spacing of particles (m)",
            default: &[0.1],
            range: (0.02, 2.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "step_s",
            about: "length of a step (s)",
            default: &[0.0333],
            range: (0.001, 0.5),
            whole: false,
            list: false,
        },
        Parameter {
            key: "seconds",
            about: "how long the water runs (s)",
            default: &[8.0],
            range: (0.5, 1_000.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "time_scale",
            about: "seconds of exchange in a second",
            default: &[10.0],
            range: (0.0, 1e6),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// What is taken and laid down may change by this share when one is halved, and when all are.
const ONE: f64 = 0.15;
const ALL: f64 = 0.25;
const SOURCE: &str = "rates per second and per volume (Weiss2016 ch. 3.2.2, set right)";

/// The channel (m): a slope down to a basin, smooth walls beside it.
const LENGTH_M: f32 = 4.0;
const WIDTH_M: f32 = 0.8;
const HEIGHT_M: f32 = 2.4;
const RATE_M3_S: f32 = 0.12;

/// Step, spacing and voxel.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    step_s: f64,
    spacing_m: f64,
    voxel_size_m: f64,
}

/// What water took and what it laid down (m³ of solid).
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    taken_m3: f64,
    laid_m3: f64,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let base = Case {
        name: "base",
        step_s: settings.number("step_s"),
        spacing_m: settings.number("spacing_m"),
        voxel_size_m: settings.number("voxel_size_m"),
    };
    let cases = [
        base,
        Case { name: "half step", step_s: base.step_s / 2.0, ..base },
        Case { name: "half spacing", spacing_m: base.spacing_m / 2.0, ..base },
        Case { name: "half voxel", voxel_size_m: base.voxel_size_m / 2.0, ..base },
        Case {
            name: "half of all",
            step_s: base.step_s / 2.0,
            spacing_m: base.spacing_m / 2.0,
            voxel_size_m: base.voxel_size_m / 2.0,
        },
    ];
    let mut rows: Vec<Row> = Vec::new();
    let mut first = None;
    for (done, case) in cases.iter().enumerate() {
        let tell = |part: f64| progress((done as f64 + part) / cases.len() as f64);
        match erode(case, settings, &tell) {
            Ok(moved) => {
                let expected = *first.get_or_insert(moved);
                rows.push(case_row(case, moved, expected));
            }
            Err(problem) => {
                rows.push(row(json!({ "case": case.name, "problem": problem, "pass": false })));
            }
        }
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

fn case_row(case: &Case, moved: Moved, first: Moved) -> Row {
    let share = if case.name == "half of all" { ALL } else { ONE };
    let agrees = |measured: f64, expected: f64| (measured - expected).abs() <= share * expected;
    let holds = agrees(moved.taken_m3, first.taken_m3) && agrees(moved.laid_m3, first.laid_m3);
    row(json!({
        "case": case.name,
        "step_s": case.step_s,
        "spacing_m": case.spacing_m,
        "voxel_size_m": case.voxel_size_m,
        "eroded_m3": moved.taken_m3,
        "deposited_m3": moved.laid_m3,
        "measured": moved.taken_m3,
        "expected": first.taken_m3,
        "tolerance": share * first.taken_m3,
        "source": SOURCE,
        "balance_units": moved.balance_units,
        "pass": holds && moved.taken_m3 > 0.0 && moved.balance_units == 0,
    }))
}

fn erode(case: &Case, settings: &Settings, progress: &dyn Fn(f64)) -> Result<Moved, String> {
    let voxel = case.voxel_size_m as f32;
    let size = (Vec3::new(LENGTH_M, WIDTH_M, HEIGHT_M) / voxel).round().as_ivec3();
    let bounds = Some(VoxelBox::new(IVec3::ZERO, size));
    let config = WorldConfig { voxel_size_m: voxel, bounds, ..WorldConfig::default() };
    let mut world = World::new(config).map_err(|error| error.to_string())?;
    let rock = world.materials().find("sandstone").ok_or("there is no sandstone")?;
    // Rock keeps its shape: what falls or slides would be another matter.
    let turned = Quat::from_rotation_y(15_f32.to_radians());
    let slope = Solid::new(
        Shape::Box { half_extents: Vec3::new(3.0 * LENGTH_M, LENGTH_M, 1.0) },
        Pose::new(Vec3::new(0.0, 0.0, 0.2), turned),
    );
    for region in [Region::Slab { z_min_m: 0.0, z_max_m: 0.4 }, Region::Solid(slope)] {
        world
            .edit(&Edit::Place { region, material: rock, moisture: 0.0 })
            .map_err(|error| error.to_string())?;
    }
    world.set_water(WaterParams { spacing_m: case.spacing_m as f32, ..WaterParams::default() })?;
    let erosion = ErosionParams {
        time_scale: settings.number("time_scale") as f32,
        soak_m_s: 0.0,
        ..ErosionParams::default()
    };
    world.set_erosion(erosion)?;
    let spring = Vec3::new(0.4, 0.5 * WIDTH_M, 1.7);
    let source = Source::new(spring, Vec3::new(0.4, WIDTH_M - 0.2, 0.3), Vec3::new(1.0, 0.0, 0.0), RATE_M3_S);
    world.set_water_sources(vec![source], Rain::default())?;
    let outflow =
        Drain::new(Vec3::new(LENGTH_M - 0.2, 0.0, 0.9), Vec3::new(LENGTH_M, WIDTH_M, HEIGHT_M), None);
    world.set_water_drains(vec![outflow], Open::default())?;
    let steps = (settings.number("seconds") / case.step_s).ceil() as usize;
    let mut imbalance = 0;
    let (mut taken, mut laid) = (0i64, 0i64);
    for step in 0..steps {
        let report = world.step(case.step_s);
        imbalance += i64::from(!report.imbalance.is_zero());
        for transfer in report.water.transfers.iter() {
            let (from, to) = (transfer.from.map(|place| place.0), transfer.to.map(|place| place.0));
            match (from, to) {
                (Some(Account::Rock | Account::Soil), Some(Account::Sediment)) => taken += transfer.units,
                (Some(Account::Sediment), Some(Account::Soil)) => laid += transfer.units,
                _ => {}
            }
        }
        if step % 16 == 0 {
            progress(step as f64 / steps as f64);
        }
    }
    // A unit is a fixed volume of solid: 1/32,768 of a voxel over 1.8.
    let unit_m3 = case.voxel_size_m.powi(3) / 32_768.0 / 1.8;
    Ok(Moved {
        taken_m3: taken as f64 * unit_m3,
        laid_m3: laid as f64 * unit_m3,
        balance_units: balance_units(&world) + imbalance,
    })
}
