//! The flows of a round as a net: which pile gives to which, in the order of their heights.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::apply::Heights;
use super::flow::Flow;
use super::links::{Arrival, Cause, Links, Own, Stand, TOGETHER};
use super::parts::parts;
use crate::columns::{Field, HEIGHT_ONE, PileRef};

/// Differences of height that count in the order of piles (1/32,768 voxel).
pub(super) const FINEST: i64 = HEIGHT_ONE / 256;

/// Most layers by which piles are put in order.
const MOST_LAYERS: i64 = 1 << 17;

/// Tiles, piles and flows that are worth a thread's while.
const TILES_PER_TASK: usize = 16;
const PILES_PER_TASK: usize = 1024;
const FLOWS_PER_TASK: usize = 4096;

/// The piles of a round that give or take, from the lowest up, and the links between them; with room for those of the
/// next round.
#[derive(Default)]
pub(super) struct Net {
    pub stands: Vec<Stand>,
    pub arrivals: Vec<Arrival>,
    pub owns: Vec<Own>,
    pub causes: Vec<Cause>,
    /// Those of a pile stand together, in the order of piles.
    pub links: Vec<Links>,
    /// Where the links of each pile begin, and at last where they end.
    first_links: Vec<u32>,
    /// The first flow that leaves each pile, and how many do.
    flows_of: Vec<(u32, u32)>,
    /// Where the piles of each tile begin among all piles of the field.
    first_piles: Vec<usize>,
    /// Of each pile of the field that gives or takes, its place among those.
    places: Vec<u32>,
    order: Order,
}

/// What putting piles in order takes.
#[derive(Default)]
struct Order {
    /// True for each pile of the field that takes.
    takers: Vec<AtomicBool>,
    /// The piles that give or take, as they come in the field and as threads found them.
    found: Vec<Vec<Found>>,
    /// How many piles there are in each layer, then where the next of them goes.
    layers: Vec<u32>,
}

/// A pile that gives or takes.
#[derive(Clone, Copy)]
struct Found {
    /// Its place among all piles of the field, and its tile.
    pile: u32,
    tile: u32,
    /// The first flow that leaves it, and how many do.
    flows: (u32, u32),
    /// The depth of its soil (1/32,768 voxel).
    depth: f32,
    cause: Cause,
}

impl Net {
    /// Becomes the net of `flows`, which stand in the order of where they come from. Nothing moves yet.
    pub fn lay(&mut self, flows: &[Flow], field: &Field) {
        debug_assert!(flows.is_sorted_by_key(|flow| flow.from), "flows stand in their order");
        let (first_piles, count) = field.first_piles();
        self.first_piles = first_piles;
        self.find_piles(count, flows, field);
        self.put_in_order(count);
        self.lay_links(flows);
    }

    /// Places of the links of a pile.
    #[inline]
    pub fn links_of(&self, place: usize) -> Range<usize> {
        self.first_links[place] as usize..self.first_links[place + 1] as usize
    }

    /// How many piles there are.
    pub fn len(&self) -> usize {
        self.owns.len()
    }

    /// The tile of a pile: a place in the field.
    pub fn tile_of(&self, place: usize) -> u32 {
        self.owns[place].tile
    }

    /// Finds the piles that give or take, among `count`.
    fn find_piles(&mut self, count: usize, flows: &[Flow], field: &Field) {
        let Self { first_piles, order: Order { takers, found, .. }, .. } = self;
        takers.clear();
        takers.resize_with(count, AtomicBool::default);
        flows.par_iter().with_min_len(FLOWS_PER_TASK).for_each(|flow| {
            takers[first_piles[flow.to.tile as usize] + flow.to.pile as usize].store(true, Ordering::Relaxed);
        });
        let numbers: Vec<u32> = (0..field.tiles().len() as u32).collect();
        let of_tiles = |numbers: &[u32]| {
            let first = flows.partition_point(|flow| flow.from.tile < numbers[0]);
            let mut finder = Finder { next: first, flows, found: Vec::with_capacity(numbers.len() * 64) };
            for &tile in numbers {
                finder.find_in_tile(tile, field, first_piles[tile as usize], takers);
            }
            finder.found
        };
        numbers.par_chunks(TILES_PER_TASK).map(of_tiles).collect_into_vec(found);
    }

