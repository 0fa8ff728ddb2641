//! How much of each flow goes where sliding soil keeps its momentum.
//!
//! Soil on a slope that is too steep gathers speed by what its weight pulls more than friction holds, and hands on all that
//! comes from above. On a slope that would hold it friction slows it down, and it runs on until it stands
//! (SavageHutter1989, with one speed for the whole layer, along the steepest way).

use glam::IVec2;
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Drive, Flow, TOLERANCE};
use super::law::Law;
use super::momentum::Sliding;
use super::motion::MOST_SHARE;
use super::sweep::part_of;
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};

/// Soil that is slower than this stands (m/s).
const SLOWEST_M_S: f32 = 0.05;

/// A layer that is thinner than this stands where its slope would hold it (1/32,768 voxel).
const THINNEST: f32 = HEIGHT_ONE as f32 / 64.0;

/// Slopes count as no steeper than this: the wall of a cliff does not pull all that leaves it (-).
const STEEPEST: f32 = 3.0;

/// Where a pile is, whatever its place in the field: its column, and the lowest voxel of its opening.
pub(super) type PileKey = [i32; 3];

/// What slides in a pile.
#[derive(Clone, Copy, Default)]
struct Layer {
    /// (1/32,768 voxel)
    height: f32,
    /// (m/s)
    speed: f32,
}

/// A pile in one round. Heights in 1/32,768 voxel.
#[derive(Clone, Copy, Default)]
struct Node {
    given: f32,
    /// What is to come, and by how much it may raise the pile.
    coming: f32,
    rise: f32,
    /// What stays, and goes on sliding.
    stays: Layer,
    /// What has come, and that times its speed.
    come: f32,
    momentum: f32,
}

/// All soil that slides and keeps its speed.
pub(super) struct Surge {
    layers: FxHashMap<PileKey, Layer>,
}

impl Surge {
    pub fn new(sliding: &[Sliding]) -> Self {
        let layer = |s: &Sliding| Layer { height: s.height_voxels * HEIGHT_ONE as f32, speed: s.speed_m_s };
        Self { layers: sliding.iter().map(|s| (s.at, layer(s))).collect() }
    }

    /// What slides, in the order of where it is.
    pub fn into_sliding(self) -> Vec<Sliding> {
        let sliding = |(at, layer): (PileKey, Layer)| Sliding {
            at,
            height_voxels: layer.height / HEIGHT_ONE as f32,
            speed_m_s: layer.speed,
        };
        let mut all: Vec<Sliding> = self.layers.into_iter().map(sliding).collect();
        all.sort_unstable_by_key(|sliding| sliding.at);
        all
    }

    /// True when nothing slides.
    pub fn is_still(&self) -> bool {
        self.layers.is_empty()
    }

    /// Speed of the fastest soil (m/s).
    pub fn fastest_m_s(&self) -> f32 {
        self.layers.values().map(|layer| layer.speed).fold(0.0, f32::max)
    }

    /// The piles with soil that runs on where the slope would hold it.
    pub fn coasting(&self) -> FxHashSet<PileKey> {
        let coasts = |layer: &Layer| layer.height > THINNEST && layer.speed > SLOWEST_M_S;
        self.layers.iter().filter(|(_, layer)| coasts(layer)).map(|(key, _)| *key).collect()
    }

    /// Finds the height that each flow moves in `dt_s` (s), and what slides after that. Flows of a pile stand together; those
    /// of the tiles at `looked_at` were looked for.
    pub fn heights(
        &mut self,
        dt_s: f32,
        flows: &[Flow],
        looked_at: &FxHashSet<IVec2>,
        field: &Field,
        law: &Law,
    ) -> Vec<i64> {
        let (first_piles, count) = field.first_piles();
        let place = |at: PileRef| first_piles[at.tile as usize] + at.pile as usize;
        let mut nodes = vec![Node::default(); count];
        let mut heights = Vec::with_capacity(flows.len());
        for of_pile in flows.chunk_by(|a, b| a.from == b.from) {
            let giving = self.giving(dt_s, of_pile, field, law);
            let node = &mut nodes[place(of_pile[0].from)];
            (node.given, node.stays) = (giving.given, giving.stays);
            let weights: f32 = of_pile.iter().map(|flow| flow.weight).sum();
            for flow in of_pile {
                let height = giving.given * flow.weight / weights;
                heights.push(height);
                // What pours over an edge falls there, whatever comes to the pile below.
                if flow.over_edge_z.is_none() {
                    let to = &mut nodes[place(flow.to)];
                    to.coming += height;
                    to.rise = to.rise.max(giving.rise(flow, field));
                }
            }
        }
        // A pile takes no more than it gives and may rise: so nothing rings.
        for (flow, height) in flows.iter().zip(&mut heights).filter(|(flow, _)| flow.over_edge_z.is_none()) {
            let speed = nodes[place(flow.from)].stays.speed;
            let to = &mut nodes[place(flow.to)];
            if to.coming > to.given + to.rise {
                *height *= (to.given + to.rise) / to.coming;
            }
            to.come += *height;
            to.momentum += *height * speed;
        }
        self.layers.retain(|key, _| !looked_at.contains(&(IVec2::new(key[0], key[1]) >> 3)));
        for at in flows.iter().flat_map(|flow| [flow.from, flow.to]) {
            let layer = nodes[place(at)].after();
            if layer.speed > 0.0 {
                self.layers.insert(key(field, at), layer);
            }
        }
        heights.into_iter().map(|height| height as i64).collect()
    }

