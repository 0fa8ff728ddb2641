//! The experiment: bisect the height, then look at the plane of a face that just fails.

use serde_json::json;

use super::face::Face;
use super::plots::plots;
use super::theory;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{self, TestSoil, TooLarge};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "cut",
    about: "how high a cut in cohesive soil stands, and on which plane it fails (Culmann)",
    parameters: &[
        test_soil::phi_deg(&[10.0, 20.0, 30.0, 40.0]),
        test_soil::c_pa(&[4_900.0]),
        test_soil::gamma_n_m3(&[19_600.0]),
        test_soil::voxel_size_m(&[0.2, 0.1, 0.05]),
        Parameter {
            key: "face_deg",
            about: "slopes of the face (°)",
            default: &[90.0, 75.0, 60.0],
            range: (1.0, 90.0),
            whole: false,
            list: true,
        },
    ],
    run,
};

/// Heights are searched up to this multiple of what theory says, at least this many voxels.
const SEARCH_UP_TO: f64 = 2.5;
const SEARCH_VOXELS: f64 = 8.0;
/// The search ends when the height is known this well (voxels).
const RESOLUTION: f64 = 0.25;
/// The face whose plane is measured is higher than one that stands by this factor.
const BEYOND: f64 = 1.1;
/// Critical heights must agree within this share, or within a voxel.
const TOLERANCE: f64 = 0.1;
/// Planes must agree within this (°), or within what one voxel more or less of the wedge makes.
const PLANE_TOLERANCE_DEG: f64 = 3.0;
const SOURCE: &str =
    "Culmann 1866: Hc = (4c/gamma) sin(beta) cos(phi) / (1 - cos(beta - phi)), plane (beta + phi)/2";

/// What was found of one soil, face and voxel size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// At the height that theory says.
    pub face: Face,
    /// None: no height failed.
    pub critical_height_m: Option<f64>,
    /// Of the wedge that slides first when the face is a little too high (°); none where no height failed.
    pub plane_deg: Option<f64>,
    /// How far behind its toe that face lost soil (m).
    scar_m: Option<f64>,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let faces = faces(settings);
    let (mut rows, mut found) = (Vec::new(), Vec::new());
    for (index, face) in faces.iter().enumerate() {
        match find(face) {
            Ok(one) => {
                rows.push(one.row());
                found.push(one);
            }
            Err(problem) => {
                let mut row = soil_row(face);
                row.insert("problem".into(), json!(problem.to_string()));
                row.insert("pass".into(), json!(false));
                rows.push(row);
            }
        }
        progress((index + 1) as f64 / faces.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: plots(&found), pass: failed == 0 }
}

/// All combinations of what was set, each at the height that theory says.
fn faces(settings: &Settings) -> Vec<Face> {
    let mut faces = Vec::new();
    for &face_deg in settings.list("face_deg") {
        for &c_pa in settings.list("c_pa") {
            for &gamma_n_m3 in settings.list("gamma_n_m3") {
                for &phi_deg in settings.list("phi_deg") {
                    for &voxel_size_m in settings.list("voxel_size_m") {
                        let soil = TestSoil { phi_deg, c_pa, gamma_n_m3 };
                        let height_m = theory::critical_height_m(&soil, face_deg);
                        faces.push(Face { soil, made_of: None, voxel_size_m, face_deg, height_m });
                    }
                }
            }
        }
    }
    faces
}

fn find(face: &Face) -> Result<Found, TooLarge> {
    let voxel = face.voxel_size_m;
    let mut balance_units = 0;
    let mut fails = |height_m: f64| {
        let fate = Face { height_m, ..*face }.fate()?;
        balance_units += fate.balance_units.abs();
        Ok(fate.failed)
    };
    let highest = SEARCH_VOXELS * voxel;
    // Where theory sees no end, a face of fair height must do.
    let highest =
        if face.height_m.is_finite() { highest.max(SEARCH_UP_TO * face.height_m) } else { 4.0 * highest };
    let critical_height_m = bisect(highest, RESOLUTION * voxel, &mut fails)?;
    let just_fails =
        critical_height_m.map(|height| Face { height_m: BEYOND * height, ..*face }.fate()).transpose()?;
    let (plane_deg, scar_m) = just_fails.map_or((None, None), |fate| (fate.plane_deg, Some(fate.scar_m)));
    Ok(Found { face: *face, critical_height_m, plane_deg, scar_m, balance_units })
}

