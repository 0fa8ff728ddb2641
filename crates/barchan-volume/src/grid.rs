//! The sparse grid: an unbounded space of voxels, stored as columns of bricks.
//!
//! Space that was never written holds the background value and costs nothing. Bricks above each other are kept
//! together, because everything that happens to ground happens along columns.

use glam::{IVec2, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::brick::{Brick, VOXELS, brick_of, voxel_index};
use crate::voxel_box::VoxelBox;

/// An unbounded sparse grid of `T`. Cloning shares all dense bricks copy-on-write.
#[derive(Clone, Debug)]
pub struct Grid<T> {
    background: T,
    columns: FxHashMap<IVec2, Column<T>>,
    /// A box of bricks around all stored ones. It grows with every new brick and shrinks in [`Grid::compact`].
    reach: VoxelBox,
}

/// The stored bricks of one brick column, ascending in z. Mostly without gaps, which makes look-ups one step.
#[derive(Clone, Debug)]
struct Column<T> {
    bricks: Vec<(i32, Brick<T>)>,
}

impl<T> Column<T> {
    #[inline]
    fn position(&self, z: i32) -> Result<usize, usize> {
        let Some(first) = self.bricks.first() else { return Err(0) };
        let guess = i64::from(z) - i64::from(first.0);
        if guess < 0 {
            return Err(0);
        }
        match self.bricks.get(guess as usize) {
            Some(entry) if entry.0 == z => Ok(guess as usize),
            None if self.bricks.last().is_some_and(|last| last.0 < z) => Err(self.bricks.len()),
            _ => self.bricks.binary_search_by_key(&z, |entry| entry.0),
        }
    }
}

impl<T: Copy + PartialEq> Grid<T> {
    /// The grid that holds `background` everywhere.
    pub fn new(background: T) -> Self {
        let reach = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
        Self { background, columns: FxHashMap::default(), reach }
    }

    /// The value of all space that was never written.
    pub fn background(&self) -> T {
        self.background
    }

    /// The value of voxel `p`.
    #[inline]
    pub fn get(&self, p: IVec3) -> T {
        match self.stored(brick_of(p)) {
            Some(brick) => brick.get(voxel_index(p)),
            None => self.background,
        }
    }

    /// Writes one voxel. To write many, use [`Grid::brick_mut`] or [`Grid::write_box`].
    pub fn set(&mut self, p: IVec3, value: T) {
        if self.get(p) != value {
            self.brick_mut(brick_of(p)).make_mut()[voxel_index(p)] = value;
        }
    }

    /// The stored brick at `coord`, if there is one.
    #[inline]
    pub fn stored(&self, coord: IVec3) -> Option<&Brick<T>> {
        let column = self.columns.get(&coord.truncate())?;
        column.position(coord.z).ok().map(|at| &column.bricks[at].1)
    }

    /// The brick at `coord`; a uniform background brick where nothing is stored.
    pub fn brick(&self, coord: IVec3) -> Brick<T> {
        self.stored(coord).cloned().unwrap_or(Brick::Uniform(self.background))
    }

    /// The brick at `coord` to change; it is stored from now on.
    pub fn brick_mut(&mut self, coord: IVec3) -> &mut Brick<T> {
        let background = self.background;
        let column = self.columns.entry(coord.truncate()).or_insert_with(|| Column { bricks: Vec::new() });
        let at = match column.position(coord.z) {
            Ok(at) => at,
            Err(at) => {
                column.bricks.insert(at, (coord.z, Brick::Uniform(background)));
                self.reach = self.reach.union(&VoxelBox::cell(coord));
                at
            }
        };
        &mut column.bricks[at].1
    }

    /// Puts `brick` at `coord` and returns what was there. A brick of pure background is not stored.
    pub fn replace(&mut self, coord: IVec3, brick: Brick<T>) -> Brick<T> {
        if brick.uniform() == Some(self.background) {
            return self.remove(coord).unwrap_or(Brick::Uniform(self.background));
        }
        std::mem::replace(self.brick_mut(coord), brick)
    }

    fn remove(&mut self, coord: IVec3) -> Option<Brick<T>> {
        let column = self.columns.get_mut(&coord.truncate())?;
        let at = column.position(coord.z).ok()?;
        let (_, brick) = column.bricks.remove(at);
        if column.bricks.is_empty() {
            self.columns.remove(&coord.truncate());
        }
        Some(brick)
    }

    /// Number of stored bricks.
    pub fn brick_count(&self) -> usize {
        self.columns.values().map(|column| column.bricks.len()).sum()
    }

    /// Every stored brick, in no particular order.
    pub fn bricks(&self) -> impl Iterator<Item = (IVec3, &Brick<T>)> {
        self.columns.iter().flat_map(|(xy, column)| {
            column.bricks.iter().map(move |(z, brick)| (IVec3::new(xy.x, xy.y, *z), brick))
        })
    }

    /// Every stored brick, ordered by x, then y, then z: for whatever must not depend on how the grid came to be.
    pub fn bricks_in_order(&self) -> Vec<(IVec3, &Brick<T>)> {
        let mut columns: Vec<_> = self.columns.iter().collect();
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
        self.columns.keys().copied()
    }

    /// Brick coordinates (z) of the lowest and highest stored brick of a brick column.
    pub fn column_extent(&self, xy: IVec2) -> Option<(i32, i32)> {
        let column = self.columns.get(&xy)?;
        Some((column.bricks.first()?.0, column.bricks.last()?.0))
    }

    /// The stored bricks of a brick column with their z, ascending.
    pub(crate) fn column(&self, xy: IVec2) -> &[(i32, Brick<T>)] {
        self.columns.get(&xy).map_or(&[], |column| &column.bricks)
    }

    /// A box of bricks outside which nothing is stored: quick to ask, but not always the smallest one.
    pub(crate) fn reach(&self) -> VoxelBox {
        self.reach
    }

    /// The smallest box of bricks around all stored ones.
    pub fn brick_bounds(&self) -> VoxelBox {
        let mut bounds = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
        for (xy, column) in &self.columns {
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
        for column in self.columns.values_mut() {
            column.bricks.retain_mut(|(_, brick)| {
                brick.compact();
                brick.uniform() != Some(background)
            });
        }
        self.columns.retain(|_, column| !column.bricks.is_empty());
        self.reach = self.brick_bounds();
    }

    /// Asks `change` about every brick of `bricks` (brick coordinates), in parallel over columns, and collects the
    /// answers, ordered by x, y, z. Nothing is written: commit with [`Grid::replace`].
    pub fn map_bricks<A, F>(&self, bricks: VoxelBox, change: F) -> Vec<(IVec3, A)>
    where
        T: Send + Sync,
        A: Send,
        F: Fn(IVec3, &Brick<T>) -> Option<A> + Sync,
    {
        let [sx, sy, _] = bricks.size();
        let of_column = |index: usize| {
            let xy = IVec2::new(bricks.min.x + (index / sy) as i32, bricks.min.y + (index % sy) as i32);
            let air = Brick::Uniform(self.background);
            let changed = (bricks.min.z..bricks.max.z).filter_map(|z| {
                let coord = xy.extend(z);
                change(coord, self.stored(coord).unwrap_or(&air)).map(|answer| (coord, answer))
            });
            changed.collect::<Vec<_>>()
        };
        let columns: Vec<Vec<_>> = (0..sx * sy).into_par_iter().map(of_column).collect();
        columns.into_iter().flatten().collect()
    }

    /// Heap memory held by this grid (bytes); a brick shared with a snapshot counts here too.
    pub fn memory_bytes(&self) -> usize {
        let entry = size_of::<(i32, Brick<T>)>();
        // An Arc keeps two counters beside its value.
        let dense = size_of::<[T; VOXELS]>() + 2 * size_of::<usize>();
        let of_column = |column: &Column<T>| {
            let dense_bricks = column.bricks.iter().filter(|(_, brick)| brick.uniform().is_none()).count();
            column.bricks.capacity() * entry + dense_bricks * dense
        };
        let table = self.columns.capacity() * (size_of::<IVec2>() + size_of::<Column<T>>() + 1);
        table + self.columns.values().map(of_column).sum::<usize>()
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
