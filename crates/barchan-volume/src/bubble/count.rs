//! Counting over a region: tile by tile, on all threads, in numbers as narrow as the bubble allows.

use glam::IVec3;
use rayon::prelude::*;

use super::bubble::Bubble;
use super::discs::Discs;
use super::filling::Filling;
use super::lane::{LANES, Lane};
use super::plan::Plan;
use super::profile::Profile;
use super::tile::{Content, Tile};
use crate::brick::{VOXELS, brick_box, voxel_index};
use crate::voxel_box::VoxelBox;

/// Voxels of a tile along x for bubbles of up to `SHORT_RADIUS`, and for larger ones, where more of a tile is margin.
const TILE_X: [usize; 2] = [64, 128];
/// Voxels of a tile along y.
const TILE_Y: usize = 32;
/// Bubbles of up to this radius along x have short tiles (voxels).
const SHORT_RADIUS: i32 = 16;

/// Which voxels counts are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// Every voxel of the region.
    Every,
    /// Those that are not empty: tiles without any are left out.
    Filled,
}

/// Counts of one tile of a region.
#[derive(Clone, Copy, Debug)]
pub struct TileCounts<'a> {
    /// The voxels of the tile.
    pub region: VoxelBox,
    /// The count around each: weight of the bubble times filling, summed.
    pub counts: Counts<'a>,
}

/// Counts of some voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts<'a> {
    /// The count is the same around all of them.
    Same(u64),
    /// One each, x slowest and z fastest.
    Each(&'a [u64]),
}

impl TileCounts<'_> {
    /// The count around voxel `p`, which is in the tile.
    pub fn at(&self, p: IVec3) -> u64 {
        match self.counts {
            Counts::Same(count) => count,
            Counts::Each(counts) => counts[self.region.index(p)],
        }
    }
}

