//! From flows to voxels: how much of each flow goes, and moving it.

use std::sync::Arc;

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS};
use glam::IVec2;
use rayon::prelude::*;

use super::flow::Flow;
use crate::columns::{Field, HEIGHT_ONE, PileRef, Space};
use crate::units::VoidRatio;
use crate::voxel::{Parcel, Voxel};

/// Most that one flow moves in a round (1/32,768 voxel).
const MOST_PER_FLOW: i64 = 32 * HEIGHT_ONE;

/// What a round of flows did.
#[derive(Default)]
pub(super) struct Moved {
    /// Soil that changed its column (units).
    pub units: i64,
    /// Tiles of the field whose voxels changed, in order.
    pub tiles: Vec<u32>,
    /// The changed bricks.
    pub patches: Vec<Patch>,
}

/// Soil of one flow on its way.
struct Shipment {
    flow: Flow,
    /// (units)
    units: u32,
    parcel: Parcel,
}

/// Moves what `flows` say, as far as there is soil and room. Lower piles take first what they can, then the upper ones
/// give exactly that: so nothing is ever without a place.
pub(super) fn apply(flows: &[Flow], heights: &[i64], field: &Field, space: &Space<'_>) -> Moved {
    let mut shipments = share_out(flows, heights, field, space);
    shipments.sort_by_key(|s| s.flow.to);
    let arrivals: Vec<&[Shipment]> = shipments.chunk_by(|a, b| a.flow.to.tile == b.flow.to.tile).collect();
    let arrived: Vec<(Patch, Vec<u32>)> =
        arrivals.par_iter().with_min_len(2).map(|group| put(group, field, space)).collect();

    let mut patches: Vec<(u32, Patch)> = Vec::new();
    let mut accepted = Vec::with_capacity(shipments.len());
    for (group, (patch, units)) in arrivals.iter().zip(arrived) {
        patches.push((group[0].flow.to.tile, patch));
        accepted.extend(units);
    }
    let mut departures: Vec<(PileRef, u32)> =
        shipments.iter().zip(accepted).map(|(s, units)| (s.flow.from, units)).collect();
    departures.retain(|(_, units)| *units > 0);
    departures.sort_by_key(|(from, _)| *from);
    let units = departures.iter().map(|(_, units)| i64::from(*units)).sum();
    let groups: Vec<&[(PileRef, u32)]> = departures.chunk_by(|a, b| a.0.tile == b.0.tile).collect();
    for group in &groups {
        let tile = group[0].0.tile;
        if patches.binary_search_by_key(&tile, |(t, _)| *t).is_err() {
            let at = patches.partition_point(|(t, _)| *t < tile);
            patches.insert(at, (tile, Patch::new(field.tiles()[tile as usize].coord)));
        }
    }
    patches.par_iter_mut().with_min_len(2).for_each(|(tile, patch)| {
        if let Ok(at) = groups.binary_search_by_key(tile, |group| group[0].0.tile) {
            take(groups[at], patch, field, space);
        }
    });
    let (tiles, patches) = patches.into_iter().unzip();
    Moved { units, tiles, patches }
}

/// The soil that goes: as much as `heights` say, no more than there is to take and room to put.
fn share_out(flows: &[Flow], heights: &[i64], field: &Field, space: &Space<'_>) -> Vec<Shipment> {
    let mut shipments: Vec<Shipment> = Vec::with_capacity(flows.len());
    let mut order: Vec<u32> = (0..flows.len() as u32).collect();
    order.sort_by_key(|i| flows[*i as usize].from);
    for group in order.chunk_by(|a, b| flows[*a as usize].from == flows[*b as usize].from) {
        let high = field.pile(flows[group[0] as usize].from);
        let loose = VoidRatio::from_f32(space.materials[high.kind].void_ratio_loose);
        let parcel = high.parcel(0, loose);
        let mut left = high.movable;
        for &i in group {
            let (flow, height) = (flows[i as usize], heights[i as usize]);
            let low = field.pile(flow.to);
            let height = height.min(low.ceiling - low.top).clamp(0, MOST_PER_FLOW) as u32;
            let units = parcel.void_ratio.units_in(height).min(left);
            left -= units;
            if units > 0 {
                shipments.push(Shipment { flow, units, parcel });
            }
        }
    }
    shipments
}

