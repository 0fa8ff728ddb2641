//! How much soil changed its place.

use barchan_sim::Ground;
use barchan_sim::ground::Changes;
use barchan_volume::brick::VOXELS;

/// Soil that is now in other voxels than before `changes` (units): half the sum of all differences, for what left one
/// voxel came to another.
pub fn moved_units(ground: &Ground, changes: &Changes) -> i64 {
    let mut sum = 0;
    for (coord, before) in changes.before() {
        let now = ground.voxels().brick(*coord);
        sum += (0..VOXELS)
            .map(|i| (i64::from(now.get(i).soil()) - i64::from(before.voxels.get(i).soil())).abs())
            .sum::<i64>();
    }
    sum / 2
}
