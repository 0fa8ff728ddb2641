//! `hybrid-speed`: how many world steps a second a blade digs with so many live particles, on ground of one size and of many times it.

use std::time::Instant;

use barchan_sim::World;
use barchan_sim::grains::Fill;
use glam::{DVec3, Vec3};
use serde_json::json;

use super::blade::Dig;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::grains::{parameter, parameter_list};
use crate::measure::median;
use crate::rest::balance_units;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "hybrid-speed",
    about: "a blade that digs beside a heap of live particles: world steps in a second",
    parameters: &[
        parameter_list("particles", "live particles, about", &[5_000.0, 20_000.0], (10.0, 1e5), true),
        parameter_list(
            "world_scale",
            "ground against that of the first, by area",
            &[1.0, 16.0],
            (1.0, 64.0),
            true,
        ),
        parameter("settle_s", "time for the heap to form (s)", &[1.0], (0.0, 20.0), false),
        parameter("rounds", "steps that are timed, of which the median counts", &[60.0], (5.0, 1e5), true),
        parameter("step_s", "length of a step (s)", &[1.0 / 60.0], (0.001, 0.1), false),
    ],
    run,
};

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut cases = Vec::new();
    for &particles in settings.list("particles") {
        for &scale in settings.list("world_scale") {
            cases.push((particles, scale));
        }
    }
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    for (at, &(particles, scale)) in cases.iter().enumerate() {
        let row = measure(particles as usize, scale, settings).unwrap_or_else(|problem| {
            row(json!({ "particles": particles, "problem": problem, "pass": false }))
        });
        outcome.pass &= row["pass"] == json!(true);
        outcome.rows.push(row);
        progress((at + 1) as f64 / cases.len() as f64);
    }
    outcome
}

fn measure(particles: usize, scale: f64, settings: &Settings) -> Result<Row, String> {
    let voxel_size_m = 0.1;
    let side = scale.sqrt() as f32;
    let dig = Dig {
        voxel_size_m,
        ground_m: Vec3::new(9.6 * side, 6.4 * side, 0.8),
        above_m: 4.0,
        start_m: 1.0,
        width_m: 1.6,
        depth_m: 0.2,
        speed_m_s: 0.5,
        turned_deg: 0.0,
        particle_m: None,
        most: 100_000,
        carves: true,
    };
    let (mut world, _) = dig.world()?;
    // Those that lie beside the cut stay alive: nothing merges, so that their number is what was asked for.
    world.set_merge(None)?;
    pile(&mut world, particles, f64::from(dig.ground_m.y))?;
    let step_s = settings.number("step_s");
    for _ in 0..(settings.number("settle_s") / step_s).round() as usize {
        world.step(step_s);
    }
    world.wake_grains();
    let (mut ms, mut awake, mut substeps) = (Vec::new(), 0, 0);
    for _ in 0..settings.count("rounds") {
        let start = Instant::now();
        let report = world.step(step_s);
        ms.push(start.elapsed().as_secs_f64() * 1e3);
        awake = report.grains.grains - report.grains.asleep;
        substeps = report.grains.substeps;
    }
    let ms = median(&ms).unwrap_or(f64::NAN);
    let balance = balance_units(&world);
    Ok(row(json!({
        "particles": world.grains().len(),
        "awake": awake,
        "world_scale": scale,
        "threads": rayon::current_num_threads(),
        "substeps": substeps,
        "ms_per_step": ms,
        "steps_per_second": 1e3 / ms,
        "balance_units": balance,
        "pass": balance == 0,
    })))
}

/// Puts particles of the ground's soil on it, in layers ahead of the blade.
fn pile(world: &mut World, particles: usize, width_m: f64) -> Result<(), String> {
    let form = world.ground().get(glam::IVec3::ZERO).top_kind;
    let grains = world.grains();
    let of_soil = |form_at: &usize| {
        let spec = grains.forms()[*form_at].spec;
        grains.setup().substances[usize::from(spec.substance)].soil == form
    };
    let form = (0..grains.forms().len()).find(of_soil).ok_or("no particles of this soil")? as u16;
    let size = grains.forms()[usize::from(form)].spec.size_m;
    // How many there are in a layer of the pile, which begins two metres ahead of the blade.
    let (low_m, wide_m) = (DVec3::new(3.0, width_m / 2.0 - 2.8, 0.85), DVec3::new(6.0, 5.6, 0.0));
    let pitch = 1.05 * size;
    let layer = (wide_m.x / pitch).floor() * (wide_m.y / pitch).floor();
    let high_m = pitch * (particles as f64 / layer).ceil() + size;
    let fill = Fill {
        mix: vec![(form, 1.0)],
        low_m,
        high_m: low_m + wide_m.with_z(high_m),
        pitch_m: None,
        jitter: 1.0,
        count: particles,
        turned: false,
        velocity_m_s: DVec3::ZERO,
        seed: 1,
    };
    world.fill_with_grains(&fill).map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_dig_is_timed() {
        let sets = ["particles=100", "world_scale=1", "settle_s=0.1", "rounds=5"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
        assert!(outcome.rows[0]["particles"].as_u64().unwrap() >= 100);
    }
}
