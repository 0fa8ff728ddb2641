//! The plots: heights of cuts and slopes of heaps against moisture.

use super::damp::Found;
use crate::plot::{Axis, Plot, Style};

pub(super) fn plots(found: &[Found]) -> Vec<Plot> {
    let moisture = || Axis::linear("share of the pores that water fills (-)");
    let cuts = Plot::new("cut", "Height of a cut over moisture", moisture(), Axis::linear("height (m)"));
    let slopes = Plot::new("slope", "Slope of a heap over moisture", moisture(), Axis::linear("slope (°)"));
    let cuts = by_kind(cuts, found, |one| one.cut_m, Style::Points);
    let cuts = by_kind(cuts, found, |one| Some(one.face.height_m), Style::Reference);
    vec![cuts, by_kind(slopes, found, |one| Some(one.heap.slope_deg), Style::Points)]
}

/// One series per kind of soil.
fn by_kind(mut plot: Plot, found: &[Found], value: impl Fn(&Found) -> Option<f64>, style: Style) -> Plot {
    let mut kinds: Vec<&str> = found.iter().map(|one| one.made_of.name).collect();
    kinds.dedup();
    for kind in kinds {
        let of_kind = found.iter().filter(|one| one.made_of.name == kind);
        let points = of_kind.filter_map(|one| Some([one.made_of.moisture, value(one)?])).collect();
        let name = if style == Style::Reference { format!("{kind}, theory") } else { kind.to_owned() };
        plot = plot.with(name, style, points);
    }
    plot
}
