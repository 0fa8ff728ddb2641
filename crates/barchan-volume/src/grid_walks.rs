//! All that looks at a whole grid: what it costs grows with the world. What happens in every step or edit must not be here.

use std::sync::Arc;

use glam::{IVec2, IVec3};
use rustc_hash::FxHashMap;

use crate::brick::{Brick, VOXELS};
use crate::grid::{Column, Grid, Plot, column_at};
use crate::voxel_box::VoxelBox;

impl<T: Copy + PartialEq> Grid<T> {
    /// Every stored brick, in no particular order.
    pub fn bricks(&self) -> impl Iterator<Item = (IVec3, &Brick<T>)> {
        self.columns().flat_map(|(xy, column)| {
            column.bricks.iter().map(move |(z, brick)| (IVec3::new(xy.x, xy.y, *z), brick))
        })
    }

    /// Every stored brick, ordered by x, then y, then z: for whatever must not depend on how the grid came to be.
    pub fn bricks_in_order(&self) -> Vec<(IVec3, &Brick<T>)> {
        let mut columns: Vec<_> = self.columns().collect();
        columns.sort_unstable_by_key(|(xy, _)| (xy.x, xy.y));
        columns
            .into_iter()
            .flat_map(|(xy, column)| {
                column.bricks.iter().map(move |(z, brick)| (IVec3::new(xy.x, xy.y, *z), brick))
            })
            .collect()
    }

    /// The brick columns that hold anything, in no particular order.
    pub fn column_keys(&self) -> impl Iterator<Item = IVec2> + '_ {
        self.columns().map(|(xy, _)| xy)
    }

    /// The bricks in which this grid may differ from `before`, ordered by x, y, z. What both share is passed over plot by plot
    /// and column by column: two copies that differ in few bricks are compared in the time that a short table takes.
    pub fn bricks_unlike(&self, before: &Self) -> Vec<IVec3> {
        let mut unlike = Vec::new();
        for (key, plot) in &self.plots {
            match before.plots.get(key) {
                Some(old) if Arc::ptr_eq(plot, old) => {}
                old => unlike_in_plot(*key, Some(plot), old.map(Arc::as_ref), self.background, &mut unlike),
            }
        }
        for (key, old) in before.plots.iter().filter(|(key, _)| !self.plots.contains_key(*key)) {
            unlike_in_plot(*key, None, Some(old), self.background, &mut unlike);
        }
        unlike.sort_unstable_by_key(IVec3::to_array);
        unlike
    }

    /// The smallest box of bricks around all stored ones.
    pub fn brick_bounds(&self) -> VoxelBox {
        let mut bounds = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
        for (xy, column) in self.columns() {
            if let (Some(low), Some(high)) = (column.bricks.first(), column.bricks.last()) {
                let of_column = VoxelBox::new(xy.extend(low.0), IVec3::new(xy.x + 1, xy.y + 1, high.0 + 1));
                bounds = bounds.union(&of_column);
            }
        }
        bounds
    }

    /// Folds equal-valued bricks into single values and forgets those of pure background.
    pub fn compact(&mut self) {
        let background = self.background;
        let mut folded = Vec::new();
        for (coord, brick) in self.bricks() {
            if let Some(value) = brick.only_value()
                && (value == background || brick.uniform().is_none())
            {
                folded.push((coord, value));
            }
        }
        for (coord, value) in folded {
            self.replace(coord, Brick::Uniform(value));
        }
        self.reach = self.brick_bounds();
    }

    /// Heap memory held by this grid (bytes); a brick shared with a snapshot counts here too.
    pub fn memory_bytes(&self) -> usize {
        let entry = size_of::<(i32, Brick<T>)>();
        // An Arc keeps two counters beside its value.
        let counters = 2 * size_of::<usize>();
        let dense = size_of::<[T; VOXELS]>() + counters;
        let of_column = |(_, column): (IVec2, &Column<T>)| {
            let dense_bricks = column.bricks.iter().filter(|(_, brick)| brick.uniform().is_none()).count();
            size_of::<Column<T>>() + counters + column.bricks.capacity() * entry + dense_bricks * dense
        };
        let table = self.plots.capacity() * (size_of::<IVec2>() + size_of::<usize>() + 1);
        let plots = self.plots.len() * (size_of::<Plot<T>>() + counters);
        table + plots + self.columns().map(of_column).sum::<usize>()
    }

    fn columns(&self) -> impl Iterator<Item = (IVec2, &Column<T>)> {
        self.plots.iter().flat_map(|(key, plot)| {
            let columns = plot.columns.iter().enumerate();
            columns.filter_map(move |(place, column)| Some((column_at(*key, place), column.as_deref()?)))
        })
    }
}

/// The bricks in which two plots may differ, or one and nothing.
fn unlike_in_plot<T: Copy + PartialEq>(
    key: IVec2,
    now: Option<&Plot<T>>,
    before: Option<&Plot<T>>,
    background: T,
    unlike: &mut Vec<IVec3>,
) {
    fn column_in<T>(plot: Option<&Plot<T>>, place: usize) -> Option<&Arc<Column<T>>> {
        plot.and_then(|plot| plot.columns[place].as_ref())
    }
    let places = now.or(before).map_or(0, |plot| plot.columns.len());
    for place in 0..places {
        let (new, old) = (column_in(now, place), column_in(before, place));
        if let (Some(new), Some(old)) = (new, old)
            && Arc::ptr_eq(new, old)
        {
            continue;
        }
        let xy = column_at(key, place);
        let nothing = Brick::Uniform(background);
        let mut olds: FxHashMap<i32, &Brick<T>> =
            old.iter().flat_map(|column| &column.bricks).map(|(z, brick)| (*z, brick)).collect();
        for (z, brick) in new.iter().flat_map(|column| &column.bricks) {
            let before = olds.remove(z).unwrap_or(&nothing);
            if !before.is_same(brick) {
                unlike.push(xy.extend(*z));
            }
        }
        let gone = olds.into_iter().filter(|(_, brick)| !brick.is_same(&nothing));
        unlike.extend(gone.map(|(z, _)| xy.extend(z)));
    }
}

impl<T: Copy + PartialEq> PartialEq for Grid<T> {
    /// Equal when every voxel of space is equal, however both are stored.
    fn eq(&self, other: &Self) -> bool {
        let covers = |a: &Self, b: &Self| {
            a.bricks().all(|(coord, brick)| match b.stored(coord) {
                Some(theirs) => brick == theirs,
                None => *brick == Brick::Uniform(b.background),
            })
        };
        self.background == other.background && covers(self, other) && covers(other, self)
    }
}
