//! A muddy lake clears: what was in it lies on its floor, to the unit.

use barchan_sim::inventory::Stock;
use barchan_sim::water::{ErosionParams, Pour, WaterParams};
use barchan_sim::{Account, Edit, World, WorldConfig};
use barchan_volume::{Region, VoxelBox};
use glam::IVec3;
use serde_json::json;

use super::pool::balance_units;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::rest::STEP_S;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "settling",
    about: "a muddy lake clears: its floor rises by exactly what was in it",
    parameters: &[
        Parameter {
            key: "sediment",
            about: "share of sediment in the water (-)",
            default: &[0.05],
            range: (0.001, 0.5),
            whole: false,
            list: true,
        },
        Parameter {
            key: "depth_m",
            about: "depth of the lake (m)",
            default: &[0.8],
            range: (0.2, 20.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "seconds",
            about: "how long it stands (s)",
            default: &[30.0],
            range: (0.1, 10_000.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "time_scale",
            about: "seconds of exchange in a second",
            default: &[20.0],
            range: (0.0, 1e6),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Share of the sediment that must lie on the floor at the end. The rest is below a unit per particle, or still on its way.
const LAID: f64 = 0.95;
const VOXEL_M: f32 = 0.1;
const SOURCE: &str = "Weiss2016, fig. 3.15; the books";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let shares = settings.list("sediment");
    let mut rows: Vec<Row> = Vec::new();
    for (done, &share) in shares.iter().enumerate() {
        let tell = |part: f64| progress((done as f64 + part) / shares.len() as f64);
        rows.push(
            settle(share, settings, &tell).unwrap_or_else(|problem| {
                row(json!({ "sediment": share, "problem": problem, "pass": false }))
            }),
        );
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

fn settle(share: f64, settings: &Settings, progress: &dyn Fn(f64)) -> Result<Row, String> {
    let depth_m = settings.number("depth_m") as f32;
    let size = IVec3::new(10, 10, (1.5 * depth_m / VOXEL_M).ceil() as i32 + 2);
    let bounds = Some(VoxelBox::new(IVec3::ZERO, size));
    let config = WorldConfig { voxel_size_m: VOXEL_M, bounds, ..WorldConfig::default() };
    let mut world = World::new(config).map_err(|error| error.to_string())?;
    let rock = world.materials().find("granite").ok_or("there is no granite")?;
    let kind = world.materials().find("dry_sand").ok_or("there is no dry_sand")?;
    let floor = Region::Slab { z_min_m: 0.0, z_max_m: 2.0 * VOXEL_M };
    world
        .edit(&Edit::Place { region: floor, material: rock, moisture: 0.0 })
        .map_err(|error| error.to_string())?;
    world.set_water(WaterParams { spacing_m: 0.5 * VOXEL_M, ..WaterParams::default() })?;
    let time_scale = settings.number("time_scale") as f32;
    world.set_erosion(ErosionParams { time_scale, soak_m_s: 0.0, ..ErosionParams::default() })?;
    let region = Region::Slab { z_min_m: 2.0 * VOXEL_M, z_max_m: 2.0 * VOXEL_M + depth_m };
    let pour = Pour { sediment: share as f32, kind, ..Pour::new(region) };
    world.pour(&pour).map_err(|error| error.to_string())?;

    let held = |world: &World, account| world.ledger().held.of(account);
    let (began, water) = (held(&world, Account::Sediment), held(&world, Account::FreeWater));
    // What the water wears off the rock below it counts as well.
    let rock_began = held(&world, Account::Rock);
    let steps = (settings.number("seconds") / STEP_S).ceil() as usize;
    let mut imbalance = 0;
    for step in 0..steps {
        imbalance += i64::from(!world.step(STEP_S).imbalance.is_zero());
        if step % 60 == 0 {
            progress(step as f64 / steps as f64);
        }
    }
    let (laid, left) = (held(&world, Account::Soil), held(&world, Account::Sediment));
    let is_laid = laid as f64 >= LAID * began as f64;
    let area_m2 = f64::from(size.x * size.y) * f64::from(VOXEL_M).powi(2);
    let soil_m3: f64 = world
        .inventory()
        .iter()
        .filter(|stock| stock.account == Account::Soil)
        .map(|Stock { m3, .. }| m3)
        .sum();
    let worn = rock_began - held(&world, Account::Rock);
    let is_exact = laid + left == began + worn && held(&world, Account::FreeWater) == water;
    Ok(row(json!({
        "sediment": share,
        "depth_m": depth_m,
        "seconds": settings.number("seconds"),
        "time_scale": time_scale,
        "floor_rises_m": soil_m3 / area_m2,
        "units_in_water": left as i64,
        "units_laid": laid as i64,
        "units_worn": worn as i64,
        "measured": laid as f64 / began as f64,
        "expected": 1.0,
        "tolerance": 1.0 - LAID,
        "source": SOURCE,
        "balance_units": balance_units(&world) + imbalance,
        "pass": is_laid && is_exact && balance_units(&world) + imbalance == 0,
    })))
}
