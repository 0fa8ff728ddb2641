//! Ground and bodies while many piles of soil move at once.

use glam::IVec3;

use super::load::Pile;
use super::moves::Move;
use crate::columns::{ChangedBricks, FULL_SLACK, Look, Patch, Space, is_ledge};
use crate::reader::BARRIER_SHARE;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Parcel, Parcels};

/// How far a pile may climb when it moves by a voxel (voxels): the slope of a body that soil still rests on.
const CLIMB: i32 = 1;

/// How far a pile may follow a body that sinks under it at a time (voxels).
const SINK: i32 = 1;

/// What rounding may add to a share (1/32,768).
const ROUNDING: u32 = 2;

/// How far above its place soil that finds none may come to lie (voxels).
pub(super) const HIGHEST_STACK: i32 = 64;

/// Ground and bodies, as moving soil sees them.
pub(super) struct Site<'a> {
    space: Space<'a>,
    /// The ground with what has moved already.
    patch: Patch<'a>,
}

impl<'a> Site<'a> {
    pub(super) fn new(space: Space<'a>) -> Self {
        Self { space, patch: Patch::new(space) }
    }

    /// The bricks that differ from those in the ground.
    pub(super) fn into_changed(self) -> ChangedBricks {
        self.patch.into_changed()
    }

    /// Takes all soil of a pile, voxel by voxel from the lowest up.
    pub(super) fn take(&mut self, pile: &Pile) -> Vec<Lump> {
        pile.voxels().map(|p| Lump::of(self.patch.take_all(p))).collect()
    }

    /// Puts soil back into voxel `p`, where it was.
    pub(super) fn put_back(&mut self, p: IVec3, lump: Lump) {
        lump.parcels.into_iter().for_each(|parcel| self.patch.add(p, parcel));
    }

    /// `parcel` as it is once it has moved: soil that held together by cohesion breaks, and swells as it does.
    pub(super) fn loosened(&self, parcel: &Parcel) -> Parcel {
        match self.space.materials.is_broken(parcel.kind, false) {
            true => Parcel { moved: true, ..*parcel },
            false => parcel.loosened(self.space.materials),
        }
    }

    /// Takes the soil of voxel `p` that with all else in it takes more than `share` of it (1/32,768), the lowest first.
    pub(super) fn take_above(&mut self, p: IVec3, share: u32) -> Parcels {
        let mut parcels = Parcels::new();
        let (voxel, solid) = (self.patch.get(p), self.solid_share(p));
        if solid + voxel.soil_share() > share + ROUNDING {
            self.patch.take(p, voxel.soil_beyond(share.saturating_sub(solid)), &mut parcels);
        }
        parcels.iter_mut().for_each(|parcel| *parcel = self.loosened(parcel));
        parcels.reverse();
        parcels
    }

    /// The share of voxel `p` that rock and bodies take; all of it in a wall (1/32,768).
    pub(super) fn solid_share(&mut self, p: IVec3) -> u32 {
        self.shares(p).0
    }

    /// The same with the soil.
    pub(super) fn taken_share(&mut self, p: IVec3) -> u32 {
        self.shares(p).1
    }

    /// The share of voxel `p` that rock and bodies take, all of it in a wall, and the same with the soil (1/32,768).
    pub(super) fn shares(&mut self, p: IVec3) -> (u32, u32) {
        let (voxel, body) = self.patch.look(p);
        let is_wall = self.space.ground.is_wall(p);
        let solid = if is_wall { LOOSE_FULL } else { self.space.solid(&voxel, body) };
        (solid, solid + voxel.soil_share())
    }

    /// True when rock or a body ends in voxel `p` or just below it, so that it lifts what is in there when it rises.
    pub(super) fn is_on_top(&mut self, p: IVec3) -> bool {
        let [below, here, above] = [p - IVec3::Z, p, p + IVec3::Z].map(|q| self.solid_share(q));
        is_ledge(here, above) || is_ledge(below, here)
    }

    /// Puts as much of `parcel` into voxel `p` as there is room for.
    pub(super) fn put(&mut self, p: IVec3, parcel: &mut Parcel) {
        self.patch.put(p, parcel);
    }

    /// Puts as much of `parcel` into voxel `p` as there is room for, and no more than fills `share` of it (1/32,768).
    pub(super) fn put_within(&mut self, p: IVec3, share: u32, parcel: &mut Parcel) {
        self.patch.put_within(p, share, parcel);
    }

    /// True when the whole load fits where it goes, at most a little higher.
    pub(super) fn takes(&mut self, one: &Move, load: &[Lump]) -> bool {
        let (mut needed, mut swelling) = (0, 0);
        for parcel in load.iter().flat_map(|lump| &lump.parcels) {
            let after = self.loosened(parcel);
            needed += after.share();
            swelling +=
                if after.void_ratio == parcel.void_ratio { 0 } else { after.share() - parcel.share() };
        }
        if load.is_empty() {
            return true;
        }
        let climb = CLIMB + swelling.div_ceil(LOOSE_FULL) as i32;
        let mut room = 0;
        (one.pile.bottom..one.pile.top + climb).any(|z| {
            room += LOOSE_FULL.saturating_sub(self.taken_share(one.to.extend(z)));
            // What rounding up may have added in each voxel.
            room + ROUNDING * (z - one.pile.bottom + 1) as u32 >= needed
        })
    }

