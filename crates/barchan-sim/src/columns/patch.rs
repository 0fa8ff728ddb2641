//! Changed copies of some bricks, made beside the ground: parts that do not touch one another can be worked on at the
//! same time and put in place afterwards.

use std::ops::Range;
use std::sync::Arc;

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_of, voxel_index};
use glam::{IVec2, IVec3};
use rustc_hash::FxHashMap;

use super::space::{Look, Space};
use crate::ground::Ground;
use crate::voxel::{Parcel, Voxel};

/// The ground with changes of its own.
pub(crate) struct Patch<'a> {
    space: Space<'a>,
    /// The bricks that were looked at, in the order in which they were.
    bricks: Vec<PatchBrick<'a>>,
    /// Their places, once there are many.
    places: FxHashMap<IVec3, u32>,
    /// Places of bricks that were asked for last: the next voxel mostly lies in one of them.
    recent: [u32; RECENT],
}

/// Up to so many bricks are searched one by one: most patches are parts of a tile, and a table is more work than that.
const FEW: usize = 16;

/// How many bricks are found without a search: more than the surface of a tile crosses.
const RECENT: usize = 8;

/// One brick.
struct PatchBrick<'a> {
    coord: IVec3,
    voxels: Voxels<'a>,
    /// What bodies take of it.
    body_shares: Option<&'a Brick<u16>>,
}

/// The voxels of a brick.
enum Voxels<'a> {
    /// As they are in the ground.
    Same(Option<&'a Brick<Voxel>>),
    /// Changed.
    Own(Arc<[Voxel; VOXELS]>),
}

/// Bricks that take the place of those in the ground.
pub(crate) type ChangedBricks = Vec<(IVec3, Brick<Voxel>)>;

impl<'a> Patch<'a> {
    /// No change yet.
    pub fn new(space: Space<'a>) -> Self {
        Self { space, bricks: Vec::with_capacity(RECENT), places: FxHashMap::default(), recent: [0; RECENT] }
    }

    /// Voxel `p` as it is now.
    #[inline]
    pub fn get(&mut self, p: IVec3) -> Voxel {
        self.look(p).0
    }

    /// True when the voxels of `column` from layer `first` up to `last` are inside the walls and there is nothing in them.
    pub fn is_air_between(&mut self, column: IVec2, first: i32, last: i32) -> bool {
        if [first, last].into_iter().any(|z| self.space.is_outside(column.extend(z))) {
            return false;
        }
        let mut z = first;
        while z <= last {
            let p = column.extend(z);
            let end = (z | (EDGE - 1)).min(last) + 1;
            let (brick, at) = (self.brick(brick_of(p)), voxel_index(p));
            if !brick.is_air(at..at + (end - z) as usize) {
                return false;
            }
            z = end;
        }
        true
    }

    /// Puts up to `units` of the soil of `parcel` into voxel `p`; returns how much found room.
    pub fn put(&mut self, p: IVec3, parcel: Parcel, units: u32) -> u32 {
        if self.space.is_outside(p) {
            return 0;
        }
        let materials = self.space.materials;
        let (brick, at) = (self.brick(brick_of(p)), voxel_index(p));
        let (voxel, body) = brick.get(at);
        let room = voxel.room(parcel.void_ratio, u32::from(body), materials);
        let units = room.min(units).min(u32::from(u16::MAX));
        if units > 0 {
            brick.voxel_mut(at).add_soil(Parcel { units: units as u16, ..parcel });
        }
        units
    }

    /// Takes up to `units` out of voxel `p`; returns how much came.
    pub fn take(&mut self, p: IVec3, units: u32) -> u32 {
        let (brick, at) = (self.brick(brick_of(p)), voxel_index(p));
        if brick.get(at).0.soil == 0 {
            return 0;
        }
        u32::from(brick.voxel_mut(at).take_soil(units).units)
    }

    /// Takes all soil out of voxel `p`.
    pub fn take_all(&mut self, p: IVec3) -> Parcel {
        self.voxel_mut(p).take_soil(u32::MAX)
    }

    /// Adds soil to voxel `p`, which has room for it.
    pub fn add(&mut self, p: IVec3, parcel: Parcel) {
        self.voxel_mut(p).add_soil(parcel);
    }

