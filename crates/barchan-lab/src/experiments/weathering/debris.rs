//! `debris`: a cube of loose soil is put somewhere and comes to rest at once: at what angle, in what time by stage, and how long
//! the plain sweep over stacks takes for the same.

use std::time::Instant;

use barchan_sim::tools::Stage;
use barchan_sim::{Edit, World};
use barchan_volume::{Region, VoxelBox};
use glam::{IVec3, Vec3};
use serde_json::{Value, json};

use super::site::{self, ROCK, SOIL, VOXEL_M, mean_and_interval, timed};
use super::sweep::Sweep;
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{SoilDepths, line_fit, median};
use crate::plot::{Axis, Plot, Style};
use crate::rest::balance_units;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "debris",
    about: "a cube of loose soil comes to rest at once: angle and time, beside a plain sweep (Kuijpers2023)",
    parameters: &[
        Parameter {
            key: "scenario",
            about: "where: 0 on a plane, 1 on a slope, 2 in a funnel, 3 over the edge of a shelf",
            default: &[0.0, 1.0, 2.0, 3.0],
            range: (0.0, 3.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "n",
            about: "edges of the cube (voxels)",
            default: &[5.0, 10.0, 20.0, 30.0, 40.0, 50.0],
            range: (1.0, 128.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "angle_deg",
            about: "angles of repose (°)",
            default: &[10.0, 35.0, 45.0, 75.0],
            range: (1.0, 85.0),
            whole: false,
            list: true,
        },
        Parameter {
            key: "repeats",
            about: "runs of each case, for the interval of its time",
            default: &[3.0],
            range: (1.0, 1_000.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "large",
            about: "edge of one more cube, on the plane at 45° (voxels); 0: none",
            default: &[100.0],
            range: (0.0, 128.0),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// How far from the set angle a pile may rest (°), from this cube on (voxels).
const TOLERANCE_DEG: f64 = 1.5;
const JUDGED_FROM: i32 = 30;
/// Cubes at 45° on the plane, and the longest time to rest asked of them (s).
const ASKED_S: [(i32, f64); 2] = [(50, 0.3), (100, 4.0)];
/// A slope that leads into a plane, and the sides of the funnel (°).
const SLOPE_DEG: f64 = 20.0;
const FUNNEL_DEG: f64 = 40.0;
/// The threshold of the plain sweep, as its authors chose it (voxels), and its most sweeps.
const THRESHOLD: f64 = 0.1;
const MOST_SWEEPS: usize = 1_000_000;
/// Rounds after which soil is left as it lies.
const MOST_ROUNDS: u32 = 1 << 20;
/// Layers of rock under all of it (voxels).
const FLOOR: i32 = 2;
const NAMES: [&str; 4] = ["plane", "slope", "funnel", "overhang"];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut cases = Vec::new();
    for &scenario in settings.list("scenario") {
        for &n in settings.list("n") {
            for &angle_deg in settings.list("angle_deg") {
                cases.push(Case { scenario: scenario as usize, n: n as i32, angle_deg });
            }
        }
    }
    let large = settings.count("large") as i32;
    if large > 0 {
        cases.push(Case { scenario: 0, n: large, angle_deg: 45.0 });
    }
    let mut rows = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        rows.push(case.run(settings.count("repeats")));
        progress((at + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let off = |row: &Row| Some((row["measured_deg"].as_f64()? - row["angle_deg"].as_f64()?).abs());
    let judged = rows.iter().filter(|row| row["judged"] == json!(true));
    summary.insert("largest_difference_deg".into(), json!(judged.filter_map(off).reduce(f64::max)));
    Outcome { plots: plots(&rows), rows, summary, pass: failed == 0 }
}

/// A cube of soil and where it is put.
struct Case {
    scenario: usize,
    n: i32,
    angle_deg: f64,
}

/// What one run took (s).
#[derive(Default)]
struct Times {
    init: Vec<f64>,
    commit: Vec<f64>,
    grow: Vec<f64>,
    moving: Vec<f64>,
    total: Vec<f64>,
}

impl Case {
    fn run(&self, repeats: usize) -> Row {
        let empty = self.empty();
        let mut times = Times::default();
        let mut last = None;
        for _ in 0..repeats {
            let mut world = empty.clone();
            let region = site::block(self.cube());
            let (_, init) = timed(&mut world, &Edit::Place { region, material: SOIL, moisture: 0.0 });
            // The first round takes up the columns around; what falls, falls.
            let start = Instant::now();
            let (first, _) = timed(&mut world, &Edit::Rest { most_rounds: 1 });
            let grow = start.elapsed().as_secs_f64();
            let (rest, _) = timed(&mut world, &Edit::Rest { most_rounds: MOST_ROUNDS });
            let total = start.elapsed().as_secs_f64();
            times.init.push(init.of(Stage::Remove));
            times.commit.push(init.of(Stage::Commit));
            times.grow.push(grow);
            times.moving.push(total - grow);
            times.total.push(total + init.total());
            last = Some((world, first.rounds + rest.rounds, rest.restless));
        }
        let (world, rounds, restless) = last.expect("at least one run");
        let measured = (self.scenario == 0).then(|| self.measure(&world)).flatten();
        let judged = measured.is_some() && self.n >= JUDGED_FROM;
        let agrees = !judged || measured.is_some_and(|deg| (deg - self.angle_deg).abs() <= TOLERANCE_DEG);
        let middle = |values: &[f64]| median(values).unwrap_or(0.0);
        let to_rest = middle(&times.grow) + middle(&times.moving);
        let asked =
            ASKED_S.iter().find(|(n, _)| self.scenario == 0 && self.angle_deg == 45.0 && *n == self.n);
        let in_time = asked.is_none_or(|(_, most)| to_rest < *most);
        let balance = balance_units(&world);
        let (sweep_s, sweeps) =
            self.sweep().map_or((Value::Null, Value::Null), |(s, n)| (json!(s), json!(n)));
        row(json!({
            "scenario": NAMES[self.scenario],
            "n": self.n,
            "angle_deg": self.angle_deg,
            "measured_deg": measured,
            "init_s": middle(&times.init),
            "grow_s": middle(&times.grow),
            "move_s": middle(&times.moving),
            "commit_s": middle(&times.commit),
            "total_s": middle(&times.total),
            "interval_s": mean_and_interval(&times.total).1,
            "rounds": rounds,
            "sweep_s": sweep_s,
            "sweeps": sweeps,
            "balance_units": balance,
            "judged": judged,
            "in_time": in_time,
            "pass": agrees && in_time && balance == 0 && !restless,
        }))
    }

    /// How far soil comes from the middle at most (voxels), with room to spare.
    fn reach(&self) -> i32 {
        let (n, tan) = (f64::from(self.n), self.angle_deg.to_radians().tan());
        // A cone of the volume of the cube at its angle.
        let radius = (3.0 * n.powi(3) / (std::f64::consts::PI * tan)).cbrt();
        (1.15 * radius.max(0.75 * n)) as i32 + 8
    }

    /// Height of what is solid under the point x, y from the middle (voxels).
    fn height(&self, x: f64, y: f64) -> f64 {
        let n = f64::from(self.n);
        match self.scenario {
            1 => (x * SLOPE_DEG.to_radians().tan()).max(0.0),
            2 => ((x.hypot(y) - 0.75 * n).max(0.0) * FUNNEL_DEG.to_radians().tan()).min(1.5 * n),
            _ => 0.0,
        }
    }

    /// How high the shelf stands on the floor (voxels).
    fn shelf(&self) -> i32 {
        if self.scenario == 3 { self.n } else { 0 }
    }

    /// Where the cube goes (voxels).
    fn cube(&self) -> VoxelBox {
        let half = self.n / 2;
        let below = match self.scenario {
            0 | 2 => 0,
            1 => (f64::from(self.n) * 1.5 * SLOPE_DEG.to_radians().tan()) as i32 + 1,
            // The shelf is a fifth as thick as the cube.
            _ => self.shelf() + self.n / 5 + 1,
        };
        let aside = if self.scenario == 1 { self.n } else { 0 };
        site::cube(IVec3::new(aside - half, -half, FLOOR + below), self.n)
    }

    /// The place before soil comes.
    fn empty(&self) -> World {
        let reach = self.reach() + if self.scenario == 1 { 2 * self.n } else { 0 };
        let top = self.cube().max.z + 8;
        let bounds = VoxelBox::new(IVec3::new(-reach, -reach, 0), IVec3::new(reach, reach, top));
        let mut world = site::world(bounds, self.angle_deg, 1);
        let floor = VoxelBox::new(bounds.min, bounds.max.with_z(FLOOR));
        site::place(&mut world, site::block(floor), ROCK);
        match self.scenario {
            1 => {
                let (angle, half) = (SLOPE_DEG.to_radians() as f32, 2.0 * reach as f32 * VOXEL_M);
                // Its upper face goes through the line x = 0 on the floor, and rises with x.
                let up = Vec3::new(-angle.sin(), 0.0, angle.cos());
                let centre = Vec3::Z * (FLOOR as f32 * VOXEL_M) - up * half;
                site::place(&mut world, site::leaning(centre, Vec3::splat(half), -angle), ROCK);
            }
            2 => self.place_funnel(bounds, &mut world),
            3 => {
                let low = FLOOR + self.shelf();
                let shelf = VoxelBox::new(
                    IVec3::new(-reach, -reach, low),
                    IVec3::new(0, reach, low + self.n / 5 + 1),
                );
                site::place(&mut world, site::block(shelf), ROCK);
            }
            _ => {}
        }
        world
    }

    /// A funnel as heights over the floor.
    fn place_funnel(&self, bounds: VoxelBox, world: &mut World) {
        let side = (bounds.max.x - bounds.min.x) as usize + 2;
        let origin = bounds.min.truncate().as_vec2() * VOXEL_M - glam::Vec2::splat(VOXEL_M / 2.0);
        let at = |i: usize| f64::from(bounds.min.x) + i as f64 - 0.5;
        let height = |i: usize| (self.height(at(i % side), at(i / side)) as f32 + FLOOR as f32) * VOXEL_M;
        let samples_m = (0..side * side).map(height).collect();
        let samples = barchan_volume::HeightSamples {
            width: side,
            height: side,
            cell_size_m: VOXEL_M,
            origin,
            samples_m,
        };
        let heights = barchan_volume::Heights::new(samples).expect("a funnel is a height field");
        site::place(world, Region::Heights(heights.into()), ROCK);
    }

    /// The angle at which the pile rests (°).
    fn measure(&self, world: &World) -> Option<f64> {
        let bounds = world.ground().bounds()?;
        let depths = SoilDepths::of(world, VoxelBox::new(bounds.min.with_z(FLOOR), bounds.max));
        flank_deg(&|x, y| depths.at(x, y), f64::from(VOXEL_M), self.reach())
    }

    /// The same with the plain sweep: time (s) and sweeps. None where stacks do not hold the place.
    fn sweep(&self) -> Option<(f64, usize)> {
        if self.scenario == 3 || self.n > 50 {
            return None;
        }
        let side = 2 * (self.reach() + 2 * self.n) as usize;
        let aside = if self.scenario == 1 { f64::from(self.n) } else { 0.0 };
        let mut sweep = Sweep::new(side, self.angle_deg, |x, y| self.height(x + aside, y));
        sweep.add_cube(self.n as usize);
        let start = Instant::now();
        let sweeps = sweep.run(THRESHOLD, MOST_SWEEPS);
        Some((start.elapsed().as_secs_f64(), sweeps))
    }
}

/// A cube of soil that came to rest on the plane.
pub struct Rested {
    /// The angle at which it rests (°).
    pub measured_deg: Option<f64>,
    /// How long that took (s).
    pub seconds: f64,
    /// How many rounds of sliding.
    pub rounds: u32,
    /// How much the books are off by (units).
    pub balance_units: i64,
}

/// Lets a cube of `n` voxels come to rest on the plane.
pub fn rest_on_plane(n: i32, angle_deg: f64) -> Rested {
    let case = Case { scenario: 0, n, angle_deg };
    let mut world = case.empty();
    site::place(&mut world, site::block(case.cube()), SOIL);
    let start = Instant::now();
    let (report, _) = timed(&mut world, &Edit::Rest { most_rounds: MOST_ROUNDS });
    let seconds = start.elapsed().as_secs_f64();
    let balance_units = balance_units(&world);
    Rested { measured_deg: case.measure(&world), seconds, rounds: report.rounds, balance_units }
}

/// The mean over eight directions of the slope (°) of a line through 20 to 80 % of the flank of a pile around x = y = 0. Lengths in
/// units of which `cell` are a voxel.
pub fn flank_deg(depth: &impl Fn(f64, f64) -> f64, cell: f64, reach: i32) -> Option<f64> {
    let of = |direction: usize| {
        let (sin, cos) = (direction as f64 * std::f64::consts::FRAC_PI_4).sin_cos();
        let steps = 4 * reach;
        let profile: Vec<[f64; 2]> = (0..steps)
            .map(|k| f64::from(k) * 0.25 * cell)
            .map(|radius| [radius, depth(radius * cos, radius * sin)])
            .collect();
        let peak = profile.iter().map(|[_, height]| *height).fold(0.0, f64::max);
        let flank = |[_, height]: &&[f64; 2]| (0.2 * peak..=0.8 * peak).contains(height);
        let points: Vec<[f64; 2]> = profile.iter().filter(flank).copied().collect();
        // Of a steep flank the radius is told by the height, which has many values.
        let turned: Vec<[f64; 2]> = points.iter().map(|[radius, height]| [*height, *radius]).collect();
        let (_, run) = line_fit(&turned)?;
        Some(1.0_f64.atan2(-run).to_degrees())
    };
    let angles: Vec<f64> = (0..8).map(of).collect::<Option<_>>()?;
    Some(angles.iter().sum::<f64>() / 8.0)
}

/// Time by size of the cube, by stage and beside the sweep; angles as measured over those that were set.
fn plots(rows: &[Row]) -> Vec<Plot> {
    let size = || Axis::log("edge of the cube (voxels)");
    let time = || Axis::log("time (ms)");
    let points = |scenario: &str, angle: f64, key: &str| -> Vec<[f64; 2]> {
        let shown = rows.iter().filter(|row| row["scenario"] == json!(scenario));
        let shown = shown.filter(|row| row["angle_deg"].as_f64() == Some(angle));
        shown.filter_map(|row| Some([row["n"].as_f64()?, row[key].as_f64()? * 1e3])).collect()
    };
    let mut by_place = Plot::new("time", "Debris comes to rest, 45°", size(), time());
    for scenario in NAMES {
        by_place = by_place.with(scenario, Style::LinePoints, points(scenario, 45.0, "total_s"));
    }
    by_place = by_place.with("plain sweep, plane", Style::Reference, points("plane", 45.0, "sweep_s"));
    let mut by_stage = Plot::new("stages", "Stages on the plane, 45°", size(), time());
    for (stage, key) in [("init", "init_s"), ("grow", "grow_s"), ("move", "move_s"), ("commit", "commit_s")] {
        by_stage = by_stage.with(stage, Style::LinePoints, points("plane", 45.0, key));
    }
    let measured: Vec<[f64; 2]> = rows
        .iter()
        .filter(|row| row["judged"] == json!(true))
        .filter_map(|row| Some([row["angle_deg"].as_f64()?, row["measured_deg"].as_f64()?]))
        .collect();
    let angle = Plot::new(
        "angle",
        "Angle at rest",
        Axis::linear("angle that is set (°)"),
        Axis::linear("measured (°)"),
    )
    .with("piles from n = 30", Style::Points, measured)
    .with("as set", Style::Reference, vec![[0.0, 0.0], [80.0, 80.0]]);
    vec![by_place, by_stage, angle]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flanks_of_cones_have_their_slope() {
        for deg in [10.0_f64, 45.0, 75.0] {
            let tan = deg.to_radians().tan();
            let depth = |x: f64, y: f64| (4.0 * tan - x.hypot(y) * tan).max(0.0);
            let found = flank_deg(&depth, 0.1, 60).unwrap();
            assert!((found - deg).abs() < 0.1, "{found} of {deg}");
        }
        assert_eq!(flank_deg(&|_, _| 0.0, 0.1, 60), None);
    }
}
