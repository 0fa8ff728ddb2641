//! From flows to voxels: how much of each flow goes, and moving it.

use std::ops::Range;

use glam::IVec2;
use rayon::prelude::*;

use super::flow::Flow;
use super::parts::parts;
use super::routes::Routes;
use crate::columns::{ChangedBricks, Field, HEIGHT_ONE, Patch, Pile, PileRef, Space};
use crate::in_parts::InParts;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// Most that one flow moves in a round (1/32,768 voxel).
const MOST_PER_FLOW: i64 = 1024 * HEIGHT_ONE;

/// How much goes by each flow.
pub(super) trait Heights: Sync {
    /// By the one at this place (1/32,768 voxel).
    fn of_flow(&self, place: usize) -> i64;
}

impl Heights for Vec<i64> {
    fn of_flow(&self, place: usize) -> i64 {
        self[place]
    }
}

/// What a round of flows did.
#[derive(Default)]
pub(super) struct Moved {
    /// Soil that changed its column (units).
    pub units: i64,
    /// The bricks that changed, by their tile in the field and in the order of tiles.
    pub tiles: Vec<(u32, ChangedBricks)>,
}

/// What goes by one flow.
#[derive(Clone, Copy, Default)]
pub(super) struct Load {
    /// (units)
    units: u32,
    /// The soil, of no amount.
    parcel: Parcel,
    /// True when it leaves over an edge and falls.
    falls: bool,
}

/// What flows, and where from and to.
struct Cargo<'a, 's> {
    flows: &'a [Flow],
    /// By places of flows.
    loads: &'a [Load],
    field: &'a Field,
    space: &'a Space<'s>,
}

/// What comes to one pile.
struct Due {
    pile: u32,
    /// All of it (units).
    units: u32,
    /// The soil of the first flow, of no amount.
    parcel: Parcel,
    /// True when that of all others is the same, as it mostly is.
    is_even: bool,
    /// Void ratio of the loosest.
    loosest: VoidRatio,
    /// True when some of it leaves over an edge and falls.
    falls: bool,
    /// The flows: places in [`Arrivals::flows`].
    flows: Range<usize>,
}

/// The flows that arrive in one tile.
struct Arrivals<'a> {
    tile: u32,
    /// What is not in its place yet, pile by pile.
    due: Vec<Due>,
    /// The flows by which that comes, pile by pile.
    flows: Vec<u32>,
    /// Of some, what found no room (units).
    refused: Vec<(u32, u32)>,
    patch: Patch<'a>,
}

impl<'a> Arrivals<'a> {
    fn none(tile: u32, space: &Space<'a>) -> Self {
        let (due, flows, refused) = (Vec::new(), Vec::new(), Vec::new());
        Self { tile, due, flows, refused, patch: Patch::new(*space) }
    }
}

/// Moves what `flows` say, as far as there is soil and room; `loads` is where it takes note of it.
///
/// First it is found what each pile can take, then the upper ones give exactly that: so nothing is ever without a place.
/// Of what a pile takes and gives only the difference is moved where there is room for all of it whatever happens
/// further down; where not, it is put in its place before anything is given.
pub(super) fn apply(
    flows: &[Flow],
    heights: &impl Heights,
    routes: &Routes,
    field: &Field,
    space: &Space<'_>,
    loads: &mut Vec<Load>,
) -> Moved {
    // Flows stand in the order of where they come from.
    let leaving: Vec<&[Flow]> = flows.chunk_by(|a, b| a.from.tile == b.from.tile).collect();
    share_out(&leaving, heights, field, space, loads);
    let cargo = Cargo { flows, loads, field, space };
    let receive = |(tile, arriving): (u32, &[(u32, u32)])| receive(tile, arriving, &cargo);
    let mut arrivals: Vec<Arrivals<'_>> =
        routes.by_tile().into_par_iter().in_parts_of(4).map(receive).collect();
    for (flow, refused) in arrivals.iter_mut().flat_map(|arrivals| arrivals.refused.drain(..)) {
        loads[flow as usize].units -= refused;
    }

    let cargo = Cargo { flows, loads, field, space };
    let lacking = |tile: &u32| arrivals.binary_search_by_key(tile, |arrivals| arrivals.tile).is_err();
    let giving_only: Vec<u32> = leaving.iter().map(|group| group[0].from.tile).filter(lacking).collect();
    arrivals.extend(giving_only.into_iter().map(|tile| Arrivals::none(tile, space)));
    arrivals.sort_unstable_by_key(|arrivals| arrivals.tile);
    let finish = |arrivals: Arrivals<'_>| {
        let first = flows.partition_point(|flow| flow.from.tile < arrivals.tile);
        let at = leaving.binary_search_by_key(&arrivals.tile, |group| group[0].from.tile);
        let count = at.map_or(0, |at| leaving[at].len());
        (arrivals.tile, finish(arrivals, first..first + count, &cargo).into_changed())
    };
    let tiles = arrivals.into_par_iter().in_parts_of(4).map(finish).collect();
    let units = loads.iter().map(|load| i64::from(load.units)).sum();
    Moved { units, tiles }
}

