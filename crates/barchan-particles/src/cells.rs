//! Particles sorted into cells: which cells are occupied, and who is in them.

use std::ops::Range;

use glam::IVec3;
use rayon::prelude::*;

use crate::sort::{Sorter, Words};
use crate::{Neighbourhoods, Place};

/// Sorted particles that one task groups into cells at once.
const AT_ONCE: usize = 16_384;

/// The occupied cells of a set of places, x slowest and z fastest, each with its particles in one run.
///
/// Only what is occupied is stored: cells in columns, columns in rising order. A million particles over kilometres
/// cost what a million in a puddle do.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    order: Vec<u32>,
    /// Height of each occupied cell and its first slot; one more at the end.
    pub(crate) cells: Vec<Cell>,
    /// Columns of occupied cells; one more at the end.
    pub(crate) columns: Vec<Column>,
    fineness: u32,
    sorter: Sorter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub z: i32,
    pub first_slot: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub x: i32,
    pub y: i32,
    pub first_cell: u32,
}

/// The cells of a stretch of sorted particles.
#[derive(Default)]
struct Grouped {
    cells: Vec<Cell>,
    /// Where columns begin, with cells counted from the first of this group.
    columns: Vec<Column>,
}

impl Cells {
    /// Sorts `places` into cells of `2^-fineness` of the lattice's edge; fineness is at most 4.
    ///
    /// Within a cell the order of `places` is kept.
    ///
    /// # Panics
    /// If fineness is above 4, or with more than 2^32 - 2 places.
    pub fn sort(&mut self, places: &[Place], fineness: u32) {
        assert!(fineness <= 4 && places.len() < u32::MAX as usize);
        self.fineness = fineness;
        match Words::for_places(places, fineness) {
            Some(words) => {
                let sorted = self.sorter.sort(places, fineness, words);
                sorted
                    .par_iter()
                    .with_min_len(AT_ONCE)
                    .map(|&word| words.slot(word))
                    .collect_into_vec(&mut self.order);
                let grouped = group(sorted.len(), |i| words.number(sorted[i]), |i| words.cell(sorted[i]));
                join(grouped, places.len(), &mut self.cells, &mut self.columns);
            }
            None => self.sort_widely_spread(places, fineness),
        }
    }

    /// Sorts by comparing, however far apart the cells are.
    fn sort_widely_spread(&mut self, places: &[Place], fineness: u32) {
        let cell_of = |slot: u32| places[slot as usize].cell(fineness);
        let order = &mut self.order;
        order.clear();
        order.extend(0..places.len() as u32);
        order.par_sort_unstable_by_key(|&slot| (cell_of(slot).to_array(), slot));
        let grouped = group(order.len(), |i| cell_of(order[i]), |i| cell_of(order[i]));
        join(grouped, places.len(), &mut self.cells, &mut self.columns);
    }

    /// Which of the places comes into each slot.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Puts what belongs to the places into the order of the slots.
    pub fn arrange<T: Copy + Send + Sync>(&self, of_places: &[T], sorted: &mut Vec<T>) {
        let order = self.order.par_iter().with_min_len(AT_ONCE / 4);
        order.map(|&from| of_places[from as usize]).collect_into_vec(sorted);
    }

    /// How fine the cells are: they are `2^-fineness` of the lattice's edge.
    #[must_use]
    pub fn fineness(&self) -> u32 {
        self.fineness
    }

    /// How many cells are occupied.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len().saturating_sub(1)
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The slots of the `index`-th occupied cell.
    #[must_use]
    pub fn slots(&self, index: usize) -> Range<usize> {
        self.cells[index].first_slot as usize..self.cells[index + 1].first_slot as usize
    }

    /// Occupied cells in parts of about `particles` each, for tasks. They do not depend on the number of threads.
    #[must_use]
    pub fn parts(&self, particles: usize) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = 0;
        for index in 0..self.len() {
            if self.slots(index).end - self.slots(start).start >= particles || index + 1 == self.len() {
                parts.push(start..index + 1);
                start = index + 1;
            }
        }
        parts
    }

    /// Walks over occupied cells with the runs of slots in each cell's neighbourhood of 27.
    #[must_use]
    pub fn neighbourhoods(&self, cells: Range<usize>) -> Neighbourhoods<'_> {
        Neighbourhoods::new(self, cells)
    }

    /// Calls `visit` with each run of slots whose cells lie between `low` and `high`, both included.
    pub fn runs_between(&self, low: IVec3, high: IVec3, mut visit: impl FnMut(Range<usize>)) {
        for x in low.x..=high.x {
            for column in self.columns_between(x, low.y, high.y) {
                let cells = self.cells_of(column);
                let first = cells.start + self.cells[cells.clone()].partition_point(|cell| cell.z < low.z);
                let end = cells.start + self.cells[cells].partition_point(|cell| cell.z <= high.z);
                if first < end {
                    visit(self.cells[first].first_slot as usize..self.cells[end].first_slot as usize);
                }
            }
        }
    }

    /// The columns at `x` from `low_y` to `high_y`, both included.
    pub(crate) fn columns_between(&self, x: i32, low_y: i32, high_y: i32) -> Range<usize> {
        let columns = &self.columns[..self.columns.len().saturating_sub(1)];
        let first = columns.partition_point(|column| (column.x, column.y) < (x, low_y));
        let beyond = columns[first..].iter().take_while(|column| column.x == x && column.y <= high_y).count();
        first..first + beyond
    }

    pub(crate) fn cells_of(&self, column: usize) -> Range<usize> {
        self.columns[column].first_cell as usize..self.columns[column + 1].first_cell as usize
    }

    /// Memory in use (bytes).
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.order.capacity() * size_of::<u32>()
            + self.cells.capacity() * size_of::<Cell>()
            + self.columns.capacity() * size_of::<Column>()
            + self.sorter.memory_bytes()
    }
}

/// Groups sorted particles into cells: `key` tells cells apart, `cell` says which one it is.
fn group<K: PartialEq>(
    len: usize,
    key: impl Fn(usize) -> K + Sync,
    cell: impl Fn(usize) -> IVec3 + Sync,
) -> Vec<Grouped> {
    let stretches = (0..len.div_ceil(AT_ONCE)).into_par_iter();
    let of_stretch = |stretch: usize| {
        let mut grouped = Grouped::default();
        let first = stretch * AT_ONCE;
        let mut last = first.checked_sub(1).map(|before| (key(before), cell(before)));
        for slot in first..(first + AT_ONCE).min(len) {
            let key = key(slot);
            if last.as_ref().is_some_and(|(before, _)| *before == key) {
                continue;
            }
            let here = cell(slot);
            if last.as_ref().is_none_or(|(_, before)| (before.x, before.y) != (here.x, here.y)) {
                grouped.columns.push(Column { x: here.x, y: here.y, first_cell: grouped.cells.len() as u32 });
            }
            grouped.cells.push(Cell { z: here.z, first_slot: slot as u32 });
            last = Some((key, here));
        }
        grouped
    };
    stretches.map(of_stretch).collect()
}

fn join(grouped: Vec<Grouped>, particles: usize, cells: &mut Vec<Cell>, columns: &mut Vec<Column>) {
    cells.clear();
    columns.clear();
    for part in grouped {
        let before = cells.len() as u32;
        columns.extend(part.columns.iter().map(|c| Column { first_cell: c.first_cell + before, ..*c }));
        cells.extend(part.cells);
    }
    columns.push(Column { x: i32::MAX, y: i32::MAX, first_cell: cells.len() as u32 });
    cells.push(Cell { z: i32::MAX, first_slot: particles as u32 });
}
