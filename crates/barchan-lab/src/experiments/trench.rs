//! `trench`: how deep a trench stands, by how compacted the soil is that it is dug in. Its walls hold up to Culmann's height for
//! the strength at that void ratio, and collapse beyond (Holz2009 figure 7).

use barchan_sim::units::VoidRatio;
use barchan_sim::{MaterialId, Materials};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::experiments::cut::{Face, bisect};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{DampSoil, TestSoil, TooLarge};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "trench",
    about: "how deep a trench stands in sandy loam, loam or clay, by how compacted the soil is",
    parameters: &[
        Parameter {
            key: "kind",
            about: "soils: 0 sandy_loam, 1 loam, 2 clay",
            default: &[0.0],
            range: (0.0, 2.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "void_ratio",
            about: "void ratios (-); those that a soil does not have are left out",
            default: &[0.55, 0.65, 0.75, 0.85, 0.95],
            range: (0.1, 3.9),
            whole: false,
            list: true,
        },
        Parameter {
            key: "voxels",
            about: "voxels in the height that theory says",
            default: &[12.0],
            range: (4.0, 100.0),
            whole: true,
            list: false,
        },
    ],
    run,
};

const KINDS: [&str; 3] = ["sandy_loam", "loam", "clay"];
/// Heights are searched up to this multiple of what theory says, and known this well (voxels).
const SEARCH_UP_TO: f64 = 2.0;
const RESOLUTION: f64 = 0.25;
/// Critical heights must agree within this share, or within a voxel.
const TOLERANCE: f64 = 0.1;
const SOURCE: &str =
    "Culmann 1866: Hc = (4c/gamma) tan(45° + phi/2), with phi and c at that void ratio (docs/soils.md)";

/// What was found at one void ratio.
struct Found {
    made_of: DampSoil,
    void_ratio: f64,
    face: Face,
    /// None: no height failed.
    critical_height_m: Option<f64>,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases = cases(settings);
    let (mut rows, mut found) = (Vec::new(), Vec::new());
    for (index, (made_of, void_ratio)) in cases.iter().enumerate() {
        match find(*made_of, *void_ratio, settings) {
            Ok(one) => {
                rows.push(one.row());
                found.push(one);
            }
            Err(problem) => rows.push(row(json!({
                "kind": made_of.name, "void_ratio": void_ratio, "problem": problem.to_string(), "pass": false,
            }))),
        }
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot(&found)], pass: failed == 0 && !found.is_empty() }
}

fn cases(settings: &Settings) -> Vec<(DampSoil, f64)> {
    let mut cases = Vec::new();
    for &kind in settings.list("kind") {
        for &e in settings.list("void_ratio") {
            let soil = DampSoil { name: KINDS[kind as usize], moisture: 0.0, void_ratio: Some(e) };
            let material = soil.material();
            let packs = (material.void_ratio_dense..=material.void_ratio_loose).contains(&(e as f32));
            cases.extend(packs.then_some((soil, e)));
        }
    }
    cases
}

fn find(made_of: DampSoil, void_ratio: f64, settings: &Settings) -> Result<Found, TooLarge> {
    let materials = Materials::new(vec![made_of.material()]).expect("built-in soils are sound");
    let strength = materials.strength(MaterialId(0), VoidRatio::from_f32(void_ratio as f32), false, 0.0);
    let soil = TestSoil {
        phi_deg: f64::from(strength.tan_phi).atan().to_degrees(),
        c_pa: f64::from(strength.cohesion_pa),
        gamma_n_m3: f64::from(strength.gamma_n_m3),
    };
    let height_m = f64::from(strength.cut_height_m());
    let voxel_size_m = height_m / settings.number("voxels");
    let face = Face { soil, made_of: Some(made_of), voxel_size_m, face_deg: 90.0, height_m };
    let mut balance_units = 0;
    let mut fails = |height_m: f64| {
        let fate = Face { height_m, ..face }.fate()?;
        balance_units += fate.balance_units.abs();
        Ok(fate.failed)
    };
    let critical_height_m = bisect(SEARCH_UP_TO * height_m, RESOLUTION * voxel_size_m, &mut fails)?;
    Ok(Found { made_of, void_ratio, face, critical_height_m, balance_units })
}

impl Found {
    fn row(&self) -> Row {
        let (expected, voxel) = (self.face.height_m, self.face.voxel_size_m);
        let tolerance = voxel.max(TOLERANCE * expected);
        let holds = self.critical_height_m.is_some_and(|height| (height - expected).abs() <= tolerance);
        row(json!({
            "kind": self.made_of.name,
            "void_ratio": self.void_ratio,
            "phi_deg": self.face.soil.phi_deg,
            "c_pa": self.face.soil.c_pa,
            "gamma_n_m3": self.face.soil.gamma_n_m3,
            "voxel_size_m": voxel,
            "critical_height_m": self.critical_height_m,
            "measured": self.critical_height_m,
            "expected": expected,
            "tolerance": tolerance,
            "balance_units": self.balance_units,
            "source": SOURCE,
            "pass": holds && self.balance_units == 0,
        }))
    }
}

fn plot(found: &[Found]) -> Plot {
    let plot = Plot::new(
        "height",
        "How deep a trench stands",
        Axis::linear("void ratio (-)"),
        Axis::linear("critical height (m)"),
    );
    KINDS.iter().fold(plot, |plot, kind| {
        let same = || found.iter().filter(|one| one.made_of.name == *kind);
        if same().next().is_none() {
            return plot;
        }
        let measured = same().filter_map(|one| Some([one.void_ratio, one.critical_height_m?])).collect();
        let expected = same().map(|one| [one.void_ratio, one.face.height_m]).collect();
        plot.with(*kind, Style::Points, measured).with(format!("{kind}, Culmann"), Style::Reference, expected)
    })
}