    /// How many voxels of a load that does not fit have to stay: those below the first that finds half its room beside
    /// it, or all if there is no such one above a blocked one.
    pub(super) fn count_blocked(&mut self, one: &Move, load: &[Lump]) -> usize {
        let passes = |(z, lump): (i32, &Lump)| {
            let free = LOOSE_FULL.saturating_sub(self.taken_share(one.to.extend(z)));
            !lump.is_empty() && 2 * free >= lump.share()
        };
        let lowest = load.iter().position(|lump| !lump.is_empty()).unwrap_or(load.len());
        let first = (one.pile.bottom..).zip(load).position(passes).unwrap_or(load.len());
        if first > lowest { first } else { load.len() }
    }

    /// Lets `parcel` stay in voxel `p` and above it, as far as there is room; not above a ceiling.
    pub(super) fn stack(&mut self, p: IVec3, parcel: &mut Parcel) {
        self.stack_on(&mut Stack::from(p), parcel);
    }

    /// Lets `parcel` stay on what is stacked already.
    fn stack_on(&mut self, stack: &mut Stack, parcel: &mut Parcel) {
        let mut is_out = stack.is_out;
        for z in stack.first..stack.bottom.z + HIGHEST_STACK {
            if parcel.units == 0 {
                return;
            }
            let q = stack.bottom.with_z(z);
            let (solid, taken) = self.shares(q);
            let is_barred = solid >= BARRIER_SHARE;
            if is_out && is_barred {
                return;
            }
            is_out |= !is_barred;
            if taken < LOOSE_FULL {
                self.put(q, parcel);
            } else if z == stack.first {
                (stack.first, stack.is_out) = (z + 1, is_out);
            }
        }
    }

    /// The lowest voxel that the soil of a pile reaches now that the body has moved on below it.
    pub(super) fn lowest(&mut self, pile: &Pile) -> i32 {
        // Half a voxel of body is its upper side: what is free below that lies under the body.
        let is_passable = |z: &i32| self.solid_share(pile.column.extend(*z)) < BARRIER_SHARE;
        let sunk = (pile.bottom - SINK + 1..=pile.bottom).rev().take_while(is_passable).count();
        pile.bottom - sunk as i32
    }

    /// Lets a pile that rides down on the body that went on sinking below it: as far as one voxel, to what is deeper down
    /// it falls.
    pub(super) fn close_gap(&mut self, pile: &Pile) {
        if !pile.rides {
            return;
        }
        let place = |z: i32| pile.column.extend(z);
        let lowest = self.lowest(pile);
        let mut has_room = |z: i32| self.taken_share(place(z)) + FULL_SLACK <= LOOSE_FULL;
        let (room_below, room) = (has_room(lowest - 1), (lowest..=pile.bottom).any(has_room));
        let is_gone = room_below && self.solid_share(place(lowest)) == 0;
        if is_gone || !room {
            return;
        }
        let is_bare = |z: &i32| !self.patch.get(place(*z)).has_soil();
        let top = (pile.bottom..pile.top + HIGHEST_STACK).find(is_bare).unwrap_or(pile.top);
        let load: Vec<Lump> = (lowest..top).map(|z| Lump::of(self.patch.take_all(place(z)))).collect();
        let mut stack = Stack::from(place(lowest));
        for mut parcel in load.into_iter().flat_map(|lump| lump.parcels) {
            self.stack_on(&mut stack, &mut parcel);
            if parcel.units == 0 {
                continue;
            }
            for squeeze in Squeeze::EVER_HARDER {
                (lowest..top).for_each(|z| self.squeeze(place(z), squeeze, &mut parcel));
            }
        }
    }

    /// Puts as much of `parcel` into voxel `p` as fits beside rock and soil, whatever bodies take of it; nothing into walls.
    pub(super) fn squeeze(&mut self, p: IVec3, squeeze: Squeeze, parcel: &mut Parcel) {
        if parcel.units == 0 || self.space.is_outside(p) {
            return;
        }
        if squeeze != Squeeze::AsItIs {
            let dense = VoidRatio::from_f32(self.space.materials[parcel.kind].void_ratio_dense);
            parcel.void_ratio = parcel.void_ratio.min(dense);
        }
        match squeeze {
            Squeeze::WithoutPores => self.patch.press_in(p, parcel),
            Squeeze::OverFull => self.patch.overfill(p, parcel),
            Squeeze::AsItIs | Squeeze::Dense => {
                let room = self.patch.get(p).room(parcel.void_ratio, 0, self.space.materials);
                if room > 0 {
                    self.patch.add(p, parcel.split_off(room));
                }
            }
        }
    }
}

/// The soil of one voxel on its way, the lowest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Lump {
    pub parcels: Parcels,
}

impl Lump {
    /// Of what was taken from the top down.
    fn of(mut parcels: Parcels) -> Self {
        parcels.reverse();
        Self { parcels }
    }

    /// True when there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.parcels.is_empty()
    }

    /// The share of a voxel that it takes (1/32,768).
    fn share(&self) -> u32 {
        self.parcels.iter().map(Parcel::share).sum()
    }
}

/// Soil that comes to lie on top of other soil in a column, parcel by parcel.
struct Stack {
    bottom: IVec3,
    /// The lowest layer that is not full: what is below need not be looked at for each parcel.
    first: i32,
    /// True when it has come out of what bars its way below that.
    is_out: bool,
}

impl Stack {
    fn from(bottom: IVec3) -> Self {
        Self { bottom, first: bottom.z, is_out: false }
    }
}

/// How hard soil is squeezed in that has no place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Squeeze {
    AsItIs,
    /// Soil that swelled on its way may have taken the room that this had.
    Dense,
    /// Together with what is there already, however dense that makes it: of mixed soils nobody knows how dense they were.
    WithoutPores,
    /// As much as a voxel can count: better too much in it than lost.
    OverFull,
}

impl Squeeze {
    pub const EVER_HARDER: [Self; 4] = [Self::AsItIs, Self::Dense, Self::WithoutPores, Self::OverFull];
}
