//! What changes hands: between water and ground, with the air, and out of the world.

use glam::Vec3;

use super::diffusion::spread;
use super::exchange::Exchange;
use super::particles::Newborn;
use super::random::Chance;
use super::report::WaterReport;
use super::run::{EXCHANGE, SPREAD, VAPOUR};
use super::scale::{PARTS, Scale};
use super::vapour::{evaporate, join};
use super::water::{Scratch, Water};
use crate::ground::Ground;
use crate::ledger::{Account, Place, Transfers};
use crate::material::{Hardness, MaterialId};
use crate::now::Now;

impl Water {
    /// What water and ground give each other, what spreads in the water, and what goes into the air.
    pub(super) fn exchange(
        &mut self,
        now: &Now,
        seed: u64,
        hardness: &Hardness,
        scale: &Scale,
        ground: &mut Ground,
        report: &mut WaterReport,
    ) {
        let (particles, params) = (&mut self.particles, &self.erosion);
        let Scratch { flow, .. } = &*self.scratch;
        if particles.is_empty() || particles.len() != flow.weights.len() {
            return;
        }
        let moments = self.moments;
        let chance = |use_| Chance::new(seed, use_, moments);
        let down = now.gravity_m_s2.normalize_or_zero();
        let dt_s = now.dt_s as f32;
        spread(particles, flow, params, scale, down, dt_s, chance(SPREAD));
        self.go_into_the_air(scale, -down, dt_s, chance(VAPOUR), report);
        let (particles, params, wears) = (&mut self.particles, &self.erosion, !self.rest.is_calm());
        let Scratch { beds, .. } = &*self.scratch;
        let exchange = Exchange { now, scale, params, hardness, chance: chance(EXCHANGE), wears };
        exchange.carry_out(particles, || beds.reader(), ground, &mut report.transfers);
        self.merge(scale);
    }

    /// What evaporates in `dt_s` (s).
    pub(super) fn go_into_the_air(
        &mut self,
        scale: &Scale,
        up: Vec3,
        dt_s: f32,
        chance: Chance,
        report: &mut WaterReport,
    ) {
        let (particles, flow) = (&mut self.particles, &self.scratch.flow);
        let gone = evaporate(particles, flow, &self.erosion, scale, up, dt_s, chance);
        let parts = u64::from(self.rest_water) + gone;
        self.rest_water = (parts % u64::from(PARTS)) as u32;
        leave((Account::FreeWater, Account::WATER_KIND), parts, &mut report.transfers);
    }

    /// Remnants join their neighbours, and what holds nothing goes.
    pub(super) fn merge(&mut self, scale: &Scale) {
        let keep = join(&mut self.particles, &self.scratch.flow, scale);
        if let Some(mut keep) = keep {
            self.let_go(&mut keep);
            self.particles.retain(&keep);
            self.hand_back();
        }
    }

    /// Takes particles that hold no water and not a unit of anything out of the world; what they hold is left over.
    fn let_go(&mut self, keep: &mut [bool]) {
        for slot in 0..keep.len() {
            let holds = |of_kind: &Vec<u32>| of_kind[slot] >= PARTS;
            if !keep[slot] || self.particles.water[slot] > 0 || self.particles.sediment.iter().any(holds) {
                continue;
            }
            keep[slot] = false;
            for row in 0..self.particles.kinds.len() {
                let (kind, held) = (self.particles.kinds[row], self.particles.sediment[row][slot]);
                if held > 0 {
                    *rest_of(&mut self.rest_sediment, kind) += held;
                }
            }
        }
    }

    /// Gives what is left over and has become a unit to the first particle.
    fn hand_back(&mut self) {
        if self.particles.is_empty() {
            return;
        }
        for (kind, parts) in &mut self.rest_sediment {
            let whole = *parts / PARTS * PARTS;
            if whole > 0 {
                let row = self.particles.row_of(*kind);
                if let Some(sum) = self.particles.sediment[row][0].checked_add(whole) {
                    self.particles.sediment[row][0] = sum;
                    *parts -= whole;
                }
            }
        }
        self.rest_sediment.retain(|(_, parts)| *parts > 0);
    }

