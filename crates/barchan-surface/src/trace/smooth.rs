//! Smoothed samples of a brick, from the fill of it and of its neighbours.

use barchan_volume::VoxelBox;
use barchan_volume::brick::{EDGE, voxel_index};
use glam::IVec3;

use super::field::{FULL_SAMPLE, LEVEL_SAMPLE, SAMPLES, SIDE};
use super::fills::Fill;
use super::thin;

/// Weights of a voxel and its neighbours on either side, along each axis in turn: narrow enough that a wall two
/// voxels thick stays, wide enough that slopes up to 45 degrees have no steps.
const KERNEL: [f32; 3] = [0.25, 0.5, 0.25];
/// Voxels that the kernel reaches to either side.
const REACH: usize = KERNEL.len() / 2;
/// Voxels along an edge of what a brick's samples are made of.
pub(super) const BLOCK: usize = SIDE + 2 * REACH;
/// Voxels that a brick's samples are made of.
const BLOCK_VOXELS: usize = BLOCK * BLOCK * BLOCK;

/// The samples of brick `coord`, made of the fill of all bricks around it (x slowest).
pub(super) fn smoothed(near: &[&Fill; 27], coord: IVec3, clip: &VoxelBox) -> [u16; SAMPLES] {
    let block = gather(near, coord, clip);
    // Many bricks lie beside the surface, but not within the kernel's reach of it.
    match block[0] {
        first if block.iter().all(|fill| *fill == first) => [first as u16; SAMPLES],
        _ => smooth(&block),
    }
}

/// Eight voxels above each other.
#[derive(Clone, Copy)]
enum Column<'a> {
    Even(f32),
    Mixed(&'a [u16; EDGE as usize]),
}

impl Column<'_> {
    #[inline]
    fn at(self, z: usize) -> f32 {
        match self {
            Self::Even(fill) => fill,
            Self::Mixed(fills) => f32::from(fills[z]),
        }
    }

    /// Reads what is from `z` on.
    #[inline]
    fn read<const COUNT: usize>(self, z: usize) -> [f32; COUNT] {
        match self {
            Self::Even(fill) => [fill; COUNT],
            Self::Mixed(fills) => std::array::from_fn(|at| f32::from(fills[z + at])),
        }
    }
}

/// The fill of the voxels that the samples of brick `coord` are made of; beyond the walls, as at the wall.
fn gather(near: &[&Fill; 27], coord: IVec3, clip: &VoxelBox) -> [f32; BLOCK_VOXELS] {
    let corner = coord * EDGE - REACH as i32;
    let rows: [[i32; BLOCK]; 3] = std::array::from_fn(|axis| {
        std::array::from_fn(|at| (corner[axis] + at as i32).clamp(clip.min[axis], clip.max[axis] - 1))
    });
    let brick = |axis: usize, voxel: i32| ((voxel >> 3) - coord[axis] + 1).clamp(0, 2) as usize;
    let clamped = (0..BLOCK).any(|at| rows[2][at] != corner.z + at as i32);
    let mut block = [0.0; BLOCK_VOXELS];
    let (runs, _) = block.as_chunks_mut::<BLOCK>();
    for (at, run) in runs.iter_mut().enumerate() {
        let (x, y) = (rows[0][at / BLOCK], rows[1][at % BLOCK]);
        // The columns of the three bricks above each other.
        let first = brick(0, x) * 9 + brick(1, y) * 3;
        let columns: [Column<'_>; 3] = std::array::from_fn(|at| match near[first + at] {
            Fill::Air => Column::Even(0.0),
            Fill::Full => Column::Even(f32::from(FULL_SAMPLE)),
            Fill::Mixed(fills) => {
                let (columns, _) = fills.as_chunks();
                Column::Mixed(&columns[voxel_index(IVec3::new(x, y, 0)) / EDGE as usize])
            }
        });
        if clamped {
            *run = rows[2].map(|z| columns[brick(2, z)].at((z & 7) as usize));
        } else {
            let own = REACH + EDGE as usize;
            run[..REACH].copy_from_slice(&columns[0].read::<REACH>(EDGE as usize - REACH));
            run[REACH..own].copy_from_slice(&columns[1].read::<{ EDGE as usize }>(0));
            run[own..].copy_from_slice(&columns[2].read::<{ BLOCK - EDGE as usize - REACH }>(0));
        }
    }
    block
}

