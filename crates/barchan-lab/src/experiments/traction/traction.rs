//! The experiment `traction`.

use barchan_sim::Material;
use serde_json::json;

use super::rig::{Drive, Felt, Gear, Rig};
use super::theory::{self, Ground};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};
use crate::test_soil::DampSoil;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "traction",
    about: "what a track shoe and wheels with imposed slip pull, and how deep they sink (Janosi, Hanamoto, Bekker, Wong)",
    parameters: &[
        Parameter {
            key: "gear",
            about: "0: track shoe of 1.0 x 0.2 m, 1: rigid wheel, 2: the same with lugs",
            default: &[0.0, 1.0, 2.0],
            range: (0.0, 2.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "kind",
            about: "soils: 0 dry_sand with a cohesion of 1.04 kPa and 28°, 1 lunar_regolith at lunar gravity",
            default: &[0.0],
            range: (0.0, 1.0),
            whole: true,
            list: true,
        },
        list("slip", "slips (-)", &[0.05, 0.1, 0.2, 0.5], (0.01, 0.95)),
        one("load_n", "load on the ground of a shoe (N)", &[5_000.0], (10.0, 1e6)),
        one("wheel_load_n", "load on the ground of a wheel (N)", &[1_500.0], (10.0, 1e6)),
        one("radius_m", "radius of the wheels (m)", &[0.35], (0.05, 5.0)),
        one("width_m", "width of the wheels (m)", &[0.25], (0.05, 5.0)),
        one("k_mm", "shear displacement of the soil (mm)", &[25.0], (0.1, 1_000.0)),
        one("voxel_m", "edge of a voxel (m)", &[0.04], (0.005, 1.0)),
    ],
    run,
};

const fn list(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
) -> Parameter {
    Parameter { key, about, default, range, whole: false, list: true }
}

const fn one(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
) -> Parameter {
    Parameter { key, about, default, range, whole: false, list: false }
}

