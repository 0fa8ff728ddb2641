//! Grains run out of a silo through a hole: how many in a second, against the width of the hole.
//!
//! A cylinder with a cone of 45° and a hole at its lower end; the hole is shut while the grains settle. What has come out and fallen
//! far enough is taken away and counted.

use barchan_sim::World;
use barchan_sim::grains::{Fill, Template, Wall, WallForm};
use glam::{DVec2, DVec3};
use serde_json::json;

use super::{WithGrains, parameter, parameter_list};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::line_fit;
use crate::plot::{Axis, Plot, Style};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "orifice",
    about: "grains run out of a silo: constant flow, flow against friction and against the width of the hole",
    parameters: &[
        parameter_list(
            "hole",
            "widths of the hole (diameters of a ball)",
            &[6.0, 7.5, 9.0],
            (1.0, 100.0),
            false,
        ),
        parameter_list(
            "friction",
            "coefficients of friction, each with the widest hole (-)",
            &[0.1, 0.5],
            (0.0, 5.0),
            false,
        ),
        parameter("form", "0 sphere, 3 tetrahedron", &[0.0], (0.0, 3.0), true),
        parameter("grains", "grains in the silo", &[3500.0], (50.0, 1e6), true),
        parameter("silo", "width of the silo (diameters of a ball)", &[18.0], (4.0, 400.0), false),
        parameter("diameter_m", "diameter of a ball (m)", &[0.01], (1e-4, 1.0), false),
        parameter("spacing", "spacing of tetrahedra (diameters)", &[1.0], (0.1, 2.0), false),
        parameter("young_pa", "Young's modulus (Pa)", &[1e6], (1e4, 1e11), false),
        parameter("limit_s", "longest time of flow (s)", &[3.0], (0.1, 1000.0), false),
    ],
    run,
};

/// Time to settle behind the plug (s).
const SETTLE_S: f64 = 0.5;
const STEP_S: f64 = 0.01;

/// What one silo did.
struct Flow {
    hole: f64,
    friction: f64,
    per_s: f64,
    r_squared: f64,
    poured: usize,
    counts: Vec<[f64; 2]>,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (holes, frictions) = (settings.list("hole"), settings.list("friction"));
    let (widest, strongest) =
        (holes.iter().fold(0.0f64, |a, b| a.max(*b)), frictions.iter().fold(0.0f64, |a, b| a.max(*b)));
    let mut cases: Vec<(f64, f64)> = holes.iter().map(|&hole| (hole, strongest)).collect();
    cases.extend(frictions.iter().filter(|&&mu| mu != strongest).map(|&mu| (widest, mu)));
    let (mut rows, mut flows) = (Vec::new(), Vec::new());
    for (at, &(hole, friction)) in cases.iter().enumerate() {
        match flow(hole, friction, settings) {
            Ok(flow) => {
                rows.push(flow.row(settings));
                flows.push(flow);
            }
            Err(problem) => rows
                .push(row(json!({ "hole": hole, "friction": friction, "problem": problem, "pass": false }))),
        }
        progress((at + 1) as f64 / cases.len() as f64);
    }
    let mut summary = Row::new();
    let by_width: Vec<[f64; 2]> =
        flows.iter().filter(|f| f.friction == strongest).map(|f| [f.hole, f.per_s.powf(0.4)]).collect();
    if let Some((offset, slope)) = line_fit(&by_width) {
        summary.insert("d0_diameters".into(), json!(-offset / slope));
        summary.insert("beverloo_r_squared".into(), json!(r_squared(&by_width)));
    }
    let mut by_friction: Vec<_> =
        flows.iter().filter(|f| f.hole == widest).map(|f| (f.friction, f.per_s)).collect();
    by_friction.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slower = by_friction.windows(2).all(|pair| pair[1].1 < pair[0].1);
    summary.insert("slower_with_friction".into(), json!(slower));
    let axes = (Axis::linear("time (s)"), Axis::linear("grains that came out"));
    let mut plot = Plot::new("orifice", "Grains through a hole", axes.0, axes.1);
    for flow in &flows {
        let name = format!("hole of {} d, friction {}", flow.hole, flow.friction);
        plot = plot.with(name, Style::LinePoints, flow.counts.clone());
    }
    let pass = slower && rows.iter().all(|row| row["pass"] == json!(true));
    Outcome { rows, summary, plots: vec![plot], pass }
}

