//! From flows to voxels: how much of each flow goes, and moving it.

use std::ops::Range;

use glam::IVec2;
use rayon::prelude::*;

use super::flow::Flow;
use super::routes::Routes;
use crate::columns::{ChangedBricks, Field, HEIGHT_ONE, Patch, Pile, Space};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// Most that one flow moves in a round (1/32,768 voxel).
const MOST_PER_FLOW: i64 = 1024 * HEIGHT_ONE;

/// What a round of flows did.
#[derive(Default)]
pub(super) struct Moved {
    /// Soil that changed its column (units).
    pub units: i64,
    /// The bricks that changed, by their tile in the field and in the order of tiles.
    pub tiles: Vec<(u32, ChangedBricks)>,
}

/// What flows, by places of flows (units), and where from and to.
struct Cargo<'a, 's> {
    flows: &'a [Flow],
    units: &'a [u32],
    field: &'a Field,
    space: &'a Space<'s>,
}

impl Cargo<'_, '_> {
    /// The soil of a flow, of no amount.
    fn parcel(&self, flow: &Flow) -> Parcel {
        loosened(self.field.pile(flow.from), self.space)
    }

    fn units(&self, flow: u32) -> u32 {
        self.units[flow as usize]
    }
}

/// The uppermost soil of a pile as it slides, of no amount.
fn loosened(pile: &Pile, space: &Space<'_>) -> Parcel {
    pile.parcel(0, VoidRatio::from_f32(space.materials[pile.kind].void_ratio_loose))
}

/// The flows that arrive in one tile.
struct Arrivals<'a> {
    tile: u32,
    /// Those that are not in their place yet: places of flows; those to a pile stand together, in the order of piles.
    due: Vec<u32>,
    /// Of some, what found no room (units).
    refused: Vec<(u32, u32)>,
    patch: Patch<'a>,
}

impl<'a> Arrivals<'a> {
    fn none(tile: u32, space: &Space<'a>) -> Self {
        Self { tile, due: Vec::new(), refused: Vec::new(), patch: Patch::new(*space) }
    }
}

/// Moves what `flows` say, as far as there is soil and room; `units` is where it takes note of it.
///
/// First it is found what each pile can take, then the upper ones give exactly that: so nothing is ever without a place.
/// Of what a pile takes and gives only the difference is moved where there is room for all of it whatever happens
/// further down; where not, it is put in its place before anything is given.
pub(super) fn apply(
    flows: &[Flow],
    heights: &[i64],
    routes: &Routes,
    field: &Field,
    space: &Space<'_>,
    units: &mut Vec<u32>,
) -> Moved {
    // Flows stand in the order of where they come from.
    let leaving: Vec<&[Flow]> = flows.chunk_by(|a, b| a.from.tile == b.from.tile).collect();
    share_out(&leaving, heights, field, space, units);
    let cargo = Cargo { flows, units, field, space };
    let receive = |(tile, arriving): (u32, &[(u32, u32)])| receive(tile, arriving, &cargo);
    let mut arrivals: Vec<Arrivals<'_>> =
        routes.by_tile().into_par_iter().with_min_len(2).map(receive).collect();
    for (flow, refused) in arrivals.iter_mut().flat_map(|arrivals| arrivals.refused.drain(..)) {
        units[flow as usize] -= refused;
    }

    let cargo = Cargo { flows, units, field, space };
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
    let tiles = arrivals.into_par_iter().with_min_len(2).map(finish).collect();
    let units = units.iter().map(|units| i64::from(*units)).sum();
    Moved { units, tiles }
}

/// Finds the soil that goes: as much as `heights` say, no more than there is to take and room to put.
fn share_out(leaving: &[&[Flow]], heights: &[i64], field: &Field, space: &Space<'_>, units: &mut Vec<u32>) {
    units.clear();
    units.resize(heights.len(), 0);
    let mut tiles = Vec::with_capacity(leaving.len());
    let (mut heights, mut units) = (heights, &mut units[..]);
    for &of_tile in leaving {
        let (first, other_heights) = heights.split_at(of_tile.len());
        let (of_first, others) = units.split_at_mut(of_tile.len());
        tiles.push((of_tile, first, of_first));
        (heights, units) = (other_heights, others);
    }
    tiles
        .into_par_iter()
        .with_min_len(4)
        .for_each(|(flows, heights, units)| share_out_tile(flows, heights, field, space, units));
}

fn share_out_tile(flows: &[Flow], heights: &[i64], field: &Field, space: &Space<'_>, units: &mut [u32]) {
    let mut going = heights.iter().zip(units);
    for group in flows.chunk_by(|a, b| a.from == b.from) {
        let high = field.pile(group[0].from);
        let void_ratio = loosened(high, space).void_ratio;
        let mut left = high.movable;
        for (flow, (&height, units)) in group.iter().zip(&mut going) {
            if height > 0 {
                let low = field.pile(flow.to);
                let height = height.min(low.ceiling - low.top).clamp(0, MOST_PER_FLOW) as u32;
                *units = void_ratio.units_in(height).min(left);
                left -= *units;
            }
        }
    }
}

