//! What is about to move, from pile to pile, and how much of it does within a round.

use crate::columns::{Field, HEIGHT_ONE, PileRef};

/// Largest share of its mobile height that a pile loses in a round: half of it brings a lone pair to rest.
pub(super) const MOST_SHARE: f32 = 0.5;

/// Mobile heights below this (voxels) move as fast as this much would, so that soil comes to rest.
const SLOWEST_MOBILE: f32 = 2.0;

/// Excess that is left alone (1/32,768 voxel): a slope of one part in 256 of a voxel, which lets soil come to rest.
pub(super) const TOLERANCE: i64 = HEIGHT_ONE / 256;

/// Soil that is to slide from one pile to a lower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flow {
    pub from: PileRef,
    pub to: PileRef,
    /// How far the upper pile stands above what this pair alone can bear (1/32,768 voxel).
    pub excess: i64,
    /// Height above the plane of a wedge of many columns (1/32,768 voxel); 0 where only the pair was looked at.
    pub wedge: i64,
    /// Net force over weight: the acceleration in parts of gravity (-).
    pub force: f32,
    /// Among the flows of a pile, how much of its soil takes this one (-).
    pub weight: f32,
    /// The layer in which it leaves over an edge and falls; none where it slides on.
    pub over_edge_z: Option<i32>,
}

/// All flows of a round with the speed of each pile.
pub(super) struct Motion {
    /// Where the piles of each tile begin among all piles.
    offsets: Vec<u32>,
    /// Height of the soil that moves, per pile (1/32,768 voxel).
    mobile: Vec<i64>,
    /// Speed of that soil, per pile (m/s).
    speed: Vec<f32>,
    /// Sum of the weights of the flows that leave, per pile.
    weights: Vec<f32>,
}

impl Motion {
    /// What moves when `flows` go, in voxels of `voxel_size_m` (m) under `gravity_m_s2` (m/s²).
    ///
    /// A steep slope comes down as a whole: soil on it moves with all that stands above the plane through its foot, not
    /// only with what is too much for the next column. That height adds up from the foot uphill. Otherwise slopes
    /// would come to rest the later the smaller the voxels are.
    pub fn of(flows: &[Flow], field: &Field, voxel_size_m: f32, gravity_m_s2: f32) -> Self {
        let mut offsets = Vec::with_capacity(field.tiles().len());
        let mut piles = 0;
        for tile in field.tiles() {
            offsets.push(piles);
            piles += tile.piles().len() as u32;
        }
        let piles = piles as usize;
        let (speed, weights) = (vec![0.0; piles], vec![0.0; piles]);
        let mut motion = Self { offsets, mobile: vec![0; piles], speed, weights };
        let mut uphill: Vec<(i64, u32)> =
            flows.iter().enumerate().map(|(i, flow)| (field.pile(flow.from).top, i as u32)).collect();
        uphill.sort_unstable();
        for (_, flow) in uphill {
            let flow = &flows[flow as usize];
            let (from, to) = (motion.at(flow.from), motion.at(flow.to));
            let below = if flow.over_edge_z.is_some() { 0 } else { motion.mobile[to] };
            let mobile = if flow.wedge > 0 { flow.wedge } else { flow.excess + below };
            if mobile <= TOLERANCE {
                continue;
            }
            motion.mobile[from] = motion.mobile[from].max(mobile);
            motion.weights[from] += flow.weight;
            let height = (motion.mobile[from] as f32 / HEIGHT_ONE as f32).max(SLOWEST_MOBILE) * voxel_size_m;
            motion.speed[from] = motion.speed[from].max((2.0 * gravity_m_s2 * flow.force * height).sqrt());
        }
        motion
    }

    /// Speed of the fastest soil (m/s).
    pub fn fastest_m_s(&self) -> f32 {
        self.speed.iter().copied().fold(0.0, f32::max)
    }

    /// The height that each flow moves while soil may cross `columns_per_speed` columns for each m/s (1/32,768 voxel).
    ///
    /// From the lowest pile up, a pile takes no more than it passes on and half of what the steepest of its pairs has
    /// too much: so no pair is brought beyond its failure angle, and nothing rings.
    pub fn heights(&self, flows: &[Flow], field: &Field, columns_per_speed: f32) -> Vec<i64> {
        let mut order: Vec<(i64, PileRef, u32)> =
            flows.iter().enumerate().map(|(i, flow)| (field.pile(flow.to).top, flow.to, i as u32)).collect();
        order.sort_unstable();
        let mut leaving = vec![0_i64; self.mobile.len()];
        let mut heights = vec![0_i64; flows.len()];
        for group in order.chunk_by(|a, b| a.1 == b.1) {
            let to = self.at(group[0].1);
            let (mut coming, mut steepest) = (0_i64, 0_i64);
            for &(_, _, i) in group {
                let flow = &flows[i as usize];
                let from = self.at(flow.from);
                let share = (self.speed[from] * columns_per_speed).min(MOST_SHARE);
                if self.mobile[from] == 0 {
                    continue;
                }
                let part = share * flow.weight / self.weights[from];
                heights[i as usize] = (self.mobile[from] as f32 * part) as i64;
                coming += heights[i as usize];
                steepest = steepest.max(flow.excess);
            }
            let most = leaving[to] + steepest / 2;
            for &(_, _, i) in group {
                let height = &mut heights[i as usize];
                if coming > most {
                    *height = (*height as f64 * most as f64 / coming as f64) as i64;
                }
                leaving[self.at(flows[i as usize].from)] += *height;
            }
        }
        heights
    }

    #[inline]
    fn at(&self, pile: PileRef) -> usize {
        (self.offsets[pile.tile as usize] + pile.pile) as usize
    }
}
