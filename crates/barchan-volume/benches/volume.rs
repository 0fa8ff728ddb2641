//! Speed of the grid and of the geometry on it, and the memory of a large terrain.

use std::hint::black_box;
use std::time::Instant;

use barchan_volume::brick::{VOXELS, brick_box};
use barchan_volume::{
    Brick, Caves, Coverage, Density, DistanceScratch, Fractal, Grid, Heights, Spacing, VoxelBox,
};
use divan::Bencher;
use divan::counter::ItemsCount;
use glam::{IVec2, IVec3, Vec2, Vec3};

fn main() {
    build_large_terrain();
    divan::main();
}

/// As large as the voxels of the simulation.
type Voxel = [u16; 5];

const AIR: Voxel = [0; 5];

fn fill(voxel: Voxel) -> f32 {
    f32::from(voxel[0]) / 32_768.0
}

/// Hills of `size` metres around a height of 20 m with voxels of 0.1 m.
fn hills(size_m: f32) -> Heights {
    let samples = (size_m / 0.2) as usize + 1;
    let fractal = Fractal { frequency_per_m: 0.03, octaves: 5, ..Fractal::default() };
    Heights::from_fractal([samples; 2], 0.2, Vec2::ZERO, (20.0, 12.0), &fractal)
        .expect("a valid height field")
}

fn terrain(bricks: IVec3) -> Grid<Voxel> {
    let heights = hills(bricks.x as f32 * 0.8);
    let mut grid = Grid::new(AIR);
    let full = [32_768, 0, 1, 0, 0];
    let made = grid.map_bricks(VoxelBox::new(IVec3::ZERO, bricks), |coord, _| {
        let mut covered = [0.0; VOXELS];
        match heights.coverage(coord, 0.1, &mut covered) {
            Coverage::Empty => None,
            Coverage::Full => Some(Brick::Uniform(full)),
            Coverage::Partial => {
                let voxel = |part: f32| [(part * 32_768.0) as u16, 0, u16::from(part > 0.0), 0, 0];
                Some(Brick::from_values(&covered.map(voxel)))
            }
        }
    });
    for (coord, brick) in made {
        grid.replace(coord, brick);
    }
    grid
}

/// 1024 x 1024 x 512 voxels of 10 bytes.
fn build_large_terrain() {
    let start = Instant::now();
    let grid = terrain(IVec3::new(128, 128, 64));
    let seconds = start.elapsed().as_secs_f64();
    let bytes = grid.memory_bytes();
    let surface = 1024 * 1024;
    println!(
        "terrain 1024 x 1024 x 512: built in {seconds:.2} s, {} bricks, {:.1} MB, {:.1} bytes per surface voxel",
        grid.brick_count(),
        bytes as f64 / 1e6,
        bytes as f64 / f64::from(surface),
    );
}

fn small_terrain() -> Grid<Voxel> {
    terrain(IVec3::new(32, 32, 40))
}

/// A repeatable sequence of numbers below `limit`.
fn numbers(limit: i32) -> impl Iterator<Item = i32> {
    let mut state = 1u32;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state) * limit as u64) >> 32) as i32
    })
}

#[divan::bench]
fn random_read(bencher: Bencher) {
    let grid = small_terrain();
    let places: Vec<IVec3> = {
        let mut next = numbers(256);
        (0..10_000).map(|_| IVec3::from_array([0; 3].map(|_| next.next().unwrap_or(0)))).collect()
    };
    bencher
        .counter(ItemsCount::new(places.len()))
        .bench_local(|| places.iter().map(|&p| u64::from(grid.get(p)[0])).sum::<u64>());
}

#[divan::bench]
fn sequential_sweep(bencher: Bencher) {
    let grid = small_terrain();
    let voxels = grid.brick_count() * VOXELS;
    bencher.counter(ItemsCount::new(voxels)).bench_local(|| {
        let of_brick = |brick: &Brick<Voxel>| match brick {
            Brick::Uniform(value) => u64::from(value[0]) * VOXELS as u64,
            Brick::Dense(values) => values.iter().map(|v| u64::from(v[0])).sum(),
        };
        grid.bricks().map(|(_, brick)| of_brick(brick)).sum::<u64>()
    });
}

