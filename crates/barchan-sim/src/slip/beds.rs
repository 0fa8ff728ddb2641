//! Where soil moves: the bed of the moving layer in every pile.
//!
//! Where nothing moves, the bed is the surface. A face that is steeper than friction holds lowers the bed of the upper pile to the
//! plane that its soil can bear; below what moves, soil comes to rest as fast as the slope is too gentle for it. Then no bed is
//! steeper above another than friction bears: so a slope fails as a whole, with all that stands above the plane through its
//! foot. That last rule is a hull: heights are whole numbers and only fall, so whatever the order, the end is the same.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use glam::Vec2;
use rayon::prelude::*;

use super::law::Law;
use super::net::{AT_ONCE, NONE, Net, NetTile};
use super::rule::SLACK;
use crate::columns::HEIGHT_ONE;
use crate::in_parts::InParts;

/// A net in the moment of a substep, with what is derived from it.
pub(super) struct Moment<'a> {
    pub net: &'a Net,
    pub law: &'a Law,
    /// Of faces: by how much the surface rises (-).
    pub slopes: Vec<f32>,
    /// How long the substep is (s).
    pub dt_s: f32,
}

/// Heights as a number of voxels.
#[inline]
pub(super) fn voxels(height: i64) -> f32 {
    height as f32 / HEIGHT_ONE as f32
}

impl<'a> Moment<'a> {
    pub fn new(net: &'a Net, law: &'a Law, dt_s: f32) -> Self {
        let slope = |at: usize| slope_at(net, at);
        let slopes = (0..net.faces.len()).into_par_iter().with_min_len(AT_ONCE).map(slope).collect();
        Self { net, law, slopes, dt_s }
    }

    /// By how much the surface rises across a face: the mean of the faces around it, where each of its piles counts by how much
    /// loose soil it has above what is firm in both. Firm ground that falls beside a trickle does not drive it.
    #[inline]
    pub fn across(&self, at: usize) -> f32 {
        let face = &self.net.faces[at];
        let side = 2 - 2 * usize::from(face.axis);
        let (mut sum, mut weight) = (0.0, 0.0_f32);
        let nodes = [face.back, face.ahead].map(|node| &self.net.nodes[node as usize]);
        let firm = nodes[0].firm.max(nodes[1].firm);
        for node in nodes {
            let loose = voxels((node.top - firm).max(0));
            for beside in [node.faces[side], node.faces[side + 1]] {
                if beside != NONE {
                    (sum, weight) = (sum + loose * self.slopes[beside as usize], weight + loose);
                }
            }
        }
        if weight > 0.0 { sum / weight } else { 0.0 }
    }

    /// What drives the soil of a node, by the slopes of its surface along a face and across it, and the friction against that: on
    /// itself, or along the smooth side of a body on which all of it slides.
    #[inline]
    pub fn drive(&self, node: usize, on_floor: bool, axis: u8, slope: Vec2) -> Option<(Vec2, f32)> {
        let node = &self.net.nodes[node];
        if node.side == NONE || !on_floor {
            return None;
        }
        let (side, law) = (&self.net.sides[node.side as usize], &self.law.floor_laws[node.class as usize]);
        if !side.is_weak(law) {
            return None;
        }
        let floor = if axis == 0 { side.slope } else { Vec2::new(side.slope.y, side.slope.x) };
        Some((Vec2::new(law.drive(slope.x, floor.x), law.drive(slope.y, floor.y)), side.friction))
    }

    /// The beds of all piles. Those of piles that are not live are only what the live ones would make of them.
    pub fn beds(&self) -> Vec<i64> {
        let bed = |at: usize| self.own_bed(at);
        let beds: Vec<AtomicI64> = (0..self.net.nodes.len())
            .into_par_iter()
            .with_min_len(AT_ONCE)
            .map(bed)
            .map(AtomicI64::new)
            .collect();
        self.hull(&beds);
        beds.into_iter().map(AtomicI64::into_inner).collect()
    }

    /// The bed of a pile as its own faces make it.
    fn own_bed(&self, at: usize) -> i64 {
        let node = &self.net.nodes[at];
        let (top, firm) = (node.top, node.firm);
        if top <= firm {
            return top;
        }
        let is_moving = self.net.is_moving(at);
        let mut bed = if is_moving { self.net.beds[at].min(top) } else { top };
        let grip = &self.law.grips[node.class as usize];
        for number in self.net.faces_of(at) {
            let face = &self.net.faces[number as usize];
            let slope = self.slopes[number as usize];
            let drop = if face.back as usize == at { -slope } else { slope };
            if drop <= 0.0 || !face.is_live {
                continue;
            }
            let slope = Vec2::new(slope, self.across(number as usize));
            let steepness = slope.length();
            if steepness > grip.start {
                let above = (1.0 - grip.mu / steepness) * drop;
                bed = bed.min(top - (above * HEIGHT_ONE as f32) as i64);
            }
            if let Some((drive, friction)) = self.drive(at, true, face.axis, slope)
                && drive.length() > friction + SLACK
            {
                bed = node.floor;
            }
        }
        if is_moving && bed > firm {
            bed = (bed + self.laid_down(at, grip.mu)).min(top);
        }
        if node.block != NONE {
            bed = bed.min(self.net.blocks[node.block as usize].bed);
        }
        bed.max(firm)
    }