/// Finds how much of the flows that arrive in one tile has room, and puts in its place what may not wait.
fn receive<'s>(tile: u32, arriving: &[(u32, u32)], cargo: &Cargo<'_, 's>) -> Arrivals<'s> {
    let mut arrivals = Arrivals::none(tile, cargo.space);
    arrivals.due.reserve_exact(arriving.len());
    for group in arriving.chunk_by(|a, b| a.0 == b.0) {
        let first = arrivals.due.len();
        arrivals.due.extend(group.iter().map(|(_, flow)| flow).filter(|flow| cargo.units(**flow) > 0));
        if arrivals.due.len() == first || has_room_for_all(&arrivals.due[first..], cargo, &mut arrivals.patch)
        {
            continue;
        }
        for flow in arrivals.due.drain(first..) {
            let units = put_now(flow, cargo, &mut arrivals.patch);
            arrivals.refused.push((flow, cargo.units(flow) - units));
        }
    }
    arrivals
}

/// True when all of these, which go to the same pile, slide on to it and have room there, even if nothing leaves it.
fn has_room_for_all(group: &[u32], cargo: &Cargo<'_, '_>, patch: &mut Patch<'_>) -> bool {
    let (mut units, mut loosest) = (0_u64, VoidRatio(0));
    for &number in group {
        let flow = &cargo.flows[number as usize];
        if flow.over_edge_z.is_some() {
            return false;
        }
        units += u64::from(cargo.units(number));
        loosest = loosest.max(cargo.parcel(flow).void_ratio);
    }
    let to = cargo.flows[group[0] as usize].to;
    let (pile, column) = (cargo.field.pile(to), cargo.field.column_of(to));
    // What slides over soil that holds together breaks the uppermost of it, if it can.
    let can_break = cargo.space.materials.broken_from(pile.kind) < VoidRatio(u16::MAX);
    if can_break && !pile.is_broken && !pile.is_bare() {
        return false;
    }
    // Rounding takes less than another voxel.
    let layers = units / u64::from(loosest.units_in(LOOSE_FULL).max(1)) + 2;
    let end = i64::from(pile.top_z) + layers as i64;
    end < i64::from(pile.ceiling_z()) && (pile.top_z + 1..=end as i32).all(|z| patch.is_air(column.extend(z)))
}

/// Puts the soil of a flow in its place; returns how much found room (units).
fn put_now(number: u32, cargo: &Cargo<'_, '_>, patch: &mut Patch<'_>) -> u32 {
    let (flow, field) = (&cargo.flows[number as usize], cargo.field);
    let (pile, column) = (field.pile(flow.to), field.column_of(flow.to));
    let (first, end) = match flow.over_edge_z {
        Some(z) => (z, z + 1),
        // What hangs above the pile is passed by: soil comes to lie no higher than it came from.
        None => (pile.top_z, pile.ceiling_z().min(field.pile(flow.from).top_z + 1)),
    };
    let (parcel, units) = (cargo.parcel(flow), cargo.units(number));
    let mut left = units;
    let mut z = first;
    while left > 0 && z < end {
        left -= patch.put(column.extend(z), parcel, left);
        z += 1;
    }
    units - left
}

/// Moves what is still due in one tile, which the flows at `leaving` leave: what the piles of it take beyond what they
/// give, and give beyond what they take.
fn finish<'a>(arrivals: Arrivals<'a>, leaving: Range<usize>, cargo: &Cargo<'_, '_>) -> Patch<'a> {
    let &Cargo { flows, units, field, .. } = cargo;
    let Arrivals { due, mut patch, .. } = arrivals;
    let mut due = due.into_iter().peekable();
    let mut leaving = flows[leaving.clone()].iter().zip(&units[leaving]).peekable();
    // Hardly any pile takes from more.
    let mut parcels: Vec<(u32, Parcel)> = Vec::with_capacity(16);
    loop {
        let next_due = due.peek().map(|&flow| flows[flow as usize].to);
        let next_leaving = leaving.peek().map(|(flow, _)| flow.from);
        let Some(at) = [next_due, next_leaving].into_iter().flatten().min() else { break };
        let (mut given, mut taken) = (0, 0);
        while let Some((_, units)) = leaving.next_if(|(flow, _)| flow.from == at) {
            given += units;
        }
        parcels.clear();
        while let Some(number) = due.next_if(|&flow| flows[flow as usize].to == at) {
            let units = cargo.units(number);
            taken += units;
            parcels.push((units, cargo.parcel(&flows[number as usize])));
        }
        let (pile, column) = (field.pile(at), field.column_of(at));
        if taken > given {
            put(&parcels, given, pile, column, &mut patch);
        } else if given > taken {
            take(given - taken, pile, column, &mut patch);
        }
    }
    patch
}

/// Puts parcels on a pile that has room for them, but for the first `passing` units.
fn put(parcels: &[(u32, Parcel)], passing: u32, pile: &Pile, column: IVec2, patch: &mut Patch<'_>) {
    let (mut z, mut passing) = (pile.top_z, passing);
    for &(units, parcel) in parcels {
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
