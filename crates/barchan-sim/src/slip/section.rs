//! A section of a net: piles in the order of their heights, and the links that leave them.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::flow::Flow;
use super::links::{Arrival, Cause, Links, Own, Stand, TOGETHER};
use super::parts::parts;
use super::seam::Stop;
use crate::columns::PileRef;
use crate::in_parts::{InParts, part_len};

/// Piles that are worth a thread's while, and at most so many at a time.
const LEAST_PILES: usize = 64;
const MOST_PILES: usize = 1024;

/// The piles of a section that give or take, from the lowest up, and the links that leave them; with room for those of the
/// next round.
///
/// Behind them stand its ghosts: piles of other sections to which some of its own give. What comes to a ghost is added up
/// here and handed on to the section of the pile, which tells in turn how it stands.
#[derive(Default)]
pub(super) struct Section {
    /// Of piles and ghosts.
    pub stands: Vec<Stand>,
    pub arrivals: Vec<Arrival>,
    pub causes: Vec<Cause>,
    /// Of piles.
    pub owns: Vec<Own>,
    /// Those of a pile stand together, in the order of piles.
    pub links: Vec<Links>,
    /// Where sweeps hand something on or wait for it, from the lowest pile up.
    pub stops: Vec<Stop>,
    /// The stops of the ghosts, by their piles among all of the field.
    ghosts: FxHashMap<u32, Stop>,
    /// Where the links of each pile begin, and at last where they end.
    first_links: Vec<u32>,
    /// The first flow that leaves each pile, and how many do.
    flows_of: Vec<(u32, u32)>,
    /// How many piles there are in each layer, then where the next of them goes.
    layers: Vec<u32>,
}

/// A pile that gives or takes.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// Its place among all piles of the field, and its tile.
    pub pile: u32,
    pub tile: u32,
    /// The first flow that leaves it, and how many do.
    pub flows: (u32, u32),
    /// The depth of its soil (1/32,768 voxel).
    pub depth: f32,
    pub cause: Cause,
}

/// Layers by which piles are put in order. Differences of height within a layer are too small to matter.
#[derive(Clone, Copy)]
pub(super) struct Layering {
    /// The lowest top (1/32,768 voxel).
    pub lowest: i64,
    /// The height of a layer (1/32,768 voxel).
    pub finest: i64,
    /// How many layers there are.
    pub count: usize,
}

impl Layering {
    /// The layer of a pile with this top.
    #[inline]
    pub fn layer(&self, top: i64) -> usize {
        ((top - self.lowest) / self.finest) as usize
    }
}

impl Section {
    /// Places of the links of a pile.
    #[inline]
    pub fn links_of(&self, place: usize) -> Range<usize> {
        self.first_links[place] as usize..self.first_links[place + 1] as usize
    }

    /// How many piles there are.
    pub fn len(&self) -> usize {
        self.owns.len()
    }