    /// Puts the piles in the order of their heights, but for differences that are too small to matter. Sorting them for
    /// good takes several times as long.
    fn put_in_order(&mut self, count: usize) {
        let Self { stands, arrivals, owns, causes, flows_of, first_links, places, order, .. } = self;
        let Order { found, layers, .. } = order;
        let tops = || found.iter().flatten().map(|found| found.cause.top);
        let piles = found.iter().map(Vec::len).sum();
        let (lowest, highest) = (tops().min().unwrap_or(0), tops().max().unwrap_or(0));
        let mut finest = FINEST;
        while highest.saturating_sub(lowest) / finest > MOST_LAYERS {
            finest *= 2;
        }
        let layer = |top: i64| ((top - lowest) / finest) as usize;
        layers.clear();
        layers.resize(layer(highest) + 1, 0);
        tops().for_each(|top| layers[layer(top)] += 1);
        let mut end = 0;
        for layer in layers.iter_mut() {
            (*layer, end) = (end, end + *layer);
        }
        // What stays of the last round is written over.
        places.resize(count, 0);
        owns.resize(piles, Own::NONE);
        causes.resize(piles, Cause::NONE);
        flows_of.resize(piles, (0, 0));
        for found in found.iter().flatten() {
            let next = &mut layers[layer(found.cause.top)];
            let place = *next as usize;
            owns[place] = Own { depth: found.depth, tile: found.tile, ..Own::NONE };
            (causes[place], flows_of[place]) = (found.cause, found.flows);
            places[found.pile as usize] = *next;
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

    /// Lays the links between the piles.
    fn lay_links(&mut self, flows: &[Flow]) {
        let Self { links, flows_of, first_links, first_piles, places, .. } = self;
        links.resize(first_links.last().map_or(0, |end| *end as usize), Links::none(0));
        let (piles, firsts) = (flows_of.len(), (0..flows_of.len()).step_by(PILES_PER_TASK));
        let lengths = firsts.map(|first| {
            let end = piles.min(first + PILES_PER_TASK);
            (first_links[end] - first_links[first]) as usize
        });
        let tasks = parts(links, lengths).into_par_iter();
        let tasks = tasks.zip(flows_of.par_chunks(PILES_PER_TASK)).enumerate();
        let place_of = |at: PileRef| places[first_piles[at.tile as usize] + at.pile as usize];
        tasks.for_each(|(task, (links, flows_of))| {
            let mut links = links.iter_mut();
            for (&(first, count), place) in flows_of.iter().zip((task * PILES_PER_TASK) as u32..) {
                let leaving = &flows[first as usize..(first + count) as usize];
                for (flows, links) in leaving.chunks(TOGETHER).zip(&mut links) {
                    *links = Links::new(flows, place, place_of);
                }
            }
        });
    }
}

/// What goes by each flow in all passes.
impl Heights for Net {
    fn of_pile(&self, from: PileRef, _: Range<usize>) -> impl Iterator<Item = i64> {
        let place = self.places[self.first_piles[from.tile as usize] + from.pile as usize];
        self.links[self.links_of(place as usize)]
            .iter()
            .flat_map(|links| links.total)
            .map(|total| total as i64)
    }
}

/// Finds piles in tiles, one after the other.
struct Finder<'a> {
    flows: &'a [Flow],
    /// The first flow that leaves this tile or one after it.
    next: usize,
    found: Vec<Found>,
}

impl Finder<'_> {
    /// Finds the piles of tile `tile`, which begin at `first` among all of the field.
    fn find_in_tile(&mut self, tile: u32, field: &Field, first: usize, takers: &[AtomicBool]) {
        for (pile, number) in field.tiles()[tile as usize].piles().iter().zip(0..) {
            let at = PileRef { tile, pile: number };
            let leaving = &self.flows[self.next..];
            let count = leaving.iter().take_while(|flow| flow.from == at).count();
            if count == 0 && !takers[first + number as usize].load(Ordering::Relaxed) {
                continue;
            }
            self.found.push(Found {
                pile: (first + number as usize) as u32,
                tile,
                flows: (self.next as u32, count as u32),
                depth: (pile.top - pile.floor) as f32,
                cause: Cause::new(pile.top, &leaving[..count]),
            });
            self.next += count;
        }
    }
}
