//! The sparse grid: an unbounded space of voxels, stored as columns of bricks.
//!
//! Space that was never written holds the background value and costs nothing. Bricks above each other are kept
//! together, because everything that happens to ground happens along columns. Columns, and plots of 16 by 16 columns, are shared
//! copy-on-write: a copy of a grid costs a short table, and what two grids share is told apart without looking into it.
//!
//! What looks at the whole grid stands in `grid_walks.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{IVec2, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::brick::{Brick, brick_of, voxel_index};
use crate::voxel_box::VoxelBox;

/// An unbounded sparse grid of `T`. Cloning shares all dense bricks copy-on-write.
#[derive(Clone, Debug)]
pub struct Grid<T> {
    pub(crate) background: T,
    pub(crate) plots: FxHashMap<IVec2, Arc<Plot<T>>>,
    /// A box of bricks around all stored ones. It grows with every new brick and shrinks in [`Grid::compact`].
    pub(crate) reach: VoxelBox,
    /// How many bricks are stored at each height (z).
    pub(crate) layers: BTreeMap<i32, usize>,
    bricks: usize,
}

/// Columns along one side of a plot.
const PLOT_EDGE: i32 = 16;

/// Columns in a plot.
const PLOT_COLUMNS: usize = (PLOT_EDGE * PLOT_EDGE) as usize;

/// 16 by 16 columns of bricks, in the order of [`place_in_plot`].
#[derive(Clone, Debug)]
pub(crate) struct Plot<T> {
    pub columns: [Option<Arc<Column<T>>>; PLOT_COLUMNS],
}

/// The stored bricks of one brick column, ascending in z. Mostly without gaps, which makes look-ups one step.
#[derive(Clone, Debug)]
pub(crate) struct Column<T> {
    pub bricks: Vec<(i32, Brick<T>)>,
}

/// The plot in which a column of bricks lies, and its place there.
#[inline]
fn place_in_plot(xy: IVec2) -> (IVec2, usize) {
    (xy >> 4, ((xy.x & 15) << 4 | (xy.y & 15)) as usize)
}

/// The column of bricks at `place` in `plot`.
pub(crate) fn column_at(plot: IVec2, place: usize) -> IVec2 {
    plot * PLOT_EDGE + IVec2::new(place as i32 / PLOT_EDGE, place as i32 % PLOT_EDGE)
}

impl<T> Plot<T> {
    fn new() -> Self {
        Self { columns: [const { None }; PLOT_COLUMNS] }
    }

    fn is_empty(&self) -> bool {
        self.columns.iter().all(Option::is_none)
    }
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
        Self { background, plots: FxHashMap::default(), reach, layers: BTreeMap::new(), bricks: 0 }
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
        let column = self.column_of(coord.truncate())?;
        column.position(coord.z).ok().map(|at| &column.bricks[at].1)
    }

    /// The brick at `coord`; a uniform background brick where nothing is stored.
    pub fn brick(&self, coord: IVec3) -> Brick<T> {
        self.stored(coord).cloned().unwrap_or(Brick::Uniform(self.background))
    }

    /// The brick at `coord` to change; it is stored from now on.
    pub fn brick_mut(&mut self, coord: IVec3) -> &mut Brick<T> {
        let background = self.background;
        let (plot, place) = place_in_plot(coord.truncate());
        let plot = Arc::make_mut(self.plots.entry(plot).or_insert_with(|| Arc::new(Plot::new())));
        let column = plot.columns[place].get_or_insert_with(|| Arc::new(Column { bricks: Vec::new() }));
        let column = Arc::make_mut(column);
        let at = match column.position(coord.z) {
            Ok(at) => at,
            Err(at) => {
                column.bricks.insert(at, (coord.z, Brick::Uniform(background)));
                self.reach = self.reach.union(&VoxelBox::cell(coord));
                *self.layers.entry(coord.z).or_default() += 1;
                self.bricks += 1;
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
        let (plot_key, place) = place_in_plot(coord.truncate());
        let plot = self.plots.get_mut(&plot_key)?;
        let at = plot.columns[place].as_ref()?.position(coord.z).ok()?;
        let plot = Arc::make_mut(plot);
        let column = Arc::make_mut(plot.columns[place].as_mut()?);
        let (_, brick) = column.bricks.remove(at);
        if column.bricks.is_empty() {
            plot.columns[place] = None;
            if plot.is_empty() {
                self.plots.remove(&plot_key);
            }
        }
        self.forget_layer(coord.z);
        Some(brick)
    }

    fn forget_layer(&mut self, z: i32) {
        self.bricks -= 1;
        if let Some(count) = self.layers.get_mut(&z) {
            *count -= 1;
            if *count == 0 {
                self.layers.remove(&z);
            }
        }
    }

    /// Number of stored bricks.
    pub fn brick_count(&self) -> usize {
        self.bricks
    }

    /// The lowest z of all stored bricks (bricks).
    pub fn lowest_brick(&self) -> Option<i32> {
        self.layers.first_key_value().map(|(z, _)| *z)
    }

    /// Brick coordinates (z) of the lowest and highest stored brick of a brick column.
    pub fn column_extent(&self, xy: IVec2) -> Option<(i32, i32)> {
        let column = self.column_of(xy)?;
        Some((column.bricks.first()?.0, column.bricks.last()?.0))
    }

    /// The stored bricks of a brick column with their z, ascending.
    pub(crate) fn column(&self, xy: IVec2) -> &[(i32, Brick<T>)] {
        self.column_of(xy).map_or(&[], |column| &column.bricks)
    }

    #[inline]
    fn column_of(&self, xy: IVec2) -> Option<&Column<T>> {
        let (plot, place) = place_in_plot(xy);
        self.plots.get(&plot)?.columns[place].as_deref()
    }

    /// A box of bricks outside which nothing is stored: quick to ask, but not always the smallest one.
    pub(crate) fn reach(&self) -> VoxelBox {
        self.reach
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
}