    /// Presses as much of `parcel` into voxel `p` as fits there at all; returns how much that was (units).
    pub fn press_in(&mut self, p: IVec3, parcel: Parcel) -> u16 {
        let materials = self.space.materials;
        self.voxel_mut(p).press_in(parcel, materials)
    }

    /// The bricks that differ from those in the ground.
    pub fn into_changed(self) -> ChangedBricks {
        let is_own = |brick: &&PatchBrick<'a>| matches!(brick.voxels, Voxels::Own(_));
        let mut changed = Vec::with_capacity(self.bricks.iter().filter(is_own).count());
        for brick in self.bricks {
            if let Voxels::Own(voxels) = brick.voxels {
                changed.push((brick.coord, Brick::Dense(voxels)));
            }
        }
        changed
    }

    #[inline]
    fn brick(&mut self, coord: IVec3) -> &mut PatchBrick<'a> {
        // Bricks above and beside each other do not share a place.
        let slot = (coord.x ^ coord.y.wrapping_mul(3) ^ coord.z) as usize % RECENT;
        let mut place = self.recent[slot] as usize;
        if self.bricks.get(place).is_none_or(|brick| brick.coord != coord) {
            place = self.find(coord);
            self.recent[slot] = place as u32;
        }
        &mut self.bricks[place]
    }

    fn find(&mut self, coord: IVec3) -> usize {
        let next = self.bricks.len();
        let known = if next <= FEW {
            self.bricks.iter().position(|brick| brick.coord == coord)
        } else {
            if self.places.is_empty() {
                self.places.extend(self.bricks.iter().zip(0..).map(|(brick, place)| (brick.coord, place)));
            }
            self.places.get(&coord).map(|place| *place as usize)
        };
        known.unwrap_or_else(|| {
            if next > FEW {
                self.places.insert(coord, next as u32);
            }
            let voxels = Voxels::Same(self.space.ground.voxels().stored(coord));
            let body_shares = self.space.body_shares.stored(coord);
            self.bricks.push(PatchBrick { coord, voxels, body_shares });
            next
        })
    }

    /// Voxel `p`, to change in place.
    fn voxel_mut(&mut self, p: IVec3) -> &mut Voxel {
        self.brick(brick_of(p)).voxel_mut(voxel_index(p))
    }
}

impl PatchBrick<'_> {
    /// A voxel, and the share that bodies take of it (1/32,768).
    #[inline]
    fn get(&self, at: usize) -> (Voxel, u16) {
        let voxel = match &self.voxels {
            Voxels::Same(ground) => ground.map_or(Voxel::AIR, |brick| brick.get(at)),
            Voxels::Own(voxels) => voxels[at],
        };
        (voxel, self.body_shares.map_or(0, |shares| shares.get(at)))
    }

    /// True when there is nothing in these voxels.
    #[inline]
    fn is_air(&self, voxels: Range<usize>) -> bool {
        let is_free = self.body_shares.is_none_or(|shares| voxels.clone().all(|at| shares.get(at) == 0));
        is_free
            && match &self.voxels {
                Voxels::Same(None) => true,
                Voxels::Same(Some(Brick::Uniform(voxel))) => voxel.is_air(),
                Voxels::Same(Some(Brick::Dense(values))) => values[voxels].iter().all(Voxel::is_air),
                Voxels::Own(values) => values[voxels].iter().all(Voxel::is_air),
            }
    }

    /// A voxel, to change in place.
    #[inline]
    fn voxel_mut(&mut self, at: usize) -> &mut Voxel {
        if let Voxels::Same(ground) = self.voxels {
            self.voxels = Voxels::Own(match ground {
                None => Arc::new([Voxel::AIR; VOXELS]),
                Some(Brick::Uniform(voxel)) => Arc::new([*voxel; VOXELS]),
                Some(Brick::Dense(voxels)) => Arc::clone(voxels),
            });
        }
        match &mut self.voxels {
            Voxels::Own(voxels) => &mut Arc::make_mut(voxels)[at],
            Voxels::Same(_) => unreachable!("made its own above"),
        }
    }
}

impl Look for Patch<'_> {
    #[inline]
    fn look(&mut self, p: IVec3) -> (Voxel, u16) {
        self.brick(brick_of(p)).get(voxel_index(p))
    }
}

/// Puts changed bricks in place.
pub(crate) fn commit(bricks: ChangedBricks, ground: &mut Ground) {
    for (coord, brick) in bricks {
        ground.replace_brick(coord, brick);
    }
}
