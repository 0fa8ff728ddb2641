//! The flows of a round as a net: which pile gives to which, in the order of their heights.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rayon::prelude::*;

use super::apply::Heights;
use super::flow::Flow;
use super::links::Cause;
use super::seam::{Crossing, Stop, TileCount, cut};
use super::section::{Found, Layering, Section};
use crate::columns::{Field, HEIGHT_ONE, PileRef};
use crate::in_parts::{InParts, part_len};

/// Differences of height that count in the order of piles (1/32,768 voxel).
pub(super) const FINEST: i64 = HEIGHT_ONE / 256;

/// Most layers by which piles are put in order.
const MOST_LAYERS: i64 = 1 << 17;

/// Tiles, piles and flows that are worth a thread's while.
const TILES_PER_TASK: usize = 16;
const PILES_PER_SECTION: usize = 384;
const FLOWS_PER_TASK: usize = 1024;

/// Most sections: strips of a field that are narrower wait for each other too often.
const MOST_SECTIONS: usize = 8;

/// The piles of a round that give or take, and the links between them; with room for those of the next round.
#[derive(Default)]
pub(super) struct Net {
    sections: Vec<Section>,
    /// What goes from one section to another.
    crossings: Vec<Crossing>,
    /// The section of each tile; nothing where there is but one.
    section_of: Vec<u8>,
    /// Where the piles of each tile begin among all piles of the field.
    first_piles: Vec<usize>,
    /// Of each pile of the field that gives or takes, its place in its section.
    places: Vec<AtomicU32>,
    /// True for each pile of the field that takes.
    takers: Vec<AtomicBool>,
    /// The piles that give or take, as they come in the field and as threads found them.
    finds: Vec<Finds>,
    /// What goes by each flow once all is swept (bits of a number, 1/32,768 voxel).
    heights: Vec<AtomicU32>,
}

impl Net {
    /// Becomes the net of `flows`, which stand in the order of where they come from, in as many sections as there are threads
    /// to sweep them. Nothing moves yet.
    pub fn lay(&mut self, flows: &[Flow], field: &Field) {
        self.lay_in_sections(flows, field, rayon::current_num_threads(), PILES_PER_SECTION);
    }

    /// As [`Net::lay`], in up to so many sections with so many piles or more.
    pub fn lay_in_sections(&mut self, flows: &[Flow], field: &Field, sections: usize, least: usize) {
        debug_assert!(flows.is_sorted_by_key(|flow| flow.from), "flows stand in their order");
        let (first_piles, count) = field.first_piles();
        self.first_piles = first_piles;
        self.heights.resize_with(flows.len(), AtomicU32::default);
        self.find_piles(count, flows, field);
        let layering = self.layering();
        let piles: usize = self.finds.iter().map(|finds| finds.piles.len()).sum();
        let sections = sections.min(MOST_SECTIONS).min(piles / least);
        let crossing = self.cut_into_sections(flows, field, layering, sections);
        self.put_in_order(count, layering);
        self.lay_crossings(&crossing, flows, field);
        self.lay_links(flows);
    }

    /// Its sections, what goes between them, and where they tell what goes by each flow.
    pub fn parts(&mut self) -> (&mut [Section], &[Crossing], &[AtomicU32]) {
        (&mut self.sections, &self.crossings, &self.heights)
    }

    /// Its sections.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Finds the piles that give or take, among `count`.
    fn find_piles(&mut self, count: usize, flows: &[Flow], field: &Field) {
        let Self { first_piles, takers, finds, .. } = self;
        takers.clear();
        takers.resize_with(count, AtomicBool::default);
        flows.par_iter().with_min_len(FLOWS_PER_TASK).for_each(|flow| {
            takers[first_piles[flow.to.tile as usize] + flow.to.pile as usize].store(true, Ordering::Relaxed);
        });
        let numbers: Vec<u32> = (0..field.tiles().len() as u32).collect();
        let of_tiles = |numbers: &[u32]| {
            let first = flows.partition_point(|flow| flow.from.tile < numbers[0]);
            let mut finder = Finder { next: first, flows, finds: Finds::of_tiles(numbers.len()) };
            for &tile in numbers {
                finder.find_in_tile(tile, field, first_piles[tile as usize], takers);
            }
            finder.finds
        };
        numbers
            .par_chunks(part_len(numbers.len(), TILES_PER_TASK))
            .in_parts_of(1)
            .map(of_tiles)
            .collect_into_vec(finds);
    }

    /// The layers in which the piles are put in order.
    fn layering(&self) -> Layering {
        let lowest = self.finds.iter().map(|finds| finds.lowest).min().unwrap_or(i64::MAX);
        let highest = self.finds.iter().map(|finds| finds.highest).max().unwrap_or(i64::MIN);
        let (lowest, highest) = if lowest <= highest { (lowest, highest) } else { (0, 0) };
        let mut finest = FINEST;
        while highest.saturating_sub(lowest) / finest > MOST_LAYERS {
            finest *= 2;
        }
        Layering { lowest, finest, count: ((highest - lowest) / finest) as usize + 1 }
    }

    /// Finds the section of each tile; returns the numbers of the flows that go from one section to another.
    fn cut_into_sections(
        &mut self,
        flows: &[Flow],
        field: &Field,
        layering: Layering,
        sections: usize,
    ) -> Vec<u32> {
        let counted = self.finds.iter().flat_map(|finds| &finds.tiles);
        let section_of = if sections > 1 { cut(counted, field, sections) } else { None };
        self.section_of = section_of.unwrap_or_default();
        let mut crossing = self.crossing_flows(flows);
        let layer = |at: PileRef| layering.layer(field.pile(at).top);
        let goes_down = |flow: &u32| {
            let flow = &flows[*flow as usize];
            layer(flow.from) > layer(flow.to)
        };
        // Sections would wait for each other forever if soil went up from one to another.
        if !crossing.iter().all(goes_down) {
            self.section_of.clear();
            crossing.clear();
        }
        let sections = self.section_of.iter().max().map_or(1, |last| usize::from(*last) + 1);
        self.sections.resize_with(sections, Section::default);
        crossing
    }

