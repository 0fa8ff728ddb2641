//! What a step or an edit changed: the bricks as they were before, from which the books are closed, the sleeping
//! are woken, meshes are renewed and strokes are undone.

use std::collections::BTreeMap;

use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::brick::GroundBrick;
use super::ground::{BRICKS_AT_ONCE, Ground};
use crate::in_parts::InParts;

/// The bricks that differ, ordered by x, y, z, each as it was before.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    before: Vec<(IVec3, GroundBrick)>,
}

impl Changes {
    /// Brick coordinates of what changed, in order.
    pub fn bricks(&self) -> impl Iterator<Item = IVec3> + '_ {
        self.before.iter().map(|(coord, _)| *coord)
    }

    /// The changed bricks as they were before, in order.
    pub fn before(&self) -> &[(IVec3, GroundBrick)] {
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
    before: FxHashMap<IVec3, GroundBrick>,
}

impl Journal {
    /// Remembers `brick` at `coord`, unless an earlier state of it is known already.
    pub(super) fn note(&mut self, coord: IVec3, brick: GroundBrick) {
        self.before.entry(coord).or_insert(brick);
    }

    /// All bricks that were touched since the last time, in no order.
    pub(super) fn drain(&mut self) -> Vec<(IVec3, GroundBrick)> {
        self.before.drain().collect()
    }
}

impl Changes {
    /// Of the bricks that were `touched` those that are not again as they were.
    pub(super) fn of(touched: Vec<(IVec3, GroundBrick)>, now: &Ground) -> Self {
        let is_other = |(coord, before): &(IVec3, GroundBrick)| {
            let voxels = now.voxels().stored(*coord).unwrap_or(&GroundBrick::AIR.voxels);
            *voxels != before.voxels || *now.side(*coord) != before.side
        };
        let mut before: Vec<_> =
            touched.into_par_iter().in_parts_of(BRICKS_AT_ONCE).filter(is_other).collect();
        before.sort_unstable_by_key(|(coord, _)| coord.to_array());
        Self { before }
    }
}
