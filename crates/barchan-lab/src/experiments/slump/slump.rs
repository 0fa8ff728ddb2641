//! The experiment: let a column go, wait, measure the pile.

use barchan_sim::World;
use barchan_volume::Shape;
use glam::Vec3;
use serde_json::json;

use super::cases::{Case, cases};
use super::plots::plots;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{Pile, SoilDepths};
use crate::rest::{LIMIT_S, STEP_S, balance_units, settle, step_to_rest};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{self, TooLarge, bounds_around};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "slump",
    about: "a column of soil collapses: slope, roundness, time to rest",
    parameters: &[
        test_soil::phi_deg(&[20.0, 25.0, 30.0, 35.0, 40.0]),
        test_soil::c_pa(&[0.0, 4_900.0, 9_800.0, 19_600.0]),
        test_soil::gamma_n_m3(&[19_600.0, 9_800.0, 29_400.0]),
        test_soil::voxel_size_m(&[0.8, 0.4, 0.2]),
        Parameter {
            key: "radius_m",
            about: "radius of the column (m)",
            default: &[4.0],
            range: (0.01, 1_000.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "height_m",
            about: "height of the column (m)",
            default: &[10.0],
            range: (0.01, 1_000.0),
            whole: false,
            list: false,
        },
        LIMIT_S,
        Parameter {
            key: "settle",
            about: "0: step the world until it rests, 1: settle it without letting time pass",
            default: &[0.0],
            range: (0.0, 1.0),
            whole: true,
            list: true,
        },
    ],
    run,
};

/// Of slopes (°) and of the roundness of bases (-).
const SLOPE_TOLERANCE_DEG: f64 = 1.5;
const ROUND_WITHIN: f64 = 1.05;
/// By so much a slope may go against a trend before it counts (°): cohesive soil breaks off by whole columns, and one more or less
/// at the top changes the mean slope by as much.
const TREND_SLACK_DEG: f64 = 2.0;
/// By so much of itself a time to rest may go against a trend before it counts: the last pebble decides it.
const TREND_SLACK_OF_TIME: f64 = 0.1;
const SOURCE: &str = "Mohr-Coulomb: a cohesionless slope rests at phi";

/// A pile at rest.
pub(super) struct Slumped {
    pub case: Case,
    pub pile: Pile,
    pub seconds_to_rest: f64,
    at_rest: bool,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases = cases(settings);
    let (mut rows, mut slumped) = (Vec::new(), Vec::new());
    for (index, case) in cases.iter().enumerate() {
        match slump(case, settings) {
            Ok(pile) => {
                rows.push(pile.row(settings));
                slumped.push(pile);
            }
            Err(problem) => rows.push(row(json!({
                "phi_deg": case.soil.phi_deg, "voxel_size_m": case.voxel_size_m,
                "problem": problem.to_string(), "pass": false,
            }))),
        }
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let trends = trends(&slumped);
    let against = trends.values().filter(|held| **held == json!(false)).count();
    summary.extend(trends);
    if let Some(apart) = modes_apart_deg(&slumped) {
        summary.insert("step_and_settle_apart_deg".into(), json!(apart));
    }
    if let Some(ratio) = rest_times_apart(&slumped) {
        summary.insert("rest_times_of_voxel_sizes_apart".into(), json!(ratio));
    }
    Outcome { rows, summary, plots: plots(&slumped), pass: failed + against == 0 }
}

fn slump(case: &Case, settings: &Settings) -> Result<Slumped, TooLarge> {
    let (radius, height) = (settings.number("radius_m") as f32, settings.number("height_m") as f32);
    // The cone that holds as much as the column, and half as much again for soil on its way.
    let tan = (case.soil.phi_deg.max(5.0) as f32).to_radians().tan();
    let cone_radius = (3.0 * radius * radius * height / tan).cbrt();
    let side = 3.0 * cone_radius.max(radius);
    let bounds = bounds_around(Vec3::new(side, side, height), case.voxel_size_m);
    let mut world = case.soil.world(case.voxel_size_m, bounds)?;
    place_column(&mut world, radius, height);
    let rest =
        if case.settle { settle(&mut world) } else { step_to_rest(&mut world, settings.number("limit_s")) };
    let pile = Pile::of(&SoilDepths::of(&world, bounds)).expect("the soil of the column is still there");
    let balance_units = balance_units(&world) + rest.off_balance as i64;
    Ok(Slumped { case: *case, pile, seconds_to_rest: rest.seconds, at_rest: rest.at_rest, balance_units })
}

/// Places a column around the z axis in whole voxels: soil in voxels that its side merely cuts would have nothing below it,
/// and fall all the way down a column that stands.
fn place_column(world: &mut World, radius: f32, height: f32) {
    let size = world.ground().voxel_size_m();
    let voxels = (radius / size).ceil() as i32;
    let mut is_placed = false;
    for x in -voxels..voxels {
        let middle = (x as f32 + 0.5) * size;
        let chord = (radius * radius - middle * middle).max(0.0).sqrt();
        // Voxels on either side whose middle lies in the column.
        let count = (chord / size + 0.5).floor();
        if count > 0.0 {
            let half_extents = Vec3::new(size, 2.0 * count * size, height) / 2.0;
            test_soil::place(world, Shape::Box { half_extents }, Vec3::new(middle, 0.0, height / 2.0));
            is_placed = true;
        }
    }
    if !is_placed {
        test_soil::place(
            world,
            Shape::Cylinder { radius, half_height: height / 2.0 },
            Vec3::Z * height / 2.0,
        );
    }
}

impl Slumped {
    pub(super) fn slope_deg(&self) -> f64 {
        self.pile.slope.to_degrees()
    }

