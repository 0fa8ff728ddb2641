//! Pieces of rock that nothing holds.

use barchan_volume::{Brick, Mask, VoxelBox, VoxelSet, enclosed};
use glam::IVec3;

use super::select::SOLID_SHARE;
use crate::ground::Ground;
use crate::material::Materials;

/// Solid rock that hangs together through faces with neither the floor nor a wall, once the voxels `without` are gone. Without
/// walls the lowest bricks are the floor.
pub(super) fn loose_rock(without: &VoxelSet, ground: &Ground, materials: &Materials) -> VoxelSet {
    let held = ground.voxels().brick_bounds();
    let within = VoxelBox::new(held.min * 8, held.max * 8).grow(2);
    let (low, high) = match ground.bounds() {
        Some(walls) => (walls.min, walls.max.with_z(i32::MAX)),
        None => (IVec3::MIN.with_z(held.min.z * 8 + 8), IVec3::MAX),
    };
    let free = VoxelBox::new(low, high);
    let is_rock = |coord: IVec3| {
        let rock = match ground.voxels().stored(coord) {
            None => Mask::EMPTY,
            Some(Brick::Uniform(voxel)) if voxel.rock_share(materials) >= SOLID_SHARE => Mask::FULL,
            Some(Brick::Uniform(_)) => Mask::EMPTY,
            Some(Brick::Dense(values)) => {
                Mask::from_fn(|at| values[at].rock > 0 && values[at].rock_share(materials) >= SOLID_SHARE)
            }
        };
        let rock = without.mask(coord).map_or(rock, |gone| rock.without(gone));
        let held = Mask::of_box(coord, within).without(&Mask::of_box(coord, free));
        rock.or(&held)
    };
    let mut loose = VoxelSet::default();
    for (coord, mask) in enclosed(is_rock, within).bricks_in_order() {
        loose.insert_mask(coord, mask.and(&Mask::of_box(coord, free)));
    }
    loose
}

/// Solid rock that has a hold, and loses it once the voxels `gone` are.
pub(super) fn cut_off(gone: &VoxelSet, ground: &Ground, materials: &Materials) -> VoxelSet {
    let after = loose_rock(gone, ground, materials);
    if after.is_empty() {
        return after;
    }
    after.without(&loose_rock(&VoxelSet::default(), ground, materials))
}
