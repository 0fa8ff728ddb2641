//! How fast bubbles are counted, beside adding up weight by weight. Run with `cargo bench -p barchan-volume --bench bubbles`.

use barchan_volume::brick::VOXELS;
use barchan_volume::{
    Around, Brick, Bubble, Counts, Coverage, Form, Fractal, Grid, GridFilling, Heights, LiveCounts, VoxelBox,
    count_bubbles,
};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use glam::{IVec3, Vec2};

fn main() {
    divan::main();
}

const FULL: u16 = 32_768;
const EDGE: i32 = 256;

/// Hills through the middle of a cube.
fn terrain() -> Grid<u16> {
    let fractal = Fractal { frequency_per_m: 0.1, octaves: 5, ..Fractal::default() };
    let heights = Heights::from_fractal([161; 2], 0.2, Vec2::splat(-1.0), (12.8, 6.0), &fractal)
        .expect("a valid height field");
    let mut grid = Grid::new(0);
    for coord in VoxelBox::new(IVec3::splat(-2), IVec3::splat(EDGE / 8 + 2)).cells() {
        let mut covered = [0.0; VOXELS];
        match heights.coverage(coord, 0.1, &mut covered) {
            Coverage::Empty => {}
            Coverage::Full => drop(grid.replace(coord, Brick::Uniform(FULL))),
            Coverage::Partial => {
                let values = covered.map(|part| (part * f32::from(FULL)) as u16);
                grid.replace(coord, Brick::from_values(&values));
            }
        }
    }
    grid
}

/// Every second voxel full, by chance.
fn noise() -> Grid<u16> {
    let mut state = 1u64;
    let mut grid = Grid::new(0);
    for coord in VoxelBox::new(IVec3::splat(-2), IVec3::splat(EDGE / 8 + 2)).cells() {
        let values = std::array::from_fn(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 63) as u16 * FULL
        });
        grid.replace(coord, Brick::from_values(&values));
    }
    grid
}

fn cube(edge: i32) -> VoxelBox {
    VoxelBox::new(IVec3::ZERO, IVec3::splat(edge))
}

fn is_solid(value: u16) -> u16 {
    u16::from(value >= FULL / 2)
}

/// Counts a whole cube on one thread.
fn count(bencher: Bencher, grid: &Grid<u16>, form: Form, radius: i32, is_weighed: bool) {
    let bubble = Bubble::new(form, IVec3::splat(radius)).expect("a valid bubble");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let region = cube(EDGE);
    let sum = |counts: Counts| match counts {
        Counts::Same(count) => count,
        Counts::Each(counts) => counts.iter().fold(0, |sum, count| sum ^ count),
    };
    bencher.counter(ItemsCount::new(region.volume() as usize)).bench_local(|| {
        pool.install(|| {
            if is_weighed {
                let filling = GridFilling::new(grid, FULL, |value| value);
                count_bubbles(&filling, &bubble, region, Around::Every, |tile| sum(tile.counts))
            } else {
                let filling = GridFilling::new(grid, 1, is_solid);
                count_bubbles(&filling, &bubble, region, Around::Every, |tile| sum(tile.counts))
            }
        })
    });
}

/// Adds up every weight around a few voxels spread over the cube, from a dense array.
fn brute_force(bencher: Bencher, grid: &Grid<u16>, radius: i32) {
    let bubble = Bubble::new(Form::Ball, IVec3::splat(radius)).expect("a valid bubble");
    let region = cube(EDGE).grow(radius);
    let solid: Vec<u8> = grid.read_box(region).into_iter().map(|value| is_solid(value) as u8).collect();
    let middle = region.index(IVec3::ZERO) as isize;
    let places = bubble.bounds().cells().filter(|d| bubble.weight(*d) > 0);
    let offsets: Vec<isize> = places.map(|d| region.index(d) as isize - middle).collect();
    let places: Vec<IVec3> = cube(EDGE / 16).cells().map(|p| p * 16).collect();
    bencher.counter(ItemsCount::new(places.len())).bench_local(|| {
        let around = |p: IVec3| {
            let at = region.index(p);
            offsets.iter().map(|d| u64::from(solid[at.wrapping_add_signed(*d)])).sum::<u64>()
        };
        places.iter().map(|p| around(*p)).fold(0, |sum, count| sum ^ count)
    });
}

#[divan::bench(sample_count = 5)]
fn brute_force_terrain(bencher: Bencher) {
    brute_force(bencher, &terrain(), 11);
}

#[divan::bench(args = [3, 7, 11, 24, 40], sample_count = 5)]
fn ball_terrain(bencher: Bencher, radius: i32) {
    count(bencher, &terrain(), Form::Ball, radius, false);
}

#[divan::bench(args = [3, 7, 11, 24, 40], sample_count = 5)]
fn ball_noise(bencher: Bencher, radius: i32) {
    count(bencher, &noise(), Form::Ball, radius, false);
}

#[divan::bench(args = Form::ALL, sample_count = 5)]
fn forms_noise(bencher: Bencher, form: Form) {
    count(bencher, &noise(), form, 11, false);
}

#[divan::bench(args = [Form::Ball, Form::Falloff], sample_count = 5)]
fn fill_terrain(bencher: Bencher, form: Form) {
    count(bencher, &terrain(), form, 11, true);
}

/// A hundred voxels taken out, counts around a cube of bricks kept up to date.
#[divan::bench]
fn live_changes(bencher: Bencher) {
    let grid = terrain();
    let bubble = Bubble::new(Form::Ball, IVec3::splat(11)).expect("a valid bubble");
    let mut live = LiveCounts::new(bubble);
    let bricks: Vec<IVec3> = cube(8).cells().collect();
    live.count(&GridFilling::new(&grid, 1, is_solid), &bricks);
    let changes: Vec<_> = (0..100).map(|i| (IVec3::new(i * 37 % 64, i * 11 % 64, i * 53 % 64), -1)).collect();
    bencher.counter(ItemsCount::new(changes.len())).bench_local(|| live.change(black_box(&changes)));
}
