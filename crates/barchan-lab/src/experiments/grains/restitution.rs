//! Two spheres collide head-on: they part with the restitution asked for at the stated speed, and with less when they are
//! quicker, as the law of Hertz with its damping has it.

use barchan_sim::grains::{GrainSpec, Law, Template, damping_number, restitution_of};
use glam::DVec3;
use serde_json::json;

use super::{WithGrains, parameter, parameter_list};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "restitution",
    about: "two spheres collide: the restitution asked for at the stated speed, and e(v) beside it",
    parameters: &[
        parameter_list("e", "restitutions asked for (-)", &[0.9, 0.65, 0.5, 0.3], (0.05, 1.0), false),
        parameter_list("speed_m_s", "stated speeds of impact (m/s)", &[1.0], (0.001, 50.0), false),
        parameter_list(
            "factor",
            "speeds of impact over the stated one (-)",
            &[0.1, 0.3, 1.0, 3.0, 10.0],
            (0.01, 20.0),
            false,
        ),
        parameter_list("law", "0 Hertz, 1 linear", &[0.0, 1.0], (0.0, 1.0), true),
        parameter("diameter_m", "diameter (m)", &[0.01], (1e-4, 1.0), false),
        parameter("young_pa", "Young's modulus (Pa)", &[1e8], (1e5, 1e11), false),
    ],
    run,
};

/// By how much a restitution may be off (-): a substep is a sixtieth of a contact.
const TOLERANCE: f64 = 0.01;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut rows = Vec::new();
    let mut plot = Plot::new(
        "restitution",
        "Restitution of two spheres",
        Axis::linear("speed over the stated speed, log10"),
        Axis::linear("restitution"),
    );
    let (laws, asked) = (settings.list("law"), settings.list("e"));
    let (speeds, factors) = (settings.list("speed_m_s"), settings.list("factor"));
    let count = laws.len() * asked.len() * speeds.len() * factors.len();
    for &law_number in laws {
        let (law, name) = if law_number == 1.0 { (Law::Linear, "linear") } else { (Law::Hertz, "hertz") };
        for &e in asked {
            for &stated in speeds {
                let d = damping_number(law, e);
                let mut points = Vec::new();
                for &factor in factors {
                    let expected = match law {
                        _ if factor == 1.0 => e,
                        // The damping number of the law of Hertz grows with speed^0.2.
                        Law::Hertz => restitution_of(law, d * factor.powf(0.2)),
                        Law::Linear => e,
                    };
                    let measured = collide(law, e, stated, stated * factor, settings);
                    let pass = measured.as_ref().is_ok_and(|m| (m - expected).abs() <= TOLERANCE);
                    points.extend(measured.iter().map(|m| [factor.log10(), *m]));
                    rows.push(row(json!({
                        "law": name, "e": e, "stated_m_s": stated, "speed_m_s": stated * factor,
                        "measured": measured.clone().ok(), "problem": measured.err(),
                        "expected": expected, "tolerance": TOLERANCE,
                        "source": "asked for at the stated speed; beside it the damping number of the law",
                        "pass": pass,
                    })));
                    progress(rows.len() as f64 / count as f64);
                }
                plot = plot.with(format!("{name}, e = {e} at {stated} m/s"), Style::LinePoints, points);
            }
        }
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

/// The restitution of two spheres that meet at `speed` (m/s).
fn collide(law: Law, e: f64, stated: f64, speed: f64, settings: &Settings) -> Result<f64, String> {
    let diameter = settings.number("diameter_m");
    let mut bed = WithGrains::of(Template::sphere(), diameter);
    bed.gravity_m_s2 = 0.0;
    bed.setup.laws.law = law;
    bed.setup.laws.substeps_per_contact = 60.0;
    bed.setup.laws.restitution_speed_m_s = stated;
    bed.setup.substances[0].restitution = e;
    bed.setup.substances[0].young_pa = settings.number("young_pa");
    let mut world = bed.world()?;
    let specs = [-1.0, 1.0].map(|side| GrainSpec {
        velocity_m_s: DVec3::X * (-0.5 * side * speed),
        ..GrainSpec::at(0, DVec3::X * (0.501 * diameter * side))
    });
    world.add_grains(&specs).map_err(|error| error.to_string())?;
    // Until they have met, and parted again.
    let step_s = 0.002 * diameter / speed;
    let mut met = false;
    for _ in 0..100_000 {
        world.step(step_s.min(1.0));
        let grains = world.grains();
        let [a, b] = [0, 1].map(|i| &grains.all()[i]);
        let apart = grains.position_m(a).distance(grains.position_m(b)) > diameter;
        met |= !apart;
        if met && apart {
            return Ok((b.velocity_m_s.x - a.velocity_m_s.x) / speed);
        }
    }
    Err("they did not part".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitution_is_as_asked_and_the_experiment_can_fail() {
        let settings = Settings::new(EXPERIMENT.parameters, &["e=0.65", "factor=0.1,1", "law=0"]).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
        assert!((outcome.rows[0]["expected"].as_f64().unwrap() - 0.755).abs() < 0.002);
    }
}
