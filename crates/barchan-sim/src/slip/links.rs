//! The flows of a round as a net: which pile gives to which, in the order of their heights.
//!
//! Passes over the net go from pile to pile and cannot be shared out among threads. So what they touch lies close together
//! and in the order in which they come to it.

use rayon::prelude::*;

use super::flow::{Drive, Flow, NEARLY};
use super::motion::THINNEST_LAYER;
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};

/// A flow as it changes from pass to pass.
#[derive(Clone, Copy)]
pub(super) struct Link {
    /// The pile that takes: a place among all.
    pub to: u32,
    /// One over the distance of the two piles (1/column).
    per_distance: f32,
    /// How much of the upper pile moves for this flow by itself.
    pub fall: f32,
    /// How much the upper pile stands too high above the lower.
    pub excess: f32,
    /// The height that goes in this pass, and in all of them.
    pub height: f32,
    pub total: f32,
    /// What of the lower pile counts.
    pub below: Below,
}

/// What of a lower pile counts for an upper one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Below {
    /// Its height, and what moves of it moves the upper one as well.
    Slope,
    /// Its height.
    Wedge,
    /// Nothing: what comes there falls.
    Edge,
}

/// A pile that gives or takes, as it changes from pass to pass.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The depth of its soil.
    pub depth: f32,
    /// How far it stands above the plane through the foot of its slope on which soil holds.
    pub above: f32,
    /// Height of the soil that moves.
    pub mobile: f32,
    /// Speed of that soil (m/s).
    pub speed_m_s: f32,
    /// The height that is to come in a pass, and by how much the pile may rise.
    pub coming: f32,
    pub rise: f32,
    /// What part of it comes (-).
    pub part: f32,
    /// By how much the pile has become higher in a pass.
    pub change: f32,
    /// True when it gives in this pass.
    pub gives: bool,
}

/// What drives a pile, from the beginning on.
#[derive(Clone, Copy)]
pub(super) struct Cause {
    /// Height of the pile.
    pub top: i64,
    /// Its height above the foot of the slope that it is part of.
    pub above_foot: f32,
    /// Height that gives its soil its speed.
    pub drive: f32,
    /// Net force on it over its weight (-).
    pub force: f32,
    /// It is driven by no less than this share of its height above the foot (-).
    pub layer: f32,
    /// The first flow that leaves it, and how many do.
    flows: (u32, u32),
}

impl Link {
    /// A link to nowhere.
    const NONE: Self = Self {
        to: 0,
        per_distance: 0.0,
        fall: 0.0,
        excess: 0.0,
        height: 0.0,
        total: 0.0,
        below: Below::Slope,
    };

    fn new(flow: &Flow, to: u32) -> Self {
        let (fall, below) = match flow.drive {
            Drive::Wedge { above, .. } => (above, Below::Wedge),
            _ if flow.over_edge_z.is_some() => (flow.excess, Below::Edge),
            Drive::Slope { .. } | Drive::Floor { .. } => (flow.excess, Below::Slope),
        };
        let per_distance = flow.weight / (flow.excess + NEARLY) as f32;
        let (fall, excess) = (fall as f32, flow.excess as f32);
        Self { to, per_distance, fall, excess, below, ..Self::NONE }
    }

    /// Among the flows of a pile, how much of its soil takes this one (-).
    #[inline]
    pub fn weight(&self) -> f32 {
        match self.below {
            Below::Slope | Below::Edge => (self.excess + NEARLY as f32).max(0.0) * self.per_distance,
            Below::Wedge => 1.0,
        }
    }
}

impl Node {
    /// A pile of nothing.
    const NONE: Self = Self {
        depth: 0.0,
        above: 0.0,
        mobile: 0.0,
        speed_m_s: 0.0,
        coming: 0.0,
        rise: 0.0,
        part: 1.0,
        change: 0.0,
        gives: false,
    };

    /// A pile in which nothing moves yet.
    fn at_rest(pile: &Pile) -> Self {
        Self { depth: (pile.top - pile.floor) as f32, ..Self::NONE }
    }
}

impl Cause {
    /// Of a pile that nothing drives.
    const NONE: Self = Self { top: 0, above_foot: 0.0, drive: 0.0, force: 0.0, layer: 0.0, flows: (0, 0) };

    /// Of a pile that the first of `flows` leave, which have their places from `first` on.
    fn new(pile: &Pile, flows: &[Flow], first: u32) -> Self {
        let count = flows.iter().take_while(|flow| flow.from == flows[0].from).count();
        // The first of those that are equally steep.
        let steepest = flows[..count].iter().reduce(|a, b| if b.weight > a.weight { b } else { a });
        let (force, layer) = steepest.map_or((0.0, 0.0), |flow| match flow.drive {
            Drive::Wedge { force, .. } => (force, 0.0),
            Drive::Slope { force, .. } => (force, THINNEST_LAYER),
            // A layer slides along its floor as one.
            Drive::Floor { force } => (force, 1.0),
        });
        Self { top: pile.top, force, layer, flows: (first, count as u32), ..Self::NONE }
    }

    /// Places of the flows that leave the pile.
    fn flows(&self) -> std::ops::Range<usize> {
        let (first, count) = self.flows;
        if count == 0 { 0..0 } else { first as usize..(first + count) as usize }
    }
}

/// Differences of height that count in the order of piles (1/32,768 voxel).
const FINEST: i64 = HEIGHT_ONE / 256;

/// Most layers by which piles are put in order.
const MOST_LAYERS: i64 = 1 << 17;

/// A pile without flows, one that only takes; else the first flow that leaves.
const NOBODY: u32 = u32::MAX;
const TAKER: u32 = u32::MAX - 1;

