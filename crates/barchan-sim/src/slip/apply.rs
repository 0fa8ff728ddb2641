//! From flows to voxels: how much of each flow goes, and moving it.

use std::ops::Range;

use glam::IVec2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::flow::Flow;
use super::parts::parts;
use super::routes::Routes;
use crate::columns::{ChangedBricks, Field, HEIGHT_ONE, Patch, Pile, PileRef, Space};
use crate::in_parts::InParts;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Parcel, Parcels};

/// How high above where it comes soil may come to lie (voxels): more than the fastest flow brings.
const HIGHEST_STACK: i32 = 4096;

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
    /// True when the pile has room for all of it wherever it comes to lie, even if nothing leaves it.
    has_room: bool,
    /// The flows: places in [`Arrivals::flows`].
    flows: Range<usize>,
}

/// The flows that arrive in one tile.
struct Arrivals<'a> {
    tile: u32,
    /// What comes, pile by pile.
    due: Vec<Due>,
    /// The flows by which that comes, pile by pile.
    flows: Vec<u32>,
    /// Of some, what finds no room (units).
    refused: Vec<(u32, u32)>,
    patch: Patch<'a>,
}

/// The soil of flows from piles that are mixed, by their places: what they say of themselves is not all that there is.
type Mixed = FxHashMap<u32, Parcels>;

impl<'a> Arrivals<'a> {
    fn none(tile: u32, space: &Space<'a>) -> Self {
        let (due, flows, refused) = (Vec::new(), Vec::new(), Vec::new());
        Self { tile, due, flows, refused, patch: Patch::new(*space) }
    }
}

/// Moves what `flows` say, as far as there is soil and room; `loads` is where it takes note of it.
///
/// First it is found what each pile can take, then the upper ones give exactly that: so nothing is ever without a place.
/// Of what a pile takes and gives only the difference is moved where both are dry and of one kind; where not, all that is given
/// is taken, then all that comes is put, so that every kind and the water in it go where the soil goes.
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
    let leaving = |tile: u32| {
        let first = flows.partition_point(|flow| flow.from.tile < tile);
        let at = leaving.binary_search_by_key(&tile, |group| group[0].from.tile);
        first..first + at.map_or(0, |at| leaving[at].len())
    };
    let mixed = |arrivals: &mut Arrivals<'_>| take_mixed(leaving(arrivals.tile), &cargo, &mut arrivals.patch);
    let mixed: Mixed = arrivals.par_iter_mut().in_parts_of(4).map(mixed).flatten_iter().collect();
    let finish = |arrivals: Arrivals<'_>| {
        let leaving = leaving(arrivals.tile);
        (arrivals.tile, finish(arrivals, leaving, &cargo, &mixed).into_changed())
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
        let parcel = high.parcel(space.materials);
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

/// Finds how much of the flows that arrive in one tile has room.
fn receive<'s>(tile: u32, arriving: &[(u32, u32)], cargo: &Cargo<'_, 's>) -> Arrivals<'s> {
    let (mut arrivals, mut trial) = (Arrivals::none(tile, cargo.space), None);
    arrivals.flows.reserve_exact(arriving.len());
    for group in arriving.chunk_by(|a, b| a.0 == b.0) {
        let first = arrivals.flows.len();
        let loads = group.iter().map(|(_, flow)| (*flow, &cargo.loads[*flow as usize]));
        let Some(mut due) = Due::to(group[0].0, loads, &mut arrivals.flows) else { continue };
        due.has_room = has_room_for(&due, tile, cargo, &mut arrivals.patch);
        if !due.has_room {
            let trial = trial.get_or_insert_with(|| Patch::new(*cargo.space));
            let refused = arrivals.flows[first..].iter().map(|flow| (*flow, refused(*flow, cargo, trial)));
            arrivals.refused.extend(refused);
        }
        arrivals.due.push(due);
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
            has_room: false,
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
    let can_break = cargo.space.materials.can_break(pile.kind);
    if can_break && !pile.is_broken && !pile.is_bare() {
        return false;
    }
    // Rounding takes less than another voxel.
    let layers = due.units / due.loosest.units_in(LOOSE_FULL).max(1) + 2;
    let end = i64::from(pile.top_z) + i64::from(layers);
    end < i64::from(pile.ceiling_z()) && patch.is_air_between(column, pile.top_z + 1, end as i32)
}

/// How much of a flow finds no room (units) beside what has come to lie in `trial` before it.
fn refused(number: u32, cargo: &Cargo<'_, '_>, trial: &mut Patch<'_>) -> u32 {
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
        let part = trial.room(column.extend(z), parcel.void_ratio).min(left);
        if part > 0 {
            trial.add(column.extend(z), Parcel { units: part as u16, ..parcel });
            left -= part;
        }
        z += 1;
    }
    left
}

