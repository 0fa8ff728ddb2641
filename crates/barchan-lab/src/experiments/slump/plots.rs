//! The plots: slopes against friction, profiles, and what cohesion and weight do.

use std::collections::BTreeMap;

use super::slump::Slumped;
use crate::plot::{Axis, Plot, Style};
use crate::test_soil::{TONNE_N, TestSoil};

/// Of piles brought to rest in one way, the first, so that a line is a line.
pub(super) fn plots(slumped: &[Slumped]) -> Vec<Plot> {
    let slumped: Vec<_> = slumped.iter().filter(|s| s.case.settle == slumped[0].case.settle).collect();
    let loose: Vec<_> = slumped.iter().copied().filter(|s| s.case.soil.c_pa == 0.0).collect();
    let mut plots = Vec::new();
    if !loose.is_empty() {
        plots.extend([slopes(&loose), profiles(&loose), times(&loose)]);
    }
    if slumped.iter().any(|s| s.case.soil.c_pa > 0.0) {
        plots.extend([cohesion(&slumped), weight(&slumped)]);
    }
    plots
}

fn slopes(loose: &[&Slumped]) -> Plot {
    let axes = (Axis::linear("angle of friction (°)"), Axis::linear("slope at rest (°)"));
    let mut plot = Plot::new("slope", "Slope of a collapsed column without cohesion", axes.0, axes.1);
    for size in values(loose, |s| s.case.voxel_size_m) {
        let of_size = loose.iter().filter(|s| s.case.voxel_size_m == size);
        let points = of_size.map(|s| [s.case.soil.phi_deg, s.slope_deg()]).collect();
        plot = plot.with(format!("voxels of {size} m"), Style::LinePoints, points);
    }
    let angles = values(loose, |s| s.case.soil.phi_deg);
    plot.with("slope = friction", Style::Reference, angles.iter().map(|&phi| [phi, phi]).collect())
}

fn times(loose: &[&Slumped]) -> Plot {
    let axes = (Axis::linear("angle of friction (°)"), Axis::linear("time to rest (s)"));
    let mut plot = Plot::new("time", "Time until a collapsed column rests", axes.0, axes.1);
    for size in values(loose, |s| s.case.voxel_size_m) {
        let of_size = loose.iter().filter(|s| s.case.voxel_size_m == size);
        let points = of_size.map(|s| [s.case.soil.phi_deg, s.seconds_to_rest]).collect();
        plot = plot.with(format!("voxels of {size} m"), Style::LinePoints, points);
    }
    plot
}

/// Profiles at the middle angle, one per voxel size.
fn profiles(loose: &[&Slumped]) -> Plot {
    let angles = values(loose, |s| s.case.soil.phi_deg);
    let phi = angles[angles.len() / 2];
    let axes = (Axis::linear("radius (m)"), Axis::linear("height (m)"));
    let title = format!("Pile of a collapsed column, angle of friction {phi}°");
    let mut plot = Plot::new("profile", title, axes.0, axes.1);
    for s in loose.iter().filter(|s| s.case.soil.phi_deg == phi) {
        // From the axis to the first ring without soil.
        let profile = &s.pile.profile_m;
        let foot = profile.iter().rposition(|[_, height]| *height > 0.0).map_or(0, |last| last + 2);
        let soil = profile[..foot.min(profile.len())].to_vec();
        plot = plot.with(format!("voxels of {} m", s.case.voxel_size_m), Style::Line, soil);
    }
    let Some(finest) = loose.iter().rfind(|s| s.case.soil.phi_deg == phi) else { return plot };
    // The cone of the same volume.
    let volume: f64 =
        finest.pile.profile_m.windows(2).map(|w| w[0][1] * (w[1][0].powi(2) - w[0][0].powi(2))).sum();
    let tan = phi.to_radians().tan();
    let radius = (3.0 * volume / tan).cbrt();
    plot.with("cone of the same volume", Style::Reference, vec![[0.0, radius * tan], [radius, 0.0]])
}

fn cohesion(slumped: &[&Slumped]) -> Plot {
    let axes = (Axis::linear("cohesion (t/m²)"), Axis::linear("slope at rest (°)"));
    let plot = Plot::new("cohesion", "Slope against cohesion", axes.0, axes.1);
    sweep(
        plot,
        slumped,
        |soil| soil.c_pa,
        |soil| format!("{}°, {} t/m³", soil.phi_deg, soil.gamma_n_m3 / TONNE_N),
    )
}

fn weight(slumped: &[&Slumped]) -> Plot {
    let axes = (Axis::linear("unit weight (t/m³)"), Axis::linear("slope at rest (°)"));
    let plot = Plot::new("weight", "Slope against weight", axes.0, axes.1);
    sweep(
        plot,
        slumped,
        |soil| soil.gamma_n_m3,
        |soil| format!("{}°, {} t/m²", soil.phi_deg, soil.c_pa / TONNE_N),
    )
}

/// One line per label, over what `varied` tells (N/m² or N/m³, shown in tonnes), all of the smallest voxels.
fn sweep(
    mut plot: Plot,
    slumped: &[&Slumped],
    varied: impl Fn(&TestSoil) -> f64,
    label: impl Fn(&TestSoil) -> String,
) -> Plot {
    let mut lines: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    let smallest = values(slumped, |s| s.case.voxel_size_m)[0];
    for s in slumped.iter().filter(|s| s.case.voxel_size_m == smallest) {
        let point = [varied(&s.case.soil) / TONNE_N, s.slope_deg()];
        lines.entry(label(&s.case.soil)).or_default().push(point);
    }
    for (label, mut points) in lines.into_iter().filter(|(_, points)| points.len() > 1) {
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        plot = plot.with(label, Style::LinePoints, points);
    }
    plot
}

/// The different values of something, smallest first.
fn values(slumped: &[&Slumped], of: impl Fn(&Slumped) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = slumped.iter().map(|s| of(s)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}
