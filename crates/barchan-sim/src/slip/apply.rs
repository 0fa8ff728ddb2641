//! From flows to voxels: how much of each flow goes, and moving it.

use rayon::prelude::*;

use super::flow::Flow;
use crate::columns::{ChangedBricks, Field, HEIGHT_ONE, Patch, PileRef, Space};
use crate::units::VoidRatio;
use crate::voxel::Parcel;

/// Most that one flow moves in a round (1/32,768 voxel).
const MOST_PER_FLOW: i64 = 32 * HEIGHT_ONE;

/// What a round of flows did.
#[derive(Default)]
pub(super) struct Moved {
    /// Soil that changed its column (units).
    pub units: i64,
    /// The bricks that changed, by their tile in the field and in the order of tiles.
    pub tiles: Vec<(u32, ChangedBricks)>,
}

/// Soil of one flow on its way.
#[derive(Clone, Copy)]
struct Shipment {
    from: PileRef,
    to: PileRef,
    /// The layer in which it leaves over an edge; none where it slides on.
    over_edge_z: Option<i32>,
    /// (units)
    units: u32,
    parcel: Parcel,
}

/// Moves what `flows` say, as far as there is soil and room. Lower piles take first what they can, then the upper ones
/// give exactly that: so nothing is ever without a place.
pub(super) fn apply(flows: &[Flow], heights: &[i64], field: &Field, space: &Space<'_>) -> Moved {
    let shipments = share_out(flows, heights, field, space);
    let arrivals = by_tile(&shipments, field.tiles().len());
    let arrived: Vec<(Patch<'_>, Vec<u32>)> =
        arrivals.par_iter().with_min_len(2).map(|(_, group)| put(group, &shipments, field, space)).collect();

    let mut patches: Vec<(u32, Patch<'_>)> = Vec::with_capacity(arrived.len());
    // Shipments stand in the order of where they come from: so do the departures.
    let mut departures: Vec<(PileRef, u32)> = shipments.iter().map(|s| (s.from, 0)).collect();
    for ((tile, group), (patch, units)) in arrivals.iter().zip(arrived) {
        patches.push((*tile, patch));
        for (i, units) in group.iter().zip(units) {
            departures[*i as usize].1 = units;
        }
    }
    let units = departures.iter().map(|(_, units)| i64::from(*units)).sum();
    let groups: Vec<&[(PileRef, u32)]> = departures.chunk_by(|a, b| a.0.tile == b.0.tile).collect();
    let lacking = |tile: &u32| patches.binary_search_by_key(tile, |(t, _)| *t).is_err();
    let giving_only: Vec<u32> = groups.iter().map(|group| group[0].0.tile).filter(lacking).collect();
    patches.extend(giving_only.into_iter().map(|tile| (tile, Patch::new(*space))));
    patches.sort_unstable_by_key(|(tile, _)| *tile);
    let give = |(tile, mut patch): (u32, Patch<'_>)| {
        if let Ok(at) = groups.binary_search_by_key(&tile, |group| group[0].0.tile) {
            take(groups[at], &mut patch, field);
        }
        (tile, patch.into_changed())
    };
    let tiles = patches.into_par_iter().with_min_len(2).map(give).collect();
    Moved { units, tiles }
}

/// Places of shipments by the tile they go to, in the order of tiles; of each tile in the order of shipments.
fn by_tile(shipments: &[Shipment], tiles: usize) -> Vec<(u32, Vec<u32>)> {
    let mut counts = vec![0_u32; tiles];
    shipments.iter().for_each(|s| counts[s.to.tile as usize] += 1);
    let mut places = vec![0_u32; tiles];
    let mut groups = Vec::new();
    for (tile, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        places[tile] = groups.len() as u32;
        groups.push((tile as u32, Vec::with_capacity(count as usize)));
    }
    for (i, shipment) in shipments.iter().enumerate() {
        groups[places[shipment.to.tile as usize] as usize].1.push(i as u32);
    }
    groups
}

/// The soil that goes: as much as `heights` say, no more than there is to take and room to put.
fn share_out(flows: &[Flow], heights: &[i64], field: &Field, space: &Space<'_>) -> Vec<Shipment> {
    let mut tiles: Vec<(&[Flow], &[i64])> = Vec::new();
    let mut heights = heights;
    for of_tile in flows.chunk_by(|a, b| a.from.tile == b.from.tile) {
        let (first, rest) = heights.split_at(of_tile.len());
        tiles.push((of_tile, first));
        heights = rest;
    }
    let shipments = |(flows, heights): &(&[Flow], &[i64])| share_out_tile(flows, heights, field, space);
    let by_tile: Vec<Vec<Shipment>> = tiles.par_iter().with_min_len(4).map(shipments).collect();
    by_tile.concat()
}

fn share_out_tile(flows: &[Flow], heights: &[i64], field: &Field, space: &Space<'_>) -> Vec<Shipment> {
    let mut shipments = Vec::with_capacity(flows.len());
    let mut heights = heights.iter();
    for group in flows.chunk_by(|a, b| a.from == b.from) {
        let high = field.pile(group[0].from);
        let loose = VoidRatio::from_f32(space.materials[high.kind].void_ratio_loose);
        let parcel = high.parcel(0, loose);
        let mut left = high.movable;
        for (flow, &height) in group.iter().zip(&mut heights) {
            if height == 0 {
                continue;
            }
            let &Flow { from, to, over_edge_z, .. } = flow;
            let low = field.pile(to);
            let height = height.min(low.ceiling - low.top).clamp(0, MOST_PER_FLOW) as u32;
            let units = parcel.void_ratio.units_in(height).min(left);
            left -= units;
            if units > 0 {
                shipments.push(Shipment { from, to, over_edge_z, units, parcel });
            }
        }
    }
    shipments
}

/// Puts shipments that arrive in one tile on their piles; says how much of each found room (units).
fn put<'a>(group: &[u32], shipments: &[Shipment], field: &Field, space: &Space<'a>) -> (Patch<'a>, Vec<u32>) {
    let mut patch = Patch::new(*space);
    let accepted = group.iter().map(|&i| {
        let shipment = &shipments[i as usize];
        let (pile, column) = (field.pile(shipment.to), field.column_of(shipment.to));
        let (mut z, end) = match shipment.over_edge_z {
            Some(z) => (z, z + 1),
            // What hangs above the pile is passed by: soil comes to lie no higher than it came from.
            None => (pile.top_z, pile.ceiling_z().min(field.pile(shipment.from).top_z + 1)),
        };
        let mut left = shipment.units;
        while left > 0 && z < end {
            left -= patch.put(column.extend(z), shipment.parcel, left);
            z += 1;
        }
        shipment.units - left
    });
    let accepted = accepted.collect();
    (patch, accepted)
}

/// Takes from the tops of the piles of one tile what others accepted.
fn take(group: &[(PileRef, u32)], patch: &mut Patch<'_>, field: &Field) {
    for shares in group.chunk_by(|a, b| a.0 == b.0) {
        let pile = field.pile(shares[0].0);
        let column = field.column_of(shares[0].0);
        let mut wanted: u32 = shares.iter().map(|(_, units)| units).sum();
        if wanted == 0 {
            continue;
        }
        // What arrived this round lies on top and goes first.
        let mut z = pile.top_z;
        while z + 1 < pile.ceiling_z() && patch.get(column.extend(z + 1)).soil > 0 {
            z += 1;
        }
        while wanted > 0 && z >= pile.bottom_z {
            wanted -= patch.take(column.extend(z), wanted);
            z -= 1;
        }
        assert_eq!(wanted, 0, "a pile gives no more than it has");
    }
}
