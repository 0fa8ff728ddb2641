//! How much soil goes through every face: whole units, no more than moves and than there is room for.

use rayon::prelude::*;

use super::beds::{Moment, voxels};
use super::net::{AT_ONCE, Net};
use super::rule::TOLERANCE;
use crate::columns::{HEIGHT_ONE, Pile};

/// What goes through the faces of a net in a substep.
pub(super) struct Flux {
    /// Of faces: what goes, the way of its velocity (units).
    pub units: Vec<u32>,
    /// Of faces (m/s): as asked for, nothing where no layer is.
    pub velocity: Vec<f32>,
    /// Of faces: what is left and less than a unit (units).
    pub rest: Vec<f32>,
}

impl Moment<'_> {
    /// What goes with these velocities on these beds.
    pub fn flux(&self, mut velocity: Vec<f32>, beds: &[i64]) -> Flux {
        let wanted = |(at, velocity): (usize, &mut f32)| {
            let depth = if *velocity == 0.0 { 0 } else { self.depth(&self.net.faces[at], *velocity, beds) };
            if depth < CRUMB {
                *velocity = 0.0;
                return 0.0;
            }
            let (from, _) = self.net.faces[at].way_of(*velocity);
            let per_depth = velocity.abs() * self.dt_s / self.law.voxel_size_m;
            per_depth * voxels(depth) * self.net.nodes[from as usize].capacity as f32 + self.net.rest[at]
        };
        let wanted: Vec<f32> =
            velocity.par_iter_mut().with_min_len(AT_ONCE).enumerate().map(wanted).collect();
        let limits = |at: usize| self.limits(at, &wanted, &velocity, beds);
        let limits: Vec<[f32; 2]> =
            (0..self.net.nodes.len()).into_par_iter().with_min_len(AT_ONCE).map(limits).collect();
        let share = |(at, velocity): (usize, &mut f32)| {
            let (from, to) = self.net.faces[at].way_of(*velocity);
            let limit = limits[from as usize][0] * limits[to as usize][1];
            if limit <= 0.0 {
                // What finds its way closed stops.
                *velocity = 0.0;
                return (0, 0.0);
            }
            let units = (wanted[at] * limit) as u32;
            if units == 0 && limit < 1.0 {
                // So does what finds next to no room, which would ask for it for ever.
                *velocity = 0.0;
                return (0, 0.0);
            }
            (units, if limit < 1.0 { 0.0 } else { wanted[at] - units as f32 })
        };
        let (units, rest) = velocity.par_iter_mut().with_min_len(AT_ONCE).enumerate().map(share).unzip();
        Flux { units, velocity, rest }
    }

    /// Which shares of what is to leave a pile and of what is to come to it can do so.
    fn limits(&self, at: usize, wanted: &[f32], velocity: &[f32], beds: &[i64]) -> [f32; 2] {
        let node = &self.net.nodes[at];
        let (mut leaving, mut coming) = (0.0, 0.0);
        for face in self.net.faces_of(at).map(|face| face as usize) {
            let (from, to) = self.net.faces[face].way_of(velocity[face]);
            if from as usize == at {
                leaving += wanted[face];
            } else if self.net.edge(from, to).is_none() {
                coming += wanted[face];
            }
        }
        let capacity = node.capacity.max(1) as f32;
        // Beside what cuts a voxel soil stands higher than there is of it; rounding must not ask for more than all.
        let there = (voxels(node.top - beds[at]).max(0.0) * capacity).min(node.soil as f32 * (1.0 - 1e-6));
        let room = if node.ceiling >= Pile::SKY {
            f32::MAX
        } else {
            voxels(node.ceiling - node.top) * LEAST_CAPACITY
        };
        let share = |most: f32, asked: f32| if asked > most { most / asked } else { 1.0 };
        [share(there, leaving), share(room, coming)]
    }
}

/// A layer that is thinner than this stays, however steep it lies (1/32,768 voxel): crumbs would wander for ever. It is as thick as
/// what a slope that is hardly too steep sheds.
const CRUMB: i64 = TOLERANCE;

/// Units that fill a voxel of the loosest soil that there mostly is.
const LEAST_CAPACITY: f32 = HEIGHT_ONE as f32 / 2.0;

impl Net {
    /// The longest time that nothing crosses more than about half a column in (s).
    pub fn longest_substep_s(&self, voxel_size_m: f32, gravity_m_s2: f32) -> f32 {
        let fastest = |(face, velocity): (&super::net::Face, &f32)| {
            if *velocity == 0.0 {
                return 0.0;
            }
            let layer = |at: u32| (self.nodes[at as usize].top - self.beds[at as usize]).max(0);
            let layer_m = 0.5 * voxels(layer(face.back) + layer(face.ahead)) * voxel_size_m;
            velocity.abs() + (gravity_m_s2 * layer_m).sqrt()
        };
        let faces = self.faces.par_iter().zip(&self.velocity).with_min_len(AT_ONCE);
        let speed = faces.map(fastest).reduce(|| 0.0, f32::max);
        COURANT * voxel_size_m / speed.max((COURANT * voxel_size_m * gravity_m_s2).sqrt())
    }
}

/// Share of a column that soil and its waves cross in a substep at most (-).
const COURANT: f32 = 0.45;
