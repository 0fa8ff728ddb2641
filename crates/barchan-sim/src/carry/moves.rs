//! Moving many piles of soil at once.

use glam::IVec2;

use super::carry::CarryReport;
use super::exchange::{Excess, Inside};
use super::load::Pile;
use super::site::{HIGHEST_STACK, Site};
use crate::bodies::BodyFill;
use crate::columns::{Space, commit};
use crate::ground::Ground;
use crate::material::Materials;
use crate::voxel::Parcel;

/// Piles of soil that are to move level, and where to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moves {
    moves: Vec<Move>,
    /// Those that stay in their column while the body moves on below them.
    stays: Vec<Pile>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    pub pile: Pile,
    pub to: IVec2,
}

impl Moves {
    pub(super) fn add(&mut self, pile: Pile, to: IVec2) {
        if pile.column == to {
            self.stays.push(pile);
        } else {
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
        let mut site = Site::new(Space::new(ground, body_fill.shares(), materials));
        // Soil that rests on two bodies goes with the first: nothing is left for the second to take.
        let mut loads: Vec<Vec<Parcel>> = self.moves.iter().map(|one| site.take(&one.pile)).collect();
        self.stop_blocked(&mut loads, &mut site);

        let piles = self.piles_now(&loads);
        let inside = Inside::of(&piles, &mut site);
        let moved = loads.iter().flatten().map(|parcel| i64::from(parcel.units)).sum();
        let mut excess = self.set_down(&loads, &inside, &mut site);
        excess.extend(self.displaced(&inside, &mut site));
        excess.retain(|one| one.parcel.units > 0);
        inside.exchange(&mut excess, &mut site);
        place_rest(&mut excess, &piles, &mut site);
        for pile in piles.iter().filter(|pile| pile.rides) {
            site.close_gap(pile);
        }
        commit(site.into_changed(), ground);
        CarryReport { moved }
    }

    /// Puts the loads where they go, up to the surface they had; gives back what does not fit.
    fn set_down(&self, loads: &[Vec<Parcel>], inside: &Inside, site: &mut Site<'_>) -> Vec<Excess> {
        let mut excess = Vec::new();
        for (one, load) in self.moves.iter().zip(loads) {
            for (z, parcel) in (one.pile.bottom..).zip(load).filter(|(_, parcel)| parcel.units > 0) {
                let (at, from) = (one.to.extend(z), one.pile.column.extend(z));
                let mut parcel = site.loosened(parcel);
                let share = inside.surface(at, site).saturating_sub(site.taken_share(at));
                site.put_within(at, share, &mut parcel);
                excess.push(Excess { at, from, parcel });
            }
        }
        excess
    }

    /// Lifts what a body that moved on below piles that stay has lifted, and takes what it has displaced sideways.
    fn displaced(&self, inside: &Inside, site: &mut Site<'_>) -> Vec<Excess> {
        let mut excess = Vec::new();
        let riding = self.stays.iter().filter(|pile| pile.rides);
        for (at, is_lifted) in riding.flat_map(|pile| pile.voxels().map(|at| (at, pile.is_lifted))) {
            if site.solid_share(at) > 0 {
                let surface = inside.surface(at, site);
                let mut parcel = site.take_above(at, surface);
                if is_lifted && site.is_on_top(at) {
                    site.stack(at, &mut parcel);
                }
                excess.push(Excess { at, from: at, parcel });
            }
        }
        excess
    }

    /// The piles where they are now: what did not move is not among them.
    fn piles_now(&self, loads: &[Vec<Parcel>]) -> Vec<Pile> {
        let moved = self.moves.iter().zip(loads).filter_map(|(one, load)| {
            let first = load.iter().position(|parcel| parcel.units > 0)?;
            Some(Pile { column: one.to, bottom: one.pile.bottom + first as i32, ..one.pile })
        });
        moved.chain(self.stays.iter().copied()).collect()
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
                site.put_back(place, *parcel);
                parcel.units = 0;
            }
            asked.push(index);
            let left = one.pile.column.to_array();
            let first = by_target.partition_point(|&other| target(other) < left);
            asked.extend(by_target[first..].iter().take_while(|&&other| target(other) == left));
        }
    }
}

/// Finds places for what fits nowhere inside its load.
fn place_rest(excess: &mut [Excess], piles: &[Pile], site: &mut Site<'_>) {
    // What has not moved keeps its own place before anything is stacked.
    for Excess { from, parcel, .. } in excess.iter_mut().filter(|one| one.at == one.from) {
        site.put(*from, parcel);
    }
    for Excess { at, from, parcel } in excess {
        site.stack(*at, parcel);
        site.stack(*from, parcel);
        // Where bodies have not moved pushing does not look: there soil goes above a ceiling, too.
        (from.z..from.z + HIGHEST_STACK).for_each(|z| site.put(from.with_z(z), parcel));
        site.squeeze_in(parcel, || std::iter::once(*from).chain(piles.iter().flat_map(Pile::voxels)));
    }
}
