//! Heaps of grains: how steep they stand, against the friction between the grains and their form.
//!
//! A column stands in a tube on a round plate with a rim of one diameter; the tube is lifted, the column comes down, what rolls over
//! the rim is gone. The slope is a line through the top of the heap by rings around its middle, medians over sectors.

use std::f64::consts::TAU;

use barchan_sim::World;
use barchan_sim::grains::{Fill, Template, Wall, WallForm, WallMotion};
use glam::{DVec2, DVec3};
use serde_json::json;

use super::{WithGrains, parameter, parameter_list};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{exponent, line_fit, median};
use crate::plot::{Axis, Plot, Style};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "grain-repose",
    about: "heaps of grains: the angle they stand at, against friction and form",
    parameters: &[
        parameter_list("friction", "coefficients of friction (-)", &[0.1, 0.3, 0.6], (0.0, 5.0), false),
        parameter_list(
            "form",
            "0 sphere, 1 sphere that resists rolling, 2 dimer, 3 tetrahedron, 4 sphere with viscous friction",
            &[0.0, 1.0, 2.0, 3.0],
            (0.0, 4.0),
            true,
        ),
        parameter("seeds", "heaps of each", &[5.0], (1.0, 100.0), true),
        parameter("balls", "balls of a column, about", &[900.0], (50.0, 1e6), true),
        parameter("diameter_m", "diameter of a ball (m)", &[0.01], (1e-4, 1.0), false),
        parameter("rolling", "rolling friction of form 1 (-)", &[0.2], (0.0, 5.0), false),
        parameter("spacing", "spacing of tetrahedra and dimers (diameters)", &[1.0], (0.1, 2.0), false),
        parameter("limit_s", "longest time to rest (s)", &[3.0], (0.1, 100.0), false),
    ],
    run,
};

const FORMS: [&str; 5] =
    ["sphere", "sphere, rolling friction", "dimer", "tetrahedron", "sphere, viscous friction"];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (forms, frictions, seeds) =
        (settings.list("form"), settings.list("friction"), settings.count("seeds"));
    let count = forms.len() * frictions.len() * seeds;
    let (mut done, mut rows, mut pass) = (0, Vec::new(), true);
    let axes = (Axis::linear("friction"), Axis::linear("angle of repose (degrees)"));
    let mut plot = Plot::new("repose", "Heaps of grains", axes.0, axes.1);
    let mut summary = Row::new();
    for &form in forms {
        let name = FORMS[form as usize];
        let mut points = Vec::new();
        for &friction in frictions {
            let mut slopes = Vec::new();
            let mut problem = None;
            for seed in 0..seeds {
                match heap(form as usize, friction, seed as u64, settings) {
                    Ok(slope) => slopes.push(slope),
                    Err(error) => problem = Some(error),
                }
                done += 1;
                progress(done as f64 / count as f64);
            }
            let mean = slopes.iter().sum::<f64>() / slopes.len().max(1) as f64;
            let spread =
                (slopes.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / slopes.len().max(1) as f64).sqrt();
            points.push([friction, mean]);
            rows.push(row(json!({
                "form": name, "law": "hertz", "friction": friction, "spacing": settings.number("spacing"),
                "seeds": slopes.len(), "slope_deg": mean, "spread_deg": spread, "problem": problem,
                "pass": problem.is_none(),
            })));
            pass &= problem.is_none();
        }
        // Spheres without any hold against rolling hardly heap up, whatever their friction: no rise is asked of them.
        let rises = points.windows(2).all(|pair| pair[1][1] > pair[0][1] - 1.0);
        let is_held = !matches!(form as usize, 0 | 4);
        pass &= rises || !is_held;
        let power =
            exponent(&points.iter().filter(|p| p[0] > 0.0 && p[1] > 0.0).copied().collect::<Vec<_>>());
        summary.insert(format!("{name}: rises with friction"), json!(rises));
        summary.insert(format!("{name}: exponent of the power law"), json!(power));
        plot = plot.with(name.to_owned(), Style::LinePoints, points);
    }
    Outcome { rows, summary, plots: vec![plot], pass }
}

