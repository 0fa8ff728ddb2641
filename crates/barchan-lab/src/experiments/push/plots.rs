//! The plots: time against the size of the world, and against the soil that was pushed.

use super::push::geiger_ms;
use super::run_across::Crossing;
use crate::plot::{Axis, Plot, Style};

pub(super) fn plots(crossings: &[Crossing]) -> Vec<Plot> {
    vec![by_size(crossings), by_pushed(crossings)]
}

fn by_size(crossings: &[Crossing]) -> Plot {
    let axes = (Axis::log("voxels in the world"), Axis::log("time of a step (ms)"));
    let mut plot = Plot::new("time", "A block pushed through soil: time of a step", axes.0, axes.1);
    let mut threads: Vec<_> = crossings.iter().map(|c| c.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    for threads in threads {
        let of = crossings.iter().filter(|c| c.threads == threads);
        let points = of.map(|c| [c.n.pow(3) as f64, c.ms_per_step]).collect();
        let label = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        plot = plot.with(label, Style::LinePoints, points);
    }
    let mut sizes: Vec<_> = crossings.iter().map(|c| c.n as f64).collect();
    sizes.sort_by(f64::total_cmp);
    plot.with("Geiger's line", Style::Reference, sizes.iter().map(|n| [n.powi(3), geiger_ms(*n)]).collect())
}

/// Geiger's time grows with the passes in which pushed soil is handed on; here it is handed on to the end, so the soil
/// that was pushed stands for the passes.
fn by_pushed(crossings: &[Crossing]) -> Plot {
    let axes = (Axis::log("soil pushed in a step (voxels)"), Axis::log("time of a step (ms)"));
    let mut plot =
        Plot::new("pushed", "A block pushed through soil: time against pushed soil", axes.0, axes.1);
    let fewest = crossings.iter().map(|c| c.threads).min();
    for crossing in crossings.iter().filter(|c| Some(c.threads) == fewest) {
        plot = plot.with(format!("n = {}", crossing.n), Style::Points, crossing.pieces.clone());
    }
    plot
}
