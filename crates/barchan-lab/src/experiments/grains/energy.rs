//! Where the energy of falling grains goes: motion, turning, height, contacts and springs, damping, friction, rolling, and what
//! moving walls take or give. All of it together must stay what it was.

use barchan_sim::grains::{Fill, Template, Wall, WallMotion};
use glam::DVec3;
use serde_json::json;

use super::{WithGrains, parameter, parameter_list};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "grain-energy",
    about: "grains fall into a box, with a wall that shakes or none: energy by cause closes",
    parameters: &[
        parameter_list(
            "form",
            "0 sphere, 1 sphere that resists rolling, 3 tetrahedron",
            &[0.0, 1.0, 3.0],
            (0.0, 3.0),
            true,
        ),
        parameter_list("shake", "0 floor at rest, 1 floor that vibrates", &[0.0, 1.0], (0.0, 1.0), true),
        parameter("grains", "grains", &[100.0], (1.0, 1e5), true),
        parameter("diameter_m", "diameter of a ball (m)", &[0.01], (1e-4, 1.0), false),
        parameter(
            "substeps",
            "substeps of a contact: the fewer, the less is it the same",
            &[150.0],
            (8.0, 10_000.0),
            false,
        ),
        parameter("seconds", "time (s)", &[0.5], (0.01, 100.0), false),
    ],
    run,
};

/// By what share of the energy that came into play it may be off.
const TOLERANCE: f64 = 0.01;
const FORMS: [&str; 4] = ["sphere", "sphere, rolling friction", "", "tetrahedron"];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (forms, shakes) = (settings.list("form"), settings.list("shake"));
    let cases: Vec<_> =
        forms.iter().flat_map(|&form| shakes.iter().map(move |&shake| (form, shake))).collect();
    let (mut rows, mut plots) = (Vec::new(), Vec::new());
    for (at, &(form, shake)) in cases.iter().enumerate() {
        match fall(form as usize, shake == 1.0, settings) {
            Ok((row, plot)) => {
                rows.push(row);
                plots.extend(plot);
            }
            Err(problem) => rows.push(row(json!({ "form": form, "problem": problem, "pass": false }))),
        }
        progress((at + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    plots.truncate(1);
    Outcome { rows, summary, plots, pass: failed == 0 }
}

fn fall(form: usize, shakes: bool, settings: &Settings) -> Result<(Row, Option<Plot>), String> {
    let d = settings.number("diameter_m");
    let template = if form == 3 { Template::tetrahedron(1.0) } else { Template::sphere() };
    let mut with = WithGrains::of(template, d);
    with.setup.substances[0].rolling_friction = if form == 1 { 0.2 } else { 0.0 };
    with.setup.laws.substeps_per_contact = settings.number("substeps");
    let floor = Wall::plane("floor", DVec3::ZERO, DVec3::Z);
    let shake = WallMotion::Vibrate { amplitude_m: DVec3::Z * (0.3 * d), frequency_hz: 20.0 };
    with.setup.walls.push(if shakes { floor.moving(shake) } else { floor });
    let radius = 5.0 * d;
    with.setup.walls.push(Wall::tube("tube", DVec3::Z * (-2.0 * d), radius, 400.0 * d));
    let gravity = DVec3::Z * f64::from(with.gravity_m_s2);
    let mut world = with.world()?;
    let side = radius * std::f64::consts::FRAC_1_SQRT_2;
    let fill = Fill {
        mix: vec![(0, 1.0)],
        low_m: DVec3::new(-side, -side, 2.0 * d),
        high_m: DVec3::new(side, side, 390.0 * d),
        pitch_m: None,
        jitter: 1.0,
        count: settings.count("grains"),
        turned: true,
        velocity_m_s: DVec3::ZERO,
        seed: 3,
    };
    let grains = world.fill_with_grains(&fill).map_err(|error| error.to_string())?;
    world.watch_grain_energy(true);
    let start = world.grains().energy(gravity, 0.0);
    let mut curves: [Vec<[f64; 2]>; 4] = Default::default();
    let steps = (settings.number("seconds") / 0.005).ceil() as usize;
    for _ in 0..steps {
        world.step(0.005);
        let time_s = world.clock().time_s;
        let now = world.grains().energy(gravity, time_s);
        let lost = world.grains().lost().unwrap_or_default();
        let values =
            [now.moving + now.turning, now.height - start.height, now.pressed + now.drawn, lost.total()];
        curves.iter_mut().zip(values).for_each(|(curve, value)| curve.push([time_s, value]));
    }
    let time_s = world.clock().time_s;
    let end = world.grains().energy(gravity, time_s);
    let lost = world.grains().lost().unwrap_or_default();
    // What came into play: height that was lost, or work of the floor.
    let in_play = (start.height - end.height).abs().max(lost.given.abs()).max(lost.damping + lost.sliding);
    let off = (end.total() + lost.total() - start.total()) / in_play;
    let row = row(json!({
        "law": "hertz, springs", "form": FORMS[form], "floor": if shakes { "vibrates" } else { "at rest" },
        "grains": grains, "seconds": time_s, "substeps_per_contact": settings.number("substeps"),
        "moving_j": end.moving, "turning_j": end.turning, "height_j": end.height - start.height,
        "pressed_j": end.pressed, "springs_j": end.drawn,
        "lost_to_damping_j": lost.damping, "lost_to_friction_j": lost.sliding, "lost_to_rolling_j": lost.rolling,
        "given_to_walls_j": lost.given,
        "measured": off, "expected": 0.0, "tolerance": TOLERANCE, "source": "conservation of energy",
        "pass": off.abs() <= TOLERANCE,
    }));
    let axes = (Axis::linear("time (s)"), Axis::linear("energy (J)"));
    let mut plot = Plot::new("energy", "Energy of falling grains", axes.0, axes.1);
    for (name, curve) in ["motion", "height", "contacts", "lost"].into_iter().zip(curves) {
        plot = plot.with(name.to_owned(), Style::LinePoints, curve);
    }
    Ok((row, Some(plot)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_closes() {
        let sets = ["form=3", "shake=1", "grains=12", "seconds=0.25"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
    }
}