/// Finds the soil that goes: as much as `heights` say, no more than there is to take and room to put.
fn share_out(
    leaving: &[&[Flow]],
    heights: &impl Heights,
    field: &Field,
    space: &Space<'_>,
    loads: &mut Vec<Load>,
) {
    // What stays of the last round is written over.
    loads.resize(leaving.iter().map(|of_tile| of_tile.len()).sum(), Load::default());
    let tiles = parts(loads, leaving.iter().map(|of_tile| of_tile.len()));
    let firsts = leaving.iter().scan(0, |end, of_tile| {
        *end += of_tile.len();
        Some(*end - of_tile.len())
    });
    let firsts: Vec<usize> = firsts.collect();
    tiles.into_par_iter().zip(leaving).zip(firsts).in_parts_of(8).for_each(|((loads, flows), first)| {
        share_out_tile(flows, first, heights, field, space, loads);
    });
}

/// As [`share_out`], for the flows that leave one tile and stand from `first` on.
fn share_out_tile(
    flows: &[Flow],
    mut first: usize,
    heights: &impl Heights,
    field: &Field,
    space: &Space<'_>,
    loads: &mut [Load],
) {
    let mut loads = loads.iter_mut();
    for group in flows.chunk_by(|a, b| a.from == b.from) {
        let high = field.pile(group[0].from);
        let parcel = high.parcel(0, space.materials.loose(high.kind));
        let mut left = high.movable;
        for (flow, load) in group.iter().zip(&mut loads) {
            let height = heights.of_flow(first);
            first += 1;
            *load = Load { units: 0, parcel, falls: flow.over_edge_z.is_some() };
            if height > 0 {
                let height = height.min(room_above(flow.to, height, field)).clamp(0, MOST_PER_FLOW) as u32;
                load.units = parcel.void_ratio.units_in(height).min(left);
                left -= load.units;
            }
        }
    }
}

/// The height between a pile and its ceiling, or any that is enough for `height` (1/32,768 voxel).
#[inline]
fn room_above(at: PileRef, height: i64, field: &Field) -> i64 {
    let least = field.tiles()[at.tile as usize].skyline().least_room;
    if least >= height {
        return least;
    }
    let pile = field.pile(at);
    pile.ceiling - pile.top
}

/// Finds how much of the flows that arrive in one tile has room, and puts in its place what may not wait.
fn receive<'s>(tile: u32, arriving: &[(u32, u32)], cargo: &Cargo<'_, 's>) -> Arrivals<'s> {
    let mut arrivals = Arrivals::none(tile, cargo.space);
    arrivals.flows.reserve_exact(arriving.len());
    for group in arriving.chunk_by(|a, b| a.0 == b.0) {
        let first = arrivals.flows.len();
        let loads = group.iter().map(|(_, flow)| (*flow, &cargo.loads[*flow as usize]));
        let Some(due) = Due::to(group[0].0, loads, &mut arrivals.flows) else { continue };
        if has_room_for(&due, tile, cargo, &mut arrivals.patch) {
            arrivals.due.push(due);
            continue;
        }
        for flow in arrivals.flows.drain(first..) {
            let left = put_now(flow, cargo, &mut arrivals.patch);
            arrivals.refused.push((flow, left));
        }
    }
    arrivals
}

impl Due {
    /// What comes to a pile by these flows with their loads; adds those that bring something to `flows`. None where none does.
    fn to<'a>(pile: u32, loads: impl Iterator<Item = (u32, &'a Load)>, flows: &mut Vec<u32>) -> Option<Self> {
        let first = flows.len();
        let mut coming = loads.filter(|(_, load)| load.units > 0);
        let (flow, &Load { units, parcel, falls }) = coming.next()?;
        flows.push(flow);
        let mut due = Self {
            pile,
            units,
            parcel,
            is_even: true,
            loosest: parcel.void_ratio,
            falls,
            flows: first..first,
        };
        for (flow, load) in coming {
            flows.push(flow);
            due.units += load.units;
            due.is_even &= load.parcel == parcel;
            due.loosest = due.loosest.max(load.parcel.void_ratio);
            due.falls |= load.falls;
        }
        due.flows.end = flows.len();
        Some(due)
    }
}

