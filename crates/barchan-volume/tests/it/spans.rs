//! Spans against a loop over the voxels of a column.

use std::ops::Range;

use barchan_volume::{Grid, Span};
use glam::{IVec2, IVec3};
use proptest::prelude::*;

use crate::dense::{HALF, edited, edits, middle, voxel};

fn looped(values: impl Iterator<Item = (i32, bool)>) -> Vec<Span<bool>> {
    let mut spans: Vec<Span<bool>> = Vec::new();
    for (z, class) in values {
        match spans.last_mut() {
            Some(last) if last.class == class => last.z_end = z + 1,
            _ => spans.push(Span { z_start: z, z_end: z + 1, class }),
        }
    }
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn spans_are_the_runs_of_a_column((middle, edits, p, top, limit) in (middle(), edits(16), voxel(), -HALF..HALF, 1..3u8)) {
        let (grid, dense) = edited(middle, &edits);
        let (p, top) = (p + middle, top + middle.z);
        let spans = grid.spans(p.truncate(), p.z..top, |v| v >= limit);
        prop_assert_eq!(spans, looped((p.z..top).map(|z| (z, dense.get(IVec3::new(p.x, p.y, z)) >= limit))));
    }
}

#[test]
fn a_tall_column_costs_its_bricks_only() {
    let far = 1 << 28;
    let mut grid = Grid::new(0u8);
    grid.set(IVec3::new(3, 4, -far), 1);
    grid.set(IVec3::new(3, 4, far), 1);
    let mut asked = std::cell::Cell::new(0);
    let spans = grid.spans(IVec2::new(3, 4), -far - 100..far + 100, |v| {
        asked.set(asked.get() + 1);
        v
    });
    let expected = [
        (-far - 100, -far, 0),
        (-far, -far + 1, 1),
        (-far + 1, far, 0),
        (far, far + 1, 1),
        (far + 1, far + 100, 0),
    ];
    assert_eq!(spans, expected.map(|(z_start, z_end, class)| Span { z_start, z_end, class }));
    assert_eq!(*asked.get_mut(), 8 + 8 + 3);
}

#[test]
fn no_voxels_have_no_spans() {
    let grid = Grid::new(0u8);
    assert!(grid.spans(IVec2::ZERO, 5..5, |v| v).is_empty());
    assert!(grid.spans(IVec2::ZERO, Range { start: 5, end: 2 }, |v| v).is_empty());
}