/// Piles whose links are worth a thread's while.
const PILES_PER_TASK: usize = 1024;

/// The piles of a round that give or take, from the lowest up, and the links between them; with room for those of the
/// next round.
#[derive(Default)]
pub(super) struct Net {
    pub nodes: Vec<Node>,
    pub causes: Vec<Cause>,
    /// Those of a pile stand together, in the order of piles.
    pub links: Vec<Link>,
    /// Where the links of each pile begin, and at last where they end.
    first_links: Vec<u32>,
    /// The tiles of the piles.
    tiles: Vec<u32>,
    /// Which piles they are, as they come in the field.
    found: Vec<PileRef>,
    /// What each pile of the field does, then its place among those that give or take.
    roles: Vec<u32>,
    layers: Vec<u32>,
}

impl Net {
    /// Becomes the net of `flows`, in which those of a pile stand together. Nothing moves yet.
    pub fn lay(&mut self, flows: &[Flow], field: &Field) {
        let (first_piles, count) = field.first_piles();
        let place = |at: PileRef| first_piles[at.tile as usize] + at.pile as usize;
        self.find_piles(count, place, flows, field);
        self.order_piles(place, flows, field);

        let Self { causes, links, first_links, roles, .. } = self;
        first_links.clear();
        first_links.push(0);
        let mut end = 0;
        first_links.extend(causes.iter().map(|cause| {
            end += cause.flows.1;
            end
        }));
        links.clear();
        links.resize(flows.len(), Link::NONE);
        let mut tasks = Vec::with_capacity(causes.len() / PILES_PER_TASK + 1);
        let mut rest = &mut links[..];
        for of_task in causes.chunks(PILES_PER_TASK) {
            let count: u32 = of_task.iter().map(|cause| cause.flows.1).sum();
            let (first, others) = rest.split_at_mut(count as usize);
            tasks.push((of_task, first));
            rest = others;
        }
        tasks.into_par_iter().for_each(|(causes, links)| {
            let leaving = causes.iter().flat_map(Cause::flows).map(|flow| &flows[flow]);
            for (link, flow) in links.iter_mut().zip(leaving) {
                *link = Link::new(flow, roles[place(flow.to)]);
            }
        });
    }

    /// Places of the links of a pile.
    #[inline]
    pub fn links_of(&self, node: usize) -> std::ops::Range<usize> {
        self.first_links[node] as usize..self.first_links[node + 1] as usize
    }

    /// The tile of a pile: a place in the field.
    pub fn tile_of(&self, node: usize) -> u32 {
        self.tiles[node]
    }

    /// What goes by each flow (1/32,768 voxel), in the order of flows.
    pub fn heights(&self, heights: &mut Vec<i64>) {
        heights.clear();
        heights.resize(self.links.len(), 0);
        let flows = self.causes.iter().flat_map(Cause::flows);
        for (flow, link) in flows.zip(&self.links) {
            heights[flow] = link.total as i64;
        }
    }

    /// Finds the piles that give or take, among `count` of which each has its `place`.
    fn find_piles(&mut self, count: usize, place: impl Fn(PileRef) -> usize, flows: &[Flow], field: &Field) {
        let Self { roles, found, .. } = self;
        roles.clear();
        roles.resize(count, NOBODY);
        let mut last = None;
        for (flow, number) in flows.iter().zip(0..) {
            if last.replace(flow.from) != Some(flow.from) {
                roles[place(flow.from)] = number;
            }
            let taker = &mut roles[place(flow.to)];
            if *taker == NOBODY {
                *taker = TAKER;
            }
        }
        found.clear();
        let mut rest = &roles[..];
        for (tile, number) in field.tiles().iter().zip(0..) {
            let (of_tile, others) = rest.split_at(tile.piles().len());
            let takes_part = of_tile.iter().zip(0..).filter(|(role, _)| **role != NOBODY);
            found.extend(takes_part.map(|(_, pile)| PileRef { tile: number, pile }));
            rest = others;
        }
    }

    /// Puts the piles in the order of their heights, but for differences that are too small to matter. Sorting them for
    /// good takes several times as long.
    ///
    /// Piles are looked at as they come in the field, twice: to look at them in their order would mean to look for them.
    fn order_piles(&mut self, place: impl Fn(PileRef) -> usize, flows: &[Flow], field: &Field) {
        let Self { nodes, causes, tiles, found, roles, layers, .. } = self;
        let (mut lowest, mut highest) = (i64::MAX, i64::MIN);
        for at in &*found {
            let top = field.pile(*at).top;
            (lowest, highest) = (lowest.min(top), highest.max(top));
        }
        let mut finest = FINEST;
        while highest.saturating_sub(lowest) / finest > MOST_LAYERS {
            finest *= 2;
        }
        let layer = |top: i64| ((top - lowest) / finest) as usize;
        layers.clear();
        layers.resize(if found.is_empty() { 0 } else { layer(highest) + 1 }, 0);
        found.iter().for_each(|at| layers[layer(field.pile(*at).top)] += 1);
        let mut end = 0;
        for layer in layers.iter_mut() {
            (*layer, end) = (end, end + *layer);
        }
        nodes.resize(found.len(), Node::NONE);
        causes.resize(found.len(), Cause::NONE);
        tiles.resize(found.len(), 0);
        for at in &*found {
            let (pile, role) = (field.pile(*at), &mut roles[place(*at)]);
            let next = &mut layers[layer(pile.top)];
            let number = *next as usize;
            let leaving = if *role == TAKER { &[] } else { &flows[*role as usize..] };
            (nodes[number], tiles[number]) = (Node::at_rest(pile), at.tile);
            causes[number] = Cause::new(pile, leaving, *role);
            *role = *next;
            *next += 1;
        }
    }
}