    /// What a pile gives that the flows `of_pile` leave.
    fn giving<'a>(&self, dt_s: f32, of_pile: &[Flow], field: &'a Field, law: &Law) -> Giving<'a> {
        let pile = field.pile(of_pile[0].from);
        let depth = (pile.top - pile.floor) as f32;
        let layer = self.layer(field, of_pile[0].from);
        let fall = of_pile.iter().map(fall).fold(f32::MIN, f32::max).min(depth);
        let steepest = of_pile.iter().reduce(|a, b| if b.weight > a.weight { b } else { a });
        let steepest = steepest.expect("flows of a pile");
        let gain = law.gravity_m_s2 * pull(steepest, law.strengths[pile.strength.index()].tan_phi) * dt_s;
        let is_unstable = fall > TOLERANCE as f32;
        // A slope comes down as a whole: what breaks loose is as fast as what it goes along with.
        let below = if steepest.over_edge_z.is_none() { self.layer(field, steepest.to).speed } else { 0.0 };
        let speed = if is_unstable {
            layer.speed.max(below) + gain.max(0.0)
        } else {
            (layer.speed + gain.min(0.0)).max(0.0)
        };
        let crossed = speed * dt_s / law.voxel_size_m;
        let runs_on = speed > SLOWEST_M_S && layer.height > THINNEST;
        let moving = if is_unstable || runs_on { layer.height.min(depth) } else { 0.0 };
        let passed = if is_unstable { moving } else { moving * crossed.min(1.0) };
        let given = (passed + part_of(fall, crossed.min(MOST_SHARE))).min(depth);
        let height = if is_unstable { 0.0 } else { moving - passed };
        let is_moving = given > 0.0 || is_unstable;
        let stays = if is_moving { Layer { height, speed } } else { Layer::default() };
        Giving { pile, given, stays, coasts: moving > 0.0 }
    }

    fn layer(&self, field: &Field, at: PileRef) -> Layer {
        self.layers.get(&key(field, at)).copied().unwrap_or_default()
    }
}

/// What a pile gives in a round.
struct Giving<'a> {
    pile: &'a Pile,
    /// (1/32,768 voxel)
    given: f32,
    stays: Layer,
    coasts: bool,
}

impl Giving<'_> {
    /// By how much a flow may raise the pile that it goes to (1/32,768 voxel): no pair is brought beyond its failure angle,
    /// and soil that runs on comes to lie no higher than it came from.
    fn rise(&self, flow: &Flow, field: &Field) -> f32 {
        if i64::from(flow.excess) > TOLERANCE {
            return flow.excess as f32 * MOST_SHARE;
        }
        let drop = (self.pile.top - field.pile(flow.to).top.max(self.pile.floor)) as f32;
        if self.coasts { drop.max(0.0) * MOST_SHARE } else { 0.0 }
    }
}

impl Node {
    /// What slides in the pile after the round.
    fn after(&self) -> Layer {
        let Layer { height, speed } = self.stays;
        if self.come <= 0.0 {
            return self.stays;
        }
        let all = self.come + height;
        Layer { height: all, speed: (self.momentum + height * speed) / all }
    }
}

/// How much of the upper pile moves for a flow by itself (1/32,768 voxel).
fn fall(flow: &Flow) -> f32 {
    match flow.drive {
        Drive::Wedge { above, .. } => above as f32,
        Drive::Slope { .. } | Drive::Floor { .. } => flow.excess as f32,
    }
}

/// What weight pulls along a flow more than friction holds, over the weight; less than nothing where it holds more (-).
fn pull(flow: &Flow, tan_phi: f32) -> f32 {
    match flow.drive {
        Drive::Wedge { force, .. } | Drive::Floor { force } => force,
        Drive::Slope { tangent, .. } => {
            let tangent = tangent.min(STEEPEST);
            (tangent - tan_phi) / (1.0 + tangent * tangent).sqrt()
        }
    }
}

pub(super) fn key(field: &Field, at: PileRef) -> PileKey {
    field.column_of(at).extend(field.pile(at).bottom_z).to_array()
}