impl Flow {
    fn row(&self, settings: &Settings) -> Row {
        row(json!({
            "law": "hertz", "form": settings.number("form"), "spacing": settings.number("spacing"),
            "hole": self.hole, "friction": self.friction, "grains_per_s": self.per_s, "came_out": self.poured,
            "measured": self.r_squared, "expected": 1.0, "tolerance": 0.005,
            "source": "constant flow: R² of count against time above 0.995",
            "pass": self.r_squared > 0.995,
        }))
    }
}

fn flow(hole: f64, friction: f64, settings: &Settings) -> Result<Flow, String> {
    let d = settings.number("diameter_m");
    let template = if settings.number("form") == 3.0 {
        Template::tetrahedron(settings.number("spacing"))
    } else {
        Template::sphere()
    };
    let mut with = WithGrains::of(template, d);
    with.setup.substances[0].friction = friction;
    with.setup.substances[0].young_pa = settings.number("young_pa");
    let (half_hole, half_silo) = (0.5 * hole * d, 0.5 * settings.number("silo") * d);
    let profile = vec![
        DVec2::new(half_hole, 0.0),
        DVec2::new(half_silo, half_silo - half_hole),
        DVec2::new(half_silo, half_silo + 4000.0 * d),
    ];
    with.setup.walls.push(Wall::new("silo", WallForm::Turned { profile }, DVec3::ZERO));
    let plug = vec![DVec2::ZERO, DVec2::new(half_hole + 0.5 * d, 0.0)];
    let mut plug = Wall::new("plug", WallForm::Turned { profile: plug }, DVec3::Z * (-0.02 * d));
    plug.until_s = Some(SETTLE_S);
    with.setup.walls.push(plug);
    let mut world = with.world()?;
    let side = half_silo * std::f64::consts::FRAC_1_SQRT_2;
    let fill = Fill {
        mix: vec![(0, 1.0)],
        low_m: DVec3::new(-side, -side, half_silo),
        high_m: DVec3::new(side, side, half_silo + 3900.0 * d),
        pitch_m: None,
        jitter: 1.0,
        count: settings.count("grains"),
        turned: true,
        velocity_m_s: DVec3::new(0.0, 0.0, -1.5),
        seed: 1,
    };
    let grains = world.fill_with_grains(&fill).map_err(|error| error.to_string())?;
    let (mut counts, mut time_s, mut came_out) = (Vec::new(), 0.0, 0);
    while time_s < SETTLE_S + settings.number("limit_s") {
        world.step(STEP_S);
        time_s += STEP_S;
        came_out += take_out(&mut world, -4.0 * d);
        if time_s > SETTLE_S {
            counts.push([time_s - SETTLE_S, came_out as f64]);
        }
        // With less than a quarter left it no longer is a silo.
        if came_out * 4 > grains * 3 {
            break;
        }
    }
    // After the transient, and before the end thins out.
    let end = counts.last().map_or(0.0, |last| last[1]);
    let steady: Vec<[f64; 2]> =
        counts.iter().copied().filter(|[_, n]| *n > 0.08 * end && *n < 0.9 * end).collect();
    let (_, per_s) = line_fit(&steady).ok_or("nothing came out")?;
    let r_squared = r_squared(&steady);
    Ok(Flow { hole, friction, per_s, r_squared, poured: came_out, counts })
}

/// Takes away what has fallen below `z` (m).
fn take_out(world: &mut World, z: f64) -> usize {
    let grains = world.grains();
    let below: Vec<_> = grains.all().iter().filter(|g| grains.position_m(g).z < z).map(|g| g.id).collect();
    if below.is_empty() { 0 } else { world.remove_grains(|grain| below.binary_search(&grain.id).is_ok()) }
}

/// How much of the variance a straight line explains.
fn r_squared(points: &[[f64; 2]]) -> f64 {
    let Some((offset, slope)) = line_fit(points) else { return 0.0 };
    let mean = points.iter().map(|p| p[1]).sum::<f64>() / points.len() as f64;
    let all: f64 = points.iter().map(|p| (p[1] - mean).powi(2)).sum();
    let rest: f64 = points.iter().map(|p| (p[1] - offset - slope * p[0]).powi(2)).sum();
    1.0 - rest / all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_explains_itself_and_nothing_else() {
        assert!((r_squared(&[[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]) - 1.0).abs() < 1e-12);
        assert!(r_squared(&[[0.0, 1.0], [1.0, 3.0], [2.0, 1.0]]) < 0.1);
    }
}
