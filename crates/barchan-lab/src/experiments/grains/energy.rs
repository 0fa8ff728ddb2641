//! Where the energy of falling grains goes: motion, turning, height, contacts and springs, damping, friction, rolling, and what
//! moving walls take or give. All of it together must stay what it was.

use barchan_sim::World;
use barchan_sim::bodies::{BodyId, BodySpec, Cause, Motion};
use barchan_sim::grains::{Fill, Template, Wall, WallMotion};
use barchan_volume::{Pose, Shape};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

use super::{WithGrains, parameter, parameter_list};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "grain-energy",
    about: "grains fall on a floor at rest, one that shakes, and with a ball on top: energy by cause closes, with the load on each wall",
    parameters: &[
        parameter_list(
            "form",
            "0 sphere, 1 sphere that resists rolling, 3 tetrahedron",
            &[0.0, 1.0, 3.0],
            (0.0, 3.0),
            true,
        ),
        parameter_list(
            "floor",
            "0 at rest, 1 vibrates, 2 at rest, and a ball falls on the grains",
            &[0.0, 1.0, 2.0],
            (0.0, 2.0),
            true,
        ),
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
/// By what share of the impulse of weight the impulses on walls and bodies may be off: forces are sums of f32.
const MOMENTUM_TOLERANCE: f64 = 1e-4;
const STEP_S: f64 = 0.005;
const FORMS: [&str; 4] = ["sphere", "sphere, rolling friction", "", "tetrahedron"];

/// What the grains fall on.
#[derive(Clone, Copy, PartialEq)]
enum Floor {
    Rests,
    Vibrates,
    WithBody,
}

impl Floor {
    fn of(number: f64) -> Self {
        match number as usize {
            0 => Self::Rests,
            1 => Self::Vibrates,
            _ => Self::WithBody,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Rests => "at rest",
            Self::Vibrates => "vibrates",
            Self::WithBody => "at rest, with a ball",
        }
    }
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (forms, floors) = (settings.list("form"), settings.list("floor"));
    let cases: Vec<_> =
        forms.iter().flat_map(|&form| floors.iter().map(move |&floor| (form, floor))).collect();
    let (mut rows, mut plots) = (Vec::new(), Vec::new());
    for (at, &(form, floor)) in cases.iter().enumerate() {
        match fall(form as usize, Floor::of(floor), settings) {
            Ok((row, plot)) => {
                rows.push(row);
                plots.push(plot);
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

/// What pushes of the grains did to a wall or a body.
#[derive(Clone, Copy, Default)]
struct Load {
    impulse: DVec3,
    angular_impulse: DVec3,
}

impl Load {
    fn add(&mut self, (force, torque): (DVec3, DVec3), dt_s: f64) {
        self.impulse += force * dt_s;
        self.angular_impulse += torque * dt_s;
    }

    fn json(&self, name: &str, work_j: f64, seconds: f64) -> Value {
        let (force, torque) = (self.impulse / seconds, self.angular_impulse / seconds);
        json!({ "on": name, "mean_force_n": force.to_array(), "mean_torque_n_m": torque.to_array(), "work_j": work_j })
    }
}

fn fall(form: usize, floor: Floor, settings: &Settings) -> Result<(Row, Plot), String> {
    let d = settings.number("diameter_m");
    let template = if form == 3 { Template::tetrahedron(1.0) } else { Template::sphere() };
    let mut with = WithGrains::of(template, d);
    with.setup.substances[0].rolling_friction = if form == 1 { 0.2 } else { 0.0 };
    with.setup.laws.substeps_per_contact = settings.number("substeps");
    let plane = Wall::plane("floor", DVec3::ZERO, DVec3::Z);
    let shake = WallMotion::Vibrate { amplitude_m: DVec3::Z * (0.3 * d), frequency_hz: 20.0 };
    with.setup.walls.push(if floor == Floor::Vibrates { plane.moving(shake) } else { plane });
    let radius = 5.0 * d;
    with.setup.walls.push(Wall::tube("tube", DVec3::Z * (-2.0 * d), radius, 400.0 * d));
    let gravity = f64::from(with.gravity_m_s2);
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
    let body = (floor == Floor::WithBody).then(|| add_ball(&mut world, d)).transpose()?;
    world.watch_grain_energy(true);
    let start = world.grain_energy();
    let start_momentum = momentum(&world);
    let mut curves: [Vec<[f64; 2]>; 4] = Default::default();
    let mut loads = [Load::default(); 3];
    let steps = (settings.number("seconds") / STEP_S).ceil() as usize;
    for _ in 0..steps {
        let report = world.step(STEP_S).grains;
        for (load, mean) in loads.iter_mut().zip(&report.walls) {
            load.add(*mean, STEP_S);
        }
        if let Some(received) = body.and_then(|id| world.bodies().received(id)) {
            let (force, torque) = received.mean_force_n(Cause::Grains);
            loads[2].add((force.as_dvec3(), torque.as_dvec3()), STEP_S);
        }
        let time_s = world.clock().time_s;
        let now = world.grain_energy();
        let lost = world.grains().lost().unwrap_or_default();
        let values =
            [now.moving + now.turning, now.height - start.height, now.pressed + now.drawn, lost.total()];
        curves.iter_mut().zip(values).for_each(|(curve, value)| curve.push([time_s, value]));
    }
    let seconds = world.clock().time_s;
    let end = world.grain_energy();
    let lost = world.grains().lost().unwrap_or_default();
    // What came into play: height that was lost, or work of the floor.
    let in_play = (start.height - end.height).abs().max(lost.given().abs()).max(lost.damping + lost.sliding);
    let off = (end.total() + lost.total() - start.total()) / in_play;
    // What weight gave in all this time, less what grains still have, went into walls and bodies.
    let weight =
        world.grains().all().iter().map(|g| world.grains().form_of(g).mass_kg).sum::<f64>() * gravity;
    let due = DVec3::Z * (weight * seconds) - (momentum(&world) - start_momentum);
    let given: DVec3 = loads.iter().map(|load| load.impulse).sum();
    let momentum_off = (given - due).length() / (weight * seconds).abs();
    let mut on = Vec::new();
    for (at, name) in ["floor", "tube"].into_iter().enumerate() {
        on.push(loads[at].json(name, lost.walls.get(at).copied().unwrap_or(0.0), seconds));
    }
    for (_, work) in &lost.bodies {
        on.push(loads[2].json("ball", *work, seconds));
    }
    let row = row(json!({
        "law": "hertz, springs", "form": FORMS[form], "floor": floor.name(),
        "grains": grains, "seconds": seconds, "substeps_per_contact": settings.number("substeps"),
        "moving_j": end.moving, "turning_j": end.turning, "height_j": end.height - start.height,
        "pressed_j": end.pressed, "springs_j": end.drawn,
        "lost_to_damping_j": lost.damping, "lost_to_friction_j": lost.sliding, "lost_to_rolling_j": lost.rolling,
        "lost_with_stiffness_of_springs_j": lost.slackening, "given_j": lost.given(), "loads": on,
        "momentum_off": momentum_off,
        "measured": off, "expected": 0.0, "tolerance": TOLERANCE, "source": "conservation of energy",
        "pass": off.abs() <= TOLERANCE && momentum_off <= MOMENTUM_TOLERANCE,
    }));
    let axes = (Axis::linear("time (s)"), Axis::linear("energy (J)"));
    let mut plot = Plot::new("energy", "Energy of falling grains", axes.0, axes.1);
    for (name, curve) in ["motion", "height", "contacts", "lost"].into_iter().zip(curves) {
        plot = plot.with(name.to_owned(), Style::LinePoints, curve);
    }
    Ok((row, plot))
}

/// A ball that falls after the grains.
fn add_ball(world: &mut World, d: f64) -> Result<BodyId, String> {
    let top = world.grains().seen().iter().map(|ball| ball.centre_m.z).fold(0.0, f32::max);
    let shape = Shape::Ball { radius: 2.0 * d as f32 };
    let mut spec = BodySpec::new("ball", shape, Pose::at(Vec3::Z * (top + 4.0 * d as f32)), Motion::Dynamic);
    spec.linear_velocity_m_s = Vec3::Z * -3.0;
    world.add_body(spec).map_err(|error| error.to_string())
}

/// Momentum of all grains (kg m/s).
fn momentum(world: &World) -> DVec3 {
    world.grains().all().iter().map(|g| g.velocity_m_s * world.grains().form_of(g).mass_kg).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_closes() {
        let sets = ["form=3", "floor=0,1", "grains=12", "seconds=0.25"];
        let outcome = run(&Settings::new(EXPERIMENT.parameters, &sets).unwrap(), &|_| ());
        assert!(outcome.pass, "{:?}", outcome.rows);
    }
}
