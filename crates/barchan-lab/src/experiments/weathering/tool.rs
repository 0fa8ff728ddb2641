//! `weather`: weathering at a click, for regions and bubbles of every size: how long its stages take, how fast bubbles are
//! counted beside adding up weight by weight, and whether both take the same voxels.

use std::time::Instant;

use barchan_sim::tools::Stage;
use barchan_sim::units::LOOSE_FULL;
use barchan_sim::weather::Weathering;
use barchan_sim::{Edit, World};
use barchan_volume::{
    Around, Brick, Bubble, Counts, Form, Fractal, Grid, GridFilling, Heights, Region, VoxelBox, count_bubbles,
};
use glam::{IVec3, Vec2};
use serde_json::{Value, json};

use super::brute_force::Solid;
use super::site::{self, ROCK, StageTimes, VOXEL_M, timed};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::rest::balance_units;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "weather",
    about: "weathering at a click: exact counts, time by size of tool and bubble, beside brute force (Kuijpers2023)",
    parameters: &[
        Parameter {
            key: "tool",
            about: "edges of the region on terrain (voxels)",
            default: &[41.0, 81.0, 121.0, 161.0, 201.0, 241.0, 281.0, 321.0, 361.0, 401.0],
            range: (1.0, 801.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "bubble",
            about: "edges of the ball that counts (voxels); the radius is half of what is beside the middle",
            default: &[7.0, 11.0, 15.0, 19.0, 23.0],
            range: (3.0, 129.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "threads",
            about: "threads",
            default: &[1.0, 2.0],
            range: (1.0, 256.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "brute_weights",
            about: "most weights that brute force adds up in a case",
            default: &[1e9],
            range: (0.0, 1e13),
            whole: false,
            list: false,
        },
        Parameter {
            key: "noise",
            about: "edge of the cube of which every second voxel is full by chance (voxels); 0: none",
            default: &[96.0],
            range: (0.0, 512.0),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// A voxel goes if less than this share of its bubble is solid.
const THRESHOLD: f64 = 0.5;
/// The bubble that figures are asked of: radius 11.
const ASKED_BUBBLE: i32 = 23;
/// How many times as fast as brute force counting must be on terrain, and on voxels full by chance.
const ASKED_TERRAIN: f64 = 300.0;
const ASKED_NOISE: f64 = 100.0;
/// Tool from which on rates are those of large regions (voxels).
const LARGE_TOOL: i32 = 241;
/// From click to result for this tool on two threads (s).
const ASKED_TOTAL: (i32, f64) = (401, 1.5);
/// The edge of a free cube, and what it loses: radius of the box that counts, threshold, voxels (counted by hand).
const CUBE: i32 = 40;
const CUBE_LOSES: [(i32, f64, usize); 8] = [
    (3, 0.5, 2_224),
    (7, 0.5, 9_368),
    (11, 0.5, 19_352),
    (15, 0.5, 32_016),
    (11, 0.1, 0),
    (11, 0.3, 3_200),
    (11, 0.7, 41_688),
    (11, 0.9, 54_064),
];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (tools, bubbles) = (whole(settings, "tool"), whole(settings, "bubble"));
    let largest = |all: &[i32]| all.iter().copied().max().unwrap_or(1);
    let hills = terrain(largest(&tools), largest(&bubbles) / 2);
    let (mut rows, mut rates) = (free_cube(), Vec::new());
    let threads = whole(settings, "threads");
    let cases = (threads.len() * tools.len() * bubbles.len()) as f64;
    let mut done = 0.0;
    for threads in threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().expect("threads");
        let mut rate = Rates::default();
        for &bubble in &bubbles {
            for &tool in &tools {
                let case = Case { tool, bubble, threads, brute_weights: settings.number("brute_weights") };
                rows.push(pool.install(|| case.on_terrain(&hills, &mut rate)));
                done += 1.0;
                progress(done / cases);
            }
        }
        let edge = settings.count("noise") as i32;
        if edge > 0 {
            rows.push(pool.install(|| on_noise(edge, threads, &mut rate)));
        }
        rates.push(json!({ "threads": threads, "terrain": rate.terrain(), "noise": rate.noise }));
    }
    let mut summary = Row::new();
    summary.insert("times_brute_force".into(), json!(rates));
    summary.insert("asked".into(), json!({ "terrain": ASKED_TERRAIN, "noise": ASKED_NOISE }));
    let is_fast = |rate: &Value, key: &str, asked: f64| rate[key].as_f64().is_none_or(|times| times >= asked);
    let fast = rates.iter().all(|r| is_fast(r, "terrain", ASKED_TERRAIN) && is_fast(r, "noise", ASKED_NOISE));
    let pass = fast && rows.iter().all(|row| row["pass"] == json!(true));
    summary.insert("fast_enough".into(), json!(fast));
    Outcome { plots: plots(&rows), rows, summary, pass }
}

fn whole(settings: &Settings, key: &str) -> Vec<i32> {
    settings.list(key).iter().map(|value| *value as i32).collect()
}

/// What counting and brute force do in a second, to be compared.
#[derive(Default)]
struct Rates {
    /// Voxels per second, counted in large regions with the bubble of the figures, and by brute force.
    counted: Option<f64>,
    brute: Option<f64>,
    /// The same ratio on noise.
    noise: Option<f64>,
}

impl Rates {
    fn terrain(&self) -> Option<f64> {
        Some(self.counted? / self.brute?)
    }
}

/// Rock with hills through the middle, with a margin on all sides of a region of `tool` voxels.
fn terrain(tool: i32, radius: i32) -> World {
    let edge = (tool + 2 * radius + 2 + 7) / 8 * 8;
    let mut world = site::world(site::cube(IVec3::ZERO, edge), 35.0, 1);
    let fractal = Fractal { frequency_per_m: 0.08, octaves: 5, ..Fractal::default() };
    let (middle_m, samples) = (edge as f32 * VOXEL_M / 2.0, edge as usize + 3);
    let relief = (middle_m, 0.3 * middle_m);
    let heights = Heights::from_fractal([samples; 2], VOXEL_M, Vec2::splat(-VOXEL_M), relief, &fractal)
        .expect("a valid height field");
    site::place(&mut world, Region::Heights(heights.into()), ROCK);
    world
}

struct Case {
    tool: i32,
    bubble: i32,
    threads: i32,
    brute_weights: f64,
}

impl Case {
    /// Weathers the middle of the hills.
    fn on_terrain(&self, hills: &World, rates: &mut Rates) -> Row {
        let mut world = hills.clone();
        let walls = world.ground().bounds().expect("the hills have walls");
        let region = site::cube((walls.max - self.tool) / 2, self.tool);
        let bubble = Bubble::new(Form::Ball, IVec3::splat(self.bubble / 2)).expect("a valid bubble");
        let brute = self.brute_force(&world, &bubble, region);
        let edit = Edit::Weather(Weathering::new(Some(site::block(region)), bubble, THRESHOLD));
        let (report, times) = timed(&mut world, &edit);
        let balance = balance_units(&world);
        if self.bubble == ASKED_BUBBLE {
            let rate = region.volume() as f64 / times.of(Stage::Count);
            rates.counted = if self.tool >= LARGE_TOOL { Some(rate) } else { rates.counted };
            rates.brute = brute.map(|(_, seconds)| region.volume() as f64 / seconds).or(rates.brute);
        }
        let agrees = brute.is_none_or(|(voxels, _)| voxels == report.voxels);
        let is_asked = self.tool == ASKED_TOTAL.0 && self.bubble == ASKED_BUBBLE && self.threads == 2;
        let in_time = !is_asked || times.total() < ASKED_TOTAL.1;
        let mut row = weather_row("terrain", (self.tool, self.bubble, self.threads), &times, region);
        row.insert("brute_s".into(), json!(brute.map(|(_, seconds)| seconds)));
        row.insert("voxels".into(), json!(report.voxels));
        row.insert("expected".into(), json!(brute.map(|(voxels, _)| voxels)));
        row.insert("balance_units".into(), json!(balance));
        row.insert("pass".into(), json!(agrees && in_time && balance == 0));
        row
    }

    /// What goes by brute force, and how long that takes (s); none where it is too much.
    fn brute_force(&self, world: &World, bubble: &Bubble, region: VoxelBox) -> Option<(usize, f64)> {
        let weights = bubble.bounds().cells().filter(|d| bubble.weight(*d) > 0).count();
        if weights as f64 * region.volume() as f64 > self.brute_weights {
            return None;
        }
        let (within, materials) = (region.grow(bubble.radii().max_element()), world.materials());
        let is_solid = |p| u8::from(world.ground().get(p).rock_share(materials) >= LOOSE_FULL / 2);
        let solid = Solid { within, voxels: within.cells().map(is_solid).collect() };
        let start = Instant::now();
        let counts = solid.count(bubble, region);
        let seconds = start.elapsed().as_secs_f64();
        let limit = THRESHOLD * bubble.volume() as f64;
        Some((counts.iter().filter(|count| (**count as f64) < limit).count(), seconds))
    }
}

/// A row without what is compared.
fn weather_row(
    case: &str,
    (tool, bubble, threads): (i32, i32, i32),
    times: &StageTimes,
    region: VoxelBox,
) -> Row {
    row(json!({
        "case": case, "tool": tool, "bubble": bubble, "threads": threads,
        "buffer_s": times.of(Stage::Prepare),
        "count_s": times.of(Stage::Count),
        "remove_s": times.of(Stage::Remove),
        "commit_s": times.of(Stage::Commit),
        "total_s": times.total(),
        "mvoxel_per_s": region.volume() as f64 / times.of(Stage::Count) / 1e6,
    }))
}

/// A cube that nothing touches loses exactly what counting by hand says.
fn free_cube() -> Vec<Row> {
    let bounds = site::cube(IVec3::ZERO, 2 * CUBE);
    let mut cube = site::world(bounds, 35.0, 1);
    site::place(&mut cube, site::block(site::cube(IVec3::splat(CUBE / 2), CUBE)), ROCK);
    let of = |&(radius, threshold, expected): &(i32, f64, usize)| {
        let mut world = cube.clone();
        let bubble = Bubble::new(Form::Box, IVec3::splat(radius)).expect("a valid bubble");
        let (report, times) = timed(&mut world, &Edit::Weather(Weathering::new(None, bubble, threshold)));
        let threads = rayon::current_num_threads() as i32;
        let mut row = weather_row("cube", (CUBE, 2 * radius + 1, threads), &times, bounds);
        let balance = balance_units(&world);
        row.insert("brute_s".into(), Value::Null);
        row.insert("threshold".into(), json!(threshold));
        row.insert("voxels".into(), json!(report.voxels));
        row.insert("expected".into(), json!(expected));
        row.insert("balance_units".into(), json!(balance));
        row.insert("pass".into(), json!(report.voxels == expected && balance == 0));
        row
    };
    CUBE_LOSES.iter().map(of).collect()
}

/// Counts around every voxel of a cube of which every second one is full by chance.
fn on_noise(edge: i32, threads: i32, rates: &mut Rates) -> Row {
    let bubble = Bubble::new(Form::Ball, IVec3::splat(ASKED_BUBBLE / 2)).expect("a valid bubble");
    let region = site::cube(IVec3::ZERO, edge);
    let within = region.grow(ASKED_BUBBLE / 2).to_bricks();
    let mut state = 1_u64;
    let mut grid = Grid::new(0_u8);
    for coord in within.cells() {
        let values = std::array::from_fn(|_| {
            // A linear congruential generator (Knuth's MMIX).
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 63) as u8
        });
        grid.replace(coord, Brick::from_values(&values));
    }
    let within = VoxelBox::new(within.min * 8, within.max * 8);
    let solid = Solid { within, voxels: grid.read_box(within) };
    let start = Instant::now();
    let filling = GridFilling::new(&grid, 1, u16::from);
    let tiles = count_bubbles(&filling, &bubble, region, Around::Every, |tile| match tile.counts {
        Counts::Same(count) => (tile.region, vec![count; tile.region.volume() as usize]),
        Counts::Each(counts) => (tile.region, counts.to_vec()),
    });
    let count_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let brute = solid.count(&bubble, region);
    let brute_s = start.elapsed().as_secs_f64();
    // Brute force looks at the full half only.
    let share = solid.len_in(region) as f64 / region.volume() as f64;
    rates.noise = Some(brute_s / share / count_s);
    let sum_of = |(tile, counts): &(VoxelBox, Vec<u64>)| {
        let full = tile.cells().zip(counts).filter(|(p, _)| grid.get(*p) > 0);
        full.map(|(_, count)| count).sum::<u64>()
    };
    let agrees = tiles.iter().map(sum_of).sum::<u64>() == brute.iter().sum::<u64>();
    row(json!({
        "case": "noise", "tool": edge, "bubble": ASKED_BUBBLE, "threads": threads,
        "buffer_s": 0.0, "count_s": count_s, "remove_s": 0.0, "commit_s": 0.0, "total_s": count_s,
        "mvoxel_per_s": region.volume() as f64 / count_s / 1e6,
        "brute_s": brute_s, "balance_units": 0, "pass": agrees,
    }))
}

/// Times as the source draws them: over the tool, over the bubble, and by stage.
fn plots(rows: &[Row]) -> Vec<Plot> {
    let most = rows.iter().filter_map(|row| row["threads"].as_i64()).max();
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|row| row["case"] == json!("terrain") && row["threads"].as_i64() == most)
        .collect();
    let values = |key: &str| {
        let mut values: Vec<i64> = shown.iter().filter_map(|row| row[key].as_i64()).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let points = |fixed: (&str, i64), x: &str, y: &str| -> Vec<[f64; 2]> {
        let of = |row: &&&Row| Some([row[x].as_f64()?, row[y].as_f64()? * 1e3]);
        shown.iter().filter(|row| row[fixed.0] == json!(fixed.1)).filter_map(|row| of(&row)).collect()
    };
    let axes = |label: &str| (Axis::log(label), Axis::log("time (ms)"));
    let (tool_axis, time_axis) = axes("edge of the tool (voxels)");
    let mut by_tool =
        Plot::new("tool", "Weathering by size of the tool", tool_axis.clone(), time_axis.clone());
    for bubble in values("bubble") {
        by_tool = by_tool.with(
            format!("bubble {bubble}"),
            Style::LinePoints,
            points(("bubble", bubble), "tool", "total_s"),
        );
    }
    let bubble_axis = Axis::log("edge of the bubble (voxels)");
    let mut by_bubble =
        Plot::new("bubble", "Weathering by size of the bubble", bubble_axis.clone(), time_axis.clone());
    for tool in values("tool") {
        by_bubble = by_bubble.with(
            format!("tool {tool}"),
            Style::LinePoints,
            points(("tool", tool), "bubble", "total_s"),
        );
    }
    let stages = [("count", "count_s"), ("remove", "remove_s"), ("commit", "commit_s")];
    let (mut of_tool, mut of_bubble) = (
        Plot::new("stages_by_tool", "Stages, bubble 15", tool_axis, time_axis.clone()),
        Plot::new("stages_by_bubble", "Stages, tool 241", bubble_axis, time_axis),
    );
    for (stage, key) in stages {
        of_tool = of_tool.with(stage, Style::LinePoints, points(("bubble", 15), "tool", key));
        of_bubble =
            of_bubble.with(stage, Style::LinePoints, points(("tool", LARGE_TOOL.into()), "bubble", key));
    }
    vec![by_tool, by_bubble, of_tool, of_bubble]
}
