//! The parts of a net: piles that give or take, and what goes between them.
//!
//! Passes over a net go from pile to pile in the order of their heights. So what they touch lies close together, in the order
//! in which they come to it, and what they look up elsewhere is small.

use super::flow::{Drive, Flow, NEARLY};
use super::motion::THINNEST_LAYER;
use super::sweep::part_of;
use crate::columns::PileRef;

/// Flows that one [`Links`] holds: as many as leave a pile by pairs of columns.
pub(super) const TOGETHER: usize = 4;

/// Up to four flows that leave a pile, as they change from pass to pass. Heights in 1/32,768 voxel.
///
/// Always four, so that the same is done to all at once. Those that are missing go nowhere and count for nothing.
#[derive(Clone, Copy)]
pub(super) struct Links {
    /// The piles that take: places among all.
    pub to: [u32; TOGETHER],
    /// One over the distances of the two piles (1/column).
    per_distance: [f32; TOGETHER],
    /// How much the upper pile stands too high above the lower.
    excess: [f32; TOGETHER],
    /// How much of the upper pile moves for a flow by itself; kept where that is not the excess.
    fall: [f32; TOGETHER],
    /// The height that goes in this pass, and in all of them.
    height: [f32; TOGETHER],
    pub total: [f32; TOGETHER],
    /// What of the lower piles counts.
    pub below: [Below; TOGETHER],
    /// True when that is [`Below::Slope`] for all that are there, as it mostly is.
    are_slopes: bool,
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
    /// There is no flow.
    None,
}

/// Excess of a flow that is missing: so little that nothing follows from it (1/32,768 voxel).
const MISSING: f32 = -1e30;

impl Links {
    /// No flow from the pile at `place`.
    pub fn none(place: u32) -> Self {
        Self {
            to: [place; TOGETHER],
            per_distance: [0.0; TOGETHER],
            excess: [MISSING; TOGETHER],
            fall: [MISSING; TOGETHER],
            height: [0.0; TOGETHER],
            total: [0.0; TOGETHER],
            below: [Below::None; TOGETHER],
            are_slopes: true,
        }
    }

    /// The first of `flows` from the pile at `place`, to the piles that `place_of` tells.
    pub fn new(flows: &[Flow], place: u32, place_of: impl Fn(PileRef) -> u32) -> Self {
        let mut links = Self::none(place);
        for (flow, i) in flows.iter().zip(0..TOGETHER) {
            let (fall, below) = match flow.drive {
                Drive::Wedge { above, .. } => (above, Below::Wedge),
                _ if flow.over_edge_z.is_some() => (flow.excess, Below::Edge),
                Drive::Slope { .. } | Drive::Floor { .. } => (flow.excess, Below::Slope),
            };
            links.to[i] = place_of(flow.to);
            links.per_distance[i] = flow.weight / (i64::from(flow.excess) + NEARLY) as f32;
            (links.excess[i], links.fall[i]) = (flow.excess as f32, fall as f32);
            links.below[i] = below;
            links.are_slopes &= below == Below::Slope;
        }
        links
    }

    /// Notes how much of its soil takes each flow (-) as the height that goes; adds these up to `sum`, one by one.
    #[inline]
    pub fn weigh(&mut self, sum: &mut f32) {
        for i in 0..TOGETHER {
            self.height[i] = larger(self.excess[i] + NEARLY as f32, 0.0) * self.per_distance[i];
        }
        if !self.are_slopes {
            let wedges = self.height.iter_mut().zip(self.below).filter(|(_, below)| *below == Below::Wedge);
            wedges.for_each(|(height, _)| *height = 1.0);
        }
        self.height.iter().for_each(|height| *sum += height);
    }

    /// How much of the upper pile moves at most for a flow by itself.
    #[inline]
    pub fn fall(&self) -> f32 {
        largest(if self.are_slopes { self.excess } else { self.fall })
    }

    /// Lets `given` go for each weight in a pass in which soil crosses `share` of a column.
    #[inline]
    pub fn give(&mut self, given: f32, share: f32, arrivals: &mut [Arrival]) {
        self.height.iter_mut().for_each(|height| *height *= given);
        let rises = self.excess.map(|excess| part_of(excess, share));
        let coming = self.height.map(whole);
        for i in 0..TOGETHER {
            let to = &mut arrivals[self.to[i] as usize];
            to.coming += coming[i];
            to.rise = larger(rises[i], to.rise);
        }
    }

