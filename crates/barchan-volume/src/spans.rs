//! Column spans: the runs of voxels of one class above each other.

use std::ops::Range;

use glam::{IVec2, IVec3};

use crate::brick::{Brick, EDGE, voxel_index};
use crate::grid::Grid;

/// Consecutive voxels of a column that belong to one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<C> {
    /// Lowest voxel (voxels).
    pub z_start: i32,
    /// First voxel above (voxels).
    pub z_end: i32,
    /// What `classify` said of each of them.
    pub class: C,
}

impl<T: Copy + PartialEq> Grid<T> {
    /// The longest spans of equal class of the voxels `z` of the column at `xy`, bottom to top, without gaps.
    pub fn spans<C: PartialEq>(&self, xy: IVec2, z: Range<i32>, classify: impl Fn(T) -> C) -> Vec<Span<C>> {
        let mut spans = Vec::new();
        self.for_each_span(xy, z, classify, |span| spans.push(span));
        spans
    }

    /// Hands the spans of [`Grid::spans`] to `visit`, bottom to top. Uniform bricks and gaps are classified once.
    pub fn for_each_span<C: PartialEq>(
        &self,
        xy: IVec2,
        z: Range<i32>,
        classify: impl Fn(T) -> C,
        visit: impl FnMut(Span<C>),
    ) {
        let mut joined = Joined { open: None, visit };
        let mut next = z.start;
        let bricks = self.column(xy >> 3);
        let first = bricks.partition_point(|(coord, _)| *coord < z.start >> 3);
        for (coord, brick) in &bricks[first..] {
            let bottom = (coord * EDGE).max(z.start);
            let top = (coord * EDGE).saturating_add(EDGE).min(z.end);
            if bottom >= z.end {
                break;
            }
            joined.add(next..bottom, || classify(self.background()));
            match brick {
                Brick::Uniform(value) => joined.add(bottom..top, || classify(*value)),
                Brick::Dense(values) => {
                    let from = voxel_index(IVec3::new(xy.x, xy.y, bottom));
                    let values = &values[from..from + (top - bottom) as usize];
                    for (z, value) in (bottom..top).zip(values) {
                        joined.add(z..z + 1, || classify(*value));
                    }
                }
            }
            next = top;
        }
        joined.add(next..z.end, || classify(self.background()));
        joined.close();
    }
}

/// Joins neighbouring runs of equal class before handing them on.
struct Joined<C, V> {
    open: Option<Span<C>>,
    visit: V,
}

impl<C: PartialEq, V: FnMut(Span<C>)> Joined<C, V> {
    fn add(&mut self, z: Range<i32>, class: impl FnOnce() -> C) {
        if z.is_empty() {
            return;
        }
        let class = class();
        match &mut self.open {
            Some(open) if open.class == class => open.z_end = z.end,
            _ => {
                self.close();
                self.open = Some(Span { z_start: z.start, z_end: z.end, class });
            }
        }
    }

    fn close(&mut self) {
        if let Some(span) = self.open.take() {
            (self.visit)(span);
        }
    }
}
