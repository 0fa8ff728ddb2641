//! Making the field: the fill of every stored brick, then its smoothed samples wherever the surface can be.

use barchan_sim::bodies::BODY_FULL;
use barchan_sim::{Materials, Voxel, World};
use barchan_volume::brick::{EDGE, VOXELS, brick_of, voxel_index};
use barchan_volume::{Brick, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::field::{CHUNK_LOG, Chunk, FULL_SAMPLE, Field, FieldBrick, LEVEL_SAMPLE, SAMPLES, SIDE, Slot};
use super::thin;

/// Weights of a voxel and its neighbours on either side, along each axis in turn: narrow enough that a wall two
/// voxels thick stays, wide enough that slopes up to 45 degrees have no steps.
const KERNEL: [f32; 3] = [0.25, 0.5, 0.25];
/// Voxels that the kernel reaches to either side.
const REACH: usize = KERNEL.len() / 2;
/// Voxels along an edge of what a brick's samples are made of.
pub(super) const BLOCK: usize = SIDE + 2 * REACH;
/// Bricks along an edge of a chunk with a brick more on every side.
const AROUND: i32 = 10;

/// The field of all ground in `world`.
pub(super) fn field(world: &World) -> Field {
    let ground = world.ground();
    let bricks = ground.voxels().brick_bounds();
    let clip = if bricks.is_empty() {
        VoxelBox::new(IVec3::ZERO, IVec3::ZERO)
    } else {
        // Two voxels of air around ground that no wall cuts off.
        ground.clip(VoxelBox::new(bricks.min * EDGE, bricks.max * EDGE).grow(2))
    };
    let base = (clip.min + (clip.max - clip.min) / 2) & !(EDGE - 1);
    let fills = Fills::of(world, clip);
    let keys = fills.chunk_keys(base);
    let made: Vec<_> = keys.par_iter().map(|key| (*key, chunk(&fills, base, *key))).collect();
    let corner = |voxel: IVec3| (voxel - base).as_vec3a() - 0.5;
    let (low, high) = (corner(clip.min), corner(clip.max));
    let voxel_size_m = ground.voxel_size_m();
    let mut field = Field { base, voxel_size_m, low, high, chunks: FxHashMap::default(), bricks: Vec::new() };
    for (key, (slots, bricks)) in made {
        field.add(key, slots, bricks);
    }
    field
}

impl Field {
    /// Adds a chunk whose stored slots count from its own bricks.
    fn add(&mut self, key: IVec3, mut slots: Box<[Slot; 512]>, bricks: Vec<FieldBrick>) {
        if slots.iter().all(|slot| *slot == Slot::Air) {
            return;
        }
        let (mut pairs, mut quads) = (0_u64, 0_u8);
        for (at, slot) in slots.iter_mut().enumerate() {
            let Slot::Stored(number) = slot else { continue };
            if bricks[*number as usize].surface != 0 {
                let [x, y, z] = [at >> 6, at >> 3 & 7, at & 7];
                pairs |= 1 << ((x >> 1) << 4 | (y >> 1) << 2 | (z >> 1));
                quads |= 1 << ((x >> 2) << 2 | (y >> 2) << 1 | (z >> 2));
            }
            *number += self.bricks.len() as u32;
        }
        self.bricks.extend(bricks);
        self.chunks.insert(key, Chunk { slots, pairs, quads });
    }
}

/// The fill of a brick.
#[derive(Clone, Copy)]
enum Fill {
    Air,
    Full,
    Mixed(u32),
}

/// The fill of all stored bricks.
struct Fills {
    clip: VoxelBox,
    /// Bricks that hold any part of the clip.
    bricks: VoxelBox,
    classes: FxHashMap<IVec3, Fill>,
    mixed: Vec<[u16; VOXELS]>,
}

impl Fills {
    fn of(world: &World, clip: VoxelBox) -> Self {
        let voxels = world.ground().voxels();
        let shares = world.body_fill().shares();
        let stored = voxels.bricks_in_order();
        let made: Vec<_> = stored
            .par_iter()
            .map(|(coord, brick)| (*coord, fill_of(brick, shares.stored(*coord), world.materials())))
            .collect();
        let mut fills =
            Self { clip, bricks: clip.to_bricks(), classes: FxHashMap::default(), mixed: Vec::new() };
        for (coord, values) in made {
            let class = match values {
                Err(false) => continue,
                Err(true) => Fill::Full,
                Ok(values) => {
                    fills.mixed.push(*values);
                    Fill::Mixed(fills.mixed.len() as u32 - 1)
                }
            };
            fills.classes.insert(coord, class);
        }
        fills
    }

    /// The chunks that ground can be in, in order.
    fn chunk_keys(&self, base: IVec3) -> Vec<IVec3> {
        let own: FxHashSet<_> =
            self.classes.keys().map(|coord| (*coord * EDGE - base) >> CHUNK_LOG).collect();
        let near: FxHashSet<_> =
            own.into_iter().flat_map(|key| VoxelBox::cell(key).grow(1).cells()).collect();
        let cells = VoxelBox::new(self.clip.min - base - 1, self.clip.max - base);
        let within = |key: &IVec3| {
            !cells.intersect(&VoxelBox::new(*key << CHUNK_LOG, (*key + 1) << CHUNK_LOG)).is_empty()
        };
        let mut keys: Vec<_> = near.into_iter().filter(within).collect();
        keys.sort_unstable_by_key(|key| key.to_array());
        keys
    }

    /// The fill of a brick; beyond the walls it is that of the brick at the wall.
    fn class(&self, brick: IVec3) -> Fill {
        let brick = brick.clamp(self.bricks.min, self.bricks.max - 1);
        self.classes.get(&brick).copied().unwrap_or(Fill::Air)
    }
}

/// The fill of every voxel of a brick, or whether it is all full (true) or all air (false).
fn fill_of(
    brick: &Brick<Voxel>,
    shares: Option<&Brick<u16>>,
    materials: &Materials,
) -> Result<Box<[u16; VOXELS]>, bool> {
    let sample = |voxel: Voxel, share: u16| {
        let fill = voxel.fill(materials);
        // Ground beside a body is as full as the body leaves room for: it touches the body.
        let touched = if fill > 0.0 { f32::from(share) / f32::from(BODY_FULL) } else { 0.0 };
        ((fill + touched).min(1.0) * f32::from(FULL_SAMPLE) + 0.5) as u16
    };
    if let (Some(voxel), None) = (brick.uniform(), shares) {
        match sample(voxel, 0) {
            0 => return Err(false),
            FULL_SAMPLE => return Err(true),
            _ => {}
        }
    }
    let mut values = Box::new([0; VOXELS]);
    for (at, value) in values.iter_mut().enumerate() {
        *value = sample(brick.get(at), shares.map_or(0, |shares| shares.get(at)));
    }
    match values[0] {
        first @ (0 | FULL_SAMPLE) if values.iter().all(|value| *value == first) => Err(first != 0),
        _ => Ok(values),
    }
}

/// The slots of chunk `key` and the bricks they count.
fn chunk(fills: &Fills, base: IVec3, key: IVec3) -> (Box<[Slot; 512]>, Vec<FieldBrick>) {
    let first = brick_of((key << CHUNK_LOG) + base);
    let around = VoxelBox::new(first - 1, first - 1 + AROUND);
    let classes: Vec<_> = around.cells().map(|brick| fills.class(brick)).collect();
    let mut slots = Box::new([Slot::Air; 512]);
    let mut bricks = Vec::new();
    for (at, slot) in slots.iter_mut().enumerate() {
        let coord = first + IVec3::new(at as i32 >> 6, at as i32 >> 3 & 7, at as i32 & 7);
        let near: [Fill; 27] = std::array::from_fn(|n| {
            let n = n as i32;
            classes[around.index(coord + IVec3::new(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1))]
        });
        *slot = if near.iter().all(|fill| matches!(fill, Fill::Air)) {
            Slot::Air
        } else if near.iter().all(|fill| matches!(fill, Fill::Full)) {
            Slot::Full
        } else {
            stored(&mut bricks, smoothed(fills, &near, coord))
        };
    }
    (slots, bricks)
}

/// The slot of these samples, which are kept only where they differ.
fn stored(bricks: &mut Vec<FieldBrick>, samples: [u16; SAMPLES]) -> Slot {
    match samples[0] {
        first @ (0 | FULL_SAMPLE) if samples.iter().all(|sample| *sample == first) => {
            if first == 0 {
                Slot::Air
            } else {
                Slot::Full
            }
        }
        _ => {
            let surface = surface_cubes(&samples);
            bricks.push(FieldBrick { surface, samples });
            Slot::Stored(bricks.len() as u32 - 1)
        }
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
    fn read(self, z: usize, out: &mut [f32]) {
        match self {
            Self::Even(fill) => out.fill(fill),
            Self::Mixed(fills) => {
                out.iter_mut().zip(&fills[z..]).for_each(|(value, fill)| *value = f32::from(*fill));
            }
        }
    }
}

/// The samples of brick `coord`: fill gathered from it and its neighbours, smoothed along each axis.
fn smoothed(fills: &Fills, near: &[Fill; 27], coord: IVec3) -> [u16; SAMPLES] {
    let corner = coord * EDGE - REACH as i32;
    // Where each row of voxels is found: beyond the walls, at the wall.
    let rows: [[i32; BLOCK]; 3] = std::array::from_fn(|axis| {
        std::array::from_fn(|at| {
            (corner[axis] + at as i32).clamp(fills.clip.min[axis], fills.clip.max[axis] - 1)
        })
    });
    let brick = |axis: usize, voxel: i32| ((voxel >> 3) - coord[axis] + 1).clamp(0, 2) as usize;
    let upright = rows[2].map(|z| (brick(2, z), (z & 7) as usize));
    let clamped = (0..BLOCK).any(|at| rows[2][at] != corner.z + at as i32);
    let mut block = vec![0.0_f32; BLOCK * BLOCK * BLOCK];
    let mut runs = block.chunks_exact_mut(BLOCK);
    for x in rows[0] {
        for y in rows[1] {
            // The columns of the three bricks above each other.
            let first = brick(0, x) * 9 + brick(1, y) * 3;
            let columns: [Column<'_>; 3] = std::array::from_fn(|at| match near[first + at] {
                Fill::Air => Column::Even(0.0),
                Fill::Full => Column::Even(f32::from(FULL_SAMPLE)),
                Fill::Mixed(m) => {
                    let (columns, _) = fills.mixed[m as usize].as_chunks();
                    Column::Mixed(&columns[voxel_index(IVec3::new(x, y, 0)) / EDGE as usize])
                }
            });
            let Some(run) = runs.next() else { continue };
            if clamped {
                let values = upright.map(|(brick, z)| columns[brick].at(z));
                run.copy_from_slice(&values);
            } else {
                let own = REACH + EDGE as usize;
                columns[0].read(EDGE as usize - REACH, &mut run[..REACH]);
                columns[1].read(0, &mut run[REACH..own]);
                columns[2].read(0, &mut run[own..]);
            }
        }
    }
    smooth(&block)
}

/// Smooths a block along z, y and x; each pass leaves away the ends.
fn smooth(block: &[f32]) -> [u16; SAMPLES] {
    let along_z = smooth_rows(block, 1);
    let along_y = smooth_rows(&along_z, SIDE);
    let along_x = smooth_rows(&along_y, SIDE * SIDE);
    let mut samples = [0; SAMPLES];
    for (at, (sample, value)) in samples.iter_mut().zip(along_x).enumerate() {
        let [x, y, z] = [at / (SIDE * SIDE), at / SIDE % SIDE, at % SIDE].map(|along| along + REACH);
        let own = (x * BLOCK + y) * BLOCK + z;
        // Half up, which is no call.
        *sample = (thin::stand(block, own, value) + 0.5) as u16;
    }
    samples
}

/// Smooths along the axis whose neighbours are `stride` apart: of `BLOCK` entries on it, `SIDE` are left.
fn smooth_rows(values: &[f32], stride: usize) -> Vec<f32> {
    let mut out = vec![0.0; values.len() / BLOCK * SIDE];
    for (slab, out) in values.chunks_exact(BLOCK * stride).zip(out.chunks_exact_mut(SIDE * stride)) {
        for (tap, weight) in KERNEL.iter().enumerate() {
            for (sum, value) in out.iter_mut().zip(&slab[tap * stride..]) {
                *sum += weight * value;
            }
        }
    }
    out
}

/// The cubes of 2x2x2 cells that the surface goes through, one bit each.
fn surface_cubes(samples: &[u16; SAMPLES]) -> u64 {
    let mut cubes = 0;
    for cube in 0..64 {
        let [x, y, z] = [cube >> 4, cube >> 2 & 3, cube & 3].map(|at| at * 2);
        let (mut low, mut high) = (u16::MAX, 0);
        for dx in 0..3 {
            for dy in 0..3 {
                let row = ((x + dx) * SIDE + y + dy) * SIDE + z;
                for sample in &samples[row..row + 3] {
                    low = low.min(*sample);
                    high = high.max(*sample);
                }
            }
        }
        if f32::from(low) < LEVEL_SAMPLE && f32::from(high) >= LEVEL_SAMPLE {
            cubes |= 1 << cube;
        }
    }
    cubes
}

#[cfg(test)]
mod tests {
    use glam::Vec3A;

    use super::*;

    #[test]
    fn smoothing_keeps_what_is_even_and_halves_a_step() {
        let flat = smooth(&[7.0; BLOCK * BLOCK * BLOCK]);
        assert!(flat.iter().all(|sample| *sample == 7));
        // Full below z = 4 of the brick: half way between its last full and first empty voxel the field is a half.
        let step: Vec<f32> = (0..BLOCK * BLOCK * BLOCK)
            .map(|at| if at % BLOCK < 4 + REACH { f32::from(FULL_SAMPLE) } else { 0.0 })
            .collect();
        let samples = smooth(&step);
        let shares: Vec<_> = (2..6).map(|z| f32::from(samples[z]) / f32::from(FULL_SAMPLE)).collect();
        for (share, expected) in shares.iter().zip([1.0, 0.75, 0.25, 0.0]) {
            assert!((share - expected).abs() < 1e-4, "{shares:?}");
        }
        let brick = FieldBrick { surface: surface_cubes(&samples), samples };
        assert!((brick.at(Vec3A::new(3.3, 4.0, 3.5)) - LEVEL_SAMPLE).abs() < 2.0);
        // The cubes from z = 2 to 4: one of four layers.
        assert_eq!(brick.surface.count_ones(), 16);
    }
}