    fn row(&self, settings: &Settings) -> Row {
        let soil = self.case.soil;
        let mut row = row(json!({
            "phi_deg": soil.phi_deg,
            "c_pa": soil.c_pa,
            "gamma_n_m3": soil.gamma_n_m3,
            "voxel_size_m": self.case.voxel_size_m,
            "radius_m": settings.number("radius_m"),
            "height_m": settings.number("height_m"),
            "slope_deg": self.slope_deg(),
            "roundness": self.pile.roundness,
            "seconds_to_rest": self.seconds_to_rest,
            "at_rest": self.at_rest,
            "peak_m": self.pile.peak_m,
            "base_radius_m": self.pile.base_radius_m,
            "settle": u8::from(self.case.settle),
            "balance_units": self.balance_units,
        }));
        let mut pass = self.balance_units == 0 && self.at_rest;
        if soil.c_pa == 0.0 {
            let expected = soil.phi_deg;
            pass &= (self.slope_deg() - expected).abs() <= SLOPE_TOLERANCE_DEG;
            pass &= self.pile.roundness <= ROUND_WITHIN;
            row.insert("measured".into(), json!(self.slope_deg()));
            row.insert("expected".into(), json!(expected));
            row.insert("tolerance".into(), json!(SLOPE_TOLERANCE_DEG));
            row.insert("source".into(), json!(SOURCE));
        }
        row.insert("pass".into(), json!(pass));
        row
    }
}

/// Whether slopes and times to rest follow friction, cohesion and weight as they must, as far as the cases tell (Geiger2015,
/// fig. 45-47).
fn trends(slumped: &[Slumped]) -> Row {
    let key = |s: &Slumped| {
        let (case, soil) = (s.case, s.case.soil);
        [soil.phi_deg, soil.c_pa, soil.gamma_n_m3, case.voxel_size_m, f64::from(u8::from(case.settle))]
    };
    // How much steeper, and how much sooner at rest, the second of two piles is than the first.
    let steeper = |a: &Slumped, b: &Slumped| b.slope_deg() - a.slope_deg();
    let sooner = |a: &Slumped, b: &Slumped| a.seconds_to_rest - b.seconds_to_rest;
    let slack_s =
        |a: &Slumped, b: &Slumped| TREND_SLACK_OF_TIME * a.seconds_to_rest.max(b.seconds_to_rest) + STEP_S;
    let mut trends = Row::new();
    for (varied, sign, [slope, time]) in [
        (0, 1.0, ["steeper_with_phi", "sooner_with_phi"]),
        (1, 1.0, ["steeper_with_c", "sooner_with_c"]),
        (2, -1.0, ["flatter_with_gamma", "later_with_gamma"]),
    ] {
        let pairs = slumped.iter().flat_map(|a| slumped.iter().map(move |b| (a, b)));
        let pairs: Vec<_> = pairs
            .filter(|(a, b)| {
                let (a, b) = (key(a), key(b));
                let others_equal = (0..a.len()).all(|at| at == varied || a[at] == b[at]);
                // Without cohesion the weight cancels out.
                others_equal && a[varied] < b[varied] && (varied != 2 || a[1] > 0.0)
            })
            .collect();
        if pairs.is_empty() {
            continue;
        }
        let follows = |gain: &dyn Fn(&Slumped, &Slumped) -> f64,
                       slack: &dyn Fn(&Slumped, &Slumped) -> f64| {
            pairs.iter().all(|(a, b)| sign * gain(a, b) > -slack(a, b))
                && pairs.iter().any(|(a, b)| sign * gain(a, b) > 0.0)
        };
        trends.insert(slope.into(), json!(follows(&steeper, &|_, _| TREND_SLACK_DEG)));
        // Settling takes no time.
        if pairs.iter().all(|(a, _)| !a.case.settle) {
            trends.insert(time.into(), json!(follows(&sooner, &slack_s)));
        }
    }
    trends
}

/// How far apart (°) the slopes of loose piles are at most that were stepped and settled; none where not both were.
fn modes_apart_deg(slumped: &[Slumped]) -> Option<f64> {
    let loose = || slumped.iter().filter(|s| s.case.soil.c_pa == 0.0);
    let apart = loose().filter(|s| s.case.settle).flat_map(|s| {
        let stepped = Case { settle: false, ..s.case };
        loose().filter(move |t| t.case == stepped).map(|t| (t.slope_deg() - s.slope_deg()).abs())
    });
    apart.reduce(f64::max)
}

/// How many times longer than with others loose piles of the same soil take to rest with some voxels, at most; none where
/// there is one size only.
fn rest_times_apart(slumped: &[Slumped]) -> Option<f64> {
    let stepped = || slumped.iter().filter(|s| s.case.soil.c_pa == 0.0 && !s.case.settle);
    let ratios = stepped().flat_map(|a| {
        let same_soil =
            move |b: &&Slumped| a.case.soil == b.case.soil && a.case.voxel_size_m != b.case.voxel_size_m;
        stepped().filter(same_soil).map(|b| a.seconds_to_rest / b.seconds_to_rest)
    });
    ratios.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_soil::TestSoil;

    /// A pile of soil (°, Pa, N/m³) at rest after a second, with a slope (°).
    fn pile(phi_deg: f64, c_pa: f64, gamma_n_m3: f64, slope_deg: f64) -> Slumped {
        let soil = TestSoil { phi_deg, c_pa, gamma_n_m3 };
        let slope = slope_deg.to_radians();
        let pile = Pile { peak_m: 1.0, slope, roundness: 1.01, base_radius_m: 2.0, profile_m: Vec::new() };
        let case = Case { soil, voxel_size_m: 0.1, settle: false };
        Slumped { case, pile, seconds_to_rest: 1.0, at_rest: true, balance_units: 0 }
    }

    #[test]
    fn trends_must_be_there_and_point_the_right_way() {
        let phi = |slope| [pile(20.0, 0.0, 2e4, 20.0), pile(30.0, 0.0, 2e4, slope)];
        assert_eq!(trends(&phi(29.0))["steeper_with_phi"], json!(true));
        assert_eq!(trends(&phi(20.0))["steeper_with_phi"], json!(false));
        let gamma = |slope| [pile(30.0, 5e3, 1e4, 50.0), pile(30.0, 5e3, 3e4, slope)];
        assert_eq!(trends(&gamma(40.0))["flatter_with_gamma"], json!(true));
        assert_eq!(trends(&gamma(60.0))["flatter_with_gamma"], json!(false));
        assert!(trends(&gamma(40.0)[..1]).is_empty());
        let after = |seconds_to_rest| {
            let [light, heavy] = gamma(40.0);
            [light, Slumped { seconds_to_rest, ..heavy }]
        };
        assert_eq!(trends(&after(1.5))["later_with_gamma"], json!(true));
        assert_eq!(trends(&after(0.8))["later_with_gamma"], json!(false));
        let soon = |seconds_to_rest| {
            let [flat, steep] = phi(29.0);
            [flat, Slumped { seconds_to_rest, ..steep }]
        };
        assert_eq!(trends(&soon(0.8))["sooner_with_phi"], json!(true));
        assert_eq!(trends(&soon(1.5))["sooner_with_phi"], json!(false));
    }

    #[test]
    fn slopes_roundness_rest_and_books_decide() {
        let settings = Settings::new::<&str>(EXPERIMENT.parameters, &[]).unwrap();
        let pass = |slumped: Slumped| slumped.row(&settings)["pass"].as_bool().unwrap();
        let good = || pile(30.0, 0.0, 2e4, 31.4);
        assert!(pass(good()));
        assert!(!pass(pile(30.0, 0.0, 2e4, 31.6)));
        assert!(!pass(Slumped { at_rest: false, ..good() }));
        assert!(!pass(Slumped { balance_units: -1, ..good() }));
        assert!(!pass(Slumped { pile: Pile { roundness: 1.06, ..good().pile }, ..good() }));
    }
}
