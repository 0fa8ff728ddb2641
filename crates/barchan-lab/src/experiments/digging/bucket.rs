//! `bucket`: the scene `digging` cycle by cycle: how full the bucket is, what it takes to lead it, and whether the books balance.

use barchan_scene::{BuildOptions, load};
use barchan_sim::bodies::BodyId;
use barchan_sim::{Account, World};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::grains::parameter;
use crate::rest::balance_units;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "bucket",
    about: "a bucket that digs with particles, cycle by cycle: fill, force, work, books",
    parameters: &[
        parameter("cycles", "turns of the bucket", &[2.0], (1.0, 1000.0), true),
        parameter("step_s", "length of a step (s)", &[1.0 / 60.0], (0.001, 0.1), false),
    ],
    run,
};

/// A turn of the scene (s), and when in it the bucket hangs in the air with its load (s).
const CYCLE_S: f64 = 12.0;
const FULL_S: f64 = 8.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    match cycles(settings, progress) {
        Ok(rows) => {
            outcome.pass = rows.iter().all(|row| row["pass"] == json!(true));
            outcome.rows = rows;
        }
        Err(problem) => {
            outcome.rows.push(row(json!({ "problem": problem, "pass": false })));
            outcome.pass = false;
        }
    }
    outcome
}

fn cycles(settings: &Settings, progress: &dyn Fn(f64)) -> Result<Vec<Row>, String> {
    let scene = load("digging").map_err(|error| error.to_string())?;
    let (mut world, _) = scene.build(&BuildOptions::default()).map_err(|error| error.to_string())?;
    let bucket = world.bodies().iter().next().ok_or("the scene has no bucket")?.id;
    let (cycles, step_s) = (settings.count("cycles"), settings.number("step_s"));
    let steps = (CYCLE_S / step_s).round() as usize;
    let mut rows = Vec::new();
    for cycle in 0..cycles {
        let (mut peak_n, mut work_j, mut fill_m3, mut kg) = (0.0f64, 0.0f64, 0.0, 0.0);
        let (mut particles, mut merged, mut most) = (0, 0, 0);
        for step in 0..steps {
            let report = world.step(step_s);
            particles += report.carve.particles;
            merged += report.merge.grains;
            most = most.max(report.merge.alive);
            if let Some(reaction) = world.reaction(bucket) {
                let body = world.bodies().get(bucket).ok_or("the bucket is gone")?;
                peak_n = peak_n.max(f64::from(reaction.force_n.length()));
                let power = reaction.force_n.dot(body.linear_velocity_m_s)
                    + reaction.torque_n_m.dot(body.angular_velocity_rad_s);
                work_j -= f64::from(power) * step_s;
            }
            if step == (FULL_S / step_s) as usize {
                (fill_m3, kg) = load_of(&world, bucket);
            }
            progress((cycle * steps + step) as f64 / (cycles * steps) as f64);
        }
        let balance = balance_units(&world);
        rows.push(row(json!({
            "cycle": cycle + 1,
            "fill_m3": fill_m3,
            "payload_kg": kg,
            "peak_force_n": peak_n,
            "work_j": work_j,
            "particles": particles,
            "merged": merged,
            "most_alive": most,
            "grains_units": world.ledger().held.of(Account::Grains) as i64,
            "balance_units": balance,
            "pass": balance == 0 && fill_m3 > 0.0,
        })));
    }
    Ok(rows)
}

/// What a body holds: the room that it takes, loose (m³), and its mass (kg).
fn load_of(world: &World, body: BodyId) -> (f64, f64) {
    world.payload(body).map_or((0.0, 0.0), |payload| (payload.m3, payload.kg))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_fills() {
        let sets = ["cycles=1", "step_s=0.0333"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
        assert!(outcome.rows[0]["fill_m3"].as_f64().unwrap() > 0.02, "{:?}", outcome.rows);
    }
}
