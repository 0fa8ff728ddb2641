//! From flows to voxels: what goes is taken from the tops of piles and put on others, kind by kind.
//!
//! First it is found what each pile can take, then the others give exactly that: so nothing is ever without a place. Of what a
//! pile takes and gives only the difference is moved where both are dry and of one kind; where not, all that is given is
//! taken, then all that comes is put, so that every kind and the water in it go where the soil goes.

use std::ops::Range;

use glam::{IVec2, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::flux::Flux;
use super::net::{Net, NetTile};
use crate::columns::{ChangedBricks, Field, Patch, Pile, Space, commit};
use crate::ground::Ground;
use crate::in_parts::InParts;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Parcel, Parcels};

/// How high above where it comes soil may come to lie (voxels): more than the fastest flow brings.
const HIGHEST_STACK: i32 = 4096;

/// What a substep moved.
#[derive(Default)]
pub(super) struct Moved {
    /// Soil that changed its column (units).
    pub units: i64,
    /// The bricks that changed, by the number of their tile in the net, in order.
    pub tiles: Vec<(u32, ChangedBricks)>,
    /// Soil that poured over an edge: in which voxel it is now, and its velocity (m/s).
    pub launched: Vec<(IVec3, Vec3)>,
}

/// What flows, and where from and to.
struct Cargo<'a, 's> {
    net: &'a Net,
    flux: &'a Flux,
    field: &'a Field,
    space: &'a Space<'s>,
}

/// The soil of flows from piles that are mixed, by their faces: what piles say of themselves is not all that there is.
type Mixed = FxHashMap<u32, Parcels>;

/// What comes to one pile.
struct Due {
    /// The faces by which it comes: places in [`Arrivals::faces`].
    faces: Range<usize>,
    /// All of it (units).
    units: u32,
    /// The soil of the first flow, of no amount; true when that of all others is the same, as it mostly is.
    parcel: Parcel,
    is_even: bool,
    /// Void ratio of the loosest.
    loosest: VoidRatio,
    /// True when the pile has room for all of it wherever it comes to lie, even if nothing leaves it.
    has_room: bool,
}

/// What arrives in one tile.
struct Arrivals<'a> {
    tile: u32,
    /// What comes, by node.
    due: Vec<(u32, Due)>,
    faces: Vec<u32>,
    /// Of some faces, what finds no room (units).
    refused: Vec<(u32, u32)>,
    patch: Patch<'a>,
}

/// Moves what `flux` says as far as there is room; takes what does not go out of it.
pub(super) fn apply(net: &Net, flux: &mut Flux, field: &Field, space: &Space<'_>) -> Moved {
    let tiles = tiles_with_flow(net, flux);
    let cargo = Cargo { net, flux, field, space };
    let mut arrivals: Vec<Arrivals<'_>> =
        tiles.par_iter().in_parts_of(4).map(|tile| cargo.receive(*tile)).collect();
    for (face, refused) in arrivals.iter_mut().flat_map(|arrivals| arrivals.refused.drain(..)) {
        let units = &mut flux.units[face as usize];
        *units -= refused;
        if refused > 0 && *units == 0 {
            // What finds its way closed stops.
            flux.velocity[face as usize] = 0.0;
        }
    }
    let cargo = Cargo { net, flux, field, space };
    let mixed: Mixed =
        arrivals.par_iter_mut().in_parts_of(4).map(|to| cargo.take_mixed(to)).flatten_iter().collect();
    let finish = |arrivals: Arrivals<'_>| {
        let mut launched = Vec::new();
        let tile = arrivals.tile;
        (tile, cargo.finish(arrivals, &mixed, &mut launched).into_changed(), launched)
    };
    let finished: Vec<_> = arrivals.into_par_iter().in_parts_of(4).map(finish).collect();
    let units = flux.units.iter().map(|units| i64::from(*units)).sum();
    let mut moved = Moved { units, ..Moved::default() };
    for (tile, bricks, launched) in finished {
        moved.tiles.push((tile, bricks));
        moved.launched.extend(launched);
    }
    moved
}

impl Moved {
    /// Puts the bricks that changed in place; returns the numbers of their tiles.
    pub fn put_in_place(self, net: &Net, field: &mut Field, ground: &mut Ground) -> Vec<u32> {
        self.tiles
            .into_iter()
            .map(|(number, bricks)| {
                let place = net.tiles[number as usize].place;
                bricks.iter().for_each(|(coord, _)| field.note_change(place, coord.z));
                commit(bricks, ground);
                number
            })
            .collect()
    }
}

