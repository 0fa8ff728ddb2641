//! `weather-debris`: a cube of rock is weathered at a click and its debris comes to rest, for shares of debris and thresholds:
//! time by stage with its interval, and time over the number of voxels that became debris.

use barchan_sim::tools::Stage;
use barchan_sim::weather::{Debris, Weathering};
use barchan_sim::{Account, Edit};
use barchan_volume::{Bubble, Form, VoxelBox};
use glam::IVec3;
use serde_json::json;

use super::site::{self, ROCK, StageTimes, mean_and_interval, timed};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::line_fit;
use crate::plot::{Axis, Plot, Style};
use crate::rest::balance_units;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "weather-debris",
    about: "weathering and its debris at a click, by share of debris and threshold (Kuijpers2023, figs 6.19-6.21)",
    parameters: &[
        Parameter {
            key: "share",
            about: "shares of what goes that becomes debris, at a threshold of 0.5 (-)",
            default: &[0.1, 0.3, 0.5, 0.7, 0.9],
            range: (0.0, 1.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "threshold",
            about: "thresholds, with half of what goes as debris (-)",
            default: &[0.1, 0.3, 0.5, 0.7, 0.9],
            range: (0.0, 1.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "edge",
            about: "edge of the cube of rock (voxels)",
            default: &[50.0],
            range: (5.0, 200.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "bubble",
            about: "edge of the ball that counts (voxels)",
            default: &[11.0],
            range: (3.0, 129.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "repeats",
            about: "runs of each case, each with a seed of its own",
            default: &[5.0],
            range: (1.0, 1_000.0),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// What is kept while the other changes.
const FIXED: f64 = 0.5;
/// The angle at which debris rests (°).
const ANGLE_DEG: f64 = 45.0;
/// Layers of rock under the cube.
const FLOOR: i32 = 2;

/// One click.
struct Click {
    /// Voxels that became debris.
    debris: usize,
    voxels: usize,
    times: StageTimes,
    balance_units: i64,
    restless: bool,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases: Vec<(f64, f64)> = (settings.list("share").iter().map(|share| (*share, FIXED)))
        .chain(settings.list("threshold").iter().map(|threshold| (FIXED, *threshold)))
        .collect();
    let (mut rows, mut clicks) = (Vec::new(), Vec::new());
    for (at, &(share, threshold)) in cases.iter().enumerate() {
        let seeds = 1..=settings.count("repeats") as u64;
        let of_case: Vec<Click> = seeds.map(|seed| click(share, threshold, seed, settings)).collect();
        rows.push(case_row(share, threshold, &of_case));
        clicks.extend(of_case);
        progress((at + 1) as f64 / cases.len() as f64);
    }
    let points: Vec<[f64; 2]> =
        clicks.iter().map(|click| [click.debris as f64, click.times.of(Stage::Rest)]).collect();
    let mut summary = Row::new();
    let line = line_fit(&points);
    if let Some((offset_s, slope)) = line {
        summary.insert("rest_s_per_1000_voxels".into(), json!(slope * 1e3));
        summary.insert("rest_offset_s".into(), json!(offset_s));
    }
    let pass = rows.iter().all(|row| row["pass"] == json!(true));
    Outcome { plots: plots(&rows, settings.list("share").len(), &points, line), rows, summary, pass }
}

/// Weathers the cube of rock once.
fn click(share: f64, threshold: f64, seed: u64, settings: &Settings) -> Click {
    let (edge, radius) = (settings.count("edge") as i32, settings.count("bubble") as i32 / 2);
    let bounds = VoxelBox::new(IVec3::new(-2 * edge, -2 * edge, 0), IVec3::new(2 * edge, 2 * edge, 2 * edge));
    let mut world = site::world(bounds, ANGLE_DEG, seed);
    site::place(&mut world, site::block(VoxelBox::new(bounds.min, bounds.max.with_z(FLOOR))), ROCK);
    let cube = site::cube(IVec3::new(-edge / 2, -edge / 2, FLOOR), edge);
    site::place(&mut world, site::block(cube), ROCK);
    let bubble = Bubble::new(Form::Ball, IVec3::splat(radius)).expect("a valid bubble");
    let debris = Debris { share: share as f32, keeps_color: false, ..Debris::default() };
    let weathering = Weathering::new(Some(site::block(cube)), bubble, threshold).with_debris(debris);
    let (report, times) = timed(&mut world, &Edit::Weather(weathering));
    let full = i64::from(world.materials().rock_void_ratio(ROCK).capacity());
    let soil = i64::try_from(world.ledger().held.of(Account::Soil)).unwrap_or(i64::MAX);
    Click {
        debris: (soil / full) as usize,
        voxels: report.voxels,
        times,
        balance_units: balance_units(&world),
        restless: report.restless,
    }
}

fn case_row(share: f64, threshold: f64, clicks: &[Click]) -> Row {
    let mean_of =
        |value: &dyn Fn(&Click) -> f64| mean_and_interval(&clicks.iter().map(value).collect::<Vec<_>>());
    let stage = |stage: Stage| mean_of(&|click| click.times.of(stage)).0;
    let (seconds, interval_s) = mean_of(&|click| click.times.total());
    let balance: i64 = clicks.iter().map(|click| click.balance_units).sum();
    row(json!({
        "share": share,
        "threshold": threshold,
        "voxels": clicks.iter().map(|click| click.voxels).sum::<usize>() / clicks.len().max(1),
        "debris_voxels": mean_of(&|click| click.debris as f64).0,
        "count_s": stage(Stage::Count),
        "remove_s": stage(Stage::Remove),
        "commit_s": stage(Stage::Commit),
        "rest_s": stage(Stage::Rest),
        "seconds": seconds,
        "interval_s": interval_s,
        "balance_units": balance,
        "pass": balance == 0 && clicks.iter().all(|click| !click.restless),
    }))
}

/// Times over the share, over the threshold, and over the debris.
fn plots(rows: &[Row], shares: usize, points: &[[f64; 2]], line: Option<(f64, f64)>) -> Vec<Plot> {
    let stages = [("count", "count_s"), ("remove", "remove_s"), ("rest", "rest_s"), ("all", "seconds")];
    let (by_share, by_threshold) = rows.split_at(shares);
    let plot = |name: &'static str, title: &str, x: &str, label: &str, rows: &[Row]| {
        let mut plot = Plot::new(name, title, Axis::linear(label), Axis::linear("time (ms)"));
        for (stage, key) in stages {
            let of = |row: &Row| Some([row[x].as_f64()?, row[key].as_f64()? * 1e3]);
            plot = plot.with(stage, Style::LinePoints, rows.iter().filter_map(of).collect());
        }
        plot
    };
    let most = points.iter().map(|[x, _]| *x).fold(0.0, f64::max);
    let fitted = line.map_or(Vec::new(), |(offset, slope)| {
        [0.0, most].map(|x| [x / 1e3, (offset + slope * x) * 1e3]).to_vec()
    });
    let runs = points.iter().map(|[x, s]| [x / 1e3, s * 1e3]).collect();
    vec![
        plot("share", "Stages by share of debris, threshold 0.5", "share", "share (-)", by_share),
        plot("threshold", "Stages by threshold, half as debris", "threshold", "threshold (-)", by_threshold),
        Plot::new(
            "debris",
            "Coming to rest by amount of debris",
            Axis::linear("debris (1,000 voxels)"),
            Axis::linear("time (ms)"),
        )
        .with("runs", Style::Points, runs)
        .with("line fitted", Style::Reference, fitted),
    ]
}
