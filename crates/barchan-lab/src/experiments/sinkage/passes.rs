//! The experiment `passes`.

use barchan_sim::Material;
use serde_json::json;

use super::plate::{Bed, KINDS};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::traction::{Drive, Gear, Rig};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "passes",
    about: "a plate that is set on the same place, and a wheel that runs in the same rut, again and again: each time it sinks less",
    parameters: &[
        Parameter {
            key: "gear",
            about: "0: a plate that is set on the ground, 1: a wheel of 0.35 m radius that runs over it",
            default: &[0.0, 1.0],
            range: (0.0, 1.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "kind",
            about: "soil: 0 dry_sand, 1 sandy_loam, 2 loam, 3 clay",
            default: &[1.0],
            range: (0.0, 3.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "void_ratio",
            about: "void ratio before (-), brought into the range of the soil",
            default: &[0.95],
            range: (0.1, 3.9),
            whole: false,
            list: false,
        },
        Parameter {
            key: "pressure_kpa",
            about: "pressure (kPa)",
            default: &[150.0],
            range: (0.1, 2_000.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "passes",
            about: "how often",
            default: &[4.0],
            range: (2.0, 50.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "width_m",
            about: "width of the plate (m)",
            default: &[0.3],
            range: (0.02, 10.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Longest time to wait for rest (s).
const LIMIT_S: f64 = 10.0;
/// Voxels across the plate.
const ACROSS: f64 = 8.0;
/// A later pass deepens the rut by this share of the first at most.
const MOST_LATER: f64 = 0.5;
/// Radius and width of the wheel (m), its load (N), speed (m/s) and way (m), and the voxels it runs on (m).
const WHEEL_M: [f64; 2] = [0.35, 0.25];
const WHEEL_LOAD_N: f64 = 2_500.0;
const WHEEL_SPEED_M_S: f64 = 0.3;
const WHEEL_WAY_M: f64 = 1.0;
const WHEEL_VOXEL_M: f64 = 0.04;
const SOURCE: &str = "O'Sullivan 1999: what bore a load bears it again along kappa";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let kind = settings.number("kind") as usize;
    let soil = crate::test_soil::DampSoil { name: KINDS[kind], moisture: 0.0, void_ratio: None }.material();
    let e = settings
        .number("void_ratio")
        .clamp(f64::from(soil.void_ratio_dense), f64::from(soil.void_ratio_loose));
    let mut rows = Vec::new();
    let mut plot = Plot::new("rut", "Depth of the rut", Axis::linear("pass"), Axis::linear("rut (m)"));
    let gears = settings.list("gear");
    for (index, gear) in gears.iter().enumerate() {
        let done = |share: f64| progress((index as f64 + share) / gears.len() as f64);
        let found =
            if *gear > 0.5 { wheel(settings, &soil, e, &done) } else { plate(settings, kind, e, &done) };
        let points = found
            .iter()
            .filter_map(|row| Some([row.get("pass")?.as_f64()?, row.get("rut_m")?.as_f64()?]))
            .collect();
        plot = plot.with(if *gear > 0.5 { "wheel" } else { "plate" }, Style::LinePoints, points);
        rows.extend(found);
    }
    let failed = rows.iter().filter(|row| row["holds"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

/// A plate that is set on the same place again and again.
fn plate(settings: &Settings, kind: usize, void_ratio: f64, progress: &dyn Fn(f64)) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut bed = match Bed::new(kind, Some(void_ratio), settings.number("width_m"), ACROSS) {
        Ok(bed) => bed,
        Err(problem) => return vec![row(json!({ "problem": problem.to_string(), "holds": false }))],
    };
    let count = settings.number("passes") as u32;
    let (mut rut_m, mut first_m, mut void_ratio) = (0.0, 0.0, bed.void_ratio_below());
    for pass in 1..=count {
        let pressed = bed.press(settings.number("pressure_kpa") * 1e3, LIMIT_S);
        let deeper_m = bed.top_m() - bed.surface_m() - rut_m;
        rut_m += deeper_m;
        first_m = if pass == 1 { deeper_m } else { first_m };
        let (before, balance) = (void_ratio, bed.balance_units());
        void_ratio = bed.void_ratio_below();
        let holds = if pass == 1 {
            rut_m > 0.0 && pressed.closed_m3 > 0.0 && void_ratio < before
        } else {
            deeper_m <= MOST_LATER * first_m && void_ratio <= before + 1e-3
        };
        rows.push(row(json!({
            "gear": "plate",
            "pass": pass,
            "material": KINDS[kind],
            "rut_m": rut_m,
            "deeper_m": deeper_m,
            "void_ratio": void_ratio,
            "closed_m3": pressed.closed_m3,
            "balance_units": balance,
            "source": SOURCE,
            "holds": holds && balance == 0,
        })));
        progress(f64::from(pass) / f64::from(count));
    }
    rows
}

/// A wheel that rolls along the same rut again and again.
fn wheel(settings: &Settings, soil: &Material, void_ratio: f64, progress: &dyn Fn(f64)) -> Vec<Row> {
    let gear = Gear::Wheel { radius_m: WHEEL_M[0], width_m: WHEEL_M[1], lugs: false };
    let mut rig = match Rig::new((soil, Some(void_ratio)), 9.81, gear, WHEEL_WAY_M, WHEEL_VOXEL_M) {
        Ok(rig) => rig,
        Err(problem) => return vec![row(json!({ "problem": problem.to_string(), "holds": false }))],
    };
    let drive = Drive {
        load_n: WHEEL_LOAD_N,
        speed_m_s: WHEEL_SPEED_M_S,
        spin_rad_s: WHEEL_SPEED_M_S / WHEEL_M[0],
        way_m: WHEEL_WAY_M,
        friction: 1.0,
        adhesion: 1.0,
    };
    let (mut rows, mut rut_m, mut first_m) = (Vec::new(), 0.0, 0.0);
    let count = settings.number("passes") as u32;
    for pass in 1..=count {
        let felt = rig.drive(gear, &drive);
        let steady: Vec<f64> =
            felt.iter().filter(|felt| felt.way_m > 0.5 * WHEEL_WAY_M).map(|felt| felt.sinkage_m).collect();
        let deeper_m = steady.iter().sum::<f64>() / steady.len().max(1) as f64 - rut_m;
        rut_m += deeper_m;
        first_m = if pass == 1 { deeper_m } else { first_m };
        let balance = rig.balance_units();
        let holds = if pass == 1 { rut_m > 0.0 } else { deeper_m <= MOST_LATER * first_m };
        rows.push(row(json!({
            "gear": "wheel",
            "pass": pass,
            "material": soil.name,
            "rut_m": rut_m,
            "deeper_m": deeper_m,
            "void_ratio": rig.void_ratio_at(0.75 * WHEEL_WAY_M, rut_m + 0.1),
            "balance_units": balance,
            "source": SOURCE,
            "holds": holds && balance == 0,
        })));
        progress(f64::from(pass) / f64::from(count));
    }
    rows
}
