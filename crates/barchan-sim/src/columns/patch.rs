//! Changed copies of some bricks, made beside the ground: parts that do not touch one another can be worked on at the
//! same time and put in place afterwards.

use std::ops::Range;
use std::sync::Arc;

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_of, voxel_index};
use glam::{IVec2, IVec3};
use rustc_hash::FxHashMap;

use super::space::{Look, Space};
use crate::ground::{Ground, GroundBrick, Touch};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Parcel, Parcels, SideList, Voxel, VoxelMut};

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
    /// Changed, with the list beside them.
    Own(Arc<[Voxel; VOXELS]>, SideList),
}

/// Bricks that take the place of those in the ground.
pub(crate) type ChangedBricks = Vec<(IVec3, GroundBrick)>;

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

    /// How many units of soil at `void_ratio` fit into voxel `p`.
    pub fn room(&mut self, p: IVec3, void_ratio: VoidRatio) -> u32 {
        if self.space.is_outside(p) {
            return 0;
        }
        let (voxel, body) = self.look(p);
        voxel.room(void_ratio, u32::from(body), self.space.materials)
    }

    /// Puts as much of `parcel` into voxel `p` as finds room there.
    pub fn put(&mut self, p: IVec3, parcel: &mut Parcel) {
        self.put_within(p, LOOSE_FULL, parcel);
    }

    /// Puts as much of `parcel` into voxel `p` as finds room there and takes no more than `share` (1/32,768) of it.
    pub fn put_within(&mut self, p: IVec3, share: u32, parcel: &mut Parcel) {
        let room = self.room(p, parcel.void_ratio);
        // Most is put where all of it fits.
        let most = if share < LOOSE_FULL { parcel.void_ratio.units_in(share).min(room) } else { room };
        if most > 0 {
            self.add(p, parcel.split_off(most));
        }
    }

    /// Takes up to `units` of soil out of voxel `p`, kind by kind from the top down; returns how much came.
    pub fn take(&mut self, p: IVec3, units: u32, parcels: &mut Parcels) -> u32 {
        if self.get(p).has_soil() { self.write(p).take_soils(units, parcels) } else { 0 }
    }

    /// Takes up to `units` of the soil on top of voxel `p`, all of one kind.
    pub fn take_top(&mut self, p: IVec3, units: u32) -> Parcel {
        self.write(p).take_soil(units)
    }

    /// Takes all soil out of voxel `p`, from the top down.
    pub fn take_all(&mut self, p: IVec3) -> Parcels {
        let mut parcels = Parcels::new();
        self.take(p, u32::MAX, &mut parcels);
        parcels
    }

    /// Adds soil to voxel `p`, which has room for it.
    pub fn add(&mut self, p: IVec3, parcel: Parcel) {
        self.write(p).add_soil(parcel);
    }

    /// Presses as much of `parcel` into voxel `p` as fits there at all, beside rock and soil: bodies yield.
    pub fn press_in(&mut self, p: IVec3, parcel: &mut Parcel) {
        self.press(p, 0, parcel);
    }

    /// As [`Patch::press_in`], but no body yields.
    pub fn press_in_beside_bodies(&mut self, p: IVec3, parcel: &mut Parcel) {
        let (_, body) = self.look(p);
        self.press(p, u32::from(body), parcel);
    }

    fn press(&mut self, p: IVec3, body_share: u32, parcel: &mut Parcel) {
        let materials = self.space.materials;
        let units = self.write(p).press_in(*parcel, body_share, materials);
        parcel.split_off(u32::from(units));
    }

    /// Makes the soil of voxel `p` as dense as that, below and on top.
    pub fn compact(&mut self, p: IVec3, under: VoidRatio, top: VoidRatio) {
        let materials = self.space.materials;
        self.write(p).compact(under, top, materials);
    }

    /// Adds as much of `parcel` to voxel `p` as its numbers can count, whatever fits.
    pub fn overfill(&mut self, p: IVec3, parcel: &mut Parcel) {
        let mut voxel = self.write(p);
        let part = parcel.split_off(voxel.countable(parcel));
        voxel.add_soil(part);
    }

    /// The bricks that differ from those in the ground.
    pub fn into_changed(self) -> ChangedBricks {
        let is_own = |brick: &&PatchBrick<'a>| matches!(brick.voxels, Voxels::Own(..));
        let mut changed = Vec::with_capacity(self.bricks.iter().filter(is_own).count());
        for brick in self.bricks {
            if let Voxels::Own(voxels, side) = brick.voxels {
                changed.push((brick.coord, GroundBrick { voxels: Brick::Dense(voxels), side }));
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

    /// Voxel `p`, to write.
    #[inline]
    fn write(&mut self, p: IVec3) -> VoxelMut<'_> {
        let (coord, at, ground) = (brick_of(p), voxel_index(p), self.space.ground);
        let brick = self.brick(coord);
        if let Voxels::Same(voxels) = brick.voxels {
            let own = match voxels {
                None => Arc::new([Voxel::AIR; VOXELS]),
                Some(Brick::Uniform(voxel)) => Arc::new([*voxel; VOXELS]),
                Some(Brick::Dense(voxels)) => Arc::clone(voxels),
            };
            brick.voxels = Voxels::Own(own, ground.side(coord).clone());
        }
        match &mut brick.voxels {
            Voxels::Own(voxels, side) => VoxelMut::new(&mut Arc::make_mut(voxels)[at], side, at),
            Voxels::Same(_) => unreachable!("made its own above"),
        }
    }
}

impl PatchBrick<'_> {
    /// A voxel, and the share that bodies take of it (1/32,768).
    #[inline]
    fn get(&self, at: usize) -> (Voxel, u16) {
        let voxel = match &self.voxels {
            Voxels::Same(ground) => ground.map_or(Voxel::AIR, |brick| brick.get(at)),
            Voxels::Own(voxels, _) => voxels[at],
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
                Voxels::Own(values, _) => values[voxels].iter().all(Voxel::is_air),
            }
    }
}

impl Look for Patch<'_> {
    #[inline]
    fn look(&mut self, p: IVec3) -> (Voxel, u16) {
        self.brick(brick_of(p)).get(voxel_index(p))
    }
}

/// Puts bricks in place in which soil changed.
pub(crate) fn commit(bricks: ChangedBricks, ground: &mut Ground) {
    for (coord, brick) in bricks {
        ground.replace_brick(coord, brick, Touch::Soil);
    }
}
