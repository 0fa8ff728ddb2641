//! The grid against a plain array, under random edits, near the origin and far from it.

use barchan_volume::brick::{brick_box, brick_of};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use proptest::prelude::*;

use crate::dense::{edited, edits, middle, voxel};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_voxel_is_what_was_written((middle, edits, p) in (middle(), edits(24), voxel())) {
        let (grid, dense) = edited(middle, &edits);
        prop_assert_eq!(grid.read_box(dense.region), &dense.values[..]);
        prop_assert_eq!(grid.get(p + middle), dense.get(p + middle));
        prop_assert_eq!(grid.get(p - middle + 40), if middle == IVec3::ZERO { grid.get(p + 40) } else { 0 });
    }

    #[test]
    fn a_snapshot_does_not_see_later_edits((middle, before, after) in (middle(), edits(16), edits(16))) {
        let (mut grid, mut dense) = edited(middle, &before);
        let snapshot = (grid.clone(), dense.clone());
        for edit in &after {
            edit.apply(middle, &mut grid, &mut dense);
        }
        prop_assert_eq!(grid.read_box(dense.region), &dense.values[..]);
        prop_assert_eq!(snapshot.0.read_box(dense.region), &snapshot.1.values[..]);
        prop_assert_eq!(grid == snapshot.0, dense == snapshot.1);
    }

    #[test]
    fn compact_keeps_every_voxel_and_stores_no_air((middle, edits) in (middle(), edits(24))) {
        let (mut grid, dense) = edited(middle, &edits);
        let (before, held) = (grid.clone(), grid.memory_bytes());
        grid.compact();
        prop_assert!(grid == before);
        prop_assert!(grid.bricks().all(|(_, brick)| brick.uniform() != Some(0)));
        prop_assert!(grid.memory_bytes() <= held);
        let mut again = Grid::new(0);
        again.write_box(dense.region, &dense.values);
        prop_assert!(again == grid);
        prop_assert_eq!(again.brick_count(), grid.brick_count());
    }

    #[test]
    fn bounds_and_order_hold_all_bricks((middle, edits) in (middle(), edits(24))) {
        let (grid, dense) = edited(middle, &edits);
        let ordered = grid.bricks_in_order();
        prop_assert_eq!(ordered.len(), grid.brick_count());
        prop_assert!(ordered.windows(2).all(|w| w[0].0.to_array() < w[1].0.to_array()));
        let union = ordered.iter().fold(VoxelBox::new(IVec3::ZERO, IVec3::ZERO), |b, (c, _)| b.union(&VoxelBox::cell(*c)));
        prop_assert_eq!(grid.brick_bounds(), union);
        for p in dense.region.cells().filter(|p| dense.get(*p) != 0) {
            prop_assert!(union.contains(brick_of(p)));
        }
        for (coord, _) in ordered {
            let (low, high) = grid.column_extent(coord.truncate()).unwrap();
            prop_assert!(low <= coord.z && coord.z <= high);
        }
    }

    #[test]
    fn mapped_bricks_are_those_of_a_loop((middle, edits) in (middle(), edits(16))) {
        let (grid, dense) = edited(middle, &edits);
        let raise = |brick: &Brick<u8>| {
            let mut values = [0; 512];
            brick.copy_to(&mut values);
            let any = values.contains(&1);
            any.then(|| Brick::from_values(&values.map(|v| v + 1)))
        };
        let bricks = dense.region.to_bricks();
        let mapped = grid.map_bricks(bricks, |_, brick| raise(brick));
        let looped: Vec<_> = bricks.cells().filter_map(|c| Some((c, raise(&grid.brick(c))?))).collect();
        prop_assert!(mapped == looped);
        for (coord, brick) in mapped {
            let expected: Vec<u8> = dense.read(brick_box(coord)).into_iter().map(|v| v + 1).collect();
            let mut values = [0; 512];
            brick.copy_to(&mut values);
            prop_assert_eq!(values.to_vec(), expected);
        }
    }
}

#[test]
fn far_corners_of_space_do_not_meet() {
    let mut grid = Grid::new(0u8);
    let far = (1 << 30) - 1;
    let corners = || VoxelBox::new(IVec3::ZERO, IVec3::splat(2)).cells().map(|c| c * 2 * far - far);
    for (i, corner) in corners().enumerate() {
        grid.set(corner, i as u8 + 1);
    }
    assert_eq!(grid.brick_count(), 8);
    for (i, corner) in corners().enumerate() {
        assert_eq!(grid.get(corner), i as u8 + 1);
    }
}

#[test]
fn unchanged_bricks_stay_shared_with_a_snapshot() {
    let mut grid = Grid::new(0u8);
    grid.set(IVec3::ZERO, 1);
    grid.set(IVec3::splat(100), 1);
    let snapshot = grid.clone();
    grid.set(IVec3::ONE, 2);
    let same = |coord| grid.brick(coord).is_same(&snapshot.brick(coord));
    assert!(!same(IVec3::ZERO));
    assert!(same(brick_of(IVec3::splat(100))));
}