    /// How much of what moves in a pile comes to lie (1/32,768 voxel).
    fn laid_down(&self, at: usize, mu: f32) -> i64 {
        let faces = &self.net.nodes[at].faces;
        let mean = |of: &[f32], axis: usize| {
            let both = [faces[2 * axis], faces[2 * axis + 1]].map(|face| of.get(face as usize).copied());
            match both {
                [Some(a), Some(b)] => 0.5 * (a + b),
                [a, b] => a.or(b).unwrap_or(0.0),
            }
        };
        let vector = |of: &[f32]| Vec2::new(mean(of, 0), mean(of, 1)).length();
        let lacking = mu - vector(&self.slopes);
        if lacking <= 0.0 {
            return 0;
        }
        let voxels = 0.5 * lacking * vector(&self.net.velocity) * self.dt_s / self.law.voxel_size_m;
        (voxels * HEIGHT_ONE as f32) as i64
    }

    /// Lowers beds until none is steeper above another than friction bears. Tiles are done at the same time, and again where a
    /// neighbour has changed: only the least of what was found counts, so it does not matter who was first.
    fn hull(&self, beds: &[AtomicI64]) {
        let tiles = &self.net.tiles;
        let mut stale: Vec<u32> = (0..tiles.len() as u32).collect();
        let marks: Vec<AtomicBool> = tiles.iter().map(|_| AtomicBool::new(false)).collect();
        while !stale.is_empty() {
            stale.par_iter().in_parts_of(8).for_each(|number| {
                self.hull_of_tile(&tiles[*number as usize], beds, &marks);
            });
            let is_marked = |at: &u32| marks[*at as usize].swap(false, Ordering::Relaxed);
            stale = (0..tiles.len() as u32).filter(is_marked).collect();
        }
    }

    /// Lowers the beds of a tile; marks the tiles around that may have to follow.
    fn hull_of_tile(&self, tile: &NetTile, beds: &[AtomicI64], marks: &[AtomicBool]) {
        let nodes = self.net.nodes_of(tile);
        let mut forwards = true;
        loop {
            let mut changed = false;
            for step in nodes.clone() {
                let at = if forwards { step } else { nodes.start + nodes.end - 1 - step };
                if self.lower(at, beds) {
                    changed = true;
                    tile.beside(self.net.nodes[at].key).for_each(|beside| {
                        marks[beside as usize].store(true, Ordering::Relaxed);
                    });
                }
            }
            if !changed {
                return;
            }
            forwards = !forwards;
        }
    }

    /// Lowers one bed as far as those around ask for; true when it fell.
    #[inline]
    fn lower(&self, at: usize, beds: &[AtomicI64]) -> bool {
        let node = &self.net.nodes[at];
        let bed = beds[at].load(Ordering::Relaxed);
        if bed <= node.firm {
            return false;
        }
        let reach = &self.law.grips[node.class as usize].reach;
        let mut lowest = bed;
        for (to, &other) in node.near.iter().enumerate() {
            if other == NONE || !(node.is_live || self.net.nodes[other as usize].is_live) {
                continue;
            }
            let mut below = beds[other as usize].load(Ordering::Relaxed);
            if below < node.firm {
                below = self.over_step(at, to, below);
            }
            lowest = lowest.min(below + reach[to / 4]);
        }
        lowest = lowest.max(node.firm);
        if lowest >= bed {
            return false;
        }
        beds[at].store(lowest, Ordering::Relaxed);
        true
    }

    /// As how low a pile counts that lies `below` behind a step: as low as the ground would be if it went on falling.
    fn over_step(&self, at: usize, to: usize, below: i64) -> i64 {
        let node = &self.net.nodes[at];
        node.firm - firm_fall(self.net, at, to).min(node.firm - below)
    }
}

/// By how much what a pile lies on falls towards direction `to`, as that behind it tells (1/32,768 voxel).
fn firm_fall(net: &Net, at: usize, to: usize) -> i64 {
    let node = &net.nodes[at];
    let behind = node.near[to ^ 1];
    if behind == NONE { 0 } else { (net.nodes[behind as usize].firm - node.firm).max(0) }
}

/// By how much the surface rises from the pile behind a face to the one ahead (-): over an edge no more than loose soil stands
/// above it, but for ground that goes on falling. What holds together drives nothing.
fn slope_at(net: &Net, at: usize) -> f32 {
    let face = &net.faces[at];
    let [back, ahead] = [&net.nodes[face.back as usize], &net.nodes[face.ahead as usize]];
    let (high, low, number, to) = if back.top > ahead.top {
        (back, ahead, face.back, 2 * usize::from(face.axis) + 1)
    } else {
        (ahead, back, face.ahead, 2 * usize::from(face.axis))
    };
    let mut rise = high.top.min(low.ceiling) - low.top.max(high.firm);
    if low.top < high.firm && high.top > high.firm {
        rise += firm_fall(net, number as usize, to).min(high.firm - low.top);
    }
    let slope = voxels(rise.max(0));
    if back.top > ahead.top { -slope } else { slope }
}
