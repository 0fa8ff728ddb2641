//! The experiment: bisect the height of a cut, let a heap come to rest, for every soil and moisture.

use barchan_sim::units::VoidRatio;
use barchan_sim::{MaterialId, Materials};
use serde_json::json;

use super::heap::{Heap, heap};
use super::plots::plots;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::cut::{Face, bisect};
use crate::rest::LIMIT_S;
use crate::settings::{Parameter, Settings};
use crate::test_soil::{DampSoil, TestSoil, TooLarge};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "damp",
    about: "how high a cut stands and how steep a heap rests, over the moisture of sand, loam and clay",
    parameters: &[
        Parameter {
            key: "kind",
            about: "soils: 0 dry_sand, 1 sandy_loam, 2 loam, 3 clay",
            default: &[0.0, 2.0, 3.0],
            range: (0.0, 3.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "moisture",
            about: "shares of the pores that water fills (-)",
            default: &[0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0],
            range: (0.0, 1.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "voxels",
            about: "voxels in the height of cut that theory says",
            default: &[12.0],
            range: (4.0, 100.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "heap_m",
            about: "height of the column that becomes the heap (m); half of it wide",
            default: &[0.6],
            range: (0.05, 100.0),
            whole: false,
            list: false,
        },
        LIMIT_S,
    ],
    run,
};

const KINDS: [&str; 4] = ["dry_sand", "sandy_loam", "loam", "clay"];
/// Edge of a voxel where theory says that nothing stands (m).
const LEAST_VOXEL_M: f64 = 0.02;
/// Heights are searched up to this multiple of what theory says, at least this many voxels, and known this well (voxels).
const SEARCH_UP_TO: f64 = 2.0;
const SEARCH_VOXELS: f64 = 6.0;
const RESOLUTION: f64 = 0.25;
/// Critical heights must agree within this share, or within a voxel.
const TOLERANCE: f64 = 0.1;
/// Slopes of heaps that nothing but friction holds must agree within this (°); others are no flatter.
const SLOPE_TOLERANCE_DEG: f64 = 1.5;
const SOURCE: &str = "Lu et al. 2010: c = c' + Se s tan(phi); Culmann 1866: Hc = (4c/gamma) tan(45° + phi/2)";

/// What was found of one soil and moisture.
pub(super) struct Found {
    pub made_of: DampSoil,
    /// What theory reckons with.
    pub soil: TestSoil,
    /// The friction of the soil once it was moved (°) and its cohesion then (Pa).
    moved: [f64; 2],
    /// At the height that theory says.
    pub face: Face,
    /// None: no height failed.
    pub cut_m: Option<f64>,
    pub heap: Heap,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases: Vec<DampSoil> = settings
        .list("kind")
        .iter()
        .flat_map(|&kind| settings.list("moisture").iter().map(move |&moisture| (kind, moisture)))
        .map(|(kind, moisture)| DampSoil { name: KINDS[kind as usize], moisture, void_ratio: None })
        .collect();
    let (mut rows, mut found) = (Vec::new(), Vec::new());
    for (index, made_of) in cases.iter().enumerate() {
        match find(*made_of, settings) {
            Ok(one) => {
                rows.push(one.row());
                found.push(one);
            }
            Err(problem) => rows.push(row(json!({
                "kind": made_of.name, "moisture": made_of.moisture,
                "problem": problem.to_string(), "pass": false,
            }))),
        }
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: plots(&found), pass: failed == 0 }
}

fn find(made_of: DampSoil, settings: &Settings) -> Result<Found, TooLarge> {
    let [soil, moved] = [false, true].map(|moved| theory(&made_of, moved));
    let height_m = critical_height_m(&soil);
    let voxel_size_m = (height_m / settings.number("voxels")).max(LEAST_VOXEL_M);
    let face = Face { soil, made_of: Some(made_of), voxel_size_m, face_deg: 90.0, height_m };
    let mut balance_units = 0;
    let mut fails = |height_m: f64| {
        let fate = Face { height_m, ..face }.fate()?;
        balance_units += fate.balance_units.abs();
        Ok(fate.failed)
    };
    let highest = (SEARCH_UP_TO * height_m).max(SEARCH_VOXELS * voxel_size_m);
    let cut_m = bisect(highest, RESOLUTION * voxel_size_m, &mut fails)?;
    let heap = heap(&made_of, settings.number("heap_m"), settings.number("limit_s"))?;
    balance_units += heap.balance_units;
    Ok(Found { made_of, soil, moved: [moved.phi_deg, moved.c_pa], face, cut_m, heap, balance_units })
}

/// The strength of a soil as it was placed, or once it was moved.
fn theory(made_of: &DampSoil, moved: bool) -> TestSoil {
    let material = made_of.material();
    // Drowned soil cannot swell: only water could fill what would open.
    let swells = moved && made_of.moisture < 1.0;
    let void_ratio = if swells { material.void_ratio_loose } else { material.void_ratio_natural };
    let materials = Materials::new(vec![material]).expect("built-in soils are sound");
    let (kind, void_ratio) = (MaterialId(0), VoidRatio::from_f32(void_ratio));
    let strength = materials.strength(kind, void_ratio, moved, made_of.moisture as f32);
    TestSoil {
        phi_deg: f64::from(strength.tan_phi).atan().to_degrees(),
        c_pa: f64::from(strength.cohesion_pa),
        gamma_n_m3: f64::from(strength.gamma_n_m3),
    }
}

/// Of a vertical cut (m).
fn critical_height_m(soil: &TestSoil) -> f64 {
    4.0 * soil.c_pa / soil.gamma_n_m3 * (45.0 + soil.phi_deg / 2.0).to_radians().tan()
}

impl Found {
    fn row(&self) -> Row {
        let (expected, voxel) = (self.face.height_m, self.face.voxel_size_m);
        let tolerance = voxel.max(TOLERANCE * expected);
        let cut_holds = self.cut_m.is_some_and(|cut_m| (cut_m - expected).abs() <= tolerance);
        let [phi_deg, c_pa] = self.moved;
        let steeper_deg = self.heap.slope_deg - phi_deg;
        let runs = c_pa == 0.0;
        let heap_holds = steeper_deg >= -SLOPE_TOLERANCE_DEG && (!runs || steeper_deg <= SLOPE_TOLERANCE_DEG);
        row(json!({
            "kind": self.made_of.name,
            "moisture": self.made_of.moisture,
            "phi_deg": self.soil.phi_deg,
            "c_pa": self.soil.c_pa,
            "gamma_n_m3": self.soil.gamma_n_m3,
            "voxel_size_m": voxel,
            "cut_m": self.cut_m,
            "slope_deg": self.heap.slope_deg,
            "slope_expected_deg": runs.then_some(phi_deg),
            "measured": self.cut_m,
            "expected": expected,
            "tolerance": tolerance,
            "balance_units": self.balance_units,
            "source": SOURCE,
            "pass": cut_holds && heap_holds && self.heap.at_rest && self.balance_units == 0,
        }))
    }
}