    /// What goes through drains, over open borders and out of the world.
    pub(super) fn drain(&mut self, now: &Now, ground: &Ground, scale: &Scale, report: &mut WaterReport) {
        let particles = &self.particles;
        let whole = scale.volume_m3(scale.full_parts, 0);
        for drain in &mut self.drains {
            let rate = drain.rate_m3_s.map_or(f64::INFINITY, f64::from);
            drain.owed_m3 = (drain.owed_m3 + rate * now.dt_s).min(1e9);
        }
        let (drains, floor_m) = (&mut self.drains, f64::from(ground.floor_z()) * scale.voxel_m);
        let open = self.open;
        let is_endless = ground.bounds().is_none();
        let mut keep = vec![true; particles.len()];
        for (slot, keep) in keep.iter_mut().enumerate() {
            let at = scale.lattice.point(particles.places[slot]);
            let p = (at / scale.voxel_m).floor().as_ivec3();
            let is_outside =
                ground.bounds().is_some_and(|walls| !walls.contains(p) && open.is_open(p, &walls));
            let is_lost = is_endless && at.z < floor_m - f64::from(scale.support_m);
            let volume = scale.volume_m3(particles.water[slot], particles.sediment_of(slot));
            let drained = drains.iter_mut().find(|drain| drain.owed_m3 >= volume && drain.holds(at));
            if let Some(drain) = drained {
                drain.owed_m3 -= volume;
                *keep = false;
            }
            *keep &= !(is_outside || is_lost);
        }
        // A drain that finds nothing saves up no more than a few particles.
        self.drains.iter_mut().for_each(|drain| drain.owed_m3 = drain.owed_m3.min(8.0 * whole));
        let gone: Vec<usize> = (0..keep.len()).filter(|slot| !keep[*slot]).collect();
        for slot in gone {
            self.give_up(slot, report);
        }
        self.particles.retain(&keep);
    }

    /// Lets what a particle holds leave the world, in whole units.
    fn give_up(&mut self, slot: usize, report: &mut WaterReport) {
        let parts = u64::from(self.rest_water) + u64::from(self.particles.water[slot]);
        self.rest_water = (parts % u64::from(PARTS)) as u32;
        leave((Account::FreeWater, Account::WATER_KIND), parts, &mut report.transfers);
        for row in 0..self.particles.kinds.len() {
            let (kind, held) = (self.particles.kinds[row], self.particles.sediment[row][slot]);
            if held == 0 {
                continue;
            }
            let rest = rest_of(&mut self.rest_sediment, kind);
            let parts = u64::from(*rest) + u64::from(held);
            *rest = (parts % u64::from(PARTS)) as u32;
            leave((Account::Sediment, kind), parts, &mut report.transfers);
        }
        self.rest_sediment.retain(|(_, parts)| *parts > 0);
    }
}

/// Books what a particle brings that comes in.
pub(super) fn enter(one: &Newborn, transfers: &mut Transfers) {
    let water = (Account::FreeWater, Account::WATER_KIND);
    transfers.add(None, Some(water), i64::from(one.water / PARTS));
    if let Some((kind, parts)) = one.sediment {
        transfers.add(None, Some((Account::Sediment, kind)), i64::from(parts / PARTS));
    }
}

fn leave(place: Place, parts: u64, transfers: &mut Transfers) {
    transfers.add(Some(place), None, (parts / u64::from(PARTS)) as i64);
}

/// What is left over of a kind.
fn rest_of(rests: &mut Vec<(MaterialId, u32)>, kind: MaterialId) -> &mut u32 {
    let at = match rests.binary_search_by_key(&kind, |(kind, _)| *kind) {
        Ok(at) => at,
        Err(at) => {
            rests.insert(at, (kind, 0));
            at
        }
    };
    &mut rests[at].1
}
