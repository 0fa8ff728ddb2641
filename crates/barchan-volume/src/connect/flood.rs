//! What a flood reaches from face to face, a brick at a time.

use glam::IVec3;
use rustc_hash::FxHashMap;

use super::mask::Mask;
use super::voxel_set::VoxelSet;
use crate::brick::{brick_box, brick_of, voxel_index};
use crate::voxel_box::VoxelBox;

/// Why a flood was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FloodError {
    /// The voxel to start from is closed.
    #[error("voxel {0} is closed: a flood starts from an open one")]
    Blocked(IVec3),
    /// The space is not enclosed.
    #[error("the space around voxel {0} is open to the outside: give a box to stay in")]
    Open(IVec3),
}

/// The voxels of `within` that can be reached through faces from `seed`, where `open` tells the open voxels of a brick.
/// Memory is that of the bricks reached: a 512th of the space, and the bricks along its surface.
pub fn flood(open: impl FnMut(IVec3) -> Mask, seed: IVec3, within: VoxelBox) -> Result<VoxelSet, FloodError> {
    let mut flood = Flood::new(open, within);
    if flood.run(seeds(seed), |_, _| true) && flood.contains(seed) {
        Ok(flood.reached())
    } else {
        Err(FloodError::Blocked(seed))
    }
}

/// The whole enclosed space around `seed`. It is refused as soon as it leaves `reach`, outside which all is open.
pub fn flood_hollow(
    open: impl FnMut(IVec3) -> Mask,
    seed: IVec3,
    reach: VoxelBox,
) -> Result<VoxelSet, FloodError> {
    if !reach.contains(seed) {
        return Err(FloodError::Open(seed));
    }
    let mut flood = Flood::new(open, reach.grow(1));
    let is_inside = |coord: IVec3, mask: &Mask| mask.without(&Mask::of_box(coord, reach)).is_empty();
    match flood.run(seeds(seed), is_inside) {
        false => Err(FloodError::Open(seed)),
        true if flood.contains(seed) => Ok(flood.reached()),
        true => Err(FloodError::Blocked(seed)),
    }
}

fn seeds(seed: IVec3) -> Vec<(IVec3, Mask)> {
    let mut mask = Mask::EMPTY;
    mask.insert(voxel_index(seed));
    vec![(brick_of(seed), mask)]
}

/// A flood under way: of every brick it came to, what is open and what it has reached.
pub(super) struct Flood<O> {
    open: O,
    within: VoxelBox,
    bricks: FxHashMap<IVec3, (Mask, Mask)>,
}

impl<O: FnMut(IVec3) -> Mask> Flood<O> {
    pub fn new(open: O, within: VoxelBox) -> Self {
        Self { open, within, bricks: FxHashMap::default() }
    }

    /// Floods from the open voxels of `entries`. False as soon as `go_on` says so of what was newly reached.
    pub fn run(&mut self, mut entries: Vec<(IVec3, Mask)>, go_on: impl Fn(IVec3, &Mask) -> bool) -> bool {
        let bricks = self.within.to_bricks();
        while let Some((coord, entering)) = entries.pop() {
            if !bricks.contains(coord) {
                continue;
            }
            let (open, reached) = self
                .bricks
                .entry(coord)
                .or_insert_with(|| ((self.open)(coord).and(&Mask::of_box(coord, self.within)), Mask::EMPTY));
            let entering = entering.and(open).without(reached);
            if entering.is_empty() {
                continue;
            }
            let newly = entering.flooded(open);
            *reached = reached.or(&newly);
            if !go_on(coord, &newly) {
                return false;
            }
            for axis in 0..3 {
                for up in [false, true] {
                    let beside = newly.across(axis, up);
                    if !beside.is_empty() {
                        let step = IVec3::AXES[axis] * if up { 1 } else { -1 };
                        entries.push((coord + step, beside));
                    }
                }
            }
        }
        true
    }

    fn contains(&self, p: IVec3) -> bool {
        self.bricks.get(&brick_of(p)).is_some_and(|(_, reached)| reached.contains(voxel_index(p)))
    }

    /// What brick `coord` holds that is open and was not reached.
    pub fn unreached(&mut self, coord: IVec3) -> Mask {
        match self.bricks.get(&coord) {
            Some((open, reached)) => open.without(reached),
            None => (self.open)(coord).and(&Mask::of_box(coord, self.within)),
        }
    }

    /// All that was reached.
    pub fn reached(self) -> VoxelSet {
        let mut set = VoxelSet::default();
        for (coord, (_, reached)) in self.bricks {
            set.insert_mask(coord, reached);
        }
        set
    }
}

impl Mask {
    /// The voxels of brick `coord` that are in `region`.
    pub fn of_box(coord: IVec3, region: VoxelBox) -> Self {
        let all = brick_box(coord);
        let part = all.intersect(&region);
        if part == all {
            return Self::FULL;
        }
        let mut mask = Self::EMPTY;
        for p in part.cells() {
            mask.insert(voxel_index(p));
        }
        mask
    }
}
