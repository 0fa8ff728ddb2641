//! Changed copies of some bricks, made beside the ground: parts that do not touch one another can be worked on at the
//! same time and put in place afterwards.

use std::cell::Cell;
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
    bricks: Vec<CopiedBrick>,
    places: FxHashMap<IVec3, u32>,
    /// The brick that was asked for last: the next voxel mostly lies in the same.
    last: Cell<u32>,
}

/// One brick.
struct CopiedBrick {
    coord: IVec3,
    voxels: Arc<[Voxel; VOXELS]>,
    /// What bodies take of it.
    body_shares: Option<Brick<u16>>,
}

impl Patch {
    /// Voxel `p` as it is now.
    #[inline]
    pub fn get(&self, p: IVec3, space: &Space<'_>) -> Voxel {
        match self.place(brick_of(p)) {
            Some(place) => self.bricks[place].voxels[voxel_index(p)],
            None => space.ground.get(p),
        }
    }

    /// Puts up to `units` of the soil of `parcel` into voxel `p`; returns how much found room.
    pub fn put(&mut self, p: IVec3, parcel: Parcel, units: u32, space: &Space<'_>) -> u32 {
        if space.is_outside(p) {
            return 0;
        }
        let (voxel, body) = match self.place(brick_of(p)) {
            Some(place) => {
                let CopiedBrick { voxels, body_shares, .. } = &self.bricks[place];
                let at = voxel_index(p);
                (voxels[at], body_shares.as_ref().map_or(0, |shares| shares.get(at)))
            }
            None => (space.ground.get(p), space.body_shares.get(p)),
        };
        let room = voxel.room(parcel.void_ratio, u32::from(body), space.materials);
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
        for CopiedBrick { coord, voxels, .. } in self.bricks {
            ground.replace_brick(coord, Brick::Dense(voxels));
        }
    }

    #[inline]
    fn place(&self, coord: IVec3) -> Option<usize> {
        let last = self.last.get() as usize;
        if self.bricks.get(last).is_some_and(|brick| brick.coord == coord) {
            return Some(last);
        }
        let place = *self.places.get(&coord)?;
        self.last.set(place);
        Some(place as usize)
    }

    /// Voxel `p`, to change in place.
    fn voxel_mut(&mut self, p: IVec3, space: &Space<'_>) -> &mut Voxel {
        let place = self.place(brick_of(p)).unwrap_or_else(|| self.copy(brick_of(p), space));
        &mut Arc::make_mut(&mut self.bricks[place].voxels)[voxel_index(p)]
    }

    fn copy(&mut self, coord: IVec3, space: &Space<'_>) -> usize {
        let voxels = match space.ground.voxels().stored(coord) {
            None => Arc::new([Voxel::AIR; VOXELS]),
            Some(Brick::Uniform(voxel)) => Arc::new([*voxel; VOXELS]),
            Some(Brick::Dense(voxels)) => Arc::new(**voxels),
        };
        let place = self.bricks.len();
        self.bricks.push(CopiedBrick {
            coord,
            voxels,
            body_shares: space.body_shares.stored(coord).cloned(),
        });
        self.places.insert(coord, place as u32);
        self.last.set(place as u32);
        place
    }
}
