//! Floods, hollows and pieces against a search voxel by voxel.

use std::collections::BTreeSet;

use barchan_volume::{FloodError, Grid, Mask, VoxelBox, VoxelSet, components, enclosed, flood, flood_hollow};
use glam::IVec3;
use proptest::prelude::*;

use crate::dense::{edited, edits, middle, region, voxel};

fn open_in(grid: &Grid<u8>) -> impl Fn(IVec3) -> Mask {
    |coord| Mask::from_fn(|index| grid.brick(coord).get(index) == 0)
}

fn reached(is_open: impl Fn(IVec3) -> bool, seeds: Vec<IVec3>) -> BTreeSet<[i32; 3]> {
    let mut found = BTreeSet::new();
    let mut next = seeds;
    while let Some(p) = next.pop() {
        if is_open(p) && found.insert(p.to_array()) {
            for axis in IVec3::AXES {
                next.extend([p + axis, p - axis]);
            }
        }
    }
    found
}

fn voxels(set: &VoxelSet) -> BTreeSet<[i32; 3]> {
    let list: Vec<_> = set.voxels_in_order().map(|p| p.to_array()).collect();
    assert_eq!(list.len(), set.len());
    list.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_flood_reaches_what_a_walk_reaches(
        (middle, edits, within, seed) in (middle(), edits(20), region(), voxel())
    ) {
        let (grid, _) = edited(middle, &edits);
        let (within, seed) = (VoxelBox::new(within.min + middle, within.max + middle), seed + middle);
        let walk = reached(|p| within.contains(p) && grid.get(p) == 0, vec![seed]);
        match flood(open_in(&grid), seed, within) {
            Ok(set) => prop_assert_eq!(voxels(&set), walk),
            Err(error) => {
                prop_assert_eq!(error, FloodError::Blocked(seed));
                prop_assert!(walk.is_empty());
            }
        }
    }

    #[test]
    fn hollows_are_what_the_rim_does_not_reach((edits, within) in (edits(24), region())) {
        let (grid, _) = edited(IVec3::ZERO, &edits);
        let is_open = |p| within.contains(p) && grid.get(p) == 0;
        let core = within.grow(-1);
        let rim = within.cells().filter(|p| !core.contains(*p)).collect();
        let outside = reached(is_open, rim);
        let expected: BTreeSet<_> =
            within.cells().filter(|p| is_open(*p)).map(|p| p.to_array()).filter(|p| !outside.contains(p)).collect();
        let found = enclosed(open_in(&grid), within);
        prop_assert_eq!(voxels(&found), expected.clone());
        // Every part is what a walk from any of its voxels reaches, and all parts are all.
        let mut left = expected;
        for part in components(&found) {
            let part = voxels(&part);
            let first = IVec3::from_array(*part.first().expect("a part holds a voxel"));
            prop_assert_eq!(&part, &reached(|p| found.contains(p), vec![first]));
            left.retain(|p| !part.contains(p));
        }
        prop_assert!(left.is_empty());
    }
}

#[test]
fn a_hollow_is_filled_and_the_sky_is_not() {
    let mut grid = Grid::new(0u8);
    let rock = VoxelBox::new(IVec3::splat(-30), IVec3::splat(50));
    grid.fill_box(rock, 1);
    grid.fill_box(VoxelBox::new(IVec3::splat(-5), IVec3::splat(20)), 0);
    let reach = VoxelBox::new(rock.min - 2, rock.max + 2);
    let hollow = flood_hollow(open_in(&grid), IVec3::ZERO, reach).expect("an enclosed hollow");
    assert_eq!(hollow.len(), 25 * 25 * 25);
    assert_eq!(
        flood_hollow(open_in(&grid), IVec3::splat(30), reach),
        Err(FloodError::Blocked(IVec3::splat(30)))
    );
    // A shaft through a corner only does not let the flood out, one through a face does.
    grid.set(IVec3::splat(20), 0);
    assert_eq!(flood_hollow(open_in(&grid), IVec3::ZERO, reach), Ok(hollow));
    grid.fill_box(VoxelBox::new(IVec3::splat(0), IVec3::new(1, 1, 50)), 0);
    assert_eq!(flood_hollow(open_in(&grid), IVec3::ZERO, reach), Err(FloodError::Open(IVec3::ZERO)));
    let far = IVec3::splat(1000);
    assert_eq!(flood_hollow(open_in(&grid), far, reach), Err(FloodError::Open(far)));
}