/// Puts shipments that arrive in one tile on their piles; says how much of each found room (units).
fn put(group: &[Shipment], field: &Field, space: &Space<'_>) -> (Patch, Vec<u32>) {
    let mut patch = Patch::new(field.tiles()[group[0].flow.to.tile as usize].coord);
    let accepted = group.iter().map(|shipment| {
        let pile = field.pile(shipment.flow.to);
        let column = field.column_of(shipment.flow.to);
        let (mut z, end) = match shipment.flow.over_edge_z {
            Some(z) => (z, z + 1),
            None => (pile.top_z, pile.ceiling_z()),
        };
        let mut left = shipment.units;
        while left > 0 && z < end {
            left -= patch.put(column, z, shipment.parcel, left, space);
            z += 1;
        }
        shipment.units - left
    });
    let accepted = accepted.collect();
    (patch, accepted)
}

/// Takes from the tops of the piles of one tile what others accepted.
fn take(group: &[(PileRef, u32)], patch: &mut Patch, field: &Field, space: &Space<'_>) {
    for shares in group.chunk_by(|a, b| a.0 == b.0) {
        let pile = field.pile(shares[0].0);
        let column = field.column_of(shares[0].0);
        let mut wanted: u32 = shares.iter().map(|(_, units)| units).sum();
        // What arrived this round lies on top and goes first.
        let mut z = pile.top_z;
        while z + 1 < pile.ceiling_z() && patch.soil(column, z + 1, space) > 0 {
            z += 1;
        }
        while wanted > 0 && z >= pile.bottom_z {
            wanted -= patch.take(column, z, wanted, space);
            z -= 1;
        }
        assert_eq!(wanted, 0, "a pile gives no more than it has");
    }
}

/// The changed bricks of one tile.
pub(super) struct Patch {
    pub coord: IVec2,
    pub bricks: Vec<(i32, Arc<[Voxel; VOXELS]>)>,
}

impl Patch {
    fn new(coord: IVec2) -> Self {
        Self { coord, bricks: Vec::new() }
    }

    /// Puts up to `units` of the soil of `parcel` into a voxel; returns how much found room.
    fn put(&mut self, column: IVec2, z: i32, parcel: Parcel, units: u32, space: &Space<'_>) -> u32 {
        let p = column.extend(z);
        if space.is_outside(p) {
            return 0;
        }
        let body = u32::from(space.body_shares.get(p));
        let room = self.get(column, z, space).room(parcel.void_ratio, body, space.materials);
        let units = room.min(units).min(u32::from(u16::MAX));
        if units > 0 {
            self.voxel(column, z, space).add_soil(Parcel { units: units as u16, ..parcel });
        }
        units
    }

    /// Takes up to `units` out of a voxel; returns how much came.
    fn take(&mut self, column: IVec2, z: i32, units: u32, space: &Space<'_>) -> u32 {
        if self.soil(column, z, space) == 0 {
            return 0;
        }
        u32::from(self.voxel(column, z, space).take_soil(units).units)
    }

    fn soil(&self, column: IVec2, z: i32, space: &Space<'_>) -> u16 {
        self.get(column, z, space).soil
    }

    fn get(&self, column: IVec2, z: i32, space: &Space<'_>) -> Voxel {
        match self.bricks.iter().find(|(brick_z, _)| *brick_z == z >> 3) {
            Some((_, voxels)) => voxels[index(column, z)],
            None => space.ground.get(column.extend(z)),
        }
    }

    fn voxel(&mut self, column: IVec2, z: i32, space: &Space<'_>) -> &mut Voxel {
        let brick_z = z >> 3;
        let at = match self.bricks.iter().position(|(held, _)| *held == brick_z) {
            Some(at) => at,
            None => {
                let mut values = Arc::new([Voxel::AIR; VOXELS]);
                if let Some(brick) = space.ground.voxels().stored(self.coord.extend(brick_z)) {
                    match brick {
                        Brick::Uniform(voxel) => values = Arc::new([*voxel; VOXELS]),
                        Brick::Dense(voxels) => values = Arc::new(**voxels),
                    }
                }
                self.bricks.push((brick_z, values));
                self.bricks.len() - 1
            }
        };
        &mut Arc::make_mut(&mut self.bricks[at].1)[index(column, z)]
    }
}

fn index(column: IVec2, z: i32) -> usize {
    (((column.x & (EDGE - 1)) << 6) | ((column.y & (EDGE - 1)) << 3) | (z & (EDGE - 1))) as usize
}
