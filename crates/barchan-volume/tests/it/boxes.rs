//! Dense reads of a grid, and the boxes themselves.

use barchan_volume::VoxelBox;
use glam::IVec3;
use proptest::prelude::*;

use crate::dense::{edited, edits, middle, region, voxel};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn reads_agree_with_the_array((middle, edits, part, p) in (middle(), edits(16), region(), voxel())) {
        let (grid, dense) = edited(middle, &edits);
        let part = VoxelBox::new(part.min + middle, part.max + middle);
        prop_assert_eq!(grid.read_box(part), dense.read(part));
        let p = p + middle;
        let column = VoxelBox::new(p, IVec3::new(p.x + 1, p.y + 1, part.max.z.max(p.z)));
        prop_assert_eq!(grid.read_column(p.truncate(), column.min.z..column.max.z), dense.read(column));
    }

    #[test]
    fn a_halo_is_the_brick_and_what_is_around((middle, edits, margin) in (middle(), edits(16), 0..6i32)) {
        let (grid, dense) = edited(middle, &edits);
        let mut halo = vec![7; 3];
        let coord = (middle >> 3) - 1;
        let region = grid.read_halo(coord, margin, &mut halo);
        prop_assert_eq!(region, VoxelBox::new(coord * 8 - margin, coord * 8 + 8 + margin));
        prop_assert_eq!(halo, dense.read(region));
    }

    #[test]
    fn boxes_are_sets_of_cells((a, b) in (region(), region())) {
        let both = a.intersect(&b);
        let around = a.union(&b);
        prop_assert!(around.contains_box(&a) && around.contains_box(&b));
        prop_assert_eq!(a.cells().count() as u128, a.volume());
        prop_assert_eq!(a.cells().filter(|p| b.contains(*p)).count() as u128, both.volume());
        prop_assert!(a.cells().enumerate().all(|(i, p)| a.index(p) == i));
        let bricks = a.to_bricks();
        prop_assert!(a.cells().all(|p| bricks.contains(p >> 3)));
        prop_assert!(bricks.cells().all(|c| !a.intersect(&barchan_volume::brick::brick_box(c)).is_empty()));
        prop_assert_eq!(a.grow(2).grow(-2), a);
    }
}

#[test]
fn the_largest_box_has_a_volume() {
    let all = VoxelBox::new(IVec3::MIN, IVec3::MAX);
    assert_eq!(all.volume(), (u128::from(u32::MAX)).pow(3));
    assert_eq!(all.grow(5), all);
}
