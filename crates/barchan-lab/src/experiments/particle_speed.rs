//! `particle-speed`: how long it takes to sort particles into cells, to list their neighbours and to sum a density over about 30 of
//! them each, on every number of threads and at every level of the CPU that is asked for. The sums must be the same bits.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use barchan_particles::lanes::{LANES, Level, Simd, dispatch, f32x16, levels, prelude::*};
use barchan_particles::{Candidates, Cells, Lattice, Lists, Place, Records};
use glam::DVec3;
use rayon::prelude::*;
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "particle-speed",
    about: "sorting particles, listing their neighbours and a density sum, by threads and levels of the CPU",
    parameters: &[
        Parameter {
            key: "particles",
            about: "particles",
            default: &[1e5, 1e6],
            range: (1.0, 1e7),
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
            key: "simd",
            about: "level of the CPU: 0 the best it has, 1 sse2, 2 sse4.2, 3 avx2, 4 avx512",
            default: &[0.0],
            range: (0.0, 4.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "rounds",
            about: "rounds, of which the fastest counts: what disturbs only slows",
            default: &[20.0],
            range: (1.0, 1e5),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// Levels by their number; 0 is the best there is.
const LEVELS: [&str; 5] = ["best", "sse2", "sse4.2", "avx2", "avx512"];

/// Edge of a cell, which is the reach of a particle, and distance between two (m).
const CELL_M: f64 = 0.2;
const SPACING_M: f64 = 0.1;

/// What is asked of two threads: particles, figure, at most (ms).
const ASKED: [(usize, &str, f64); 3] =
    [(100_000, "sort_ms", 0.8), (100_000, "density_ms", 4.0), (1_000_000, "sort_ms", 9.0)];

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    let counts = settings.list("particles");
    for (at, count) in counts.iter().enumerate() {
        let places = pool(*count as usize);
        let mut expected = None;
        for threads in settings.list("threads") {
            for number in settings.list("simd") {
                let name = LEVELS[*number as usize];
                let Some(level) = level(name) else { continue };
                let threads = *threads as usize;
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                let (mut measured, digest) =
                    pool.install(|| measure(&places, level, settings.count("rounds")));
                let same = *expected.get_or_insert(digest) == digest;
                let asked = ASKED.iter().filter(|asked| threads == 2 && asked.0 == places.len());
                let in_time = |(_, figure, most): &(usize, &str, f64)| {
                    measured[*figure].as_f64().is_some_and(|found| found <= *most)
                };
                let pass = same && asked.into_iter().all(in_time);
                measured.insert("threads".to_owned(), json!(threads));
                measured.insert("simd".to_owned(), json!(name));
                measured.insert("digest".to_owned(), json!(format!("{digest:016x}")));
                measured.insert("pass".to_owned(), json!(pass));
                outcome.pass &= pass;
                outcome.rows.push(measured);
            }
        }
        progress((at + 1) as f64 / counts.len() as f64);
    }
    let has: Vec<&str> = levels().into_iter().map(|(name, _)| name).collect();
    outcome.summary.insert("levels_of_this_cpu".to_owned(), json!(has));
    outcome
}

/// The level of this name, if the CPU has it.
fn level(name: &str) -> Option<Level> {
    if name == LEVELS[0] {
        return Some(Level::new());
    }
    levels().into_iter().find(|(known, _)| *known == name).map(|(_, level)| level)
}

/// A pool of water: particles on a jittered lattice, in no order.
fn pool(count: usize) -> Vec<Place> {
    let lattice = Lattice::new(CELL_M).expect("an edge that is allowed");
    let side = (count as f64).cbrt().ceil() as usize;
    let mut state = 7_u64;
    let mut random = || {
        // A linear congruential generator (Knuth's MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let place = |index: usize| {
        let [x, y, z] = [index / side / side, index / side % side, index % side].map(|i| i as f64);
        let jitter = DVec3::new(random(), random(), random()) - 0.5;
        lattice.place((DVec3::new(x, y, z) + 0.2 * jitter) * SPACING_M).expect("a place near the origin")
    };
    let mut places: Vec<Place> = (0..count).map(place).collect();
    // As they lie after a step: nearly in order.
    for at in (0..places.len().saturating_sub(3)).step_by(4) {
        places.swap(at, at + 3);
    }
    places
}

/// Times of one case, and the hash of all densities.
fn measure(places: &[Place], level: Level, rounds: usize) -> (Row, u64) {
    let (mut cells, mut records, mut sorted, mut lists) =
        (Cells::default(), Records::default(), Vec::new(), Lists::default());
    let mut fastest_s = [f64::INFINITY; 3];
    let mut densities = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        cells.sort(black_box(places), 0);
        fastest_s[0] = fastest_s[0].min(start.elapsed().as_secs_f64());
        cells.arrange(places, &mut sorted);
        records.fill(&sorted, |_| 1.0);
        let start = Instant::now();
        lists.find(level, &cells, black_box(&records), 1.0);
        fastest_s[1] = fastest_s[1].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        densities = density(level, &cells, black_box(&records));
        fastest_s[2] = fastest_s[2].min(start.elapsed().as_secs_f64());
    }
    let neighbours: usize = (0..sorted.len()).map(|slot| lists.of(slot).len()).sum();
    let [sort_ms, list_ms, density_ms] = fastest_s.map(|seconds| seconds * 1e3);
    let row = row(json!({
        "particles": places.len(),
        "neighbours": neighbours as f64 / places.len().max(1) as f64,
        "sort_ms": sort_ms,
        "list_ms": list_ms,
        "density_ms": density_ms,
        "bytes_per_particle": cells.memory_bytes() as f64 / places.len().max(1) as f64,
    }));
    (row, hash(&densities))
}

/// The density of every particle, in the order of slots.
fn density(level: Level, cells: &Cells, records: &Records) -> Vec<f32> {
    let of_part = |candidates: &mut Candidates, part: Range<usize>| {
        let mut found = Vec::new();
        dispatch!(level, simd => density_of_part(simd, cells, part, records, candidates, &mut found));
        found
    };
    let parts: Vec<Vec<f32>> =
        cells.parts(1024).into_par_iter().map_init(Candidates::default, of_part).collect();
    parts.concat()
}

#[inline(always)]
fn density_of_part<S: Simd>(
    simd: S,
    cells: &Cells,
    part: Range<usize>,
    records: &Records,
    candidates: &mut Candidates,
    found: &mut Vec<f32>,
) {
    for here in cells.neighbourhoods(part) {
        candidates.collect(simd, &here, records, 1.0);
        for slot in here.slots.clone() {
            let [x, y, z] = Candidates::place_of(&here, records, slot);
            let mut sum = f32x16::splat(simd, 0.0);
            for start in (0..candidates.len()).step_by(LANES) {
                let block = start..start + LANES;
                let dx = f32x16::from_slice(simd, &candidates.x[block.clone()]) - x;
                let dy = f32x16::from_slice(simd, &candidates.y[block.clone()]) - y;
                let dz = f32x16::from_slice(simd, &candidates.z[block.clone()]) - z;
                let rest = (f32x16::splat(simd, 1.0) - (dx * dx + dy * dy + dz * dz)).max(0.0);
                sum += f32x16::from_slice(simd, &candidates.weight[block]) * rest * rest * rest;
            }
            found.push(sum.reduce_sum());
        }
    }
}

/// Of all bits (FNV-1a).
fn hash(densities: &[f32]) -> u64 {
    let step = |hash: u64, density: &f32| (hash ^ u64::from(density.to_bits())).wrapping_mul(0x100_0000_01b3);
    densities.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