/// Counts what is filled in the bubble around the voxels of `region` and hands each tile to `visit`, on all threads.
/// What it returns comes back in the order of the tiles, x slowest and z fastest. The region is one that a machine can
/// walk through: clip an endless one to where anything is.
///
/// A count is the sum over the places of the bubble of its weight there times what the voxel counts; where all is full
/// it is `bubble.volume()` times `filling.full()`.
pub fn count_bubbles<F: Filling, T: Send>(
    filling: &F,
    bubble: &Bubble,
    region: VoxelBox,
    around: Around,
    visit: impl Fn(TileCounts<'_>) -> T + Sync,
) -> Vec<T> {
    let is_wanted = |tile: VoxelBox| around == Around::Every || !is_empty(filling, tile);
    count_tiles(filling, bubble, region, is_wanted, visit)
}

/// As [`count_bubbles`], of the tiles that `is_wanted` accepts.
pub(super) fn count_tiles<F: Filling, T: Send>(
    filling: &F,
    bubble: &Bubble,
    region: VoxelBox,
    is_wanted: impl Fn(VoxelBox) -> bool + Sync,
    visit: impl Fn(TileCounts<'_>) -> T + Sync,
) -> Vec<T> {
    let plan = Plan::new(bubble);
    let tiles = Tiles::new(region, bubble.radii());
    let full = u64::from(filling.full().max(1));
    let most = plan.volume * full;
    // A row of the tile must fit the type of a row's sum as well: its end tells whether it is empty.
    let row = (LANES as u64 + 2 * plan.radii[2] as u64).max(plan.row_volume()) * full;
    let is_uniform = plan.profiles.iter().all(|profile| matches!(profile, Profile::Run { .. }));
    let job = Job { filling, plan, tiles, is_wanted, visit };
    if is_uniform && row <= u8::MAX.into() && most <= u16::MAX.into() {
        job.run::<u8, u16, u16, T>()
    } else if is_uniform && row <= u8::MAX.into() {
        job.run::<u8, u16, u32, T>()
    } else if row <= u16::MAX.into() && most <= u32::MAX.into() {
        job.run::<u16, u32, u32, T>()
    } else if most <= u32::MAX.into() {
        job.run::<u32, u32, u32, T>()
    } else if row <= u32::MAX.into() {
        job.run::<u32, u64, u64, T>()
    } else {
        job.run::<u64, u64, u64, T>()
    }
}

/// A region cut into tiles that begin at bricks.
struct Tiles {
    region: VoxelBox,
    origin: IVec3,
    edge: [usize; 3],
    count: [usize; 3],
}

impl Tiles {
    fn new(region: VoxelBox, radii: IVec3) -> Self {
        let edge = [TILE_X[usize::from(radii.x > SHORT_RADIUS)], TILE_Y, LANES];
        let bricks = region.to_bricks();
        let bricks_along = bricks.size();
        let count = [0, 1, 2].map(|axis| (bricks_along[axis] * 8).div_ceil(edge[axis]));
        Self { region, origin: bricks.min * 8, edge, count }
    }

    fn len(&self) -> usize {
        self.count.iter().product()
    }

    fn at(&self, index: usize) -> VoxelBox {
        let [_, ny, nz] = self.count;
        let place = [index / (ny * nz), index / nz % ny, index % nz];
        let [x, y, z] = [0, 1, 2].map(|axis| (place[axis] * self.edge[axis]) as i64);
        let min = (self.origin.as_i64vec3() + glam::I64Vec3::new(x, y, z)).as_ivec3();
        let edge = IVec3::from_array(self.edge.map(|edge| edge as i32));
        VoxelBox::new(min, min.saturating_add(edge)).intersect(&self.region)
    }
}

struct Job<'a, F, W, V> {
    filling: &'a F,
    plan: Plan,
    tiles: Tiles,
    is_wanted: W,
    visit: V,
}

/// What a thread works with.
struct Scratch<R, D, C> {
    tile: Tile<R>,
    discs: Discs<R, D, C>,
    counts: Vec<u64>,
}

impl<F: Filling, W: Fn(VoxelBox) -> bool + Sync, V> Job<'_, F, W, V> {
    fn run<R, D, C, T: Send>(&self) -> Vec<T>
    where
        V: Fn(TileCounts<'_>) -> T + Sync,
        R: Lane,
        D: Lane + From<R>,
        C: Lane + From<D> + Into<u64>,
    {
        let [x, y, z] = self.tiles.edge;
        let around = self.plan.radii.map(|radius| 2 * radius);
        let scratch = || Scratch::<R, D, C> {
            tile: Tile::new([x + around[0], y + around[1], z + around[2]]),
            discs: Discs::new(&self.plan, [x, y], self.filling.full()),
            counts: Vec::new(),
        };
        let of_tile = |scratch: &mut _, index| self.tile(scratch, self.tiles.at(index));
        let found: Vec<Option<T>> =
            (0..self.tiles.len()).into_par_iter().map_init(scratch, of_tile).collect();
        found.into_iter().flatten().collect()
    }

    fn tile<R, D, C, T>(&self, scratch: &mut Scratch<R, D, C>, region: VoxelBox) -> Option<T>
    where
        V: Fn(TileCounts<'_>) -> T + Sync,
        R: Lane,
        D: Lane + From<R>,
        C: Lane + From<D> + Into<u64>,
    {
        if !(self.is_wanted)(region) {
            return None;
        }
        let radii = IVec3::from_array(self.plan.radii.map(|radius| radius as i32));
        let margin = VoxelBox::new(region.min.saturating_sub(radii), region.max.saturating_add(radii));
        if let Content::Same(value) = scratch.tile.read(self.filling, margin) {
            return Some((self.visit)(TileCounts {
                region,
                counts: Counts::Same(scratch.discs.same(value)),
            }));
        }
        let [x, y, z] = region.size();
        scratch.discs.sum(&scratch.tile, [x, y]);
        scratch.counts.clear();
        for at in 0..x * y {
            let row = scratch.discs.counts(at / y, at % y);
            scratch.counts.extend(row[..z].iter().map(|count| (*count).into()));
        }
        Some((self.visit)(TileCounts { region, counts: Counts::Each(&scratch.counts) }))
    }
}

/// True when no voxel of `region` counts anything.
fn is_empty(filling: &impl Filling, region: VoxelBox) -> bool {
    let mut values = [0; VOXELS];
    region.to_bricks().cells().all(|coord| match filling.brick(coord, &mut values) {
        Some(value) => value == 0,
        None => region.intersect(&brick_box(coord)).cells().all(|p| values[voxel_index(p)] == 0),
    })
}