/// The numbers of the tiles that give or take.
fn tiles_with_flow(net: &Net, flux: &Flux) -> Vec<u32> {
    let flows = |node: usize| net.faces_of(node).any(|face| flux.units[face as usize] > 0);
    let has_flow = |tile: &u32| net.nodes_of(&net.tiles[*tile as usize]).any(flows);
    (0..net.tiles.len() as u32).into_par_iter().with_min_len(8).filter(has_flow).collect()
}

impl<'s> Cargo<'_, 's> {
    fn pile(&self, node: u32) -> &Pile {
        self.field.pile(self.net.nodes[node as usize].at)
    }

    fn column(&self, node: u32) -> IVec2 {
        IVec2::from_array(self.net.nodes[node as usize].key.column)
    }

    fn way_of(&self, face: u32) -> (u32, u32) {
        self.net.faces[face as usize].way_of(self.flux.velocity[face as usize])
    }

    /// The faces by which soil comes to a node, or by which it goes from there.
    fn flows(&self, node: u32, comes: bool) -> impl Iterator<Item = u32> + '_ {
        self.net.faces_of(node as usize).filter(move |face| {
            let (_, to) = self.way_of(*face);
            self.flux.units[*face as usize] > 0 && (to == node) == comes
        })
    }

    /// What a node gives in all (units).
    fn given(&self, node: u32) -> u32 {
        self.flows(node, false).map(|face| self.flux.units[face as usize]).sum()
    }

    fn nodes(&self, tile: u32) -> Range<u32> {
        let &NetTile { first_node, nodes, .. } = &self.net.tiles[tile as usize];
        first_node..first_node + nodes
    }

    /// The soil that goes by a face, of no amount.
    fn parcel(&self, face: u32) -> Parcel {
        self.pile(self.way_of(face).0).parcel(self.space.materials)
    }

    /// The layer in which soil leaves over an edge at a face.
    fn edge(&self, face: u32) -> Option<i32> {
        let (from, to) = self.way_of(face);
        self.net.edge(from, to)
    }

    /// Finds how much of what comes to one tile has room.
    fn receive(&self, tile: u32) -> Arrivals<'s> {
        let (due, faces, refused) = (Vec::new(), Vec::new(), Vec::new());
        let mut arrivals = Arrivals { tile, due, faces, refused, patch: Patch::new(*self.space) };
        let mut trial = None;
        for node in self.nodes(tile) {
            let first = arrivals.faces.len();
            arrivals.faces.extend(self.flows(node, true));
            let Some(mut due) = self.due(&arrivals.faces, first) else { continue };
            due.has_room = self.has_room_for(&due, node, &arrivals.faces, &mut arrivals.patch);
            if !due.has_room {
                let trial = trial.get_or_insert_with(|| Patch::new(*self.space));
                for face in &arrivals.faces[first..] {
                    arrivals.refused.push((*face, self.refused(*face, trial)));
                }
            }
            arrivals.due.push((node, due));
        }
        arrivals
    }

    /// What comes by the faces from `first` on; none where there are none.
    fn due(&self, faces: &[u32], first: usize) -> Option<Due> {
        let parcel = self.parcel(*faces.get(first)?);
        let mut due = Due {
            faces: first..faces.len(),
            units: 0,
            parcel,
            is_even: true,
            loosest: parcel.void_ratio,
            has_room: false,
        };
        for face in &faces[first..] {
            let parcel = self.parcel(*face);
            due.units += self.flux.units[*face as usize];
            due.is_even &= parcel == due.parcel;
            due.loosest = due.loosest.max(parcel.void_ratio);
        }
        Some(due)
    }

    /// True when all that comes to a node slides on to it and has room there, even if nothing leaves it.
    fn has_room_for(&self, due: &Due, node: u32, faces: &[u32], patch: &mut Patch<'_>) -> bool {
        if faces[due.faces.clone()].iter().any(|face| self.edge(*face).is_some()) {
            return false;
        }
        let (pile, column) = (self.pile(node), self.column(node));
        // Rounding takes less than another voxel.
        let layers = due.units / due.loosest.units_in(LOOSE_FULL).max(1) + 2;
        let end = i64::from(pile.top_z) + i64::from(layers);
        end < i64::from(pile.ceiling_z()) && patch.is_air_between(column, pile.top_z + 1, end as i32)
    }

    /// The layers in which what comes by a face may lie.
    fn layers(&self, face: u32, first: i32) -> Range<i32> {
        let (from, to) = self.way_of(face);
        // What hangs above the pile is passed by: soil comes to lie no higher than it came from.
        let end = self.pile(from).top_z + 1;
        match self.edge(face) {
            Some(z) => z..end.max(z + 1).min(self.pile(to).ceiling_z()),
            None => first..end.max(first + 1).min(self.pile(to).ceiling_z()),
        }
    }

    /// How much of a flow finds no room (units) beside what has come to lie in `trial` before it.
    fn refused(&self, face: u32, trial: &mut Patch<'_>) -> u32 {
        let (_, to) = self.way_of(face);
        let (parcel, column) = (self.parcel(face), self.column(to));
        let mut left = self.flux.units[face as usize];
        for z in self.layers(face, self.pile(to).top_z) {
            let part = trial.room(column.extend(z), parcel.void_ratio).min(left);
            if part > 0 {
                trial.add(column.extend(z), Parcel { units: part as u16, ..parcel });
                left -= part;
            }
            if left == 0 {
                break;
            }
        }
        left
    }

    /// Takes what the mixed piles of a tile give: flow by flow.
    fn take_mixed(&self, arrivals: &mut Arrivals<'_>) -> Vec<(u32, Parcels)> {
        let mut taken = Vec::new();
        for node in self.nodes(arrivals.tile).filter(|node| self.pile(*node).is_mixed_through()) {
            for face in self.flows(node, false) {
                let units = self.flux.units[face as usize];
                let mut parcels = take(units, self.pile(node), self.column(node), &mut arrivals.patch);
                parcels.iter_mut().for_each(|parcel| *parcel = parcel.loosened(self.space.materials));
                taken.push((face, parcels));
            }
        }
        taken
    }

    /// Moves what is due in one tile.
    fn finish(&self, arrivals: Arrivals<'s>, mixed: &Mixed, launched: &mut Vec<(IVec3, Vec3)>) -> Patch<'s> {
        let Arrivals { tile, due, faces, mut patch, .. } = arrivals;
        let mut due = due.into_iter().peekable();
        for node in self.nodes(tile) {
            let (pile, column) = (self.pile(node), self.column(node));
            // What is mixed has given already.
            let given = if pile.is_mixed_through() { 0 } else { self.given(node) };
            let Some((_, due)) = due.next_if(|(of, _)| *of == node) else {
                take(given, pile, column, &mut patch);
                continue;
            };
            let coming = &faces[due.faces.clone()];
            let is_mixed = |face: &u32| self.pile(self.way_of(*face).0).is_mixed_through();
            let passes_on = due.has_room
                && due.is_even
                && !pile.is_mixed_through()
                && (given == 0 || (due.parcel.kind, true) == (pile.kind, pile.is_broken))
                && !coming.iter().any(is_mixed);
            if passes_on {
                match due.units.checked_sub(given) {
                    Some(more) => put_units(more, due.parcel, pile.top_z, pile, column, &mut patch),
                    None => drop(take(given - due.units, pile, column, &mut patch)),
                }
                continue;
            }
            take(given, pile, column, &mut patch);
            let mut lowest = pile.top_z;
            while lowest > pile.bottom_z && patch.room(column.extend(lowest - 1), due.loosest) > 0 {
                lowest -= 1;
            }
            for face in coming {
                let units = self.flux.units[*face as usize];
                let edge = self.edge(*face);
                let first = edge.unwrap_or(lowest);
                match mixed.get(face) {
                    Some(parcels) => {
                        parcels.iter().rev().for_each(|parcel| put(*parcel, first, pile, column, &mut patch));
                    }
                    None => put_units(units, self.parcel(*face), first, pile, column, &mut patch),
                }
                if edge.is_some() && units > 0 {
                    let axis = [Vec3::X, Vec3::Y][usize::from(self.net.faces[*face as usize].axis)];
                    let velocity = axis * self.flux.velocity[*face as usize];
                    launched.extend(self.layers(*face, first).map(|z| (column.extend(z), velocity)));
                }
            }
        }
        patch
    }
}

impl Pile {
    /// True when what leaves it may be of several kinds or hold water.
    fn is_mixed_through(&self) -> bool {
        self.is_mixed || self.movable < self.soil
    }
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
