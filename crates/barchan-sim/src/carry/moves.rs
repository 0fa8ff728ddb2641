//! Moving many piles of soil at once.

use glam::{IVec2, IVec3};

use super::carry::CarryReport;
use super::load::Pile;
use crate::bodies::BodyFill;
use crate::columns::{Look, Patch, Space, commit};
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// Piles of soil that are to move level, and where to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moves {
    moves: Vec<Move>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Move {
    pile: Pile,
    to: IVec2,
}

/// How far a pile may climb when it moves by a voxel (voxels): the slope of a body that soil still rests on.
const CLIMB: i32 = 1;

/// How far above its place soil that finds none may come to lie (voxels).
const HIGHEST_STACK: i32 = 64;

impl Moves {
    pub(super) fn add(&mut self, pile: Pile, to: IVec2) {
        if pile.column != to {
            self.moves.push(Move { pile, to });
        }
    }

    /// Moves the soil, all of it at the same time, beside the bodies as they are now. What finds no room stays, and so
    /// does what would have taken its place.
    pub(crate) fn apply(
        self,
        body_fill: &BodyFill,
        materials: &Materials,
        ground: &mut Ground,
    ) -> CarryReport {
        let space = Space::new(ground, body_fill.shares(), materials);
        let mut site = Site { materials, ground, patch: Patch::new(space) };
        // Soil that rests on two bodies goes with the first: nothing is left for the second to take.
        let mut loads: Vec<Vec<Parcel>> = self.moves.iter().map(|one| site.take(&one.pile)).collect();
        self.stop_blocked(&mut loads, &mut site);

        let mut report = CarryReport::default();
        for (one, load) in self.moves.iter().zip(&mut loads) {
            for (z, parcel) in (one.pile.bottom..).zip(load) {
                report.moved += i64::from(parcel.units);
                let mut loosened = site.loosened(parcel);
                site.stack(one.to.extend(z), &mut loosened);
                parcel.units = loosened.units;
                site.stack(one.pile.column.extend(z), parcel);
            }
        }
        self.squeeze_in(&mut loads, &mut site);
        let changed = site.patch.into_changed();
        commit(changed, ground);
        report
    }

    /// Puts what found no room anywhere above either back into the voxels that the loads came from, whatever bodies take of
    /// them, for pushing to deal with.
    fn squeeze_in(&self, loads: &mut [Vec<Parcel>], site: &mut Site<'_>) {
        for (one, load) in self.moves.iter().zip(loads) {
            for parcel in load.iter_mut().filter(|parcel| parcel.units > 0) {
                let dense = VoidRatio::from_f32(site.materials[parcel.kind].void_ratio_dense);
                let places = || one.pile.voxels().chain(self.moves.iter().flat_map(|one| one.pile.voxels()));
                places().for_each(|place| site.squeeze(place, parcel));
                // Soil that swelled on its way may have taken the room that this had.
                parcel.void_ratio = parcel.void_ratio.min(dense);
                places().for_each(|place| site.squeeze(place, parcel));
                // Better too much in a voxel than lost.
                places().for_each(|place| site.cram(place, parcel));
            }
        }
    }

    /// Puts what cannot move back where it was.
    fn stop_blocked(&self, loads: &mut [Vec<Parcel>], site: &mut Site<'_>) {
        let target = |index: usize| self.moves[index].to.to_array();
        let mut by_target: Vec<usize> = (0..self.moves.len()).collect();
        by_target.sort_by_key(|&index| target(index));
        let mut asked: Vec<usize> = (0..self.moves.len()).rev().collect();
        while let Some(index) = asked.pop() {
            let (one, load) = (self.moves[index], &mut loads[index]);
            if site.takes(&one, load) {
                continue;
            }
            let stays = site.count_blocked(&one, load);
            for (place, parcel) in one.pile.voxels().zip(load).take(stays) {
                site.patch.add(place, *parcel);
                parcel.units = 0;
            }
            asked.push(index);
            let left = one.pile.column.to_array();
            let first = by_target.partition_point(|&other| target(other) < left);
            asked.extend(by_target[first..].iter().take_while(|&&other| target(other) == left));
        }
    }
}

