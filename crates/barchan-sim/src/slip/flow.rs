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

/// All flows of a round with the speed of each pile.
pub(super) struct Motion<'a> {
    /// Those of a pile stand together.
    flows: &'a [Flow],
    /// Where the piles of each tile begin among all piles.
    offsets: Vec<u32>,
    /// All piles that give or take, from the lowest up, with the flows that leave and those that come.
    piles: Vec<Node>,
    /// Flows in the order of where they go to.
    coming: Vec<u32>,
    /// Place in `piles`, by pile.
    nodes: Vec<u32>,
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

const NOBODY: u32 = u32::MAX;

impl<'a> Motion<'a> {
    /// What moves when `flows` go.
    ///
    /// A steep slope comes down as a whole: soil on it moves with all that stands above the plane through its foot, not
    /// only with what is too much for the next column. That height adds up from the foot uphill. Otherwise slopes
    /// would come to rest the later the smaller the voxels are.
    pub fn of(flows: &'a [Flow], field: &Field, law: &SpeedLaw<'_>) -> Self {
        let mut offsets = Vec::with_capacity(field.tiles().len());
        let mut count = 0;
        for tile in field.tiles() {
            offsets.push(count);
            count += tile.piles().len() as u32;
        }
        let nodes = vec![NOBODY; count as usize];
        let mut motion =
            Self { flows, offsets, piles: Vec::new(), coming: Vec::new(), nodes, fastest_m_s: 0.0 };
        motion.find_piles(field);
        motion.order_arrivals();
        for node in 0..motion.piles.len() {
            motion.gather_speed(node, law);
        }
        motion
    }

    /// Speed of the fastest soil (m/s).
    pub fn fastest_m_s(&self) -> f32 {
        self.fastest_m_s
    }

    /// The height that each flow moves while soil may cross `columns_per_speed` columns for each m/s (1/32,768 voxel).
    ///
    /// From the lowest pile up, a pile takes no more than it passes on and half of what the steepest of its pairs has
    /// too much: so no pair is brought beyond its failure angle, and nothing rings.
    pub fn heights(&self, columns_per_speed: f32) -> Vec<i64> {
        let mut leaving = vec![0_i64; self.piles.len()];
        let mut heights = vec![0_i64; self.flows.len()];
        for (place, node) in self.piles.iter().enumerate() {
            let arrivals = &self.coming[node.coming.0 as usize..node.coming.1 as usize];
            let (mut coming, mut steepest) = (0_i64, 0_i64);
            for &i in arrivals {
                let flow = &self.flows[i as usize];
                let from = &self.piles[self.node(flow.from)];
                if from.mobile > 0 {
                    let share = (from.speed_m_s * columns_per_speed).min(MOST_SHARE);
                    heights[i as usize] = (from.mobile as f32 * share * flow.weight / from.weights) as i64;
                    coming += heights[i as usize];
                    steepest = steepest.max(flow.excess);
                }
            }
            let most = leaving[place] + steepest / 2;
            for &i in arrivals {
                let height = &mut heights[i as usize];
                if coming > most {
                    *height = (*height as f64 * most as f64 / coming as f64) as i64;
                }
                leaving[self.node(self.flows[i as usize].from)] += *height;
            }
        }
        heights
    }

    /// Lists all piles that give or take, from the lowest up.
    fn find_piles(&mut self, field: &Field) {
        // The order is found on small records, the nodes are made in it.
        let mut order: Vec<(i64, u32)> = Vec::with_capacity(2 * self.flows.len());
        for at in self.flows.iter().flat_map(|flow| [flow.from, flow.to]) {
            let pile = self.pile(at);
            if self.nodes[pile] == NOBODY {
                self.nodes[pile] = 0;
                order.push((field.pile(at).top, pile as u32));
            }
        }
        order.par_sort_unstable();
        self.piles.reserve(order.len());
        for (place, (_, pile)) in order.into_iter().enumerate() {
            self.nodes[pile as usize] = place as u32;
            self.piles.push(Node::default());
        }
        for (i, flow) in self.flows.iter().enumerate() {
            let (from, to) = (self.node(flow.from), self.node(flow.to));
            let leaving = &mut self.piles[from].leaving;
            *leaving = (if leaving.1 == 0 { i as u32 } else { leaving.0 }, i as u32 + 1);
            self.piles[to].coming.1 += 1;
        }
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
        for (i, flow) in self.flows.iter().enumerate() {
            let to = self.node(flow.to);
            let end = &mut self.piles[to].coming.1;
            self.coming[*end as usize] = i as u32;
            *end += 1;
        }
    }

    /// Finds how much of a pile moves and how fast, from what those below it do.
    fn gather_speed(&mut self, node: usize, law: &SpeedLaw<'_>) {
        let (first, end) = self.piles[node].leaving;
        let (mut mobile, mut weights) = (0, 0.0);
        let mut steepest = None::<&Flow>;
        for flow in &self.flows[first as usize..end as usize] {
            let height = match flow.drive {
                Drive::Wedge { above, .. } => above,
                _ if flow.over_edge_z.is_some() => flow.excess,
                _ => flow.excess + self.piles[self.node(flow.to)].mobile,
            };
            mobile = mobile.max(height);
            weights += flow.weight;
            if steepest.is_none_or(|s| flow.weight > s.weight) {
                steepest = Some(flow);
            }
        }
        let Some(steepest) = steepest.filter(|_| mobile > TOLERANCE) else { return };
        let force = match steepest.drive {
            Drive::Wedge { force, .. } | Drive::Floor { force } => force,
            Drive::Slope { tangent, kind } => law.forces[usize::from(kind.0)].over_weight(tangent),
        };
        let height_m = (mobile as f32 / HEIGHT_ONE as f32).max(SLOWEST_MOBILE) * law.voxel_size_m;
        let speed_m_s = (2.0 * law.gravity_m_s2 * force * height_m).sqrt();
        // What pours over an edge falls there and slides no further.
        if steepest.over_edge_z.is_none() {
            self.fastest_m_s = self.fastest_m_s.max(speed_m_s);
        }
        let pile = &mut self.piles[node];
        (pile.mobile, pile.weights, pile.speed_m_s) = (mobile, weights, speed_m_s);
    }

    /// Place of a pile among all of the field.
    #[inline]
    fn pile(&self, at: PileRef) -> usize {
        (self.offsets[at.tile as usize] + at.pile) as usize
    }

    /// Place of a pile among those that give or take.
    #[inline]
    fn node(&self, at: PileRef) -> usize {
        self.nodes[self.pile(at)] as usize
    }
}
