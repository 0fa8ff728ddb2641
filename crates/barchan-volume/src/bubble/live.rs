//! Counts that are kept up to date while a few voxels change.

use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::bubble::Bubble;
use super::count::count_tiles;
use super::filling::Filling;
use crate::brick::{VOXELS, brick_box, brick_of, voxel_index};
use crate::voxel_box::VoxelBox;

/// Counts around all voxels of chosen bricks. A change of one voxel costs as much as the bubble has weights.
#[derive(Clone, Debug)]
pub struct LiveCounts {
    bubble: Bubble,
    /// Weight of a changed voxel for one at a distance: the bubble seen from its rim.
    reversed: Vec<u32>,
    bricks: FxHashMap<IVec3, Box<[u64; VOXELS]>>,
}

impl LiveCounts {
    /// No counts yet, for this bubble.
    pub fn new(bubble: Bubble) -> Self {
        let reversed = bubble.bounds().cells().map(|d| bubble.weight(-d)).collect();
        Self { bubble, reversed, bricks: FxHashMap::default() }
    }

    /// What is counted with.
    pub fn bubble(&self) -> &Bubble {
        &self.bubble
    }

    /// Counts around the voxels of `bricks` from scratch and keeps them.
    pub fn count(&mut self, filling: &impl Filling, bricks: &[IVec3]) {
        let wanted: FxHashSet<IVec3> = bricks.iter().copied().collect();
        let region = bricks.iter().map(|coord| brick_box(*coord)).fold(EMPTY, |all, brick| all.union(&brick));
        let in_tile = |tile: VoxelBox| tile.to_bricks().cells().filter(|coord| wanted.contains(coord));
        let of_tiles = count_tiles(
            filling,
            &self.bubble,
            region,
            |tile| in_tile(tile).next().is_some(),
            |tile| {
                let of_brick = |coord: IVec3| {
                    let mut counts = Box::new([0; VOXELS]);
                    for p in brick_box(coord).cells() {
                        counts[voxel_index(p)] = tile.at(p);
                    }
                    (coord, counts)
                };
                in_tile(tile.region).map(of_brick).collect::<Vec<_>>()
            },
        );
        self.bricks.extend(of_tiles.into_iter().flatten());
    }

    /// Forgets the counts of all bricks that `keep` does not want.
    pub fn retain(&mut self, mut keep: impl FnMut(IVec3) -> bool) {
        self.bricks.retain(|coord, _| keep(*coord));
    }

    /// The counts around the voxels of brick `coord`, in the order of [`voxel_index`], if they are kept.
    pub fn brick(&self, coord: IVec3) -> Option<&[u64; VOXELS]> {
        self.bricks.get(&coord).map(Box::as_ref)
    }

    /// Brings the counts up to date with voxels that now count more or less than before, by this much.
    pub fn change(&mut self, changes: &[(IVec3, i32)]) {
        let mut by_brick: FxHashMap<IVec3, Vec<(IVec3, i32)>> = FxHashMap::default();
        for (p, by) in changes {
            by_brick.entry(brick_of(*p)).or_default().push((*p, *by));
        }
        let (reversed, bounds) = (&self.reversed, self.bubble.bounds());
        self.bricks.par_iter_mut().for_each(|(coord, counts)| {
            let near = brick_box(*coord).grow(bounds.max.max_element() - 1).to_bricks();
            for (p, by) in near.cells().filter_map(|near| by_brick.get(&near)).flatten() {
                add(counts, brick_box(*coord), *p, *by, reversed, bounds);
            }
        });
    }
}

const EMPTY: VoxelBox = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);

/// Adds to the counts of a brick what voxel `p` now counts more.
fn add(counts: &mut [u64; VOXELS], brick: VoxelBox, p: IVec3, by: i32, weights: &[u32], bounds: VoxelBox) {
    let part = VoxelBox::new(p + bounds.min, p + bounds.max).intersect(&brick);
    if part.is_empty() {
        return;
    }
    let length = (part.max.z - part.min.z) as usize;
    for x in part.min.x..part.max.x {
        for y in part.min.y..part.max.y {
            let q = IVec3::new(x, y, part.min.z);
            let (to, from) = (voxel_index(q), bounds.index(q - p));
            for (count, weight) in counts[to..].iter_mut().zip(&weights[from..from + length]) {
                *count = count.wrapping_add_signed(i64::from(by) * i64::from(*weight));
            }
        }
    }
}