/// The slope of one heap (degrees).
fn heap(form: usize, friction: f64, seed: u64, settings: &Settings) -> Result<f64, String> {
    let (d, spacing) = (settings.number("diameter_m"), settings.number("spacing"));
    let template = match form {
        2 => Template::dimer(spacing),
        3 => Template::tetrahedron(spacing),
        _ => Template::sphere(),
    };
    let balls = template.balls.len() as f64;
    let mut with = WithGrains::of(template, d);
    let substance = &mut with.setup.substances[0];
    substance.friction = friction;
    substance.rolling_friction = if form == 1 { settings.number("rolling") } else { 0.0 };
    if form == 4 {
        with.setup.laws.sliding = barchan_sim::grains::Sliding::Viscous;
    }
    let count = settings.number("balls") / balls;
    // Balls fill about 0.6 of the column, which is as high as it is wide.
    let radius = d * 0.5 * (settings.number("balls") / 0.6 / 1.5).cbrt() * 1.2;
    let plate = 1.6 * radius;
    let profile = vec![DVec2::ZERO, DVec2::new(plate, 0.0), DVec2::new(plate, d)];
    with.setup.walls.push(Wall::new("plate", WallForm::Turned { profile }, DVec3::ZERO));
    let lift = WallMotion::Drive { velocity_m_s: DVec3::Z * 10.0 * d, from_s: 0.3, until_s: 100.0 };
    let tube = Wall::tube("tube", DVec3::Z * (0.1 * d), radius, 40.0 * radius).with_friction(0.0);
    with.setup.walls.push(tube.moving(lift));
    let mut world = with.world()?;
    let side = radius * std::f64::consts::FRAC_1_SQRT_2;
    let fill = Fill {
        mix: vec![(0, 1.0)],
        low_m: DVec3::new(-side, -side, 0.0),
        high_m: DVec3::new(side, side, 39.0 * radius),
        pitch_m: None,
        jitter: 1.0,
        count: count as usize,
        turned: true,
        velocity_m_s: DVec3::new(0.0, 0.0, -0.5),
        seed,
    };
    world.fill_with_grains(&fill).map_err(|error| error.to_string())?;
    let step_s = 0.02;
    let steps = ((0.3 + settings.number("limit_s")) / step_s).ceil() as usize;
    for step in 0..steps {
        let report = world.step(step_s);
        if !world.ledger().balances() {
            return Err("the books do not balance".to_owned());
        }
        // What has gone over the rim.
        let gone: Vec<_> = world
            .grains()
            .all()
            .iter()
            .filter(|grain| world.grains().position_m(grain).z < -2.0 * d)
            .map(|grain| grain.id)
            .collect();
        if !gone.is_empty() {
            world.remove_grains(|grain| gone.contains(&grain.id));
        }
        let is_lifted = step as f64 * step_s > 0.3 + 0.5;
        if is_lifted && report.grains.asleep == report.grains.grains {
            break;
        }
    }
    slope_deg(&world, plate, d).ok_or_else(|| "nothing is left on the plate".to_owned())
}

/// Slope of the line through the tops of rings, medians over sectors (degrees).
fn slope_deg(world: &World, plate: f64, d: f64) -> Option<f64> {
    const SECTORS: usize = 8;
    let rings = (plate / d * 0.7) as usize;
    let mut tops = vec![[0.0f64; SECTORS]; rings];
    let seen = world.grains().seen();
    // The heap need not stand right in the middle.
    let sum = seen.iter().fold(DVec2::ZERO, |sum, ball| sum + ball.centre_m.truncate().as_dvec2());
    let middle = sum / seen.len().max(1) as f64;
    for ball in &seen {
        let at = ball.centre_m.truncate().as_dvec2() - middle;
        let ring = (at.length() / plate * rings as f64) as usize;
        let sector = ((at.y.atan2(at.x) / TAU).rem_euclid(1.0) * SECTORS as f64) as usize % SECTORS;
        if ring < rings {
            tops[ring][sector] = tops[ring][sector].max(f64::from(ball.centre_m.z + ball.radius_m));
        }
    }
    // Neither the tip nor the rim.
    let points: Vec<[f64; 2]> = (0..rings)
        .map(|ring| [(ring as f64 + 0.5) / rings as f64 * plate, median(&tops[ring]).unwrap_or(0.0)])
        .filter(|[r, top]| (0.15..0.85).contains(&(r / plate)) && *top > 1.2 * d)
        .collect();
    if points.len() < 3 {
        // Hardly more than a layer: as flat as it can be told.
        return (!seen.is_empty()).then_some(0.0);
    }
    line_fit(&points).map(|(_, slope)| (-slope).atan().to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_heap_stands() {
        let sets = ["friction=0.6", "form=3", "seeds=1", "balls=600", "limit_s=0.8"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
        let slope = outcome.rows[0]["slope_deg"].as_f64().unwrap();
        assert!((0.0..60.0).contains(&slope), "{slope}");
    }
}