    /// Lets go what of it has room where it goes to; adds that up to `given`, one by one.
    #[inline]
    pub fn go(&mut self, stands: &[Stand], given: &mut f32) {
        let parts = self.to.map(|to| stands[to as usize].part);
        for i in 0..TOGETHER {
            self.height[i] *= parts[i];
            self.total[i] += self.height[i];
        }
        self.height.iter().for_each(|height| *given += height);
    }

    /// How far the upper pile stands above the plane through the foot of the slope by each flow, as the lower ones stand.
    #[inline]
    pub fn above_plane(&self, stands: &[Stand]) -> [f32; TOGETHER] {
        let below = self.to.map(|to| stands[to as usize].above);
        if self.are_slopes {
            return std::array::from_fn(|i| self.excess[i] + below[i]);
        }
        std::array::from_fn(|i| self.fall[i] + if self.below[i] == Below::Slope { below[i] } else { 0.0 })
    }

    /// Notes that the upper pile has become higher by `change`, and the lower ones as they say.
    #[inline]
    pub fn note_change(&mut self, change: f32, stands: &[Stand]) {
        let below = self.to.map(|to| stands[to as usize].change);
        if self.are_slopes {
            (0..TOGETHER).for_each(|i| self.excess[i] += change - below[i]);
            return;
        }
        for i in 0..TOGETHER {
            self.fall[i] += change - if self.below[i] == Below::Slope { below[i] } else { 0.0 };
            self.excess[i] += change - if self.below[i] == Below::Edge { 0.0 } else { below[i] };
        }
    }
}

/// Most that comes by one flow in a pass: as many as a pile takes from do not add up to more than there are numbers for
/// (1/32,768 voxel).
const MOST_COMING: f32 = (1 << 24) as f32;

/// A height that comes to a pile in whole parts, which add up to the same in any order.
#[inline]
pub(super) fn whole(height: f32) -> i32 {
    smaller(height, MOST_COMING) as i32
}

/// The larger of two numbers. [`f32::max`] does more, to be right about what is no number.
#[inline]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller of two numbers.
#[inline]
pub(super) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The largest of a few numbers.
#[inline]
pub(super) fn largest([a, b, c, d]: [f32; TOGETHER]) -> f32 {
    larger(larger(a, c), larger(b, d))
}

/// How a pile stands, as those above it ask. Heights in 1/32,768 voxel.
#[derive(Clone, Copy)]
pub(super) struct Stand {
    /// How far it stands above the plane through the foot of its slope on which soil holds.
    pub above: f32,
    /// Height of the soil that moves.
    pub mobile: f32,
    /// By how much the pile has become higher in a pass.
    pub change: f32,
    /// What part of it comes, of what is to come in a pass (-).
    pub part: f32,
}

impl Stand {
    /// In which nothing moves yet.
    pub const AT_REST: Self = Self { above: 0.0, mobile: 0.0, change: 0.0, part: 1.0 };
}

/// What comes to a pile in a pass (1/32,768 voxel).
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    /// The height that is to come, and by how much the pile may rise.
    pub coming: i32,
    pub rise: f32,
}

impl Arrival {
    pub const NONE: Self = Self { coming: 0, rise: 0.0 };
}

/// What nobody asks about a pile but itself.
#[derive(Clone, Copy)]
pub(super) struct Own {
    /// The depth of its soil (1/32,768 voxel).
    pub depth: f32,
    /// Speed of the soil that moves (m/s).
    pub speed_m_s: f32,
    /// Its tile: a place in the field.
    pub tile: u32,
    /// True when it gives in this pass.
    pub gives: bool,
}

impl Own {
    /// Of a pile of nothing.
    pub const NONE: Self = Self { depth: 0.0, speed_m_s: 0.0, tile: 0, gives: false };
}

/// What drives a pile, from the beginning on. Heights in 1/32,768 voxel.
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
}

impl Cause {
    /// Of a pile that nothing drives.
    pub const NONE: Self = Self { top: 0, above_foot: 0.0, drive: 0.0, force: 0.0, layer: 0.0 };

    /// Of a pile of this height that these flows leave.
    pub fn new(top: i64, leaving: &[Flow]) -> Self {
        // The first of those that are equally steep.
        let steepest = leaving.iter().reduce(|a, b| if b.weight > a.weight { b } else { a });
        let (force, layer) = steepest.map_or((0.0, 0.0), |flow| match flow.drive {
            Drive::Wedge { force, .. } => (force, 0.0),
            Drive::Slope { force, .. } => (force, THINNEST_LAYER),
            // A layer slides along its floor as one.
            Drive::Floor { force } => (force, 1.0),
        });
        Self { top, force, layer, ..Self::NONE }
    }
}
