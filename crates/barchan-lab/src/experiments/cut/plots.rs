//! The plots: critical heights and planes against friction.

use super::cut::Found;
use super::theory;
use crate::plot::{Axis, Plot, Style};
use crate::test_soil::TestSoil;

pub(super) fn plots(found: &[Found]) -> Vec<Plot> {
    let heights = Plot::new(
        "height",
        "Critical height of a cut, over cohesion and weight",
        Axis::linear("angle of friction (°)"),
        Axis::linear("gamma Hc / c (-)"),
    );
    let number = |soil: &TestSoil, height: f64| height * soil.gamma_n_m3 / soil.c_pa;
    let heights = compare(
        heights,
        found,
        |one| one.critical_height_m.map(|height| number(&one.face.soil, height)),
        |soil, face_deg| number(soil, theory::critical_height_m(soil, face_deg)),
    );
    let planes = Plot::new(
        "plane",
        "Plane on which a cut fails",
        Axis::linear("angle of friction (°)"),
        Axis::linear("angle of the plane (°)"),
    );
    vec![heights, compare(planes, found, |one| one.plane_deg, theory::plane_deg)]
}

/// One series of points per voxel size and face, and Culmann's line per face.
fn compare(
    mut plot: Plot,
    found: &[Found],
    measured: impl Fn(&Found) -> Option<f64>,
    expected: impl Fn(&TestSoil, f64) -> f64,
) -> Plot {
    let different = |of: fn(&Found) -> f64| {
        let mut values: Vec<f64> = found.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    for face_deg in different(|one| one.face.face_deg) {
        for size in different(|one| one.face.voxel_size_m) {
            let same =
                found.iter().filter(|one| one.face.face_deg == face_deg && one.face.voxel_size_m == size);
            let points = same.filter_map(|one| Some([one.face.soil.phi_deg, measured(one)?])).collect();
            plot = plot.with(format!("{face_deg}°, voxels of {size} m"), Style::Points, points);
        }
        let soils = found.iter().filter(|one| one.face.face_deg == face_deg).map(|one| one.face.soil);
        let mut line: Vec<_> = soils.map(|soil| [soil.phi_deg, expected(&soil, face_deg)]).collect();
        line.sort_by(|a, b| a[0].total_cmp(&b[0]));
        plot = plot.with(format!("{face_deg}°, Culmann"), Style::Reference, line);
    }
    plot
}
