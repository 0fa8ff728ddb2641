//! How hard moving soil presses on bodies that stand in its way.
//!
//! A layer that finds the next column closed loses there what flows in, half q u at the middle of the last column, and presses with
//! its own weight, half rho g m² (SavageHutter1989, where the pressure sideways is that of the weight): so the body gains what the
//! layer loses. Soil at rest presses nothing here: that is the part of `bearing`.

use std::collections::BTreeMap;

use barchan_volume::Brick;
use barchan_volume::brick::{brick_of, voxel_index};
use glam::{IVec2, IVec3};
use rustc_hash::FxHashMap;

use super::beds::voxels;
use super::law::Law;
use super::net::{NONE, Net, STEPS};
use crate::bodies::{BodyFill, BodyId, Impulse};
use crate::columns::HEIGHT_ONE;
use crate::now::Now;
use crate::reader::BARRIER_SHARE;

/// What bodies got of sliding soil in a step, about their centres of mass.
#[derive(Default)]
pub(super) struct Pressing {
    pub impulses: BTreeMap<BodyId, Impulse>,
    /// What each body takes of bricks that several share.
    shared: FxHashMap<IVec3, Vec<(BodyId, Brick<u16>)>>,
}

impl Pressing {
    /// Adds what the soil of `net` presses in `dt_s` (s), moving as fast as it does now.
    pub fn add(&mut self, net: &Net, law: &Law, dt_s: f32, now: &Now<'_>) {
        for tile in &net.tiles {
            let is_near = |at: i32| {
                let around = tile.coord + IVec2::new(at / 3 - 1, at % 3 - 1);
                now.body_fill.shares().column_extent(around).is_some()
            };
            if !(0..9).any(is_near) {
                continue;
            }
            for node in net.nodes_of(tile).filter(|node| net.beds[*node] < net.nodes[*node].top) {
                for to in 0..4 {
                    self.press(net, law, node, to, dt_s, now);
                }
            }
        }
    }

    /// What one pile presses towards one of its sides.
    fn press(&mut self, net: &Net, law: &Law, at: usize, to: usize, dt_s: f32, now: &Now<'_>) {
        let (node, bed) = (&net.nodes[at], net.beds[at]);
        let closed_to = match node.near[to] {
            NONE => node.top,
            beside => net.nodes[beside as usize].floor.min(node.top),
        };
        if closed_to <= bed {
            return;
        }
        let middle_z = ((bed + closed_to) / 2).div_euclid(HEIGHT_ONE) as i32;
        let column = IVec2::from_array(node.key.column);
        let Some(body) = self.body_at((column + STEPS[to]).extend(middle_z), now.body_fill) else { return };
        let Some(centre_m) = now.bodies.get(body).map(|body| body.centre_of_mass_m.as_dvec3()) else {
            return;
        };
        let (size, gravity) = (f64::from(law.voxel_size_m), f64::from(law.gravity_m_s2));
        let layer_m = f64::from(voxels(closed_to - bed)) * size;
        // What comes in on the other side, towards the body.
        let behind = net.velocity.get(node.faces[to ^ 1] as usize).copied().unwrap_or(0.0);
        let speed = f64::from(if to & 1 == 1 { behind } else { -behind }).max(0.0);
        let whole_m = f64::from(voxels(node.top - bed)) * size;
        let weight = 0.5 * gravity * layer_m * (2.0 * whole_m - layer_m);
        let pressure = weight + 0.5 * speed * speed * layer_m;
        let density = f64::from(law.strengths[node.class as usize].gamma_n_m3) / gravity;
        let outward = STEPS[to].as_dvec2().extend(0.0);
        let impulse = outward * (density * pressure * size * f64::from(dt_s));
        let middle_m = (column.as_dvec2() + 0.5 + 0.5 * outward.truncate()) * size;
        let height_m = f64::from(voxels(bed)) * size + layer_m / 3.0;
        let arm_m = middle_m.extend(height_m) - centre_m;
        *self.impulses.entry(body).or_default() += Impulse::at(impulse, arm_m);
    }

    /// The body that takes most of voxel `p`, where bodies are in the way there.
    fn body_at(&mut self, p: IVec3, fill: &BodyFill) -> Option<BodyId> {
        if u32::from(fill.shares().get(p)) < BARRIER_SHARE {
            return None;
        }
        let brick = brick_of(p);
        match fill.bodies_in(brick) {
            [] => None,
            [only] => Some(*only),
            several => {
                let own = || several.iter().filter_map(|id| Some((*id, fill.own(*id, brick)?))).collect();
                let shares = self.shared.entry(brick).or_insert_with(own);
                shares.iter().max_by_key(|(_, share)| share.get(voxel_index(p))).map(|(id, _)| *id)
            }
        }
    }
}