/// Takes what the mixed piles of one tile give, which the flows at `leaving` leave: flow by flow.
fn take_mixed(leaving: Range<usize>, cargo: &Cargo<'_, '_>, patch: &mut Patch<'_>) -> Vec<(u32, Parcels)> {
    let mut taken = Vec::new();
    for place in leaving {
        let (from, units) = (cargo.flows[place].from, cargo.loads[place].units);
        let pile = cargo.field.pile(from);
        if pile.is_mixed && units > 0 {
            let mut parcels = take(units, pile, cargo.field.column_of(from), patch);
            parcels.iter_mut().for_each(|parcel| *parcel = parcel.loosened(cargo.space.materials));
            taken.push((place as u32, parcels));
        }
    }
    taken
}

/// Moves what is due in one tile, which the flows at `leaving` leave.
fn finish<'a>(
    arrivals: Arrivals<'a>,
    leaving: Range<usize>,
    cargo: &Cargo<'_, '_>,
    mixed: &Mixed,
) -> Patch<'a> {
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
        let at = PileRef { tile, pile };
        let (pile, column) = (field.pile(at), field.column_of(at));
        if pile.is_mixed {
            // It has given already.
            given = 0;
        }
        let Some(due) = due else {
            take(given, pile, column, &mut patch);
            continue;
        };
        let is_mixed = |flow: &u32| field.pile(flows[*flow as usize].from).is_mixed;
        let arriving = &arriving[due.flows.clone()];
        let passes_on = due.has_room
            && due.is_even
            && !pile.is_mixed
            && (given == 0 || (due.parcel.kind, true) == (pile.kind, pile.is_broken))
            && !arriving.iter().any(is_mixed);
        if passes_on {
            match due.units.checked_sub(given) {
                Some(more) => put_evenly(more, due.parcel, pile, column, &mut patch),
                None => drop(take(given - due.units, pile, column, &mut patch)),
            }
            continue;
        }
        take(given, pile, column, &mut patch);
        let mut lowest = pile.top_z;
        while lowest > pile.bottom_z && patch.room(column.extend(lowest - 1), due.loosest) > 0 {
            lowest -= 1;
        }
        for flow in arriving {
            let Load { units, parcel, .. } = loads[*flow as usize];
            let first = flows[*flow as usize].over_edge_z.unwrap_or(lowest);
            match mixed.get(flow) {
                Some(parcels) => {
                    parcels.iter().rev().for_each(|parcel| put(*parcel, first, pile, column, &mut patch));
                }
                None => put_units(units, parcel, first, pile, column, &mut patch),
            }
        }
    }
    patch
}

/// Puts `units` of soil like `parcel` on a pile, which has room for all of it.
fn put_evenly(units: u32, parcel: Parcel, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) {
    put_units(units, parcel, pile.top_z, pile, column, patch);
}

/// Puts `units` of soil like `parcel` on a pile, from layer `first` up.
fn put_units(units: u32, parcel: Parcel, first: i32, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) {
    let mut left = units;
    while left > 0 {
        let part = left.min(u32::from(u16::MAX));
        put(Parcel { units: part as u16, ..parcel }, first, pile, column, patch);
        left -= part;
    }
}

/// Puts soil on a pile, from layer `first` up. There was room for soil as loose as most of it; where some is looser, or more
/// came to lie in one voxel than was thought, it is pressed in.
fn put(mut parcel: Parcel, first: i32, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) {
    let mut z = first;
    while parcel.units > 0 && z < pile.ceiling_z().min(first.saturating_add(HIGHEST_STACK)) {
        patch.put(column.extend(z), &mut parcel);
        z += 1;
    }
    for z in (pile.bottom_z..=pile.top_z).rev() {
        if parcel.units == 0 {
            return;
        }
        patch.press_in_beside_bodies(column.extend(z), &mut parcel);
    }
    if parcel.units > 0 {
        // Better too much in a voxel than lost.
        patch.overfill(column.extend(pile.top_z), &mut parcel);
    }
}

/// Takes `units` from the top of a pile, kind by kind.
fn take(units: u32, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) -> Parcels {
    let (mut wanted, mut z, mut parcels) = (units, pile.top_z, Parcels::new());
    while wanted > 0 && z >= pile.bottom_z {
        wanted -= patch.take(column.extend(z), wanted, &mut parcels);
        z -= 1;
    }
    assert_eq!(wanted, 0, "a pile gives no more than it has");
    parcels
}