    /// The numbers of the flows that go from one section to another.
    fn crossing_flows(&self, flows: &[Flow]) -> Vec<u32> {
        let section = |at: PileRef| self.section_of[at.tile as usize];
        if self.section_of.is_empty() {
            return Vec::new();
        }
        let numbers = 0..flows.len() as u32;
        let crosses = |flow: &u32| {
            let flow = &flows[*flow as usize];
            section(flow.from) != section(flow.to)
        };
        numbers.into_par_iter().with_min_len(FLOWS_PER_TASK).filter(crosses).collect()
    }

    /// Puts the piles of all sections, among `count`, in the order of their heights.
    fn put_in_order(&mut self, count: usize, layering: Layering) {
        let Self { sections, section_of, places, finds, .. } = self;
        // What stays of the last round is written over.
        places.resize_with(count, AtomicU32::default);
        sections.par_iter_mut().enumerate().for_each(|(number, section)| {
            let is_here = |found: &&Found| {
                section_of.get(found.tile as usize).is_none_or(|of| usize::from(*of) == number)
            };
            let piles = finds.iter().flat_map(|finds| &finds.piles);
            section.put_in_order(piles.filter(is_here), layering, places);
        });
    }

    /// The place of a pile among all of the field.
    #[inline]
    fn number(&self, at: PileRef) -> u32 {
        (self.first_piles[at.tile as usize] + at.pile as usize) as u32
    }

    #[inline]
    fn section(&self, tile: u32) -> usize {
        self.section_of.get(tile as usize).map_or(0, |section| usize::from(*section))
    }

    /// Lays what goes between sections by these flows, the numbers of those that do.
    fn lay_crossings(&mut self, crossing: &[u32], flows: &[Flow], field: &Field) {
        self.crossings.clear();
        for flow in crossing.iter().map(|flow| &flows[*flow as usize]) {
            let place = |at: PileRef| self.places[self.number(at) as usize].load(Ordering::Relaxed);
            let (giver, taker, pile) = (place(flow.from), place(flow.to), self.number(flow.to));
            let [from, to] = [flow.from, flow.to].map(|at| self.section(at.tile));
            let next = self.crossings.len() as u32;
            if self.sections[from].add_giver(giver, pile, field.pile(flow.to).top, next) {
                self.crossings.push(Crossing::default());
                self.sections[to].stops.push(Stop { place: taker, ghost: None, crossing: next });
            }
        }
        self.sections.iter_mut().for_each(Section::put_stops_in_order);
    }

    /// Lays the links between the piles.
    fn lay_links(&mut self, flows: &[Flow]) {
        let mut sections = std::mem::take(&mut self.sections);
        sections.par_iter_mut().enumerate().for_each(|(number, section)| {
            section.lay_links(flows, |section, at| {
                let pile = self.number(at);
                match self.section(at.tile) == number {
                    true => self.places[pile as usize].load(Ordering::Relaxed),
                    false => section.ghost(pile),
                }
            });
        });
        self.sections = sections;
    }
}

/// What goes by each flow in all passes.
impl Heights for Net {
    #[inline]
    fn of_flow(&self, place: usize) -> i64 {
        f32::from_bits(self.heights[place].load(Ordering::Relaxed)) as i64
    }
}

/// Piles that give or take in some tiles.
struct Finds {
    piles: Vec<Found>,
    tiles: Vec<TileCount>,
    /// The lowest and the highest top of them (1/32,768 voxel).
    lowest: i64,
    highest: i64,
}

impl Finds {
    /// Nothing yet, with room for what is mostly found in so many tiles.
    fn of_tiles(tiles: usize) -> Self {
        let (piles, tiles) = (Vec::with_capacity(tiles * 64), Vec::with_capacity(tiles));
        Self { piles, tiles, lowest: i64::MAX, highest: i64::MIN }
    }
}

/// Finds piles in tiles, one after the other.
struct Finder<'a> {
    flows: &'a [Flow],
    /// The first flow that leaves this tile or one after it.
    next: usize,
    finds: Finds,
}

impl Finder<'_> {
    /// Finds the piles of tile `tile`, which begin at `first` among all of the field.
    fn find_in_tile(&mut self, tile: u32, field: &Field, first: usize, takers: &[AtomicBool]) {
        let mut counted = TileCount::none(tile);
        for (pile, number) in field.tiles()[tile as usize].piles().iter().zip(0..) {
            let at = PileRef { tile, pile: number };
            let leaving = &self.flows[self.next..];
            let count = leaving.iter().take_while(|flow| flow.from == at).count();
            if count == 0 && !takers[first + number as usize].load(Ordering::Relaxed) {
                continue;
            }
            counted.note(pile.top);
            self.finds.lowest = self.finds.lowest.min(pile.top);
            self.finds.highest = self.finds.highest.max(pile.top);
            self.finds.piles.push(Found {
                pile: (first + number as usize) as u32,
                tile,
                flows: (self.next as u32, count as u32),
                depth: (pile.top - pile.floor) as f32,
                cause: Cause::new(pile.top, &leaving[..count]),
            });
            self.next += count;
        }
        self.finds.tiles.push(counted);
    }
}
