//! Moving many piles of soil at once.

use glam::{IVec2, IVec3};

use super::carry::CarryReport;
use super::exchange::{Excess, Inside};
use super::load::Pile;
use super::site::{HIGHEST_STACK, Lump, Site, Squeeze};
use super::sites::{ByTile, Sites};
use crate::columns::{Space, commit};
use crate::ground::Ground;
use crate::now::Now;
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
    pub(crate) fn apply(self, now: &Now<'_>, ground: &mut Ground) -> CarryReport {
        let mut sites = Sites::new(Space::new(ground, now.body_fill.shares(), now.materials));
        let (from, to) = (self.by_tile(|one| one.pile.column), self.by_tile(|one| one.to));
        // Soil that rests on two bodies goes with the first: nothing is left for the second to take.
        let mut loads = sites.each(&from, |place, site| site.take(&self.moves[place].pile));
        self.stop_blocked(&mut loads, &to, &mut sites);

        let piles = self.piles_now(&loads);
        let by_pile = ByTile::of(piles.iter().map(|pile| pile.column));
        let inside = Inside::of(&piles, &by_pile, &mut sites);
        let parcels = loads.iter().flatten().flat_map(|lump| &lump.parcels);
        let moved = parcels.map(|parcel| i64::from(parcel.units)).sum();
        let mut excess = sites
            .each(&to, |place, site| set_down(&self.moves[place], &loads[place], &inside, site))
            .concat();
        excess.append(&mut self.displaced(&inside, &mut sites));
        inside.exchange(&mut excess, &mut sites);
        place_rest(&mut excess, &piles, &mut sites);
        sites.each(&by_pile, |place, site| site.close_gap(&piles[place]));
        commit(sites.into_changed(), ground);
        CarryReport { moved }
    }

    /// The moves by the tiles of one of their columns.
    fn by_tile(&self, column: impl Fn(&Move) -> IVec2) -> ByTile {
        ByTile::of(self.moves.iter().map(column))
    }

    /// Lifts what a body that moved on below piles that stay has lifted, and takes what it has displaced sideways.
    fn displaced(&self, inside: &Inside, sites: &mut Sites<'_>) -> Vec<Excess> {
        let stays = ByTile::of(self.stays.iter().map(|pile| pile.column));
        let displaced = |place: usize, site: &mut Site<'_>| {
            let pile = &self.stays[place];
            if pile.rides { displaced_from(pile, inside, site) } else { Vec::new() }
        };
        sites.each(&stays, displaced).concat()
    }

    /// The piles where they are now: what did not move is not among them.
    fn piles_now(&self, loads: &[Vec<Lump>]) -> Vec<Pile> {
        let moved = self.moves.iter().zip(loads).filter_map(|(one, load)| {
            let first = load.iter().position(|lump| !lump.is_empty())?;
            Some(Pile { column: one.to, bottom: one.pile.bottom + first as i32, ..one.pile })
        });
        moved.chain(self.stays.iter().copied()).collect()
    }

    /// Puts what cannot move back where it was; `to` has the moves by where they go.
    fn stop_blocked(&self, loads: &mut [Vec<Lump>], to: &ByTile, sites: &mut Sites<'_>) {
        let is_blocked = |place: usize, site: &mut Site<'_>| !site.takes(&self.moves[place], &loads[place]);
        let blocked = sites.each(to, is_blocked);
        let mut asked: Vec<usize> = (0..self.moves.len()).rev().filter(|place| blocked[*place]).collect();
        if asked.is_empty() {
            return;
        }
        let target = |index: usize| self.moves[index].to.to_array();
        let mut by_target: Vec<usize> = (0..self.moves.len()).collect();
        by_target.sort_by_key(|&index| target(index));
        while let Some(index) = asked.pop() {
            let (one, load) = (self.moves[index], &mut loads[index]);
            let site = sites.at(one.to.extend(0));
            if site.takes(&one, load) {
                continue;
            }
            let stays = site.count_blocked(&one, load);
            let site = sites.at(one.pile.column.extend(0));
            for (place, lump) in one.pile.voxels().zip(load).take(stays) {
                site.put_back(place, std::mem::take(lump));
            }
            asked.push(index);
            let left = one.pile.column.to_array();
            let first = by_target.partition_point(|&other| target(other) < left);
            asked.extend(by_target[first..].iter().take_while(|&&other| target(other) == left));
        }
    }
}

/// Puts a load where it goes, up to the surface it had; gives back what does not fit.
fn set_down(one: &Move, load: &[Lump], inside: &Inside, site: &mut Site<'_>) -> Vec<Excess> {
    let mut excess = Vec::new();
    let by_layer = (one.pile.bottom..).zip(load);
    for (z, parcel) in by_layer.flat_map(|(z, lump)| lump.parcels.iter().map(move |parcel| (z, parcel))) {
        let (at, from) = (one.to.extend(z), one.pile.column.extend(z));
        let mut parcel = site.loosened(parcel);
        let (solid, taken) = site.shares(at);
        let share = inside.surface(at, solid, site).saturating_sub(taken);
        site.put_within(at, share, &mut parcel);
        if parcel.units > 0 {
            excess.push(Excess { at, from, parcel });
        }
    }
    excess
}

/// What a body that moved on below a pile that stays has displaced sideways; what it has lifted is lifted.
fn displaced_from(pile: &Pile, inside: &Inside, site: &mut Site<'_>) -> Vec<Excess> {
    let mut excess = Vec::new();
    for at in pile.voxels() {
        let solid = site.solid_share(at);
        if solid == 0 {
            continue;
        }
        let surface = inside.surface(at, solid, site);
        for mut parcel in site.take_above(at, surface) {
            if pile.is_lifted && site.is_on_top(at) {
                site.stack(at, &mut parcel);
            }
            if parcel.units > 0 {
                excess.push(Excess { at, from: at, parcel });
            }
        }
    }
    excess
}

/// Finds places for what fits nowhere inside its load.
fn place_rest(excess: &mut [Excess], piles: &[Pile], sites: &mut Sites<'_>) {
    // What has not moved keeps its own place before anything is stacked.
    for Excess { from, parcel, .. } in excess.iter_mut().filter(|one| one.at == one.from) {
        sites.at(*from).put(*from, parcel);
    }
    for Excess { at, from, parcel } in excess.iter_mut().filter(|one| one.parcel.units > 0) {
        sites.at(*at).stack(*at, parcel);
        let site = sites.at(*from);
        site.stack(*from, parcel);
        // Where bodies have not moved pushing does not look: there soil goes above a ceiling, too.
        (from.z..from.z + HIGHEST_STACK).for_each(|z| site.put(from.with_z(z), parcel));
        squeeze_in(parcel, sites, || std::iter::once(*from).chain(piles.iter().flat_map(Pile::voxels)));
    }
}

/// Puts what found no room anywhere into one of `places`, where all of it was before, whatever bodies take of them: for
/// pushing to deal with.
fn squeeze_in<I: Iterator<Item = IVec3>>(parcel: &mut Parcel, sites: &mut Sites<'_>, places: impl Fn() -> I) {
    for squeeze in Squeeze::EVER_HARDER {
        for place in places() {
            if parcel.units == 0 {
                return;
            }
            sites.at(place).squeeze(place, squeeze, parcel);
        }
    }
}
