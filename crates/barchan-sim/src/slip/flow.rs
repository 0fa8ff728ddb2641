//! What is about to move, from pile to pile, and how much of it does within a round.

use rayon::prelude::*;

use super::rule::SlopeForce;
use crate::columns::{Field, HEIGHT_ONE, PileRef};
use crate::material::MaterialId;

/// Largest share of its mobile height that a pile loses in a round: half of it brings a lone pair to rest.
const MOST_SHARE: f32 = 0.5;

/// Mobile heights below this (voxels) move as fast as this much would, so that soil comes to rest.
const SLOWEST_MOBILE: f32 = 2.0;

/// Excess that is left alone (1/32,768 voxel): a slope of one part in 256 of a voxel, which lets soil come to rest.
pub(super) const TOLERANCE: i64 = HEIGHT_ONE / 256;

/// Flows or piles that are worth a thread's while.
const MIN_LEN: usize = 1024;

/// Soil that is to slide from one pile to a lower one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flow {
    pub from: PileRef,
    pub to: PileRef,
    /// How far the upper pile stands above what this pair alone can bear (1/32,768 voxel).
    pub excess: i64,
    /// What moves it.
    pub drive: Drive,
    /// Among the flows of a pile, how much of its soil takes this one (-).
    pub weight: f32,
    /// The layer in which it leaves over an edge and falls; none where it slides on.
    pub over_edge_z: Option<i32>,
}

/// What moves soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drive {
    /// The slope of a pair of columns (-), and the soil whose friction holds against it.
    Slope { tangent: f32, kind: MaterialId },
    /// The floor, on which soil slides more easily than on itself: net force over weight (-).
    Floor { force: f32 },
    /// A wedge of many columns: the height above its plane (1/32,768 voxel), its net force over its weight (-).
    Wedge { above: i64, force: f32 },
}

impl Default for Drive {
    fn default() -> Self {
        Self::Wedge { above: 0, force: 0.0 }
    }
}

impl Flow {
    /// True when this pair or its wedge is too steep by itself.
    pub fn is_unstable(&self) -> bool {
        match self.drive {
            Drive::Slope { .. } | Drive::Floor { .. } => self.excess > TOLERANCE,
            Drive::Wedge { above, .. } => above > TOLERANCE,
        }
    }
}

/// What gives sliding soil its speed.
pub(super) struct SpeedLaw<'a> {
    /// By kind of soil.
    pub forces: &'a [SlopeForce],
    pub voxel_size_m: f32,
    pub gravity_m_s2: f32,
}

/// A round of a step: in each of them soil crosses one more column at most.
pub(super) struct Span {
    /// Columns that soil crosses in the step for each m/s.
    pub columns_per_speed: f32,
    /// How many rounds were before.
    pub round: u32,
}

impl Span {
    /// How many columns are left to cross for soil of this speed (m/s); nothing below 0.
    fn columns_left(&self, speed_m_s: f32) -> f32 {
        speed_m_s * self.columns_per_speed - self.round as f32
    }
}

/// All flows of a round with the speed of each pile.
pub(super) struct Motion<'a> {
    /// Those of a pile stand together.
    flows: &'a [Flow],
    /// From which pile to which each of them goes: places in `piles`.
    ends: Vec<(u32, u32)>,
    /// All piles that give or take, from the lowest up.
    piles: Vec<Node>,
    /// Flows in the order of where they go to.
    coming: Vec<u32>,
    fastest_m_s: f32,
}

/// A pile that gives or takes.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Range of flows that leave.
    leaving: (u32, u32),
    /// Range of `coming`.
    coming: (u32, u32),
    /// Height of the soil that moves (1/32,768 voxel).
    mobile: i64,
    /// Speed of that soil (m/s).
    speed_m_s: f32,
    /// Sum of the weights of the flows that leave.
    weights: f32,
}

/// A flow as the pile that it comes to sees it.
struct Arrival {
    flow: u32,
    /// Which pile it comes from.
    from: u32,
    /// The height that is to come, and by how much the upper pile is too high (1/32,768 voxel).
    wanted: i64,
    excess: i64,
}