/// True when all that comes to a pile of this tile slides on to it and has room there, even if nothing leaves it.
fn has_room_for(due: &Due, tile: u32, cargo: &Cargo<'_, '_>, patch: &mut Patch<'_>) -> bool {
    if due.falls {
        return false;
    }
    let to = PileRef { tile, pile: due.pile };
    let (pile, column) = (cargo.field.pile(to), cargo.field.column_of(to));
    // What slides over soil that holds together breaks the uppermost of it, if it can.
    let can_break = cargo.space.materials.broken_from(pile.kind) < VoidRatio(u16::MAX);
    if can_break && !pile.is_broken && !pile.is_bare() {
        return false;
    }
    // Rounding takes less than another voxel.
    let layers = due.units / due.loosest.units_in(LOOSE_FULL).max(1) + 2;
    let end = i64::from(pile.top_z) + i64::from(layers);
    end < i64::from(pile.ceiling_z()) && patch.is_air_between(column, pile.top_z + 1, end as i32)
}

/// Puts the soil of a flow in its place; returns how much found no room (units).
fn put_now(number: u32, cargo: &Cargo<'_, '_>, patch: &mut Patch<'_>) -> u32 {
    let (flow, field) = (&cargo.flows[number as usize], cargo.field);
    let (pile, column) = (field.pile(flow.to), field.column_of(flow.to));
    let (first, end) = match flow.over_edge_z {
        Some(z) => (z, z + 1),
        // What hangs above the pile is passed by: soil comes to lie no higher than it came from.
        None => (pile.top_z, pile.ceiling_z().min(field.pile(flow.from).top_z + 1)),
    };
    let Load { parcel, units, .. } = cargo.loads[number as usize];
    let (mut left, mut z) = (units, first);
    while left > 0 && z < end {
        left -= patch.put(column.extend(z), parcel, left);
        z += 1;
    }
    left
}

/// Moves what is still due in one tile, which the flows at `leaving` leave: what the piles of it take beyond what they
/// give, and give beyond what they take.
fn finish<'a>(arrivals: Arrivals<'a>, leaving: Range<usize>, cargo: &Cargo<'_, '_>) -> Patch<'a> {
    let &Cargo { flows, loads, field, .. } = cargo;
    let Arrivals { tile, due, flows: arriving, mut patch, .. } = arrivals;
    let mut due = due.into_iter().peekable();
    let mut leaving = flows[leaving.clone()].iter().zip(&loads[leaving]).peekable();
    loop {
        let next_due = due.peek().map(|due| due.pile);
        let next_leaving = leaving.peek().map(|(flow, _)| flow.from.pile);
        let Some(pile) = [next_due, next_leaving].into_iter().flatten().min() else { break };
        let mut given = 0;
        while let Some((_, load)) = leaving.next_if(|(flow, _)| flow.from.pile == pile) {
            given += load.units;
        }
        let due = due.next_if(|due| due.pile == pile);
        let taken = due.as_ref().map_or(0, |due| due.units);
        let at = PileRef { tile, pile };
        let (pile, column) = (field.pile(at), field.column_of(at));
        if given > taken {
            take(given - taken, pile, column, &mut patch);
        } else if let Some(due) = due.filter(|_| taken > given) {
            let whole = [Load { units: taken, parcel: due.parcel, falls: false }];
            let coming = arriving[due.flows].iter().map(|flow| loads[*flow as usize]);
            match due.is_even {
                true => put(whole.into_iter(), given, pile, column, &mut patch),
                false => put(coming, given, pile, column, &mut patch),
            }
        }
    }
    patch
}

/// Puts on a pile what comes to it, for all of which it has room, but for the first `passing` units.
fn put(coming: impl Iterator<Item = Load>, passing: u32, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) {
    let (mut z, mut passing) = (pile.top_z, passing);
    for Load { units, parcel, .. } in coming {
        let passes = passing.min(units);
        passing -= passes;
        let mut left = units - passes;
        while left > 0 {
            assert!(z < pile.ceiling_z(), "there was room for all of it");
            left -= patch.put(column.extend(z), parcel, left);
            z += i32::from(left > 0);
        }
    }
}

/// Takes `units` from the top of a pile.
fn take(units: u32, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) {
    // What arrived this round lies on top and goes first.
    let mut z = pile.top_z;
    while z + 1 < pile.ceiling_z() && patch.get(column.extend(z + 1)).soil > 0 {
        z += 1;
    }
    let mut wanted = units;
    while wanted > 0 && z >= pile.bottom_z {
        wanted -= patch.take(column.extend(z), wanted);
        z -= 1;
    }
    assert_eq!(wanted, 0, "a pile gives no more than it has");
}
