//! The bricks above one another that soil falls through, with what changed in them.

use std::sync::Arc;

use barchan_volume::Brick;
use barchan_volume::brick::{VOXELS, voxel_index};
use glam::{IVec2, IVec3};

use crate::columns::{FULL_SLACK, LEDGE_SHARE, Space};
use crate::units::LOOSE_FULL;
use crate::voxel::{Parcel, Voxel};

/// Where a brick is, and its voxels.
pub(super) type ChangedBrick = (IVec3, Arc<[Voxel; VOXELS]>);

/// One column of bricks, looked up only once and copied only where it changes.
pub(super) struct Stack<'a> {
    space: Space<'a>,
    tile: IVec2,
    storeys: Vec<Storey<'a>>,
    /// The storey that was asked for last: mostly it is the next one, too.
    last: usize,
}

struct Storey<'a> {
    z: i32,
    ground: Option<&'a Brick<Voxel>>,
    bodies: Option<&'a Brick<u16>>,
    changed: Option<Arc<[Voxel; VOXELS]>>,
}

impl Storey<'_> {
    #[inline]
    fn voxel(&self, at: usize) -> Voxel {
        match &self.changed {
            Some(voxels) => voxels[at],
            None => self.ground.map_or(Voxel::AIR, |brick| brick.get(at)),
        }
    }
}

impl<'a> Stack<'a> {
    /// The stack of the columns of bricks at `tile`.
    pub(super) fn new(tile: IVec2, space: Space<'a>) -> Self {
        Self { space, tile, storeys: Vec::new(), last: 0 }
    }

    /// Voxel `p` as it is now.
    #[inline]
    pub(super) fn get(&mut self, p: IVec3) -> Voxel {
        self.storey(p.z >> 3).voxel(voxel_index(p))
    }

    /// Puts up to `units` of the soil of `parcel` into voxel `p`; returns how much found room.
    pub(super) fn put(&mut self, p: IVec3, parcel: Parcel, units: u16) -> u16 {
        if self.space.is_outside(p) {
            return 0;
        }
        let (at, materials) = (voxel_index(p), self.space.materials);
        let storey = self.storey(p.z >> 3);
        let body = storey.bodies.map_or(0, |shares| u32::from(shares.get(at)));
        let room = storey.voxel(at).room(parcel.void_ratio, body, materials);
        let units = room.min(u32::from(units)) as u16;
        if units > 0 {
            self.voxel_mut(p).add_soil(Parcel { units, ..parcel });
        }
        units
    }

    /// Takes `units` out of voxel `p`.
    pub(super) fn take(&mut self, p: IVec3, units: u16) {
        self.voxel_mut(p).take_soil(u32::from(units));
    }

    /// True when soil in voxel `p` hangs in the air.
    pub(super) fn hangs(&mut self, p: IVec3) -> bool {
        let (here, below) = (self.shares(p), self.shares(p - IVec3::Z));
        if here.1 == 0 {
            return false;
        }
        // Without rock or bodies around, a voxel below that has room decides it.
        if here.0 < LEDGE_SHARE && below.0 < LEDGE_SHARE {
            let is_full = below.0 + below.1 + FULL_SLACK > LOOSE_FULL;
            return !is_full && !self.space.is_outside(p - IVec3::Z);
        }
        let [voxel, under] = [p, p - IVec3::Z].map(|q| self.get(q));
        self.space.hangs_as(p, |q| if q == p { voxel } else { under })
    }

    /// True when the soil of voxel `p` would hang if there were none below it.
    pub(super) fn rests_on_soil_alone(&mut self, p: IVec3) -> bool {
        let (here, below) = (self.shares(p), self.shares(p - IVec3::Z));
        if here.1 == 0 {
            return false;
        }
        if here.0 < LEDGE_SHARE && below.0 < LEDGE_SHARE {
            return !self.space.is_outside(p - IVec3::Z);
        }
        let [voxel, under] = [p, p - IVec3::Z].map(|q| self.get(q));
        self.space.hangs_as(p, |q| if q == p { voxel } else { Voxel { soil: 0, ..under } })
    }

    /// The bricks that differ from the ground.
    pub(super) fn into_changes(self) -> Vec<ChangedBrick> {
        let tile = self.tile;
        self.storeys.into_iter().filter_map(|s| s.changed.map(|voxels| (tile.extend(s.z), voxels))).collect()
    }

    /// The shares of rock and bodies, and of soil (1/32,768).
    #[inline]
    fn shares(&mut self, p: IVec3) -> (u32, u32) {
        let (at, materials) = (voxel_index(p), self.space.materials);
        let storey = self.storey(p.z >> 3);
        let voxel = storey.voxel(at);
        let body = storey.bodies.map_or(0, |shares| u32::from(shares.get(at)));
        (voxel.rock_share(materials) + body, voxel.soil_share())
    }

    fn voxel_mut(&mut self, p: IVec3) -> &mut Voxel {
        let storey = self.storey(p.z >> 3);
        let ground = storey.ground;
        let voxels = storey.changed.get_or_insert_with(|| match ground {
            None => Arc::new([Voxel::AIR; VOXELS]),
            Some(Brick::Uniform(voxel)) => Arc::new([*voxel; VOXELS]),
            Some(Brick::Dense(voxels)) => Arc::new(**voxels),
        });
        &mut Arc::make_mut(voxels)[voxel_index(p)]
    }

    #[inline]
    fn storey(&mut self, z: i32) -> &mut Storey<'a> {
        if self.storeys.get(self.last).is_none_or(|storey| storey.z != z) {
            self.last = self.storeys.iter().position(|storey| storey.z == z).unwrap_or_else(|| {
                let coord = self.tile.extend(z);
                let ground = self.space.ground.voxels().stored(coord);
                let bodies = self.space.body_shares.stored(coord);
                self.storeys.push(Storey { z, ground, bodies, changed: None });
                self.storeys.len() - 1
            });
        }
        &mut self.storeys[self.last]
    }
}
