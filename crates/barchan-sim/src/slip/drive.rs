//! How fast soil moves: the velocity of the moving layer at every face.
//!
//! A layer gains what its weight pulls along its surface and loses what friction on its bed holds (SavageHutter1989; Geiger2015
//! eq. 9-10: v += f / W dt), as a vector, so that slopes come to rest at the angle of friction in every direction. Below a cliff
//! it is driven no more than the best wedge is (Rankine1857): without that fronts would outrun free fall. What it takes up from
//! its bed shares its momentum, and so does what flows in.

use glam::Vec2;
use rayon::prelude::*;

use super::beds::{Moment, voxels};
use super::net::{AT_ONCE, Face, NONE};
use super::rule::SLACK;
use super::sliding::{FASTEST_M_S, SLOWEST_M_S};
use crate::columns::HEIGHT_ONE;

/// Speed below which soil stands where its slope bears that, over the speed that waves have in a layer of a voxel (-).
const SLOW: f32 = 0.01;

/// What gains less than this slope would give it stands: what is driven sideways against soil that does not move would creep (-).
const CREEP: f32 = SLACK;

/// A layer thinner than this does, too, however fast it is (1/32,768 voxel): the last of it would trickle for ever.
const THINNEST: i64 = HEIGHT_ONE / 64;

