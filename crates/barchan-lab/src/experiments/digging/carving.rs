//! `carving`: how evenly soil comes off in front of a blade, at any speed, direction and voxel size, and what it takes to lead the
//! blade, beside the same blade that pushes voxels.

use barchan_sim::World;
use barchan_sim::bodies::BodyId;
use serde_json::json;

use super::blade::Dig;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::grains::{parameter, parameter_list};
use crate::measure::median;
use crate::rest::balance_units;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "carving",
    about: "soil that comes off in front of a blade as particles: how evenly, and the force it takes beside pushing voxels",
    parameters: &[
        parameter_list("speed_m_s", "speeds of the blade (m/s)", &[0.25, 1.0], (0.01, 10.0), false),
        parameter_list("angle_deg", "angles of the blade about z (°)", &[0.0, 25.0], (-60.0, 60.0), false),
        parameter_list("voxel_size_m", "edges of a voxel (m)", &[0.1, 0.08], (0.02, 0.5), false),
        parameter("way_m", "way of the blade (m)", &[1.2], (0.4, 20.0), false),
        parameter("depth_m", "depth of its edge (m)", &[0.25], (0.05, 1.0), false),
        parameter("step_s", "length of a step (s)", &[1.0 / 60.0], (0.001, 0.1), false),
        parameter(
            "force",
            "1: lead the blade a second time, pushing voxels, and compare the force",
            &[1.0],
            (0.0, 1.0),
            true,
        ),
    ],
    run,
};

/// Soil must come off within this share of its mean in every step.
const STEADY: f64 = 0.10;
/// And tow forces agree within this share.
const FORCE: f64 = 0.20;
const SOURCE: &str = "Holz 2009, eq. 2: soil comes off in proportion to the way of the edge";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut cases = Vec::new();
    for &speed in settings.list("speed_m_s") {
        for &angle in settings.list("angle_deg") {
            for &voxel in settings.list("voxel_size_m") {
                cases.push((speed, angle, voxel));
            }
        }
    }
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    for (at, &(speed, angle, voxel)) in cases.iter().enumerate() {
        let row = measure(speed, angle, voxel, settings)
            .unwrap_or_else(|problem| row(json!({ "speed_m_s": speed, "problem": problem, "pass": false })));
        outcome.pass &= row["pass"] == json!(true);
        outcome.rows.push(row);
        progress((at + 1) as f64 / cases.len() as f64);
    }
    outcome
}

fn measure(speed: f64, angle: f64, voxel: f64, settings: &Settings) -> Result<Row, String> {
    let (way, step_s) = (settings.number("way_m"), settings.number("step_s"));
    let dig = Dig {
        voxel_size_m: voxel as f32,
        ground_m: glam::Vec3::new(way as f32 + 3.0, 2.6, 0.8),
        above_m: 1.6,
        start_m: 0.8,
        width_m: 1.2,
        depth_m: settings.number("depth_m") as f32,
        speed_m_s: speed as f32,
        turned_deg: angle as f32,
        particle_m: None,
        most: 20_000,
        carves: true,
    };
    let (mut world, blade) = dig.world()?;
    let steps = (way / (speed * step_s)).ceil() as usize;
    let Led { units, mut forces, left, particles } = lead(&mut world, blade, steps, step_s);
    // Over the second half: the first carves the rim of the ground in front of which nothing stood.
    let flow = &units[steps / 2..];
    let mean = flow.iter().sum::<f64>() / flow.len() as f64;
    let unsteadiness = flow.iter().map(|units| (units / mean - 1.0).abs()).fold(0.0, f64::max);
    let tow_n = median(&forces.split_off(steps / 2)).unwrap_or(f64::NAN);
    let pushed_n = if settings.number("force") > 0.0 {
        let (mut world, blade) = Dig { carves: false, ..dig }.world()?;
        let mut led = lead(&mut world, blade, steps, step_s);
        median(&led.forces.split_off(steps / 2))
    } else {
        None
    };
    let off = pushed_n.map(|pushed_n| tow_n / pushed_n - 1.0);
    let balance = balance_units(&world);
    let is_steady = unsteadiness <= STEADY && mean > 0.0;
    Ok(row(json!({
        "speed_m_s": speed,
        "angle_deg": angle,
        "voxel_size_m": voxel,
        "units_per_s": mean / step_s,
        "unsteadiness": unsteadiness,
        "tolerance": STEADY,
        "particles": particles,
        "alive": world.grains().len(),
        "left_to_push_units": left,
        "tow_n": tow_n,
        "tow_pushing_n": pushed_n,
        "tow_off": off,
        "tow_tolerance": FORCE,
        "balance_units": balance,
        "source": SOURCE,
        "pass": is_steady && balance == 0 && off.is_none_or(|off| off.abs() <= FORCE),
    })))
}

/// What happened while a blade was led.
struct Led {
    /// Soil that came off, by steps (units).
    units: Vec<f64>,
    /// Force against its way, by steps (N).
    forces: Vec<f64>,
    /// Soil that found no room as particles (units).
    left: i64,
    particles: u32,
}

fn lead(world: &mut World, blade: BodyId, steps: usize, step_s: f64) -> Led {
    let mut led = Led { units: Vec::new(), forces: Vec::new(), left: 0, particles: 0 };
    for _ in 0..steps {
        let report = world.step(step_s);
        led.units.push(report.carve.units as f64);
        led.left += report.carve.left;
        led.particles += report.carve.particles;
        led.forces.push(world.reaction(blade).map_or(0.0, |reaction| -f64::from(reaction.force_n.x)));
    }
    led
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_dig_is_even() {
        let sets = ["speed_m_s=1", "angle_deg=0", "voxel_size_m=0.1", "way_m=0.6", "force=0"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
    }
}