#[divan::bench(args = [1, 4])]
fn halo(bencher: Bencher, margin: i32) {
    let grid = small_terrain();
    let mut out = Vec::new();
    let mut coords = surface_bricks(&grid).into_iter().cycle();
    bencher.bench_local(|| grid.read_halo(coords.next().unwrap_or_default(), margin, black_box(&mut out)));
}

#[divan::bench]
fn spans(bencher: Bencher) {
    let grid = small_terrain();
    let mut next = numbers(256);
    bencher.bench_local(|| {
        let xy = IVec2::new(next.next().unwrap_or(0), next.next().unwrap_or(0));
        let mut count = 0;
        grid.for_each_span(xy, 0..320, |v| v[0] > 0, |_| count += 1);
        count
    });
}

#[divan::bench]
fn sample_gradient(bencher: Bencher) {
    let grid = small_terrain();
    let mut next = numbers(2560);
    bencher.bench_local(|| {
        let p = [0; 3].map(|_| next.next().unwrap_or(0) as f32 * 0.1);
        grid.sample_with_gradient(Vec3::from_array(p), fill)
    });
}

/// Slanting down from above the terrain.
#[divan::bench]
fn cast_ray(bencher: Bencher) {
    let grid = small_terrain();
    let mut next = numbers(200);
    bencher.bench_local(|| {
        let (x, y) = (next.next().unwrap_or(0), next.next().unwrap_or(0));
        grid.cast_ray(Vec3::new(x as f32, y as f32, 500.0), Vec3::new(0.2, 0.1, -1.0), f32::INFINITY, fill)
    });
}

#[divan::bench]
fn distance_brick(bencher: Bencher) {
    let grid = small_terrain();
    let mut scratch = DistanceScratch::default();
    let mut out = [0.0; VOXELS];
    let mut coords = surface_bricks(&grid).into_iter().cycle();
    bencher.bench_local(|| {
        grid.distance_brick(coords.next().unwrap_or_default(), 3, fill, &mut scratch, black_box(&mut out))
    });
}

fn surface_bricks(grid: &Grid<Voxel>) -> Vec<IVec3> {
    let inner = VoxelBox::new(IVec3::ONE, IVec3::new(31, 31, 39));
    let mixed = grid.bricks_in_order().into_iter().filter(|(_, brick)| brick.uniform().is_none());
    mixed.map(|(coord, _)| coord).filter(|coord| inner.contains(*coord)).collect()
}

const NOISE: Fractal =
    Fractal { seed: 1, frequency_per_m: 0.05, octaves: 4, lacunarity: 2.0, gain: 0.5, ridged: false };

#[divan::bench]
fn noise_brick(bencher: Bencher) {
    let mut out = [0.0; VOXELS];
    let mut next = numbers(1000);
    bencher.counter(ItemsCount::new(VOXELS)).bench_local(|| {
        NOISE.fill_brick(IVec3::splat(next.next().unwrap_or(0)), 0.1, black_box(&mut out));
    });
}

#[divan::bench]
fn noise_plane(bencher: Bencher) {
    let mut out = vec![0.0; 256 * 256];
    bencher.counter(ItemsCount::new(out.len())).bench_local(|| {
        NOISE.fill_plane(IVec2::ZERO, [256; 2], Spacing::centres(0.1), black_box(&mut out));
    });
}

/// 256 x 256 x 128 voxels of hills with overhangs and caves, on all cores.
#[divan::bench(sample_count = 10)]
fn density_terrain(bencher: Bencher) {
    let terrain = Density { caves: Some(Caves::default()), ..Density::default() };
    let bricks = VoxelBox::new(IVec3::new(0, 0, -8), IVec3::new(32, 32, 8));
    let air = Grid::new(0.0f32);
    bencher.bench_local(|| {
        air.map_bricks(bricks, |coord, _| {
            let mut out = [0.0; VOXELS];
            let covered = terrain.coverage(coord, 0.25, &mut out);
            (covered != Coverage::Empty).then(|| Brick::from_values(&out))
        })
    });
}

#[divan::bench]
fn write_box(bencher: Bencher) {
    let mut grid = small_terrain();
    let region = VoxelBox::new(IVec3::splat(100), IVec3::splat(130));
    let values = grid.read_box(region);
    bencher.counter(ItemsCount::new(values.len())).bench_local(|| grid.write_box(region, black_box(&values)));
    assert!(grid.stored(brick_box(IVec3::ZERO).min).is_some());
}