const NOBODY: u32 = u32::MAX;

impl<'a> Motion<'a> {
    /// What moves when `flows` go.
    ///
    /// A steep slope comes down as a whole: soil on it moves with all that stands above the plane through its foot, not
    /// only with what is too much for the next column. That height adds up from the foot uphill. Otherwise slopes
    /// would come to rest the later the smaller the voxels are.
    pub fn of(flows: &'a [Flow], field: &Field, law: &SpeedLaw<'_>) -> Self {
        let (ends, piles) = find_piles(flows, field);
        let mut motion = Self { flows, ends, piles, coming: Vec::new(), fastest_m_s: 0.0 };
        motion.order_arrivals();
        for node in 0..motion.piles.len() {
            motion.piles[node].mobile = motion.mobile(node);
        }
        motion.find_speeds(law);
        motion
    }

    /// Speed of the fastest soil (m/s).
    pub fn fastest_m_s(&self) -> f32 {
        self.fastest_m_s
    }

    /// Places of the tiles with soil that does not get as far in this round as it does in the step, in their order.
    pub fn tiles_with_way_left(&self, span: &Span) -> Vec<u32> {
        let has_way_left = |(flow, (from, _)): &(&Flow, &(u32, u32))| {
            let pile = &self.piles[*from as usize];
            // What pours over an edge falls there and slides no further.
            flow.over_edge_z.is_none() && pile.mobile > 0 && span.columns_left(pile.speed_m_s) > 1.0
        };
        let moving = self.flows.par_iter().zip(&self.ends).with_min_len(MIN_LEN).filter(has_way_left);
        let mut tiles: Vec<u32> = moving.map(|(flow, _)| flow.from.tile).collect();
        tiles.dedup();
        tiles
    }

    /// The height that each flow moves in a round (1/32,768 voxel).
    ///
    /// From the lowest pile up, a pile takes no more than it passes on and half of what the steepest of its pairs has
    /// too much: so no pair is brought beyond its failure angle, and nothing rings.
    pub fn heights(&self, span: &Span) -> Vec<i64> {
        let wanted = |(flow, (from, _)): (&Flow, &(u32, u32))| {
            let from = &self.piles[*from as usize];
            if from.mobile == 0 {
                return 0;
            }
            let share = span.columns_left(from.speed_m_s).clamp(0.0, MOST_SHARE);
            (from.mobile as f32 * share * flow.weight / from.weights) as i64
        };
        let mut heights: Vec<i64> =
            self.flows.par_iter().zip(&self.ends).with_min_len(MIN_LEN).map(wanted).collect();
        // Brought together beforehand, so that the walk, which cannot be shared, does not have to look far.
        let arrival = |&flow: &u32| {
            let (from, wanted) = (self.ends[flow as usize].0, heights[flow as usize]);
            let moves = self.piles[from as usize].mobile > 0;
            let excess = if moves { self.flows[flow as usize].excess } else { 0 };
            Arrival { flow, from, wanted, excess }
        };
        let arrivals: Vec<Arrival> = self.coming.par_iter().with_min_len(MIN_LEN).map(arrival).collect();
        let mut leaving = vec![0_i64; self.piles.len()];
        for (place, node) in self.piles.iter().enumerate() {
            let arrivals = &arrivals[node.coming.0 as usize..node.coming.1 as usize];
            let coming: i64 = arrivals.iter().map(|arrival| arrival.wanted).sum();
            let steepest = arrivals.iter().map(|arrival| arrival.excess).fold(0, i64::max);
            let most = leaving[place] + steepest / 2;
            for arrival in arrivals {
                let mut height = arrival.wanted;
                if coming > most {
                    height = (height as f64 * most as f64 / coming as f64) as i64;
                    heights[arrival.flow as usize] = height;
                }
                leaving[arrival.from as usize] += height;
            }
        }
        heights
    }

    /// Sorts the flows by where they go to.
    fn order_arrivals(&mut self) {
        let mut start = 0;
        for node in &mut self.piles {
            let count = node.coming.1;
            node.coming = (start, start);
            start += count;
        }
        self.coming = vec![0; self.flows.len()];
        for (i, (_, to)) in self.ends.iter().enumerate() {
            let end = &mut self.piles[*to as usize].coming.1;
            self.coming[*end as usize] = i as u32;
            *end += 1;
        }
    }