impl Moment<'_> {
    /// The velocities at all faces on these beds (m/s).
    pub fn velocities(&self, beds: &[i64]) -> Vec<f32> {
        let faces = || (0..self.net.faces.len()).into_par_iter().with_min_len(AT_ONCE);
        let discharges: Vec<f32> = faces().map(|at| self.discharge(at)).collect();
        faces().map(|at| self.velocity(at, beds, &discharges)).collect()
    }

    /// What flows through a face as it moved until now (m²/s); nothing where it falls over an edge.
    fn discharge(&self, at: usize) -> f32 {
        let velocity = self.net.velocity[at];
        if velocity == 0.0 {
            return 0.0;
        }
        let face = &self.net.faces[at];
        let (from, to) = face.way_of(velocity);
        if self.net.edge(from, to).is_some() {
            return 0.0;
        }
        velocity * voxels(self.depth(face, velocity, &self.net.beds)) * self.law.voxel_size_m
    }

    /// Height of the layer that moves through a face with this velocity (1/32,768 voxel).
    #[inline]
    pub fn depth(&self, face: &Face, velocity: f32, beds: &[i64]) -> i64 {
        let (from, to) = face.way_of(velocity);
        let top = self.net.nodes[from as usize].top.min(self.net.nodes[to as usize].ceiling);
        (top - beds[face.back as usize].max(beds[face.ahead as usize])).max(0)
    }

    fn velocity(&self, at: usize, beds: &[i64], discharges: &[f32]) -> f32 {
        let net = self.net;
        let face = &net.faces[at];
        let (back, ahead) = (face.back as usize, face.ahead as usize);
        let layer = |beds: &[i64], node: usize| (net.nodes[node].top - beds[node]).max(0);
        let (layer_back, layer_ahead) = (layer(beds, back), layer(beds, ahead));
        if !face.is_live || layer_back + layer_ahead == 0 {
            return 0.0;
        }
        let mean = 0.5 * voxels(layer_back + layer_ahead);
        let before = 0.5 * voxels(layer(&net.beds, back) + layer(&net.beds, ahead));
        let kept = if mean > before { before / mean } else { 1.0 };
        let velocity = self.with_inflow(at, net.velocity[at] * kept, mean, discharges);
        let gains =
            [face.back, face.ahead].map(|node| net.blocks.get(net.nodes[node as usize].block as usize));
        let velocity = match gains {
            [None, None] => self.with_slope(at, velocity, (layer_back, layer_ahead), beds),
            [a, b] => {
                let gain = a.or(b).map_or(Vec2::ZERO, |block| block.gain_m_s2);
                velocity + if face.axis == 0 { gain.x } else { gain.y } * self.dt_s
            }
        };
        if velocity.abs() < SLOWEST_M_S { 0.0 } else { velocity.clamp(-FASTEST_M_S, FASTEST_M_S) }
    }

    /// The velocity at a face with a layer of this height (voxels), once it shares its momentum with what flows in.
    fn with_inflow(&self, at: usize, velocity: f32, layer: f32, discharges: &[f32]) -> f32 {
        let net = self.net;
        let face = &net.faces[at];
        let (along, side) = (2 * usize::from(face.axis), 2 - 2 * usize::from(face.axis));
        let [back, ahead] = [face.back, face.ahead].map(|node| &net.nodes[node as usize]);
        let of = |list: &[f32], face: u32| list.get(face as usize).copied().unwrap_or(0.0);
        let size = self.law.voxel_size_m;
        let share = self.dt_s / (size * size * layer);
        let (mut momentum, mut weight) = (velocity, 1.0);
        let mut flow_in = |discharge: f32, from: u32| {
            if discharge > 0.0 {
                momentum += share * discharge * of(&net.velocity, from);
                weight += share * discharge;
            }
        };
        let own = discharges[at];
        flow_in(0.5 * (of(discharges, back.faces[along]) + own), back.faces[along]);
        flow_in(-0.5 * (of(discharges, ahead.faces[along + 1]) + own), ahead.faces[along + 1]);
        for (to, sign) in [(side, 1.0), (side + 1, -1.0)] {
            let discharge = 0.5 * sign * (of(discharges, back.faces[to]) + of(discharges, ahead.faces[to]));
            let beside = back.near[to];
            let parallel = if beside == NONE { NONE } else { net.nodes[beside as usize].faces[along + 1] };
            flow_in(discharge, parallel);
        }
        momentum / weight
    }

    /// The velocity at a face after what its slope adds and friction takes.
    fn with_slope(&self, at: usize, velocity: f32, layers: (i64, i64), beds: &[i64]) -> f32 {
        let net = self.net;
        let face = &net.faces[at];
        // Friction is that of the soil that moves: of the upper pile where both do.
        let is_back = layers.1 == 0
            || layers.0 > 0 && net.nodes[face.back as usize].top >= net.nodes[face.ahead as usize].top;
        let ruling = if is_back { face.back } else { face.ahead } as usize;
        let grip = &self.law.grips[net.nodes[ruling].class as usize];
        let beside = self.velocity_across(face);
        let mut slope = Vec2::new(self.slopes[at], self.across(at));
        let mut friction = grip.mu;
        if let Some((drive, of_floor)) =
            self.drive(ruling, beds[ruling] <= net.nodes[ruling].floor, face.axis, slope)
        {
            (slope, friction) = (drive, of_floor);
        }
        let steepness = slope.length();
        if steepness <= friction + SLACK && self.stands(velocity.abs().max(beside.abs()), layers) {
            return 0.0;
        }
        let effective = steepness.min(grip.steepest);
        let weight = self.law.gravity_m_s2 / (1.0 + effective * effective) * self.dt_s;
        let cap = if steepness > grip.steepest { grip.steepest / steepness } else { 1.0 };
        let along = gained(velocity, slope.x, weight, cap);
        let across = gained(beside, slope.y, weight, cap);
        let speed = Vec2::new(along, across).length();
        let held = friction * weight;
        let left = if speed <= held { 0.0 } else { along * (1.0 - held / speed) };
        if left.abs() < CREEP * weight { 0.0 } else { left }
    }

    /// True for soil that is so slow, or so thin, that it stands where its slope holds what stands.
    #[inline]
    fn stands(&self, speed: f32, (back, ahead): (i64, i64)) -> bool {
        let is_slow = speed * speed < SLOW * SLOW * self.law.gravity_m_s2 * self.law.voxel_size_m;
        is_slow || back.max(ahead) < THINNEST
    }

    /// The velocity across a face: the mean of the four around it, where walls have none.
    fn velocity_across(&self, face: &Face) -> f32 {
        let side = 2 - 2 * usize::from(face.axis);
        let mut sum = 0.0;
        for node in [face.back, face.ahead] {
            let faces = &self.net.nodes[node as usize].faces;
            for beside in [faces[side], faces[side + 1]] {
                sum += self.net.velocity.get(beside as usize).copied().unwrap_or(0.0);
            }
        }
        0.25 * sum
    }
}

/// A velocity with what a slope adds: downhill no more than `cap` of it, and what goes uphill is stopped before it turns.
#[inline]
fn gained(velocity: f32, slope: f32, weight: f32, cap: f32) -> f32 {
    if velocity * slope > 0.0 {
        let slowed = velocity - weight * slope;
        return if slowed * velocity > 0.0 { slowed } else { 0.0 };
    }
    velocity - weight * cap * slope
}

impl Face {
    /// The nodes that soil of this velocity comes from and goes to.
    #[inline]
    pub fn way_of(&self, velocity: f32) -> (u32, u32) {
        if velocity > 0.0 { (self.back, self.ahead) } else { (self.ahead, self.back) }
    }
}

impl super::net::Net {
    /// The layer in which soil of one pile pours over an edge on to another; none where it slides on to it.
    #[inline]
    pub fn edge(&self, from: u32, to: u32) -> Option<i32> {
        let [from, to] = [from, to].map(|at| &self.nodes[at as usize]);
        (to.top + HEIGHT_ONE < from.firm).then_some(from.firm.div_euclid(HEIGHT_ONE) as i32)
    }
}