/// Smooths a block along z, y and x; each pass leaves away the ends.
fn smooth(block: &[f32; BLOCK_VOXELS]) -> [u16; SAMPLES] {
    let mut along_z = [0.0; BLOCK * BLOCK * SIDE];
    let mut along_y = [0.0; BLOCK * SIDE * SIDE];
    let mut along_x = [0.0; SAMPLES];
    smooth_rows::<1>(block, &mut along_z);
    smooth_rows::<SIDE>(&along_z, &mut along_y);
    smooth_rows::<{ SIDE * SIDE }>(&along_y, &mut along_x);
    let mut samples = [0; SAMPLES];
    for (at, (sample, value)) in samples.iter_mut().zip(along_x).enumerate() {
        let [x, y, z] = [at / (SIDE * SIDE), at / SIDE % SIDE, at % SIDE].map(|along| along + REACH);
        let own = (x * BLOCK + y) * BLOCK + z;
        // Half up, which is no call.
        *sample = (thin::stand(block, own, value) + 0.5) as u16;
    }
    samples
}

/// Smooths along the axis whose neighbours are `STRIDE` apart: of `BLOCK` entries on it, `SIDE` are left.
fn smooth_rows<const STRIDE: usize>(values: &[f32], out: &mut [f32]) {
    for (slab, out) in values.chunks_exact(BLOCK * STRIDE).zip(out.chunks_exact_mut(SIDE * STRIDE)) {
        let (before, own, behind) = (&slab[..SIDE * STRIDE], &slab[STRIDE..], &slab[2 * STRIDE..]);
        for (((sum, before), own), behind) in out.iter_mut().zip(before).zip(own).zip(behind) {
            *sum = KERNEL[0] * before + KERNEL[1] * own + KERNEL[2] * behind;
        }
    }
}

/// The cubes of 2x2x2 cells that the surface goes through, one bit each.
pub(super) fn surface_cubes(samples: &[u16; SAMPLES]) -> u64 {
    // Which samples of each row along z are ground, one bit each.
    let rows: [u32; SIDE * SIDE] = std::array::from_fn(|row| {
        let row = &samples[row * SIDE..][..SIDE];
        row.iter()
            .enumerate()
            .fold(0, |bits, (z, sample)| bits | u32::from(f32::from(*sample) >= LEVEL_SAMPLE) << z)
    });
    let mut cubes = 0;
    for square in 0..16 {
        let first = (square >> 2) * 2 * SIDE + (square & 3) * 2;
        let (mut any, mut all) = (0, u32::MAX);
        for row in [0, 1, 2].iter().flat_map(|x| &rows[first + x * SIDE..][..3]) {
            any |= row;
            all &= row;
        }
        for z in 0..4 {
            let crossed = any >> (2 * z) & 7 != 0 && all >> (2 * z) & 7 != 7;
            cubes |= u64::from(crossed) << (square * 4 + z);
        }
    }
    cubes
}

#[cfg(test)]
mod tests {
    use glam::Vec3A;

    use super::super::field::FieldBrick;
    use super::*;

    #[test]
    fn smoothing_keeps_what_is_even_and_halves_a_step() {
        let flat = smooth(&[7.0; BLOCK_VOXELS]);
        assert!(flat.iter().all(|sample| *sample == 7));
        // Full below z = 4 of the brick: half way between its last full and first empty voxel the field is a half.
        let step =
            std::array::from_fn(|at| if at % BLOCK < 4 + REACH { f32::from(FULL_SAMPLE) } else { 0.0 });
        let samples = smooth(&step);
        let shares: Vec<_> = (2..6).map(|z| f32::from(samples[z]) / f32::from(FULL_SAMPLE)).collect();
        for (share, expected) in shares.iter().zip([1.0, 0.75, 0.25, 0.0]) {
            assert!((share - expected).abs() < 1e-4, "{shares:?}");
        }
        assert!((FieldBrick(samples).at(Vec3A::new(3.3, 4.0, 3.5)) - LEVEL_SAMPLE).abs() < 2.0);
        // The cubes from z = 2 to 4: one of four layers.
        assert_eq!(surface_cubes(&samples).count_ones(), 16);
    }

    #[test]
    fn cubes_are_those_with_ground_and_air() {
        // A corner of ground, and a single voxel of it.
        let samples = std::array::from_fn(|at| {
            let [x, y, z] = [at / (SIDE * SIDE), at / SIDE % SIDE, at % SIDE];
            if (x < 3 && y < 4 && z < 5) || [x, y, z] == [7, 7, 8] { 50_000 } else { 10_000 }
        });
        let cubes = surface_cubes(&samples);
        for cube in 0..64 {
            let [x, y, z] = [cube >> 4, cube >> 2 & 3, cube & 3].map(|at| at * 2);
            let corners = (0..27).map(|n| [x + n / 9, y + n / 3 % 3, z + n % 3]);
            let ground = corners.filter(|[x, y, z]| samples[(x * SIDE + y) * SIDE + z] > 32_767).count();
            assert_eq!(cubes >> cube & 1 == 1, (1..27).contains(&ground), "cube {cube}");
        }
    }
}