    /// How much of a pile moves, from what those below it do (1/32,768 voxel).
    fn mobile(&self, node: usize) -> i64 {
        let (first, end) = self.piles[node].leaving;
        let leaving = first as usize..end as usize;
        let heights = self.flows[leaving.clone()].iter().zip(&self.ends[leaving]).map(|(flow, (_, to))| {
            match flow.drive {
                Drive::Wedge { above, .. } => above,
                _ if flow.over_edge_z.is_some() => flow.excess,
                _ => flow.excess + self.piles[*to as usize].mobile,
            }
        });
        Some(heights.fold(0, i64::max)).filter(|mobile| *mobile > TOLERANCE).unwrap_or(0)
    }

    /// Finds how fast the soil of each pile is, and the fastest.
    fn find_speeds(&mut self, law: &SpeedLaw<'_>) {
        let flows = self.flows;
        let speed_up = |node: &mut Node| {
            let leaving = &flows[node.leaving.0 as usize..node.leaving.1 as usize];
            // The first of those that are equally steep.
            let steepest = leaving.iter().reduce(|a, b| if b.weight > a.weight { b } else { a });
            let Some(steepest) = steepest.filter(|_| node.mobile > 0) else { return 0.0 };
            let force = match steepest.drive {
                Drive::Wedge { force, .. } | Drive::Floor { force } => force,
                Drive::Slope { tangent, kind } => law.forces[usize::from(kind.0)].over_weight(tangent),
            };
            let height_m = (node.mobile as f32 / HEIGHT_ONE as f32).max(SLOWEST_MOBILE) * law.voxel_size_m;
            node.speed_m_s = (2.0 * law.gravity_m_s2 * force * height_m).sqrt();
            node.weights = leaving.iter().map(|flow| flow.weight).sum();
            // What pours over an edge falls there and slides no further.
            if steepest.over_edge_z.is_none() { node.speed_m_s } else { 0.0 }
        };
        let speeds = self.piles.par_iter_mut().with_min_len(MIN_LEN).map(speed_up);
        self.fastest_m_s = speeds.reduce(|| 0.0, f32::max);
    }
}

/// All piles that give or take, from the lowest up, and between which of them each flow goes.
fn find_piles(flows: &[Flow], field: &Field) -> (Vec<(u32, u32)>, Vec<Node>) {
    // Where the piles of each tile begin among all piles of the field.
    let mut offsets = Vec::with_capacity(field.tiles().len());
    let mut count = 0;
    for tile in field.tiles() {
        offsets.push(count);
        count += tile.piles().len() as u32;
    }
    let pile = |at: PileRef| offsets[at.tile as usize] + at.pile;

    // The order is found on small records, the nodes are made in it.
    let mut order: Vec<(i64, u32)> = Vec::with_capacity(2 * flows.len());
    let mut nodes = vec![NOBODY; count as usize];
    for at in flows.iter().flat_map(|flow| [flow.from, flow.to]) {
        let node = &mut nodes[pile(at) as usize];
        if *node == NOBODY {
            *node = 0;
            order.push((field.pile(at).top, pile(at)));
        }
    }
    order.par_sort_unstable();
    for (place, (_, pile)) in order.iter().enumerate() {
        nodes[*pile as usize] = place as u32;
    }
    let node = |at: PileRef| nodes[pile(at) as usize];
    let ends: Vec<(u32, u32)> =
        flows.par_iter().with_min_len(MIN_LEN).map(|flow| (node(flow.from), node(flow.to))).collect();
    let mut piles = vec![Node::default(); order.len()];
    for (i, (from, to)) in ends.iter().enumerate() {
        let leaving = &mut piles[*from as usize].leaving;
        *leaving = (if leaving.1 == 0 { i as u32 } else { leaving.0 }, i as u32 + 1);
        piles[*to as usize].coming.1 += 1;
    }
    (ends, piles)
}
