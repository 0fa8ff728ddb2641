//! Changed copies of some bricks, made beside the ground: parts that do not touch one another can be worked on at the
//! same time and put in place afterwards.

use std::sync::Arc;

use barchan_volume::Brick;
use barchan_volume::brick::{VOXELS, brick_of, voxel_index};
use glam::IVec3;
use rustc_hash::FxHashMap;

use super::space::Space;
use crate::ground::Ground;
use crate::voxel::{Parcel, Voxel};

/// The bricks that differ from the ground they were taken from.
#[derive(Default)]
pub(crate) struct Patch {
    bricks: FxHashMap<IVec3, Arc<[Voxel; VOXELS]>>,
}

impl Patch {
    /// Voxel `p` as it is now.
    #[inline]
    pub fn get(&self, p: IVec3, space: &Space<'_>) -> Voxel {
        match self.bricks.get(&brick_of(p)) {
            Some(voxels) => voxels[voxel_index(p)],
            None => space.ground.get(p),
        }
    }

    /// Voxel `p`, to change in place.
    pub fn voxel_mut(&mut self, p: IVec3, space: &Space<'_>) -> &mut Voxel {
        let copy = || match space.ground.voxels().stored(brick_of(p)) {
            None => Arc::new([Voxel::AIR; VOXELS]),
            Some(Brick::Uniform(voxel)) => Arc::new([*voxel; VOXELS]),
            Some(Brick::Dense(voxels)) => Arc::new(**voxels),
        };
        let voxels = self.bricks.entry(brick_of(p)).or_insert_with(copy);
        &mut Arc::make_mut(voxels)[voxel_index(p)]
    }

    /// Puts up to `units` of the soil of `parcel` into voxel `p`; returns how much found room.
    pub fn put(&mut self, p: IVec3, parcel: Parcel, units: u32, space: &Space<'_>) -> u32 {
        if space.is_outside(p) {
            return 0;
        }
        let body = u32::from(space.body_shares.get(p));
        let room = self.get(p, space).room(parcel.void_ratio, body, space.materials);
        let units = room.min(units).min(u32::from(u16::MAX));
        if units > 0 {
            self.voxel_mut(p, space).add_soil(Parcel { units: units as u16, ..parcel });
        }
        units
    }

    /// Takes up to `units` out of voxel `p`; returns how much came.
    pub fn take(&mut self, p: IVec3, units: u32, space: &Space<'_>) -> u32 {
        if self.get(p, space).soil == 0 {
            return 0;
        }
        u32::from(self.voxel_mut(p, space).take_soil(units).units)
    }

    /// Puts the changed bricks in place.
    pub fn commit(self, ground: &mut Ground) {
        for (coord, voxels) in self.bricks {
            ground.replace_brick(coord, Brick::Dense(voxels));
        }
    }
}
