//! Mass and inertia of clumps against closed forms, and a free clump that tumbles for a thousand turns.

use std::f64::consts::{PI, TAU};

use barchan_sim::grains::{Ball, Bulk, GrainSpec, Template};
use glam::DVec3;
use serde_json::json;

use super::{WithGrains, parameter};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "clump-inertia",
    about: "volume and inertia of clumps against closed forms; a free clump tumbles and keeps its energy",
    parameters: &[
        parameter(
            "spacing",
            "distance of the balls of a dimer that overlaps (diameters)",
            &[0.6],
            (0.05, 0.99),
            false,
        ),
        parameter("turns", "turns of the free clump (-)", &[1000.0], (1.0, 100_000.0), true),
        parameter("spin_rad_s", "its spin (rad/s)", &[60.0], (0.1, 1000.0), false),
    ],
    run,
};

const EXACT: f64 = 1e-9;
/// Sums along a thousand by a thousand rays.
const SUMMED: f64 = 1e-4;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut rows = Vec::new();
    // Moments over m r² about x, y, z: a ball has 0.4, and each gains by its distance from the axis.
    let closed = [
        (Template::sphere(), [0.4, 0.4, 0.4], 1.0),
        (Template::dimer(1.0), [0.4, 1.4, 1.4], 2.0),
        (Template::trefoil(1.0), [0.4 + 2.0 / 3.0, 0.4 + 2.0 / 3.0, 0.4 + 4.0 / 3.0], 3.0),
        (Template::tetrahedron(1.0), [1.4, 1.4, 1.4], 4.0),
    ];
    for (template, moments, balls) in closed {
        let bulk = Bulk::of(&template);
        let volume = balls * PI / 6.0;
        rows.push(compare(
            &template.name,
            "volume over that of a ball",
            bulk.volume / volume * balls,
            balls,
            EXACT,
        ));
        for (axis, expected) in
            ["x", "y", "z"].into_iter().zip(moments).enumerate().map(|(i, (n, m))| ((i, n), m))
        {
            let measured = bulk.inertia.col(axis.0)[axis.0] / (0.25 * volume);
            rows.push(compare(
                &template.name,
                &format!("moment about {} over m r²", axis.1),
                measured,
                expected,
                EXACT,
            ));
        }
    }
    progress(0.1);
    rows.extend(of_two_that_overlap(settings.number("spacing")));
    progress(0.2);
    rows.push(tumble(settings));
    progress(1.0);
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

fn compare(what: &str, quantity: &str, measured: f64, expected: f64, share: f64) -> Row {
    row(json!({
        "clump": what, "quantity": quantity, "measured": measured, "expected": expected,
        "tolerance": share * expected, "source": "closed form",
        "pass": (measured - expected).abs() <= share * expected,
    }))
}

/// Two balls that overlap: both less the lens; about their axis the integral of pi/2 times the fourth power of the radius.
fn of_two_that_overlap(spacing: f64) -> Vec<Row> {
    let bulk = Bulk::of(&Template::dimer(spacing));
    let lens = PI / 12.0 * (2.0 + spacing) * (1.0 - spacing).powi(2);
    let fourth = |x: f64| 0.0625 * x - 0.5 / 3.0 * x.powi(3) + x.powi(5) / 5.0;
    let about_axis = PI * (fourth(0.5) - fourth(-0.5 * spacing));
    let name = format!("dimer {spacing}");
    vec![
        compare(&name, "volume (d³)", bulk.volume, PI / 3.0 - lens, SUMMED),
        compare(&name, "moment about its axis (d⁵)", bulk.inertia.x_axis.x, about_axis, SUMMED),
    ]
}

/// A clump with three different moments, free of all forces.
fn tumble(settings: &Settings) -> Row {
    let balls = vec![
        Ball { centre: DVec3::ZERO, radius: 0.5 },
        Ball { centre: DVec3::new(0.9, 0.0, 0.0), radius: 0.35 },
        Ball { centre: DVec3::new(0.1, 0.7, 0.2), radius: 0.25 },
    ];
    let mut bed = WithGrains::of(Template { name: "odd".into(), balls }, 0.01);
    bed.gravity_m_s2 = 0.0;
    let (turns, rate) = (settings.number("turns"), settings.number("spin_rad_s"));
    let tumbled = bed.world().and_then(|mut world| {
        // Close to the middle axis, about which spin is not stable: it turns over and over.
        let spin_rad_s = DVec3::new(0.05, 1.0, 0.02).normalize() * rate;
        let spec = GrainSpec { spin_rad_s, ..GrainSpec::at(0, DVec3::ZERO) };
        world.add_grains(&[spec]).map_err(|error| error.to_string())?;
        let energy = |world: &barchan_sim::World| {
            let grain = &world.grains().all()[0];
            grain.kinetic_j(world.grains().form_of(grain))[1]
        };
        let (start, momentum) = (energy(&world), world.grains().all()[0].angular_momentum);
        let mut worst = 0.0f64;
        let seconds = turns * TAU / rate;
        let steps = seconds.ceil().max(1.0);
        for _ in 0..steps as usize {
            world.step(seconds / steps);
            worst = worst.max((energy(&world) / start - 1.0).abs());
        }
        let drift = world.grains().all()[0].angular_momentum.distance(momentum) / momentum.length();
        Ok((worst, drift))
    });
    match tumbled {
        Ok((worst, drift)) => row(json!({
            "clump": "three unlike balls, free", "quantity": "largest change of its energy (share)", "turns": turns,
            "measured": worst, "expected": 0.0, "tolerance": 1e-3, "source": "conservation",
            "change_of_angular_momentum": drift, "pass": worst <= 1e-3 && drift <= 1e-9,
        })),
        Err(problem) => row(json!({ "clump": "free", "problem": problem, "pass": false })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clumps_weigh_and_turn_as_they_must() {
        let settings = Settings::new(EXPERIMENT.parameters, &["turns=20"]).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
        assert!(!compare("x", "y", 1.41, 1.4, EXACT)["pass"].as_bool().unwrap());
    }
}
