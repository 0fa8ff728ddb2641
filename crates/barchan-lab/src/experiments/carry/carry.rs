//! The experiment: load, move, count.

use std::f64::consts::PI;

use barchan_sim::World;
use barchan_volume::Shape;
use glam::Vec3;
use serde_json::json;

use super::plate::{HALF_EXTENTS_M, HEIGHT_M, SETTLING_S, SWING_RADIUS_M, Trip, Way, units_on};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::rest::{STEP_S, balance_units};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{self, TestSoil, TooLarge, place};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "carry",
    about: "a plate with soil on it drives off, swings and tips: how much stays on it",
    parameters: &[
        Parameter {
            key: "friction_deg",
            about: "angles of friction between plate and soil (°)",
            default: &[1.0, 15.0, 30.0],
            range: (0.0, 84.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "distance_m",
            about: "way of the plate (m)",
            default: &[3.0],
            range: (0.1, 50.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "acceleration_m_s2",
            about: "its largest acceleration (m/s²)",
            default: &[1.0],
            range: (0.05, 20.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "tip_deg",
            about: "angle by which it tips (°)",
            default: &[60.0],
            range: (0.0, 90.0),
            whole: false,
            list: false,
        },
        test_soil::phi_deg(&[35.0]),
        test_soil::voxel_size_m(&[0.05]),
    ],
    run,
};

/// Radius and slope of the heap on the plate (m, °): gentler than any default friction of the soil.
const LOAD_RADIUS_M: f32 = 0.5;
const LOAD_SLOPE_DEG: f32 = 20.0;
/// Standard gravity (m/s²).
const GRAVITY_M_S2: f64 = 9.81;
/// Between holding and sliding lies a band in which neither is expected: this factor either way.
const MARGIN: f64 = 2.0;
/// Shares may be off by this much: soil at the rim of a heap rolls.
const TOLERANCE: f64 = 0.1;
const SOURCE: &str =
    "Coulomb: a load is held while a < g tan(friction), slides off a plate steeper than its friction";

struct Carried {
    friction_deg: f64,
    trip: Trip,
    units_loaded: i64,
    units_carried: i64,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases = cases(settings);
    let (mut rows, mut carried) = (Vec::new(), Vec::new());
    for (index, (friction_deg, trip, phi_deg, voxel_size_m)) in cases.iter().enumerate() {
        match carry(*friction_deg, *trip, *phi_deg, *voxel_size_m) {
            Ok(one) => {
                rows.push(one.row(*phi_deg, *voxel_size_m));
                carried.push(one);
            }
            Err(problem) => {
                let (motion, problem) = (trip.way.name(), problem.to_string());
                rows.push(row(json!({ "motion": motion, "problem": problem, "pass": false })));
            }
        }
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot(&carried)], pass: failed == 0 }
}

/// Friction (°), trip, phi (°) and voxel size (m) of every case.
fn cases(settings: &Settings) -> Vec<(f64, Trip, f64, f64)> {
    let acceleration_m_s2 = settings.number("acceleration_m_s2");
    let mut trips = Vec::new();
    for way in Way::ALL {
        let tip = [settings.number("tip_deg").to_radians()];
        let extents = if way == Way::Tip { &tip[..] } else { settings.list("distance_m") };
        trips.extend(extents.iter().map(|&extent| Trip { way, extent, acceleration_m_s2 }));
    }
    let mut cases = Vec::new();
    for trip in trips {
        for &friction_deg in settings.list("friction_deg") {
            for &phi_deg in settings.list("phi_deg") {
                for &voxel_size_m in settings.list("voxel_size_m") {
                    cases.push((friction_deg, trip, phi_deg, voxel_size_m));
                }
            }
        }
    }
    cases
}

fn carry(friction_deg: f64, trip: Trip, phi_deg: f64, voxel_size_m: f64) -> Result<Carried, TooLarge> {
    let mut world = TestSoil::loose(phi_deg).world(voxel_size_m, trip.bounds(voxel_size_m))?;
    let plate = world.add_body(trip.plate(friction_deg)).expect("a sound plate");
    let half_height = LOAD_RADIUS_M * LOAD_SLOPE_DEG.to_radians().tan() / 2.0;
    let heap = Shape::Cone { radius: LOAD_RADIUS_M, half_height };
    place(&mut world, heap, Vec3::Z * (HEIGHT_M + HALF_EXTENTS_M.z + half_height));
    let on_plate = |world: &World| world.bodies().get(plate).map_or(0, |plate| units_on(world, &plate));
    let mut off_balance = step_for(&mut world, SETTLING_S);
    let units_loaded = on_plate(&world);
    off_balance += step_for(&mut world, trip.duration_s() + SETTLING_S);
    let balance_units = balance_units(&world) + off_balance;
    Ok(Carried { friction_deg, trip, units_loaded, units_carried: on_plate(&world), balance_units })
}

/// Steps for `seconds`; tells after how many steps the books did not balance.
fn step_for(world: &mut World, seconds: f64) -> i64 {
    let steps = (seconds / STEP_S).round() as usize;
    (0..steps).map(|_| i64::from(!world.step(STEP_S).imbalance.is_zero())).sum()
}

impl Carried {
    fn share(&self) -> f64 {
        self.units_carried as f64 / self.units_loaded as f64
    }

    /// The share that must stay on, where friction tells clearly.
    fn expected(&self) -> Option<f64> {
        let holds = self.friction_deg.to_radians().tan();
        let asked = match self.trip.way {
            Way::Tip => self.trip.extent.tan(),
            Way::Translate | Way::Rotate => self.trip.acceleration_m_s2 / GRAVITY_M_S2,
        };
        // Soil that stays behind is off the plate only when the plate has gone from under it.
        let far = f64::from(2.0 * HALF_EXTENTS_M.x + LOAD_RADIUS_M);
        let swing = f64::from(SWING_RADIUS_M);
        let farthest = match self.trip.way {
            Way::Tip => f64::INFINITY,
            Way::Translate => self.trip.extent,
            Way::Rotate => 2.0 * swing * ((self.trip.extent / swing).min(PI) / 2.0).sin(),
        };
        let leaves = farthest * (1.0 - holds / asked) > far;
        if holds > asked * MARGIN {
            Some(1.0)
        } else if holds < asked / MARGIN && leaves {
            Some(0.0)
        } else {
            None
        }
    }

    fn row(&self, phi_deg: f64, voxel_size_m: f64) -> Row {
        let distance_m = if self.trip.way == Way::Tip { 0.0 } else { self.trip.extent };
        let mut row = row(json!({
            "friction_deg": self.friction_deg,
            "motion": self.trip.way.name(),
            "distance_m": distance_m,
            "phi_deg": phi_deg,
            "voxel_size_m": voxel_size_m,
            "units_loaded": self.units_loaded,
            "units_carried": self.units_carried,
            "share_carried": self.share(),
            "balance_units": self.balance_units,
        }));
        let mut pass = self.balance_units == 0;
        if let Some(expected) = self.expected() {
            pass &= (self.share() - expected).abs() <= TOLERANCE;
            row.extend(self::row(json!({
                "measured": self.share(), "expected": expected, "tolerance": TOLERANCE, "source": SOURCE,
            })));
        }
        row.insert("pass".into(), json!(pass));
        row
    }
}

fn plot(carried: &[Carried]) -> Plot {
    let axes = (Axis::linear("friction of the plate (°)"), Axis::linear("share carried (-)"));
    let mut plot = Plot::new("share", "Soil that stays on a moving plate", axes.0, axes.1);
    for way in Way::ALL {
        let of = carried.iter().filter(|one| one.trip.way == way);
        let mut points: Vec<_> = of.map(|one| [one.friction_deg, one.share()]).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        plot = plot.with(way.name(), Style::LinePoints, points);
    }
    plot
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(way: Way, friction_deg: f64, extent: f64, units_carried: i64) -> Carried {
        let trip = Trip { way, extent, acceleration_m_s2: 1.0 };
        Carried { friction_deg, trip, units_loaded: 1000, units_carried, balance_units: 0 }
    }

    #[test]
    fn friction_holds_and_ice_does_not() {
        let expected = |way, friction_deg, extent| carried(way, friction_deg, extent, 0).expected();
        assert_eq!(expected(Way::Translate, 30.0, 3.0), Some(1.0));
        assert_eq!(expected(Way::Translate, 1.0, 3.0), Some(0.0));
        assert_eq!(expected(Way::Translate, 1.0, 0.5), None);
        assert_eq!(expected(Way::Translate, 5.0, 3.0), None);
        assert_eq!(expected(Way::Tip, 30.0, 1.047), Some(0.0));
        assert_eq!(expected(Way::Tip, 30.0, 0.1), Some(1.0));
    }

    #[test]
    fn a_load_that_stays_behind_does_not_pass() {
        let pass =
            |units| carried(Way::Translate, 30.0, 3.0, units).row(35.0, 0.05)["pass"].as_bool().unwrap();
        assert!(pass(950));
        assert!(!pass(500));
    }
}
