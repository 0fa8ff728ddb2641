//! The plots: time against the size of the world, against the passes in which soil was handed on, and against what was
//! awake.

use super::push::geiger_ms;
use super::run_across::Crossing;
use crate::plot::{Axis, Plot, Style};

pub(super) fn plots(crossings: &[Crossing]) -> Vec<Plot> {
    vec![by_size(crossings), by_passes(crossings), by_awake(crossings)]
}

fn by_size(crossings: &[Crossing]) -> Plot {
    let axes = (Axis::log("voxels in the world"), Axis::log("time of a step (ms)"));
    let plot = Plot::new("time", "A block pushed through soil: time of a step", axes.0, axes.1);
    let mut sizes: Vec<_> = crossings.iter().map(|c| c.n as f64).collect();
    sizes.sort_by(f64::total_cmp);
    by_threads(plot, crossings, |c| c.n.pow(3) as f64).with(
        "Geiger's line",
        Style::Reference,
        sizes.iter().map(|n| [n.powi(3), geiger_ms(*n)]).collect(),
    )
}

/// Geiger's time grows with the passes in which pushed soil is handed on.
fn by_passes(crossings: &[Crossing]) -> Plot {
    let axes = (Axis::log("propagation passes in a step"), Axis::log("time of a step (ms)"));
    let plot = Plot::new("passes", "A block pushed through soil: time against passes", axes.0, axes.1);
    by_size_of(plot, crossings, |c| &c.pieces_by_passes)
}

/// Work follows what moves.
fn by_awake(crossings: &[Crossing]) -> Plot {
    let axes = (Axis::log("bricks awake"), Axis::log("time of a step (ms)"));
    let plot = Plot::new("awake", "A block pushed through soil: time against what is awake", axes.0, axes.1);
    by_size_of(plot, crossings, |c| &c.pieces)
}

/// Every piece of the way, for the fewest threads, by size of the world.
fn by_size_of(mut plot: Plot, crossings: &[Crossing], points: impl Fn(&Crossing) -> &Vec<[f64; 2]>) -> Plot {
    let fewest = crossings.iter().map(|c| c.threads).min();
    for crossing in crossings.iter().filter(|c| Some(c.threads) == fewest) {
        plot = plot.with(format!("n = {}", crossing.n), Style::Points, points(crossing).clone());
    }
    plot
}

/// One line per number of threads, over what `x` tells of a crossing.
fn by_threads(mut plot: Plot, crossings: &[Crossing], x: impl Fn(&Crossing) -> f64) -> Plot {
    let mut threads: Vec<_> = crossings.iter().map(|c| c.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    for threads in threads {
        let of = crossings.iter().filter(|c| c.threads == threads);
        let mut points: Vec<_> = of.map(|c| [x(c), c.ms_per_step]).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let label = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        plot = plot.with(label, Style::LinePoints, points);
    }
    plot
}
