//! A lake stays a lake: level, volume and pressure of water that stands.

use glam::Vec3;
use serde_json::json;

use super::pool::{METHOD, Pool, balance_units, level_m, method};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::rest::STEP_S;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "still-water",
    about: "water stands in a box: whether it keeps its level, its volume and the pressure of its depth",
    parameters: &[
        METHOD,
        Parameter {
            key: "depth_m",
            about: "depths of the water (m)",
            default: &[1.0],
            range: (0.05, 100.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "spacing_m",
            about: "spacing of particles (m); 0: a tenth of the depth",
            default: &[0.0],
            range: (0.0, 10.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "seconds",
            about: "how long it stands (s)",
            default: &[60.0],
            range: (0.1, 10_000.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Level and volume: within this share of the depth. A particle is a tenth of the depth, so this is a tenth of a particle.
const LEVEL: f64 = 0.01;
/// Mean compression of what is solved for (-); an equation of state is compressed by gravity times depth over its stiffness.
const COMPRESSION: f64 = 0.005;
/// Pressure at the floor against that of the depth (-): the mean of the last second, over what is left of waves in the box.
const PRESSURE: f64 = 0.1;
/// Speed of the water at the end, root mean square, over that of a fall by the spacing (-): where it is still, single particles tremble.
const SPEED: f64 = 0.03;
const SOURCE: &str = "hydrostatics: p = rho g z";
const GRAVITY_M_S2: f64 = 9.81;
/// Width of the box (spacings): the rounded edges between its walls raise the water by half a hundredth.
const WIDTH: f64 = 16.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (methods, depths) = (settings.list("method"), settings.list("depth_m"));
    let count = (methods.len() * depths.len()) as f64;
    let mut rows: Vec<Row> = Vec::new();
    for &number in methods {
        for &depth_m in depths {
            let done = rows.len() as f64;
            let found = stand(number, depth_m, settings, &|share| progress((done + share) / count));
            rows.push(found.unwrap_or_else(|problem| {
                row(json!({
                    "method": method(number).name(), "depth_m": depth_m, "problem": problem, "pass": false,
                }))
            }));
        }
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

fn stand(number: f64, depth_m: f64, settings: &Settings, progress: &dyn Fn(f64)) -> Result<Row, String> {
    let spacing_m = settings.number("spacing_m");
    let spacing_m = if spacing_m > 0.0 { spacing_m } else { depth_m / 10.0 };
    let side = (WIDTH * spacing_m) as f32;
    let water_m = Vec3::new(side, side, depth_m as f32);
    let pool = Pool::new(water_m, Vec3::new(side, side, 1.5 * depth_m as f32), method(number), spacing_m);
    let mut world = pool.world()?;
    let stiffness = f64::from(pool.params.stiffness_m2_s2);
    let began = world.water().particles().len();
    let steps = (settings.number("seconds") / STEP_S).ceil() as usize;
    let tail = steps.min((1.0 / STEP_S) as usize).max(1);
    let (mut level, mut compression, mut pressure, mut imbalance) = (0.0, 0.0, 0.0, 0);
    for step in 0..steps {
        let report = world.step(STEP_S);
        imbalance += i64::from(!report.imbalance.is_zero());
        if step + tail >= steps {
            level += level_m(&world) / tail as f64;
            compression += f64::from(report.water.residual) / tail as f64;
            pressure += gradient(&world, depth_m, spacing_m) / tail as f64;
        }
        if step % 60 == 0 {
            progress(step as f64 / steps as f64);
        }
    }
    let level_error = level / depth_m - 1.0;
    let pressure_error = pressure / GRAVITY_M_S2 - 1.0;
    let lost = began - world.water().particles().len();
    let is_solved = number == 0.0;
    // Half of the compression of the floor, where the floor is compressed by the whole depth.
    let soft = if is_solved { 0.0 } else { 0.5 * GRAVITY_M_S2 * depth_m / stiffness };
    let speeds = || world.particles().water.into_iter().map(|p| f64::from(p.velocity_m_s.length()));
    let fastest = speeds().fold(0.0, f64::max);
    let speed = (speeds().map(|speed| speed * speed).sum::<f64>() / began as f64).sqrt();
    let is_still = speed <= SPEED * (GRAVITY_M_S2 * spacing_m).sqrt();
    let keeps = level_error.abs() <= LEVEL + soft && compression <= COMPRESSION + 2.0 * soft;
    let presses = pressure_error.abs() <= PRESSURE;
    Ok(row(json!({
        "method": method(number).name(),
        "depth_m": depth_m,
        "spacing_m": spacing_m,
        "seconds": settings.number("seconds"),
        "level_error": level_error,
        "compression": compression,
        "pressure_error": pressure_error,
        "speed_m_s": speed,
        "fastest_m_s": fastest,
        "particles": began,
        "lost": lost,
        "measured": level,
        "expected": depth_m,
        "tolerance": (LEVEL + soft) * depth_m,
        "source": SOURCE,
        "balance_units": balance_units(&world) + imbalance,
        "pass": keeps && presses && is_still && lost == 0 && balance_units(&world) + imbalance == 0,
    })))
}

/// How fast pressure over density rises with depth (m/s²): a line through the particles between the lowest and the highest, two
/// spacings and more from the walls.
fn gradient(world: &barchan_sim::World, depth_m: f64, spacing_m: f64) -> f64 {
    let seen = world.particles().water;
    let pressures = world.water().particles().pressures_m2_s2();
    let free = 2.0 * spacing_m..(WIDTH - 2.0) * spacing_m;
    let is_inner = |[x, y, z]: [f64; 3]| {
        (0.15 * depth_m..0.85 * depth_m).contains(&z) && free.contains(&x) && free.contains(&y)
    };
    let points: Vec<[f64; 2]> = seen
        .iter()
        .zip(pressures)
        .map(|(particle, pressure)| (particle.centre_m.as_dvec3().to_array(), f64::from(*pressure)))
        .filter(|(at, _)| is_inner(*at))
        .map(|([_, _, z], pressure)| [z, pressure])
        .collect();
    let n = points.len().max(1) as f64;
    let mean = points.iter().fold([0.0, 0.0], |sum, [z, p]| [sum[0] + z / n, sum[1] + p / n]);
    let (mut over, mut under) = (0.0, 0.0);
    for [z, p] in points {
        over += (z - mean[0]) * (p - mean[1]);
        under += (z - mean[0]) * (z - mean[0]);
    }
    if under > 0.0 { -over / under } else { 0.0 }
}
