//! The coarse levels of the ground. A brick of them is made when a block is meshed from it, not when the ground under it
//! changes: most of what changes is near the eye and shown at full detail.

use std::collections::BTreeSet;

use barchan_sim::Voxel;
use barchan_volume::brick::EDGE;
use barchan_volume::{Grid, VoxelBox};
use glam::IVec3;

use super::block::Plan;
use super::content::{Content, Holds};
use super::key::BlockKey;
use super::lattice::{Beyond, Lattice, coarser};
use super::pyramid::{self, Place};

/// Levels 1 and up.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    grids: Vec<Grid<Content>>,
    /// Bricks of each that are not as the ground is.
    stale: Vec<BTreeSet<Place>>,
}

impl Levels {
    /// As many levels above the finest one, of ground that is empty so far.
    pub(super) fn new(levels: u8) -> Self {
        let levels = usize::from(levels);
        Self { grids: vec![Grid::new(Content::default()); levels], stale: vec![BTreeSet::new(); levels] }
    }

    /// The bricks `changed` of the finest level are others: what is derived from them is stale.
    pub(super) fn spoil(&mut self, changed: &[IVec3]) {
        let mut above = pyramid::parents(changed.iter().copied());
        for stale in &mut self.stale {
            stale.extend(above.iter().map(IVec3::to_array));
            above = pyramid::parents(above);
        }
    }

    /// Makes whatever the blocks `keys` are meshed from.
    pub(super) fn freshen(&mut self, keys: &[BlockKey], plan: &Plan, ground: &Lattice<'_, Voxel>) {
        let mut wanted = vec![BTreeSet::new(); self.stale.len()];
        for key in keys.iter().filter(|key| key.level > 0) {
            let (own, finer) = plan.reads(*key);
            let level = usize::from(key.level);
            self.want(level, own.to_bricks(), &mut wanted);
            self.want(level - 1, finer.to_bricks(), &mut wanted);
        }
        // A coarse brick is made from finer ones, which must be fresh before it.
        for level in (2..=wanted.len()).rev() {
            for place in wanted[level - 1].clone() {
                self.want(level - 1, below(place), &mut wanted);
            }
        }
        for (at, bricks) in wanted.into_iter().enumerate().filter(|(_, bricks)| !bricks.is_empty()) {
            let bricks: Vec<IVec3> = bricks.into_iter().map(IVec3::from_array).collect();
            let (finer, coarse) = self.grids.split_at_mut(at);
            match finer.last() {
                None => pyramid::renew(&mut coarse[0], ground, &bricks),
                Some(grid) => pyramid::renew(&mut coarse[0], &of_level(ground, grid, at), &bricks),
            };
            for brick in bricks {
                self.stale[at].remove(&brick.to_array());
            }
        }
    }

    /// Notes the stale ones among `bricks` of `level`; the finest level is never stale.
    fn want(&self, level: usize, bricks: VoxelBox, wanted: &mut [BTreeSet<Place>]) {
        let Some(at) = level.checked_sub(1) else { return };
        let stale =
            bricks.cells().map(|brick| brick.to_array()).filter(|place| self.stale[at].contains(place));
        wanted[at].extend(stale);
    }

    /// The samples of all levels above that of `ground`.
    pub(super) fn lattices<'a>(&'a self, ground: &Lattice<'a, Voxel>) -> Vec<Lattice<'a, Content>> {
        let levels = self.grids.iter().enumerate();
        levels.map(|(at, grid)| of_level(ground, grid, at + 1)).collect()
    }
}

/// The finer bricks that the samples of a coarse brick are averages of.
fn below(place: Place) -> VoxelBox {
    let low = IVec3::from_array(place) * (2 * EDGE);
    VoxelBox::new(low - IVec3::ONE, low + IVec3::splat(2 * EDGE)).to_bricks()
}

fn of_level<'a, T: Holds>(
    ground: &Lattice<'a, T>,
    grid: &'a Grid<Content>,
    level: usize,
) -> Lattice<'a, Content> {
    let inside = ground.inside.map(|inside| (0..level).fold(inside, |inside, _| coarser(inside)));
    let beyond = if ground.options.closed { Beyond::Nothing } else { Beyond::Ground };
    Lattice { grid, materials: ground.materials, options: ground.options, inside, beyond }
}
