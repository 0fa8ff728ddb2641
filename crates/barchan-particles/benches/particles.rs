//! Speed of sorting, of making lists and of a density sum. `RAYON_NUM_THREADS` sets the threads.

use std::hint::black_box;

use barchan_particles::lanes::{LANES, Level, Simd, dispatch, f32x16, prelude::*};
use barchan_particles::{BUNDLE, Bundles, Candidates, Cells, Lattice, Lists, Place, Records, gather};
use divan::Bencher;
use divan::counter::ItemsCount;
use glam::DVec3;
use rayon::prelude::*;

fn main() {
    divan::main();
}

/// A pool as water stands in it: spacing of half a cell, jittered, in the order of an earlier moment.
fn pool(count: usize) -> Vec<Place> {
    let lattice = Lattice::new(0.2).expect("a valid edge");
    let side = (count as f64).cbrt().ceil() as usize;
    let mut state = 1u64;
    let mut jitter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64 / (1u64 << 31) as f64 - 0.5) * 0.02
    };
    let mut places: Vec<_> = (0..count)
        .map(|i| {
            let at = DVec3::new((i / side / side) as f64, (i / side % side) as f64, (i % side) as f64);
            let at = at * 0.1 + DVec3::new(jitter(), jitter(), jitter());
            lattice.place(at).expect("a place near the origin")
        })
        .collect();
    let mut cells = Cells::default();
    let mut sorted = Vec::new();
    cells.sort(&places, 0);
    cells.arrange(&places, &mut sorted);
    for place in &mut sorted {
        *place = lattice.moved(*place, DVec3::new(jitter(), jitter(), jitter()));
    }
    places = sorted;
    places
}

struct Sorted {
    cells: Cells,
    records: Records,
    places: Vec<Place>,
}

fn sorted(count: usize) -> Sorted {
    let mut cells = Cells::default();
    let (mut places, mut records) = (Vec::new(), Records::default());
    let from = pool(count);
    cells.sort(&from, 0);
    cells.arrange(&from, &mut places);
    records.fill(&places, |_| 1.0);
    Sorted { cells, records, places }
}

#[divan::bench(args = [100_000, 1_000_000])]
fn sort(bencher: Bencher, count: usize) {
    let places = pool(count);
    let mut cells = Cells::default();
    bencher.counter(ItemsCount::new(count)).bench_local(|| cells.sort(black_box(&places), 0));
}

#[divan::bench(args = [100_000])]
fn sort_and_arrange_and_fill(bencher: Bencher, count: usize) {
    let places = pool(count);
    let (mut cells, mut records, mut into) = (Cells::default(), Records::default(), Vec::new());
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        cells.sort(black_box(&places), 0);
        cells.arrange(&places, &mut into);
        records.fill(&into, |_| 1.0);
    });
}

#[divan::bench(args = [100_000])]
fn lists(bencher: Bencher, count: usize) {
    let Sorted { cells, records, .. } = sorted(count);
    let mut lists = Lists::default();
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| lists.find(Level::new(), &cells, black_box(&records), 1.0));
}

#[divan::bench(args = [100_000])]
fn bundles(bencher: Bencher, count: usize) {
    let Sorted { cells, records, .. } = sorted(count);
    let (mut lists, mut bundles) = (Lists::default(), Bundles::default());
    lists.find(Level::new(), &cells, &records, 1.0);
    bencher.counter(ItemsCount::new(count)).bench_local(|| bundles.lay_out(black_box(&lists), count));
}

#[inline(always)]
fn density_in_search<S: Simd>(
    simd: S,
    cells: &Cells,
    part: std::ops::Range<usize>,
    records: &Records,
    candidates: &mut Candidates,
) -> f32 {
    let mut total = 0.0;
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
            total += sum.reduce_sum();
        }
    }
    total
}

#[divan::bench(args = [100_000])]
fn density_while_searching(bencher: Bencher, count: usize) {
    let Sorted { cells, records, .. } = sorted(count);
    let level = Level::new();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let parts = cells.parts(1024).into_par_iter();
        let of_part = |candidates: &mut Candidates, part: std::ops::Range<usize>| {
            dispatch!(level, simd => density_in_search(simd, &cells, part, &records, candidates))
        };
        parts.map_init(Candidates::default, of_part).collect::<Vec<_>>()
    });
}

#[inline(always)]
fn density_in_bundles<S: Simd>(simd: S, bundles: &Bundles, part: usize, records: &[[u32; 4]]) -> f32 {
    let mut total = 0.0;
    for bundle in bundles.of_part(part) {
        let [x, y, z, _] = gather(simd, records, bundle.slots).map(|word| word.bitcast::<f32x16<S>>());
        let mut sum = f32x16::splat(simd, 0.0);
        for row in bundle.rows {
            let [other_x, other_y, other_z, weight] =
                gather(simd, records, row).map(|word| word.bitcast::<f32x16<S>>());
            let (dx, dy, dz) = (other_x - x, other_y - y, other_z - z);
            let rest = (f32x16::splat(simd, 1.0) - (dx * dx + dy * dy + dz * dz)).max(0.0);
            sum += weight * rest * rest * rest;
        }
        for lane in 0..BUNDLE {
            total += sum[lane];
        }
    }
    total
}

#[divan::bench(args = [100_000])]
fn density_in_lists(bencher: Bencher, count: usize) {
    let Sorted { cells, records, places } = sorted(count);
    let (mut lists, mut bundles) = (Lists::default(), Bundles::default());
    lists.find(Level::new(), &cells, &records, 1.0);
    bundles.lay_out(&lists, count);
    let mut of_each: Vec<_> = places
        .iter()
        .map(|place| {
            let [x, y, z] = place.coarse().map(|x| x as f32 / 8_388_608.0);
            [x, y, z, 1.0].map(f32::to_bits)
        })
        .collect();
    of_each.push([1e9, 1e9, 1e9, 0.0].map(f32::to_bits));
    let level = Level::new();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let parts = (0..bundles.parts()).into_par_iter();
        let of_part = |part| dispatch!(level, simd => density_in_bundles(simd, &bundles, part, &of_each));
        parts.map(of_part).collect::<Vec<_>>()
    });
}
