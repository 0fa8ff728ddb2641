//! `hele-shaw`: particles of soils that are said to heap up at some angle, poured between two plates: the angle that they stand at.

use barchan_sim::carve::CarveParams;
use barchan_sim::grains::{Source, Wall};
use barchan_sim::material::Phase;
use barchan_sim::{Material, Materials, World, WorldConfig};
use glam::DVec3;
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::grains::{parameter, parameter_list};
use crate::measure::line_fit;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "hele-shaw",
    about: "particles of mud, clay and dry sand poured between two plates: the angle they stand at",
    parameters: &[
        parameter_list(
            "angle_deg",
            "angles of repose that are said of the soils (°)",
            &[0.0, 16.0, 30.0],
            (0.0, 45.0),
            false,
        ),
        parameter("size_m", "diameter of a particle (m)", &[0.04], (0.001, 1.0), false),
        parameter("particles", "particles that are poured", &[700.0], (50.0, 1e5), true),
        parameter("limit_s", "time to come to rest (s)", &[3.0], (0.1, 60.0), false),
    ],
    run,
};

/// Angles must agree within this (°).
const TOLERANCE_DEG: f64 = 4.0;
const SOURCE: &str = "Holz 2009, section 6: 0° for saturated mud, 16° for clay, about 30° for dry sand";
/// Between the plates, and from the middle to each end (diameters).
const THICK: f64 = 4.0;
const LONG: f64 = 32.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let angles = settings.list("angle_deg");
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    for (at, &angle) in angles.iter().enumerate() {
        let row = measure(angle, settings)
            .unwrap_or_else(|problem| row(json!({ "expected": angle, "problem": problem, "pass": false })));
        outcome.pass &= row["pass"] == json!(true);
        outcome.rows.push(row);
        progress((at + 1) as f64 / angles.len() as f64);
    }
    outcome
}

fn measure(angle_deg: f64, settings: &Settings) -> Result<Row, String> {
    let (d, count) = (settings.number("size_m"), settings.count("particles"));
    let mut world = cell(angle_deg, d)?;
    let source = Source {
        mix: vec![(0, 1.0)],
        low_m: DVec3::new(-2.0 * d, 0.5 * d, 14.0 * d),
        high_m: DVec3::new(2.0 * d, (THICK - 0.5) * d, 16.0 * d),
        rate_per_s: count as f64 / 4.0,
        from_s: 0.0,
        count: count as u64,
        velocity_m_s: DVec3::new(0.0, 0.0, -0.3),
        jitter: 0.1,
        seed: 1,
    };
    world.add_grain_source(source).map_err(|error| error.to_string())?;
    let step_s = 1.0 / 60.0;
    for step in 0..((4.5 + settings.number("limit_s")) / step_s) as usize {
        let report = world.step(step_s).grains;
        if step as f64 * step_s > 4.5 && report.asleep == report.grains {
            break;
        }
    }
    let found = slope_deg(&world, d).unwrap_or(0.0);
    let material = match angle_deg {
        a if a < 5.0 => "mud",
        a if a < 25.0 => "clay",
        _ => "dry sand",
    };
    Ok(row(json!({
        "material": material,
        "particles": world.grains().len(),
        "angle_deg": found,
        "measured": found,
        "expected": angle_deg,
        "tolerance": TOLERANCE_DEG,
        "source": SOURCE,
        "pass": (found - angle_deg).abs() <= TOLERANCE_DEG && world.ledger().balances(),
    })))
}

/// An empty cell of smooth plates, and one soil.
fn cell(angle_deg: f64, d: f64) -> Result<World, String> {
    let builtin = Materials::builtin();
    let (_, sand) =
        builtin.iter().find(|(_, material)| material.phase == Phase::Soil).expect("soils are built in");
    let soil = Material { repose_angle: (angle_deg as f32).to_radians(), ..sand.clone() };
    let materials = Materials::new(vec![soil]).map_err(|error| error.to_string())?;
    let voxel_size_m = (d / 1.5) as f32;
    let config = WorldConfig { materials, voxel_size_m, ..WorldConfig::default() };
    let mut world = World::new(config).map_err(|error| error.to_string())?;
    let setup = barchan_sim::grains::Setup {
        walls: vec![
            Wall::plane("floor", DVec3::ZERO, DVec3::Z),
            Wall::plane("front", DVec3::ZERO, DVec3::Y).with_friction(0.0),
            Wall::plane("back", DVec3::Y * (THICK * d), DVec3::NEG_Y).with_friction(0.0),
            Wall::plane("left", DVec3::X * (-LONG * d), DVec3::X),
            Wall::plane("right", DVec3::X * (LONG * d), DVec3::NEG_X),
        ],
        ..Default::default()
    };
    world.set_up_grains(setup).map_err(|error| error.to_string())?;
    let params = CarveParams { size_m: d, ..CarveParams::for_voxels(voxel_size_m) };
    world.set_carve(Some(params)).map_err(|error| error.to_string())?;
    Ok(world)
}

/// Slope of both sides of the heap, by the tops of slices (°).
fn slope_deg(world: &World, d: f64) -> Option<f64> {
    let slices = (2.0 * LONG / 2.0) as usize;
    let wide = 2.0 * LONG * d / slices as f64;
    let mut tops = vec![0.0f64; slices];
    for ball in world.grains().seen() {
        let at = ((f64::from(ball.centre_m.x) + LONG * d) / wide).clamp(0.0, slices as f64 - 1.0) as usize;
        tops[at] = tops[at].max(f64::from(ball.centre_m.z + ball.radius_m));
    }
    let highest = tops.iter().copied().fold(0.0, f64::max);
    let middle = tops.iter().position(|top| *top == highest)?;
    // A line through each side, from below the tip to a layer above the floor, or to the end wall.
    let side = |slices: Vec<usize>| {
        let points: Vec<[f64; 2]> = slices
            .iter()
            .enumerate()
            .map(|(off, at)| [off as f64 * wide, tops[*at]])
            .skip(1)
            .take_while(|[_, top]| *top > 1.5 * d)
            .collect();
        (points.len() >= 3).then(|| line_fit(&points)).flatten().map(|(_, slope)| -slope)
    };
    let (left, right) = (side((0..=middle).rev().collect()), side((middle..slices).collect()));
    let sides: Vec<f64> = left.into_iter().chain(right).collect();
    (!sides.is_empty()).then(|| (sides.iter().sum::<f64>() / sides.len() as f64).atan().to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sand_stands_steeper_than_mud() {
        let sets = ["angle_deg=0,30", "particles=250", "limit_s=0.5"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        let angle = |at: usize| outcome.rows[at]["angle_deg"].as_f64().unwrap();
        assert!(angle(1) > angle(0) + 8.0, "{:?}", outcome.rows);
    }
}
