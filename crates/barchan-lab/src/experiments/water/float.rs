//! Bodies float as deep as they are heavy, and sink when they are heavier than water.

use barchan_sim::World;
use barchan_sim::bodies::{BodySpec, Motion};
use barchan_volume::{Pose, Shape};
use glam::Vec3;
use serde_json::json;

use super::pool::{Pool, balance_units, method};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::rest::STEP_S;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "float",
    about: "a box in a pool: how deep it lies by its density, and whether it sinks",
    parameters: &[
        Parameter {
            key: "density_kg_m3",
            about: "densities of the box (kg/m³)",
            default: &[300.0, 600.0, 900.0, 1100.0],
            range: (50.0, 5_000.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "size_m",
            about: "edge of the box on the map (m); two thirds of that high",
            default: &[0.6],
            range: (0.1, 10.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "spacings",
            about: "spacings of particles along that edge",
            default: &[12.0],
            range: (4.0, 40.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "seconds",
            about: "how long it floats (s); measured over the last two",
            default: &[8.0],
            range: (3.0, 1_000.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// The draught may be off by this share.
const TOLERANCE: f64 = 0.05;
const SOURCE: &str = "Archimedes: draught = height x density / density of water";
const WATER_KG_M3: f64 = 1_000.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let densities = settings.list("density_kg_m3");
    let mut rows: Vec<Row> = Vec::new();
    for (done, &density) in densities.iter().enumerate() {
        let tell = |part: f64| progress((done as f64 + part) / densities.len() as f64);
        rows.push(float(density, settings, &tell).unwrap_or_else(|problem| {
            row(json!({ "density_kg_m3": density, "problem": problem, "pass": false }))
        }));
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

fn float(density: f64, settings: &Settings, progress: &dyn Fn(f64)) -> Result<Row, String> {
    let size_m = settings.number("size_m");
    let spacing_m = size_m / settings.number("spacings");
    let height_m = size_m * 2.0 / 3.0;
    // Twice as wide and deep as the box, in whole voxels.
    let side = (2.0 * size_m / (2.0 * spacing_m)).ceil() * 2.0 * spacing_m;
    let depth = (1.5 * size_m / (2.0 * spacing_m)).round() * 2.0 * spacing_m;
    let water_m = Vec3::new(side as f32, side as f32, depth as f32);
    let room_m = water_m.with_z((depth + 2.0 * height_m) as f32);
    let pool = Pool::new(water_m, room_m, method(0.0), spacing_m);
    let mut world = pool.world()?;
    let half = Vec3::new(size_m as f32, size_m as f32, height_m as f32) * 0.5;
    // It comes down from just above the water.
    let at = Vec3::new(0.5 * side as f32, 0.5 * side as f32, depth as f32 + 0.55 * height_m as f32);
    let spec = BodySpec {
        density_kg_m3: density as f32,
        ..BodySpec::new("box", Shape::Box { half_extents: half }, Pose::at(at), Motion::Dynamic)
    };
    let id = world.add_body(spec).map_err(|error| error.to_string())?;
    let steps = (settings.number("seconds") / STEP_S).ceil() as usize;
    let tail = ((2.0 / STEP_S) as usize).min(steps);
    let (mut draught, mut lowest, mut imbalance) = (0.0, f64::INFINITY, 0);
    for step in 0..steps {
        imbalance += i64::from(!world.step(STEP_S).imbalance.is_zero());
        let body = world.bodies().get(id).ok_or("the box is gone")?;
        lowest = lowest.min(f64::from(body.pose.translation.z) - 0.5 * height_m);
        if step + tail >= steps {
            draught += (level(&world, side, spacing_m) - body_bottom(&world, id, height_m)) / tail as f64;
        }
        if step % 30 == 0 {
            progress(step as f64 / steps as f64);
        }
    }
    let sinks = density > WATER_KG_M3;
    let expected = height_m * (density / WATER_KG_M3).min(1.0);
    let is_down = body_bottom(&world, id, height_m) < 2.0 * spacing_m;
    let agrees = if sinks { is_down } else { (draught - expected).abs() <= TOLERANCE * expected };
    Ok(row(json!({
        "density_kg_m3": density,
        "size_m": size_m,
        "spacing_m": spacing_m,
        "sinks": is_down,
        "measured": if sinks { None } else { Some(draught) },
        "expected": if sinks { None } else { Some(expected) },
        "tolerance": TOLERANCE * expected,
        "source": SOURCE,
        "balance_units": balance_units(&world) + imbalance,
        "pass": agrees && balance_units(&world) + imbalance == 0,
    })))
}

fn body_bottom(world: &World, id: barchan_sim::bodies::BodyId, height_m: f64) -> f64 {
    let z = world.bodies().get(id).map_or(0.0, |body| body.pose.translation.z);
    f64::from(z) - 0.5 * height_m
}

/// Level of the water beside the walls (m): half a spacing above the mean of the highest particle of each patch.
fn level(world: &World, side_m: f64, spacing_m: f64) -> f64 {
    let patches = (side_m / (2.0 * spacing_m)).round() as usize;
    let mut tops = vec![0.0f64; patches * patches];
    for particle in world.particles().water {
        let [x, y, z] = particle.centre_m.to_array().map(f64::from);
        let patch = |x: f64| ((x / side_m * patches as f64) as usize).min(patches - 1);
        let (px, py) = (patch(x), patch(y));
        let is_rim = px == 0 || py == 0 || px + 1 == patches || py + 1 == patches;
        if is_rim {
            let top = &mut tops[px * patches + py];
            *top = top.max(z);
        }
    }
    let rim: Vec<f64> = tops.into_iter().filter(|top| *top > 0.0).collect();
    rim.iter().sum::<f64>() / rim.len().max(1) as f64 + 0.5 * spacing_m
}
