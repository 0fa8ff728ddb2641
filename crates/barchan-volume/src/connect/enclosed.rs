//! What hangs together with nothing outside: hollows in rock, and pieces that were cut off.

use glam::IVec3;

use super::flood::Flood;
use super::mask::Mask;
use super::voxel_set::VoxelSet;
use crate::voxel_box::VoxelBox;

/// The voxels of `within` that no way through faces connects with its outermost layer, where `is_in` tells the voxels of
/// a brick that count. Of what is empty these are the hollows, of what is solid the pieces that hang in the air.
pub fn enclosed(is_in: impl FnMut(IVec3) -> Mask, within: VoxelBox) -> VoxelSet {
    let mut set = VoxelSet::default();
    let core = within.grow(-1);
    let mut flood = Flood::new(is_in, within);
    let bricks = within.to_bricks();
    // Whole bricks inside the outermost ones are not looked at before the flood comes there.
    let inner = bricks.grow(-1);
    let border = bricks.cells().filter(|coord| !inner.contains(*coord));
    let rim = |coord: IVec3| Mask::of_box(coord, within).without(&Mask::of_box(coord, core));
    flood.run(border.map(|coord| (coord, rim(coord))).collect(), |_, _| true);
    for coord in bricks.cells() {
        set.insert_mask(coord, flood.unreached(coord));
    }
    set
}

/// The parts of a set that hang together through faces, ordered by their first voxel (brick by brick in order).
pub fn components(set: &VoxelSet) -> Vec<VoxelSet> {
    let mut left = set.clone();
    let mut parts = Vec::new();
    for (coord, _) in set.bricks_in_order() {
        while let Some(first) = left.mask(coord).and_then(|left| left.indices().next()) {
            let mut seed = Mask::EMPTY;
            seed.insert(first);
            let everywhere = VoxelBox::new(IVec3::MIN, IVec3::MAX);
            let mut flood = Flood::new(|coord| left.mask(coord).copied().unwrap_or(Mask::EMPTY), everywhere);
            flood.run(vec![(coord, seed)], |_, _| true);
            let part = flood.reached();
            left = left.without(&part);
            parts.push(part);
        }
    }
    parts
}
