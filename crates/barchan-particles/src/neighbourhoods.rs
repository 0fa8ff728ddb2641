//! Walking over occupied cells, each with the cells around it.

use std::ops::Range;

use glam::IVec3;

use crate::Cells;

/// Columns of a neighbourhood.
const COLUMNS: usize = 9;

/// A cell and the slots in the 27 cells around and including it.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    /// The cell.
    pub cell: IVec3,
    /// Slots of the particles in it.
    pub slots: Range<usize>,
    /// Runs of consecutive slots in its neighbourhood, in rising order.
    runs: [Range<u32>; COLUMNS],
    count: usize,
}

impl Neighbourhood {
    /// Runs of consecutive slots in the neighbourhood, the cell's own among them, in rising order.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        self.runs[..self.count].iter().map(|run| run.start as usize..run.end as usize)
    }
}

/// Walks over occupied cells in their order.
///
/// Cells of a column come one above the other, so what is near them in the nine columns around moves up with them:
/// one step per cell, and a search only where a column begins.
#[derive(Clone, Debug)]
pub struct Neighbourhoods<'a> {
    cells: &'a Cells,
    next: usize,
    end: usize,
    /// The column of the next cell, and where it ends.
    column: usize,
    column_end: usize,
    /// Cells in the columns around that are not below the neighbourhood: the first, and the end of the column.
    around: [(usize, usize); COLUMNS],
    count: usize,
}

impl<'a> Neighbourhoods<'a> {
    pub(crate) fn new(cells: &'a Cells, range: Range<usize>) -> Self {
        let column = cells.columns.partition_point(|column| column.first_cell as usize <= range.start);
        Neighbourhoods {
            cells,
            next: range.start,
            end: range.end.min(cells.len()),
            // The first call enters it.
            column: column.wrapping_sub(2),
            column_end: range.start,
            around: [(0, 0); COLUMNS],
            count: 0,
        }
    }

    fn enter_next_column(&mut self) {
        self.column = self.column.wrapping_add(1);
        self.column_end = self.cells.cells_of(self.column).end;
        let (here, lowest) = (self.cells.columns[self.column], self.cells.cells[self.next].z - 1);
        self.count = 0;
        for x in here.x - 1..=here.x + 1 {
            for column in self.cells.columns_between(x, here.y - 1, here.y + 1) {
                let range = self.cells.cells_of(column);
                let below = self.cells.cells[range.clone()].partition_point(|cell| cell.z < lowest);
                self.around[self.count] = (range.start + below, range.end);
                self.count += 1;
            }
        }
    }
}

impl Iterator for Neighbourhoods<'_> {
    type Item = Neighbourhood;

    fn next(&mut self) -> Option<Neighbourhood> {
        if self.next >= self.end {
            return None;
        }
        if self.next == self.column_end {
            self.enter_next_column();
        }
        let (cells, column) = (&self.cells.cells, self.cells.columns[self.column]);
        let z = cells[self.next].z;
        let mut runs: [Range<u32>; COLUMNS] = Default::default();
        let mut count = 0;
        for (first, end) in &mut self.around[..self.count] {
            while *first < *end && cells[*first].z < z - 1 {
                *first += 1;
            }
            let mut beyond = *first;
            while beyond < *end && cells[beyond].z <= z + 1 {
                beyond += 1;
            }
            if beyond > *first {
                runs[count] = cells[*first].first_slot..cells[beyond].first_slot;
                count += 1;
            }
        }
        let slots = self.cells.slots(self.next);
        self.next += 1;
        Some(Neighbourhood { cell: IVec3::new(column.x, column.y, z), slots, runs, count })
    }
}