/// The height below which nothing fails, within `resolution`; none when `highest` stands. 0 stands.
pub(in crate::experiments) fn bisect(
    highest: f64,
    resolution: f64,
    fails: &mut impl FnMut(f64) -> Result<bool, TooLarge>,
) -> Result<Option<f64>, TooLarge> {
    let (mut stands, mut fell) = (0.0, highest);
    if !fails(highest)? {
        return Ok(None);
    }
    while fell - stands > resolution {
        let middle = (stands + fell) / 2.0;
        if fails(middle)? {
            fell = middle;
        } else {
            stands = middle;
        }
    }
    Ok(Some((stands + fell) / 2.0))
}

fn soil_row(face: &Face) -> Row {
    row(json!({
        "phi_deg": face.soil.phi_deg,
        "c_pa": face.soil.c_pa,
        "gamma_n_m3": face.soil.gamma_n_m3,
        "voxel_size_m": face.voxel_size_m,
        "face_deg": face.face_deg,
    }))
}

impl Found {
    fn row(&self) -> Row {
        let (expected, voxel) = (self.face.height_m, self.face.voxel_size_m);
        let tolerance = voxel.max(TOLERANCE * expected);
        let height_holds = match self.critical_height_m {
            Some(height) => (height - expected).abs() <= tolerance,
            None => expected.is_infinite(),
        };
        let plane = theory::plane_deg(&self.face.soil, self.face.face_deg);
        let reach = expected / plane.to_radians().tan();
        let one_voxel = expected.atan2(reach - voxel).to_degrees() - plane;
        let plane_tolerance = if one_voxel.is_finite() { one_voxel.max(PLANE_TOLERANCE_DEG) } else { 90.0 };
        let plane_holds = self.plane_deg.is_none_or(|found| (found - plane).abs() <= plane_tolerance);
        let mut row = soil_row(&self.face);
        row.extend(self::row(json!({
            "critical_height_m": self.critical_height_m,
            "plane_deg": self.plane_deg,
            "scar_m": self.scar_m,
            "measured": self.critical_height_m,
            "expected": expected.is_finite().then_some(expected),
            "tolerance": tolerance.is_finite().then_some(tolerance),
            "plane_expected_deg": plane,
            "plane_tolerance_deg": plane_tolerance,
            "balance_units": self.balance_units,
            "source": SOURCE,
            "pass": height_holds && plane_holds && self.balance_units == 0,
        })));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisecting_finds_the_height_or_none() {
        let critical = |limit: f64| bisect(4.0, 0.01, &mut |height| Ok(height > limit)).unwrap();
        assert!((critical(1.234).unwrap() - 1.234).abs() < 0.01);
        assert!(critical(0.0).unwrap() < 0.01);
        assert_eq!(critical(5.0), None);
    }

    #[test]
    fn heights_and_planes_off_by_more_than_their_tolerance_do_not_pass() {
        let settings = Settings::new(EXPERIMENT.parameters, &["phi_deg=20", "voxel_size_m=0.05"]).unwrap();
        let face = faces(&settings)[0];
        let found = |height: f64, plane_deg: f64| Found {
            face,
            critical_height_m: Some(height * face.height_m),
            plane_deg: Some(plane_deg),
            scar_m: None,
            balance_units: 0,
        };
        let pass = |found: Found| found.row()["pass"].as_bool().unwrap();
        assert!(pass(found(1.0, 55.0)));
        assert!(pass(found(0.92, 56.5)));
        assert!(!pass(found(1.2, 55.0)));
        assert!(!pass(found(1.0, 65.0)));
        assert!(!pass(Found { critical_height_m: None, ..found(1.0, 55.0) }));
    }
}