/// Ground and bodies, as moving soil sees them.
struct Site<'a> {
    materials: &'a Materials,
    ground: &'a Ground,
    patch: Patch<'a>,
}

impl Site<'_> {
    fn take(&mut self, pile: &Pile) -> Vec<Parcel> {
        pile.voxels().map(|p| self.patch.take_all(p)).collect()
    }

    /// `parcel` as it is once it has moved: soil that held together by cohesion breaks, and swells as it does.
    fn loosened(&self, parcel: &Parcel) -> Parcel {
        let material = &self.materials[parcel.kind];
        if material.cohesion_pa == 0.0 {
            return *parcel;
        }
        let loose = VoidRatio::from_f32(material.void_ratio_loose);
        Parcel { void_ratio: parcel.void_ratio.max(loose), ..*parcel }
    }

    fn room(&mut self, p: IVec3, parcel: &Parcel) -> u32 {
        if self.ground.is_wall(p) {
            return 0;
        }
        let (voxel, body) = self.patch.look(p);
        voxel.room(parcel.void_ratio, u32::from(body), self.materials)
    }

    /// True when the whole load fits where it goes, at most a little higher.
    fn takes(&mut self, one: &Move, load: &[Parcel]) -> bool {
        let share = |parcel: &Parcel| parcel.void_ratio.share_of(u32::from(parcel.units));
        let loosened: Vec<Parcel> = load.iter().map(|parcel| self.loosened(parcel)).collect();
        let Some(last) = loosened.last() else { return true };
        let swelling: u32 =
            loosened.iter().zip(load).map(|(after, before)| share(after) - share(before)).sum();
        let climb = CLIMB + swelling.div_ceil(LOOSE_FULL) as i32;
        let units: u32 = load.iter().map(|parcel| u32::from(parcel.units)).sum();
        let above = (one.pile.top..one.pile.top + climb).map(|z| (z, last));
        let places = (one.pile.bottom..).zip(&loosened).chain(above);
        places.map(|(z, parcel)| self.room(one.to.extend(z), parcel)).sum::<u32>() >= units
    }

    /// How many voxels of a load that does not fit have to stay: those below the first that finds half its room beside
    /// it, or all if there is no such one above a blocked one.
    fn count_blocked(&mut self, one: &Move, load: &[Parcel]) -> usize {
        let passes = |(z, parcel): (i32, &Parcel)| {
            parcel.units > 0 && 2 * self.room(one.to.extend(z), parcel) >= u32::from(parcel.units)
        };
        let lowest = load.iter().position(|parcel| parcel.units > 0).unwrap_or(load.len());
        let first = (one.pile.bottom..).zip(load).position(passes).unwrap_or(load.len());
        if first > lowest { first } else { load.len() }
    }

    /// Lets `parcel` stay in voxel `p` and above it, as far as there is room.
    fn stack(&mut self, p: IVec3, parcel: &mut Parcel) {
        for z in p.z..p.z + HIGHEST_STACK {
            if parcel.units == 0 {
                return;
            }
            let units = self.patch.put(p.with_z(z), *parcel, u32::from(parcel.units));
            parcel.units -= units as u16;
        }
    }

    /// Puts as much of `parcel` into voxel `p` as fits beside rock and soil, whatever bodies take of it.
    fn squeeze(&mut self, p: IVec3, parcel: &mut Parcel) {
        let room = self.patch.get(p).room(parcel.void_ratio, 0, self.materials);
        let units = room.min(u32::from(parcel.units)) as u16;
        if units > 0 {
            self.patch.add(p, Parcel { units, ..*parcel });
            parcel.units -= units;
        }
    }

    /// Puts as much of `parcel` into voxel `p` as a voxel can count.
    fn cram(&mut self, p: IVec3, parcel: &mut Parcel) {
        let units = parcel.units.min(u16::MAX - self.patch.get(p).soil);
        if units > 0 {
            self.patch.add(p, Parcel { units, ..*parcel });
            parcel.units -= units;
        }
    }
}