/// Size of the shoe (m), and its speed (m/s).
const SHOE_M: [f64; 2] = [1.0, 0.2];
const SHOE_SPEED_M_S: f64 = 0.1;
/// Speed of wheels (m/s), how far they run, and from where on the run counts (radii).
const WHEEL_SPEED_M_S: f64 = 0.2;
const WHEEL_WAY: f64 = 3.0;
const STEADY_FROM: f64 = 1.5;
/// Traction of the shoe must agree within this share of the greatest there is, that of wheels within that share: how pressure lies
/// around a wheel, nobody knows better (Wong2008, 2.6).
const SHOE_TOLERANCE: f64 = 0.05;
const WHEEL_TOLERANCE: f64 = 0.25;
const SOURCE: &str =
    "JanosiHanamoto1961: tau = (c + p tan phi)(1 - exp(-j/K)); Bekker1969; Wong2008, 2.5 and 2.6";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut cases = Vec::new();
    for &kind in settings.list("kind") {
        cases.extend(settings.list("gear").iter().map(|&gear| (kind as usize, gear as usize)));
    }
    let slips = settings.list("slip");
    let mut rows = Vec::new();
    let mut plot =
        Plot::new("pull", "Traction against slip", Axis::linear("slip (-)"), Axis::linear("traction (N)"));
    for (index, &(kind, gear)) in cases.iter().enumerate() {
        let case = Case::of(settings, kind, gear);
        let found: Vec<Row> = slips
            .iter()
            .map(|slip| case.row(*slip))
            .inspect(|_| progress((index as f64 + 0.5) / cases.len() as f64))
            .collect();
        let points = |key: &str| -> Vec<[f64; 2]> {
            found.iter().filter_map(|row| Some([row["slip"].as_f64()?, row.get(key)?.as_f64()?])).collect()
        };
        let name = format!("{}, {}", case.gear_name, case.soil.name);
        plot = plot.with(name.clone(), Style::LinePoints, points("measured"));
        plot = plot.with(format!("{name}: theory"), Style::Reference, points("expected"));
        rows.extend(found);
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

/// One gear on one soil.
struct Case {
    gear: Gear,
    gear_name: &'static str,
    soil: Material,
    ground: Ground,
    gravity_m_s2: f64,
    load_n: f64,
    voxel_m: f64,
}

impl Case {
    fn of(settings: &Settings, kind: usize, gear: usize) -> Self {
        let [radius_m, width_m] = ["radius_m", "width_m"].map(|key| settings.number(key));
        let shear_displacement_m = (settings.number("k_mm") / 1e3) as f32;
        let (soil, gravity_m_s2) = match kind {
            0 => {
                let sand = DampSoil { name: "dry_sand", moisture: 0.0, void_ratio: None }.material();
                let angle = 28_f32.to_radians();
                (Material { cohesion_pa: 1_040.0, friction_angle: angle, repose_angle: angle, ..sand }, 9.81)
            }
            _ => (DampSoil { name: "lunar_regolith", moisture: 0.0, void_ratio: None }.material(), 1.62),
        };
        let soil = Material { shear_displacement_m, ..soil };
        let ground = Ground {
            sinkage: [soil.sinkage_kc, soil.sinkage_kphi, soil.sinkage_exponent].map(f64::from),
            adhesion_pa: soil.cohesion_pa.into(),
            tan_phi: soil.friction_angle.tan().into(),
            shear_displacement_m: shear_displacement_m.into(),
        };
        let wheel = Gear::Wheel { radius_m, width_m, lugs: gear == 2 };
        let shoe = Gear::Shoe { length_m: SHOE_M[0], width_m: SHOE_M[1] };
        let (gear, gear_name, load) = match gear {
            0 => (shoe, "shoe", "load_n"),
            1 => (wheel, "wheel", "wheel_load_n"),
            _ => (wheel, "lugged wheel", "wheel_load_n"),
        };
        let load_n = settings.number(load);
        Self { gear, gear_name, soil, ground, gravity_m_s2, load_n, voxel_m: settings.number("voxel_m") }
    }

    fn row(&self, slip: f64) -> Row {
        let mut row = row(json!({
            "gear": self.gear_name,
            "material": self.soil.name,
            "slip": slip,
            "load_n": self.load_n,
        }));
        let drive = self.drive(slip);
        match Rig::new((&self.soil, None), self.gravity_m_s2, self.gear, drive.way_m, self.voxel_m) {
            Ok(mut rig) => {
                let felt = rig.drive(self.gear, &drive);
                row.extend(self.judged(slip, &felt, rig.balance_units()));
            }
            Err(problem) => {
                row.insert("problem".into(), json!(problem.to_string()));
                row.insert("pass".into(), json!(false));
            }
        }
        row
    }

    fn drive(&self, slip: f64) -> Drive {
        let still = Drive {
            load_n: self.load_n,
            speed_m_s: SHOE_SPEED_M_S,
            spin_rad_s: 0.0,
            way_m: slip * SHOE_M[0],
            // Rougher than soil: it shears in itself.
            friction: 2.0,
            adhesion: 1.0,
        };
        match self.gear {
            Gear::Shoe { .. } => still,
            Gear::Wheel { radius_m, .. } => Drive {
                speed_m_s: WHEEL_SPEED_M_S,
                spin_rad_s: WHEEL_SPEED_M_S / (radius_m * (1.0 - slip)),
                way_m: WHEEL_WAY * radius_m,
                ..still
            },
        }
    }

    /// A shoe that is dragged by slip times its length has been sheared as the end of a track is: the mean over its way is what the
    /// track pulls.
    fn judged(&self, slip: f64, felt: &[Felt], balance_units: i64) -> Row {
        let from_m = match self.gear {
            Gear::Shoe { .. } => 0.0,
            Gear::Wheel { radius_m, .. } => STEADY_FROM * radius_m,
        };
        let steady: Vec<&Felt> = felt.iter().filter(|felt| felt.way_m >= from_m).collect();
        let mean = |of: fn(&Felt) -> f64| {
            steady.iter().map(|felt| of(felt)).sum::<f64>() / steady.len().max(1) as f64
        };
        // The ground holds a shoe back that is dragged ahead; it pushes a wheel.
        let ahead = if matches!(self.gear, Gear::Shoe { .. }) { -1.0 } else { 1.0 };
        let measured = ahead * mean(|felt| felt.traction_n);
        let greatest = self.load_n * self.ground.tan_phi;
        let (expected, tolerance, sinkage_m) = match self.gear {
            Gear::Shoe { length_m, width_m } => {
                let pull = theory::track(&self.ground, [length_m, width_m], self.load_n, slip);
                (pull, SHOE_TOLERANCE * greatest, None)
            }
            Gear::Wheel { radius_m, width_m, .. } => {
                let pull = theory::wheel(&self.ground, radius_m, width_m, self.load_n, slip);
                (pull.traction_n, WHEEL_TOLERANCE * greatest, Some([pull.sinkage_m, pull.resistance_n]))
            }
        };
        row(json!({
            "drawbar_n": ahead * mean(|felt| felt.drawbar_n),
            "resistance_n": mean(|felt| felt.resistance_n),
            "expected_resistance_n": sinkage_m.map(|both| both[1]),
            "sinkage_m": mean(|felt| felt.sinkage_m),
            "expected_sinkage_m": sinkage_m.map(|both| both[0]),
            "measured": measured,
            "expected": expected,
            "tolerance": tolerance,
            "balance_units": balance_units,
            "source": SOURCE,
            "pass": (measured - expected).abs() <= tolerance && balance_units == 0,
        }))
    }
}
