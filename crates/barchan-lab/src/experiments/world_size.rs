//! `world-size`: what an edit, a moment for those who look on and an undo state cost in a small world and in a large one. Work
//! follows what changes, so all three cost the same.
//!
//! A moment is a copy of the ground and the bricks that differ from the last; an undo state is a copy of the whole world.

use std::sync::Arc;
use std::time::Instant;

use barchan_sim::units::VoidRatio;
use barchan_sim::{Edit, Ground, MaterialId, Voxel, World, WorldState};
use barchan_volume::brick::VOXELS;
use barchan_volume::{Brick, Grid, Pose, Region, Shape, Solid};
use glam::{IVec3, Vec3};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::median;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "world-size",
    about: "an edit, a moment for viewers and an undo state cost the same in worlds of any size",
    parameters: &[
        Parameter {
            key: "bricks",
            about: "bricks of the worlds, the smallest first",
            default: &[1e4, 1e5],
            range: (1e3, 2e6),
            whole: true,
            list: true,
        },
        Parameter {
            key: "rounds",
            about: "rounds, of which the median counts",
            default: &[201.0],
            range: (1.0, 1e6),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// Bricks above each other: four of rock, and one with the surface.
const HEIGHT: i32 = 5;

/// Edge of a voxel (m).
const VOXEL_M: f32 = 0.1;

/// What is edited: a ball of this radius (m) on the surface.
const BALL_M: f32 = 0.5;

/// By how much the large world may cost more (-), and what is too short to be told (ms): a look at a clock and the noise of a
/// machine, a thousandth of the time between two pictures.
const MOST_MORE: f64 = 1.2;
const UNTOLD_MS: f64 = 0.02;

const FIGURES: [&str; 3] = ["edit_ms", "moment_ms", "undo_ms"];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    let sizes = settings.list("bricks");
    for (at, bricks) in sizes.iter().enumerate() {
        let mut measured = measure(*bricks as usize, settings.count("rounds"));
        let of = |row: &Row, figure: &str| row[figure].as_f64().unwrap_or(f64::NAN);
        let first = outcome.rows.first().unwrap_or(&measured);
        let costs_the_same =
            |figure: &&str| of(&measured, figure) <= MOST_MORE * of(first, figure) + UNTOLD_MS;
        let pass = FIGURES.iter().all(costs_the_same);
        measured.insert("pass".to_owned(), json!(pass));
        outcome.pass &= pass;
        outcome.rows.push(measured);
        progress((at + 1) as f64 / sizes.len() as f64);
    }
    outcome
}

fn measure(bricks: usize, rounds: usize) -> Row {
    let mut world = plain(bricks);
    let at = Vec3::new(0.9, 0.9, 8.0 * (HEIGHT as f32 - 0.5) * VOXEL_M);
    let ball = Region::Solid(Solid { shape: Shape::Ball { radius: BALL_M }, pose: Pose::at(at) });
    let edits = [
        Edit::Place { region: ball.clone(), material: MaterialId(0), moisture: 0.0 },
        Edit::Remove { region: ball },
    ];
    let mut shown = world.ground().voxels().clone();
    let (mut times_ms, mut changed) = ([const { Vec::new() }; 3], 0);
    for edit in edits.iter().cycle().take(rounds.next_multiple_of(2)) {
        let start = Instant::now();
        let undo = world.clone();
        times_ms[2].push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        world.edit(edit).expect("an edit inside the world");
        times_ms[0].push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let now = world.ground().voxels().clone();
        changed = now.bricks_unlike(&shown).len();
        shown = now;
        times_ms[1].push(start.elapsed().as_secs_f64() * 1e3);
        drop(undo);
    }
    let [edit_ms, moment_ms, undo_ms] = times_ms.map(|times| median(&times).unwrap_or(f64::NAN));
    row(json!({
        "bricks": world.ground().voxels().brick_count(),
        "changed_bricks": changed,
        "edit_ms": edit_ms,
        "moment_ms": moment_ms,
        "undo_ms": undo_ms,
    }))
}

/// Level loam on rock, of about so many bricks.
fn plain(bricks: usize) -> World {
    let side = ((bricks as f64 / f64::from(HEIGHT)).sqrt().round() as i32).max(4);
    let materials = barchan_sim::Materials::builtin();
    let find = |name: &str| materials.find(name).expect("a material that is built in");
    let (loam, granite) = (find("loam"), find("granite"));
    let natural = VoidRatio::from_f32(materials[loam].void_ratio_natural);
    let soil = Voxel::of_soil(natural.capacity() as u16, loam, natural);
    let rock = Voxel::of_rock(materials.rock_void_ratio(granite).capacity() as u16, granite);
    let voxels: [Voxel; VOXELS] = std::array::from_fn(|at| if at & 7 < 4 { soil } else { Voxel::AIR });
    let surface = Brick::Dense(Arc::new(voxels));
    let mut grid = Grid::new(Voxel::AIR);
    for x in -side / 2..side - side / 2 {
        for y in -side / 2..side - side / 2 {
            for z in 0..HEIGHT - 1 {
                grid.replace(IVec3::new(x, y, z), Brick::Uniform(rock));
            }
            grid.replace(IVec3::new(x, y, HEIGHT - 1), surface.clone());
        }
    }
    let state = WorldState::entered(Ground::from_parts(grid, [], VOXEL_M, None, []));
    World::from_state(state).expect("ground that holds together")
}
