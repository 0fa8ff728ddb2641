//! What a step or an edit changed: the bricks as they were before, from which the books are closed, the sleeping
//! are woken, meshes are renewed and strokes are undone.

use std::collections::BTreeMap;

use barchan_volume::{Brick, Grid};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::ground::BRICKS_AT_ONCE;
use crate::in_parts::InParts;
use crate::ledger::Amounts;
use crate::voxel::Voxel;

/// The bricks that differ, ordered by x, y, z, each as it was before.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    before: Vec<(IVec3, Brick<Voxel>)>,
}

impl Changes {
    /// Brick coordinates of what changed, in order.
    pub fn bricks(&self) -> impl Iterator<Item = IVec3> + '_ {
        self.before.iter().map(|(coord, _)| *coord)
    }

    /// The changed bricks as they were before, in order.
    pub fn before(&self) -> &[(IVec3, Brick<Voxel>)] {
        &self.before
    }

    /// All of several changes that followed one another: each brick as it was before the first that changed it.
    pub(crate) fn merged(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut first = BTreeMap::new();
        for (coord, brick) in parts.into_iter().flat_map(|changes| changes.before) {
            first.entry(coord.to_array()).or_insert(brick);
        }
        Self { before: first.into_iter().map(|(coord, brick)| (IVec3::from_array(coord), brick)).collect() }
    }

    /// Number of changed bricks.
    pub fn len(&self) -> usize {
        self.before.len()
    }

    /// True when nothing changed.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty()
    }
}

/// Collects the first state of every brick that is touched, until it is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    before: FxHashMap<IVec3, Brick<Voxel>>,
}

impl Journal {
    /// Remembers `brick` at `coord`, unless an earlier state of it is known already.
    pub(super) fn note(&mut self, coord: IVec3, brick: impl FnOnce() -> Brick<Voxel>) {
        self.before.entry(coord).or_insert_with(brick);
    }

    /// The bricks that were touched since the last time, in no order.
    pub(super) fn touched(&self) -> impl Iterator<Item = IVec3> + '_ {
        self.before.keys().copied()
    }

    /// Everything noted since the last time, less what is again as it was in `now`.
    pub(super) fn take(&mut self, now: &Grid<Voxel>) -> Changes {
        let touched: Vec<(IVec3, Brick<Voxel>)> = self.before.drain().collect();
        let is_other = |(coord, brick): &(IVec3, Brick<Voxel>)| {
            now.stored(*coord).map_or_else(|| *brick != Brick::Uniform(Voxel::AIR), |now| now != brick)
        };
        let mut before: Vec<_> =
            touched.into_par_iter().in_parts_of(BRICKS_AT_ONCE).filter(is_other).collect();
        before.sort_unstable_by_key(|(coord, _)| coord.to_array());
        Changes { before }
    }
}

/// What one brick holds.
pub(super) fn amounts(brick: &Brick<Voxel>) -> Amounts {
    match brick {
        Brick::Uniform(voxel) => {
            let voxels = barchan_volume::brick::VOXELS as i64;
            Amounts { rock: i64::from(voxel.rock) * voxels, soil: i64::from(voxel.soil) * voxels }
        }
        Brick::Dense(values) => {
            // 512 of at most 65,535 each fit into 32 bits.
            let (mut rock, mut soil) = (0_u32, 0_u32);
            for voxel in &**values {
                rock += u32::from(voxel.rock);
                soil += u32::from(voxel.soil);
            }
            Amounts { rock: i64::from(rock), soil: i64::from(soil) }
        }
    }
}
