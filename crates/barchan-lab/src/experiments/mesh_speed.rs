//! `mesh-speed`: how fast one thread meshes blocks of 64x64x64 voxels, normals and materials included: rolling
//! terrain, rock full of holes, and empty space. Of several rounds the fastest counts: what disturbs only slows.
//! Then how long two threads take to bring the surface up to date after a step of `push`, n = 128.

use std::time::Instant;

use barchan_sim::units::{LOOSE_FULL, VoidRatio};
use barchan_sim::{Ground, MaterialId, Voxel, World, WorldState};
use barchan_surface::mesh::{MeshOptions, Mesher, Surface};
use barchan_volume::brick::{VOXELS, brick_box, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::{IVec3, Vec3};
use serde_json::json;

use super::push::block_before_bed;
use crate::experiment::{Experiment, Outcome, Row};
use crate::measure::median;
use crate::rest::STEP_S;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mesh-speed",
    about: "blocks of 64x64x64 voxels on one thread: terrain, caves and empty space",
    parameters: &[Parameter {
        key: "rounds",
        about: "rounds, of which the fastest counts",
        default: &[20.0],
        range: (1.0, 100_000.0),
        whole: true,
        list: false,
    }],
    run,
};

/// Voxels along an edge of a block.
const EDGE: i32 = 64;

/// Voxels a side of the world of `push`, the steps of it, and what is asked of the surface after one (ms).
const PUSH_N: usize = 128;
const PUSH_STEPS: usize = 80;
const PUSH_REMESH_MS: f64 = 4.0;

/// Fill of a voxel (0 to 1) of one kind of ground.
type Fill = fn(Vec3) -> f32;

/// Name, ground, block to be meshed (blocks), and what is asked of it.
type Case = (&'static str, Fill, IVec3, &'static str, f64);

const CASES: [Case; 3] = [
    ("terrain", terrain, IVec3::ZERO, "mvoxel_per_s", 150.0),
    ("cave", caves, IVec3::ZERO, "mtriangle_per_s", 12.0),
    ("empty", caves, IVec3::new(0, 0, 8), "block_us", 60.0),
];

/// Hills between a quarter and three quarters of the height.
fn terrain(p: Vec3) -> f32 {
    let far = p * 0.07;
    32.0 + 8.0 * far.x.sin() * far.y.cos() + 5.0 * (2.3 * far.x + 1.1 * far.y).sin() - p.z
}

/// Tunnels everywhere, about eight voxels apart.
fn caves(p: Vec3) -> f32 {
    let at = p * 0.75;
    0.5 + 1.2 * (at.x.sin() * at.y.cos() + at.y.sin() * at.z.cos() + at.z.sin() * at.x.cos())
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    for (at, case) in CASES.iter().enumerate() {
        let row = measure(case, settings.count("rounds"));
        outcome.pass &= row["pass"] == json!(true);
        outcome.rows.push(row);
        progress((at + 1) as f64 / CASES.len() as f64);
    }
    let push_remesh_ms = push_remesh_ms(settings.count("rounds"));
    outcome.pass &= push_remesh_ms < PUSH_REMESH_MS;
    outcome.summary.insert("rounds".to_owned(), json!(settings.count("rounds")));
    outcome.summary.insert("push_remesh_ms".to_owned(), json!(push_remesh_ms));
    outcome
}

/// Time to renew the surface after a step of `push` on two threads (ms): median over steps in the middle of the way, of
/// each the fastest of some rounds.
fn push_remesh_ms(rounds: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    pool.install(|| {
        let mut world = block_before_bed(PUSH_N, 25.0, 0.5).expect("a bed that fits into memory");
        let mut surface = Surface::new(&world, MeshOptions::default());
        let mut times_ms = Vec::new();
        for step in 0..PUSH_STEPS {
            let changed: Vec<IVec3> = world.step(STEP_S).changes.bricks().collect();
            if step < PUSH_STEPS / 2 {
                surface.update(&world, changed);
                continue;
            }
            let renewed = (0..rounds.min(5)).map(|_| {
                let mut renewed = surface.clone();
                let start = Instant::now();
                renewed.update(&world, changed.iter().copied());
                (start.elapsed().as_secs_f64() * 1e3, renewed)
            });
            if let Some((fastest_ms, last)) = renewed.reduce(|a, b| (a.0.min(b.0), b.1)) {
                times_ms.push(fastest_ms);
                surface = last;
            }
        }
        median(&times_ms).unwrap_or(f64::NAN)
    })
}

fn measure((field, fill, coord, figure, asked): &Case, rounds: usize) -> Row {
    let world = ground_of(*fill);
    let options = MeshOptions { block_edge: EDGE as u32, ..MeshOptions::default() };
    let (mut mesher, mut fastest_s, mut triangles) = (Mesher::default(), f64::INFINITY, 0);
    for _ in 0..rounds {
        let start = Instant::now();
        let block = mesher.block(&world, options, *coord);
        fastest_s = fastest_s.min(start.elapsed().as_secs_f64());
        triangles = block.core().triangles.len();
    }
    let voxels = f64::from(EDGE).powi(3);
    let mut row = Row::new();
    row.insert("field".to_owned(), json!(field));
    row.insert("mvoxel_per_s".to_owned(), json!(voxels / fastest_s / 1e6));
    row.insert("mtriangle_per_s".to_owned(), json!(triangles as f64 / fastest_s / 1e6));
    row.insert("block_us".to_owned(), json!(fastest_s * 1e6));
    row.insert("triangles".to_owned(), json!(triangles));
    let measured = row[*figure].as_f64().unwrap_or(f64::NAN);
    let is_reached = if *figure == "block_us" { measured < *asked } else { measured >= *asked };
    row.insert("pass".to_owned(), json!(is_reached));
    row
}

/// A world whose soil fills the block at the origin, and a brick more all around.
fn ground_of(fill: Fill) -> World {
    let mut grid = Grid::new(Voxel::AIR);
    let region = VoxelBox::new(IVec3::splat(-8), IVec3::splat(EDGE + 8));
    for coord in region.to_bricks().cells() {
        let mut voxels = [Voxel::AIR; VOXELS];
        for p in brick_box(coord).cells() {
            let share = fill(p.as_vec3() + 0.5).clamp(0.0, 1.0);
            let soil = (share * LOOSE_FULL as f32) as u16;
            voxels[voxel_index(p)] = Voxel::of_soil(soil, MaterialId(0), VoidRatio::REFERENCE);
        }
        grid.replace(coord, Brick::from_values(&voxels));
    }
    let state = WorldState::entered(Ground::from_parts(grid, [], 1.0, None, []));
    World::from_state(state).expect("ground that holds together")
}
