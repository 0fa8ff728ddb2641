//! A column of water is let go: how fast does its front run?

use glam::Vec3;
use serde_json::json;

use super::pool::{METHOD, Pool, balance_units, method};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "dam-break",
    about: "a column of water is let go: how fast its front runs along the floor (Martin and Moyce 1952)",
    parameters: &[
        METHOD,
        Parameter {
            key: "column_m",
            about: "base of the column (m)",
            default: &[1.0],
            range: (0.01, 100.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "height_ratio",
            about: "height of the column over its base, n² (-)",
            default: &[2.0],
            range: (0.5, 4.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "spacing_m",
            about: "spacings of particles (m); 0: a twentieth of the base",
            default: &[0.0],
            range: (0.0, 10.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "step_s",
            about: "length of a step (s); 0: a hundredth of sqrt(base over gravity)",
            default: &[0.0],
            range: (0.0, 1.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Time n t sqrt(g/a) and front z/a (-), for a = 1.125 in, n² = 2.
const MEASURED: [[f64; 2]; 10] = [
    [0.849, 1.245],
    [1.212, 1.443],
    [1.602, 1.884],
    [2.283, 2.689],
    [2.950, 3.728],
    [3.598, 4.528],
    [3.905, 4.999],
    [4.592, 5.841],
    [4.961, 6.271],
    [5.316, 6.717],
];
/// Fronts must agree within this share after [`FROM_TIME`]: before that the plate that held the water back still moved.
const TOLERANCE: f64 = 0.1;
const FROM_TIME: f64 = 1.5;
const SOURCE: &str = "MartinMoyce1952: square section, a = 1.125 in, n² = 2";

/// Roughness over the base of the column that brakes as much as the smooth floor did: at the Reynolds number of the measurement, 20,000,
/// a smooth plate has a coefficient of friction of 0.005 (Schlichting1979).
const ROUGHNESS: f64 = 0.0025;

/// Width of the channel (spacings).
const WIDTH: f64 = 8.0;
const GRAVITY_M_S2: f64 = 9.81;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (methods, spacings) = (settings.list("method"), settings.list("spacing_m"));
    let count = methods.len() * spacings.len();
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for &number in methods {
        for &spacing_m in spacings {
            let done = curves.len() as f64;
            let mut tell = |share: f64| progress((done + share) / count as f64);
            match fronts(number, spacing_m, settings, &mut tell) {
                Ok((found, points)) => {
                    curves.push((format!("{}, {spacing_m} m", method(number).name()), points));
                    rows.extend(found);
                }
                Err(problem) => rows.push(row(json!({
                    "method": method(number).name(), "spacing_m": spacing_m,
                    "problem": problem, "pass": false,
                }))),
            }
        }
    }
    let failed = rows.iter().filter(|row| row["pass"] == json!(false)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let axes = (Axis::linear("time n t sqrt(g/a)"), Axis::linear("front z/a"));
    let mut plot = Plot::new("front", "How fast water runs from a dam that breaks", axes.0, axes.1);
    for (label, points) in curves {
        plot = plot.with(label, Style::LinePoints, points);
    }
    let plot = plot.with("Martin and Moyce 1952", Style::Reference, MEASURED.to_vec());
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

/// A row for each measured time, and the whole curve.
fn fronts(
    number: f64,
    spacing_m: f64,
    settings: &Settings,
    tell: &mut dyn FnMut(f64),
) -> Result<(Vec<Row>, Vec<[f64; 2]>), String> {
    let (base_m, ratio) = (settings.number("column_m"), settings.number("height_ratio"));
    let spacing_m = if spacing_m > 0.0 { spacing_m } else { base_m / 20.0 };
    let unit_s = (base_m / GRAVITY_M_S2).sqrt();
    let step_s = settings.number("step_s");
    let step_s = if step_s > 0.0 { step_s } else { unit_s / 100.0 };
    let water_m = Vec3::new(base_m as f32, (WIDTH * spacing_m) as f32, (ratio * base_m) as f32);
    let room_m = Vec3::new(8.0 * base_m as f32, water_m.y, 1.5 * water_m.z);
    let mut pool = Pool::new(water_m, room_m, method(number), spacing_m);
    pool.params.rock_roughness_m = (ROUGHNESS * base_m) as f32;
    let mut world = pool.world()?;

    let (mut curve, mut rows) = (vec![[0.0, front(&world, base_m, spacing_m)]], Vec::new());
    let (mut imbalance, mut buried) = (0, 0);
    let last = MEASURED[MEASURED.len() - 1][0];
    for [time, expected] in MEASURED {
        while curve.last().is_some_and(|[now, _]| *now < time) {
            let report = world.step(step_s);
            imbalance += i64::from(!report.imbalance.is_zero());
            buried += report.water.buried;
            let now = ratio.sqrt() * world.clock().time_s / unit_s;
            curve.push([now, front(&world, base_m, spacing_m)]);
            tell(now / last);
        }
        let measured = at(&curve, time);
        let counts = time >= FROM_TIME;
        let agrees = (measured / expected - 1.0).abs() <= TOLERANCE;
        rows.push(row(json!({
            "method": method(number).name(),
            "spacing_m": spacing_m,
            "time": time,
            "front": measured,
            "measured": measured,
            "expected": expected,
            "tolerance": TOLERANCE * expected,
            "source": SOURCE,
            "balance_units": balance_units(&world) + imbalance,
            "buried": buried,
            "pass": (agrees || !counts) && balance_units(&world) + imbalance == 0 && buried == 0,
        })));
    }
    Ok((rows, curve))
}

/// How far the water has come along the floor (bases): behind it nothing is dry.
fn front(world: &barchan_sim::World, base_m: f64, spacing_m: f64) -> f64 {
    let mut along: Vec<f64> = world
        .particles()
        .water
        .iter()
        .filter(|particle| f64::from(particle.centre_m.z) < 3.0 * spacing_m)
        .map(|particle| f64::from(particle.centre_m.x))
        .collect();
    along.sort_unstable_by(f64::total_cmp);
    let gap = along.windows(2).find(|pair| pair[1] - pair[0] > 2.0 * spacing_m).map(|pair| pair[0]);
    let end = gap.or(along.last().copied()).unwrap_or(0.0);
    (end + 0.5 * spacing_m) / base_m
}

/// The front at a time, between those that are known.
fn at(curve: &[[f64; 2]], time: f64) -> f64 {
    let later = curve.iter().position(|[now, _]| *now >= time).unwrap_or(curve.len() - 1);
    let ([t0, z0], [t1, z1]) = (curve[later.saturating_sub(1)], curve[later]);
    if t1 > t0 { z0 + (z1 - z0) * (time - t0) / (t1 - t0) } else { z1 }
}