    /// Takes these piles, the first of a layer first, and notes their `places` by where they stand in the field. Sorting them for
    /// good takes several times as long.
    pub fn put_in_order<'a>(
        &mut self,
        found: impl Iterator<Item = &'a Found> + Clone,
        layering: Layering,
        places: &[AtomicU32],
    ) {
        let Self { stands, arrivals, owns, causes, flows_of, first_links, layers, stops, ghosts, .. } = self;
        stops.clear();
        ghosts.clear();
        layers.clear();
        layers.resize(layering.count, 0);
        found.clone().for_each(|found| layers[layering.layer(found.cause.top)] += 1);
        let mut end = 0;
        for layer in layers.iter_mut() {
            (*layer, end) = (end, end + *layer);
        }
        // What stays of the last round is written over.
        let piles = end as usize;
        owns.resize(piles, Own::NONE);
        causes.resize(piles, Cause::NONE);
        flows_of.resize(piles, (0, 0));
        for found in found {
            let next = &mut layers[layering.layer(found.cause.top)];
            let place = *next as usize;
            owns[place] = Own { depth: found.depth, tile: found.tile, ..Own::NONE };
            (causes[place], flows_of[place]) = (found.cause, found.flows);
            places[found.pile as usize].store(*next, Ordering::Relaxed);
            *next += 1;
        }
        stands.clear();
        stands.resize(piles, Stand::AT_REST);
        arrivals.clear();
        arrivals.resize(piles, Arrival::NONE);
        let mut end = 0;
        first_links.clear();
        first_links.push(0);
        first_links.extend(flows_of.iter().map(|(_, count)| {
            end += count.div_ceil(TOGETHER as u32);
            end
        }));
    }

    /// Notes that the pile at place `giver` gives to a pile of another section, which has this top (1/32,768 voxel). Where it is
    /// the first that does, what goes there does so by `crossing`, and this returns true.
    pub fn add_giver(&mut self, giver: u32, pile: u32, top: i64, crossing: u32) -> bool {
        let ghost = self.causes.len() as u32;
        let stop = self.ghosts.entry(pile).or_insert(Stop { place: giver, ghost: Some(ghost), crossing });
        stop.place = stop.place.min(giver);
        if stop.ghost != Some(ghost) {
            return false;
        }
        self.stands.push(Stand::AT_REST);
        self.arrivals.push(Arrival::NONE);
        self.causes.push(Cause { top, ..Cause::NONE });
        true
    }

    /// The place of the ghost of a pile of another section.
    pub fn ghost(&self, pile: u32) -> u32 {
        self.ghosts[&pile].ghost.expect("the stop of a ghost knows it")
    }

    /// Puts the stops in the order in which sweeps come to them, once all are known.
    pub fn put_stops_in_order(&mut self) {
        self.stops.extend(self.ghosts.values());
        self.stops.sort_unstable_by_key(|stop| (stop.place, stop.ghost.is_none(), stop.crossing));
    }

    /// Lays the links of its piles to the places that `place_of` tells.
    pub fn lay_links(&mut self, flows: &[Flow], place_of: impl Fn(&Self, PileRef) -> u32 + Sync) {
        let mut links = std::mem::take(&mut self.links);
        links.resize(self.first_links.last().map_or(0, |end| *end as usize), Links::none(0));
        let Self { flows_of, first_links, .. } = &*self;
        let piles = flows_of.len();
        let at_once = part_len(piles, MOST_PILES).max(LEAST_PILES);
        let firsts = (0..piles).step_by(at_once);
        let lengths = firsts.map(|first| {
            let end = piles.min(first + at_once);
            (first_links[end] - first_links[first]) as usize
        });
        let tasks = parts(&mut links, lengths).into_par_iter();
        let tasks = tasks.zip(flows_of.par_chunks(at_once)).enumerate().in_parts_of(1);
        tasks.for_each(|(task, (links, flows_of))| {
            let mut links = links.iter_mut();
            for (&(first, count), place) in flows_of.iter().zip((task * at_once) as u32..) {
                let leaving = &flows[first as usize..(first + count) as usize];
                for (flows, links) in leaving.chunks(TOGETHER).zip(&mut links) {
                    *links = Links::new(flows, place, |at| place_of(self, at));
                }
            }
        });
        self.links = links;
    }

    /// Tells what goes by each flow, by their places among all (bits of a number, 1/32,768 voxel).
    pub fn tell_heights(&self, heights: &[AtomicU32]) {
        for (place, &(first, count)) in self.flows_of.iter().enumerate() {
            let links = self.links[self.links_of(place)].iter();
            let heights = heights[first as usize..(first + count) as usize].chunks(TOGETHER);
            for (links, heights) in links.zip(heights) {
                heights
                    .iter()
                    .zip(links.total)
                    .for_each(|(height, total)| height.store(total.to_bits(), Ordering::Relaxed));
            }
        }
    }
}
