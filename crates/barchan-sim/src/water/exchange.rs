//! What water takes from the ground, lays down on it and leaves in its pores (Weiss2016 ch. 3.2.2, set right).
//!
//! A particle wears the ground along its whole path: what it did in the substeps adds up, and is settled once for each part of a
//! step. The rates are exact exponentials, so that steps of any length do the same. What is below a unit stays with the particle
//! as a claim. Whole units change hands in the order of bricks, voxels and names, so that threads change nothing.

use barchan_particles::{Id, Place as At};
use barchan_volume::VoxelBox;
use barchan_volume::brick::{brick_of, voxel_index};
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use super::beds::Reader;
use super::erosion::ErosionParams;
use super::particles::Particles;
use super::random::Chance;
use super::scale::{PARTS, Scale};
use crate::ground::{Ground, GroundBrick, Touch};
use crate::ledger::{Account, Transfers};
use crate::material::{Hardness, MaterialId, Materials};
use crate::now::Now;
use crate::units::LOOSE_FULL;
use crate::voxel::{Parcel, Parcels, Voxel, VoxelMut};

/// What a particle did to the ground since the exchange before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Contact {
    /// Where it touched the ground last.
    pub at: At,
    /// How far it moved against the ground, and along it (m).
    pub way_m: [f32; 2],
    /// How far it moved while it touched (m).
    pub path_m: f32,
    /// How long it touched (s).
    pub time_s: f32,
}

/// What a particle wants of one voxel.
#[derive(Clone, Debug)]
struct Ask {
    brick: IVec3,
    at: usize,
    id: Id,
    slot: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Ground (units).
    Take(u32),
    /// To lay down soil, by kinds (units).
    Give(Vec<(MaterialId, u32)>),
    /// To wet the soil (units).
    Wet(u32),
}

/// What became of it.
#[derive(Clone, Copy, Debug)]
enum Got {
    /// Soil of the ground became sediment, with the water in its pores (units).
    Soil { slot: usize, kind: MaterialId, units: u32, water: u32 },
    /// Rock of a kind became sediment of another (units).
    Rock { slot: usize, rock: MaterialId, kind: MaterialId, units: u32 },
    /// Sediment became soil (units).
    Laid { slot: usize, kind: MaterialId, units: u32 },
    /// Water went into pores (units).
    Soaked { slot: usize, units: u32 },
}

/// An exchange between all particles and the ground.
pub(super) struct Exchange<'a> {
    pub now: &'a Now<'a>,
    pub scale: &'a Scale,
    pub params: &'a ErosionParams,
    pub hardness: &'a Hardness,
    pub chance: Chance,
    /// False: water is too calm to take anything.
    pub wears: bool,
}

impl Exchange<'_> {
    /// Carries it out; `reader` makes readers of the ground as it was.
    pub fn carry_out<'b>(
        &self,
        particles: &mut Particles,
        reader: impl Fn() -> Reader<'b> + Sync + Send,
        ground: &mut Ground,
        transfers: &mut Transfers,
    ) {
        let asked: Vec<(i32, Option<Ask>, Option<Ask>)> = {
            let (particles, ground) = (&*particles, &*ground);
            (0..particles.len())
                .into_par_iter()
                .with_min_len(1_024)
                .map_init(reader, |reader, slot| self.ask(reader, particles, ground, slot))
                .collect()
        };
        let mut asks = Vec::new();
        for (slot, (claim, exchange, wet)) in asked.into_iter().enumerate() {
            particles.claims[slot] = claim;
            asks.extend(exchange.into_iter().chain(wet));
        }
        if asks.is_empty() {
            return;
        }
        asks.sort_by_key(|ask| (ask.brick.to_array(), ask.at, ask.id));
        let of_bricks: Vec<&[Ask]> = asks.chunk_by(|a, b| a.brick == b.brick).collect();
        let answered: Vec<_> = of_bricks.into_par_iter().map(|asks| self.answer(asks, ground)).collect();
        for (coord, brick, got) in answered {
            if got.is_empty() {
                continue;
            }
            ground.replace_brick(coord, brick, Touch::All);
            got.into_iter().for_each(|got| settle(got, particles, transfers));
        }
    }

    /// The claim of a particle after what it did, and what it asks for.
    fn ask(
        &self,
        reader: &mut Reader<'_>,
        particles: &Particles,
        ground: &Ground,
        slot: usize,
    ) -> (i32, Option<Ask>, Option<Ask>) {
        let (contact, claim) = (particles.contacts[slot], particles.claims[slot]);
        if contact.time_s <= 0.0 {
            return (claim, None, None);
        }
        let point_m = self.scale.lattice.point(contact.at);
        let touch = reader.touch(point_m);
        let Some(distance_m) = touch.distance_m() else { return (claim, None, None) };
        let inwards = touch.gradient.normalize_or_zero();
        let surface_m = point_m + (inwards * distance_m).as_dvec3();
        let id = particles.ids[slot];
        let ask = |p: IVec3, what| Some(Ask { brick: brick_of(p), at: voxel_index(p), id, slot, what });
        let chance = |question: u64| self.chance.share(u64::from(id.0) << 3 | question);

        let touched = self.pick(
            surface_m,
            chance(0),
            |voxel, _| f64::from(voxel.rock_share(self.now.materials) + voxel.soil_share()),
            ground,
        );
        let Some((touched, voxel)) = touched else { return (claim, None, None) };
        let wanted = self.wanted_parts(particles, slot, &contact, inwards, touched, &voxel);
        let claim = (f64::from(claim) + (wanted + chance(1)).floor()).clamp(-1e9, 1e9) as i32;
        let units = claim.unsigned_abs() / PARTS;
        let exchange = match claim.signum() {
            1 if units > 0 => ask(touched, What::Take(units)),
            -1 if units > 0 => self.give(particles, slot, units).and_then(|kinds| {
                let room = |voxel: &Voxel, p: IVec3| self.room(voxel, p);
                self.pick(surface_m, chance(2), room, ground).and_then(|(p, _)| ask(p, What::Give(kinds)))
            }),
            _ => None,
        };
        (
            claim,
            exchange,
            self.wet(particles, slot, &contact, &voxel, chance(3))
                .and_then(|units| ask(touched, What::Wet(units))),
        )
    }

    /// What a particle would take (parts); less than nothing: what it would lay down.
    fn wanted_parts(
        &self,
        particles: &Particles,
        slot: usize,
        contact: &Contact,
        inwards: Vec3,
        p: IVec3,
        voxel: &Voxel,
    ) -> f64 {
        let (params, scale) = (self.params, self.scale);
        let water_m3 = f64::from(particles.water[slot]) * scale.water_part_m3;
        let held_m3 = particles.sediment_of(slot) as f64 * scale.soil_part_m3;
        let speed = f64::from(contact.path_m / contact.time_s);
        let capacity_m3 = f64::from(params.capacity_s_m) * speed * water_m3;
        // The layer that the ground feels, over that in which a particle touches it.
        let share = f64::from(params.touch_m / scale.spacing_m * params.time_scale);
        if capacity_m3 > held_m3 {
            if !self.wears {
                return 0.0;
            }
            let Some(erodibility) = self.erodibility(p, voxel) else { return 0.0 };
            let [against, along] = contact.way_m;
            let dose = params.dissolve_normal_1_m * against + params.dissolve_tangential_1_m * along;
            let taken = 1.0 - libm::exp(-f64::from(dose * erodibility) * share);
            return (capacity_m3 - held_m3) * taken / scale.soil_part_m3;
        }
        let down = self.now.gravity_m_s2.normalize_or_zero();
        let flatness = smoothstep(params.steep_cosine, params.flat_cosine, inwards.dot(down));
        let least_m3 = f64::from(params.least_share) * scale.volume_m3(scale.full_parts, 0);
        let too_much_m3 = held_m3 - capacity_m3;
        let kept = |flatness: f32| {
            1.0 - libm::exp(-f64::from(params.deposit_1_s * flatness * contact.time_s) * share)
        };
        let laid_m3 = if params.noses {
            (too_much_m3 * kept(flatness)).max(least_m3 * kept(1.0))
        } else {
            too_much_m3.max(least_m3) * kept(flatness)
        };
        -laid_m3.min(held_m3) / scale.soil_part_m3
    }

    /// How easily what a voxel shows is taken; none: nothing takes it.
    fn erodibility(&self, p: IVec3, voxel: &Voxel) -> Option<f32> {
        let (kind, materials) = (voxel.kind(), self.now.materials);
        if !voxel.has_soil() {
            crumbles_to(kind, materials)?;
        }
        let softness = self.hardness.softness(p, self.scale.voxel_m as f32);
        Some(Hardness::erodibility_at(kind, materials, softness))
    }

    /// Whole units of what a particle holds, what it holds most of first; none: it has not as much as a unit.
    fn give(&self, particles: &Particles, slot: usize, units: u32) -> Option<Vec<(MaterialId, u32)>> {
        let mut held: Vec<(MaterialId, u32)> = particles
            .kinds
            .iter()
            .zip(&particles.sediment)
            .map(|(kind, of_kind)| (*kind, of_kind[slot] / PARTS))
            .filter(|(_, units)| *units > 0)
            .collect();
        held.sort_by_key(|(kind, units)| (std::cmp::Reverse(*units), *kind));
        let mut left = units;
        for (_, units) in &mut held {
            *units = left.min(*units);
            left -= *units;
        }
        held.retain(|(_, units)| *units > 0);
        (!held.is_empty()).then_some(held)
    }

    /// How much water a voxel of soil takes from a particle that touches it (units).
    fn wet(
        &self,
        particles: &Particles,
        slot: usize,
        contact: &Contact,
        voxel: &Voxel,
        chance: f64,
    ) -> Option<u32> {
        let free = voxel.pore_share().saturating_sub(u32::from(voxel.water));
        if !voxel.has_soil() || free == 0 {
            return None;
        }
        let area_m2 = f64::from(self.scale.spacing_m) * f64::from(self.scale.spacing_m);
        let m3 = f64::from(self.params.soak_m_s * contact.time_s * self.params.time_scale) * area_m2;
        let units = m3 / (self.scale.water_part_m3 * f64::from(PARTS)) + chance;
        let units = (units as u32).min(free).min(particles.water[slot] / PARTS);
        (units > 0).then_some(units)
    }

    /// How much of a voxel is free for what is laid down; nothing in the wall and in full voxels.
    fn room(&self, voxel: &Voxel, p: IVec3) -> f64 {
        let body = u32::from(self.now.body_fill.shares().get(p));
        let taken = voxel.rock_share(self.now.materials) + voxel.soil_share() + body;
        f64::from(LOOSE_FULL.saturating_sub(taken))
    }

    /// One of the eight voxels around a point, by chance: each as likely as it is near and `worth` it.
    fn pick(
        &self,
        point_m: DVec3,
        chance: f64,
        worth: impl Fn(&Voxel, IVec3) -> f64,
        ground: &Ground,
    ) -> Option<(IVec3, Voxel)> {
        let at = point_m / self.scale.voxel_m - 0.5;
        let (base, f) = (at.floor().as_ivec3(), at - at.floor());
        let mut weights = [0.0; 8];
        let mut around = [(IVec3::ZERO, Voxel::AIR); 8];
        for (i, d) in VoxelBox::new(IVec3::ZERO, IVec3::splat(2)).cells().enumerate() {
            let p = base + d;
            let voxel = ground.get(p);
            let near = |axis: usize| if d[axis] == 1 { f[axis] } else { 1.0 - f[axis] };
            around[i] = (p, voxel);
            if !ground.is_wall(p) {
                weights[i] = near(0) * near(1) * near(2) * worth(&voxel, p);
            }
        }
        let mut left = chance * weights.iter().sum::<f64>();
        let last = weights.iter().rposition(|weight| *weight > 0.0)?;
        for (i, weight) in weights.iter().enumerate() {
            if i == last || left < *weight {
                return Some(around[i]);
            }
            left -= weight;
        }
        None
    }

    /// What a brick answers to all that is asked of it, in their order.
    fn answer(&self, asks: &[Ask], ground: &Ground) -> (IVec3, GroundBrick, Vec<Got>) {
        let coord = asks[0].brick;
        let mut brick = ground.brick(coord);
        let mut got = Vec::new();
        let mut parcels = Parcels::new();
        for ask in asks {
            let voxels = brick.voxels.make_mut();
            let mut voxel = VoxelMut::new(&mut voxels[ask.at], &mut brick.side, ask.at);
            match &ask.what {
                What::Take(units) => {
                    parcels.clear();
                    let taken = voxel.take_soils(*units, &mut parcels);
                    for parcel in &parcels {
                        let (units, water) = (u32::from(parcel.units), u32::from(parcel.water));
                        got.push(Got::Soil { slot: ask.slot, kind: parcel.kind, units, water });
                    }
                    self.take_rock(&mut voxel, *units - taken, ask.slot, &mut got);
                }
                What::Give(kinds) => {
                    let share = self.now.body_fill.shares().get(place_in(coord, ask.at));
                    for (kind, units) in kinds {
                        let void_ratio = self.now.materials.loose(*kind);
                        let room = voxel.get().room(void_ratio, share.into(), self.now.materials);
                        let mut parcel =
                            Parcel { units: u16::MAX, kind: *kind, void_ratio, moved: true, water: 0 };
                        let units = (*units).min(room).min(voxel.countable(&parcel)).min(u32::from(u16::MAX));
                        if units > 0 {
                            parcel.units = units as u16;
                            voxel.add_soil(parcel);
                            got.push(Got::Laid { slot: ask.slot, kind: *kind, units });
                        }
                    }
                }
                What::Wet(units) => {
                    let free = voxel.get().pore_share().saturating_sub(u32::from(voxel.get().water));
                    let units = (*units).min(free);
                    if units > 0 {
                        voxel.add_water(units as u16);
                        got.push(Got::Soaked { slot: ask.slot, units });
                    }
                }
            }
        }
        (coord, brick, got)
    }

    /// Takes rock, of which sediment is made.
    fn take_rock(&self, voxel: &mut VoxelMut<'_>, units: u32, slot: usize, got: &mut Vec<Got>) {
        let mut left = units;
        while left > 0 && voxel.get().rock > 0 {
            let Some(kind) = crumbles_to(voxel.get().rock_kind, self.now.materials) else { return };
            let (taken, rock) = voxel.take_rock(left);
            if taken == 0 {
                return;
            }
            left -= u32::from(taken);
            got.push(Got::Rock { slot, rock, kind, units: taken.into() });
        }
    }
}

/// Books what happened, and gives it to the particle.
fn settle(got: Got, particles: &mut Particles, transfers: &mut Transfers) {
    let water = (Account::Water, Account::WATER_KIND);
    let free = (Account::FreeWater, Account::WATER_KIND);
    let mut take = |slot: usize, kind: MaterialId, units: u32| {
        let row = particles.row_of(kind);
        particles.sediment[row][slot] += units * PARTS;
        particles.claims[slot] -= (units * PARTS) as i32;
    };
    match got {
        Got::Soil { slot, kind, units, water: pores } => {
            take(slot, kind, units);
            transfers.add(Some((Account::Soil, kind)), Some((Account::Sediment, kind)), units.into());
            particles.water[slot] += pores * PARTS;
            transfers.add(Some(water), Some(free), pores.into());
        }
        Got::Rock { slot, rock, kind, units } => {
            take(slot, kind, units);
            transfers.add(Some((Account::Rock, rock)), Some((Account::Sediment, kind)), units.into());
        }
        Got::Laid { slot, kind, units } => {
            let row = particles.row_of(kind);
            particles.sediment[row][slot] -= units * PARTS;
            particles.claims[slot] += (units * PARTS) as i32;
            transfers.add(Some((Account::Sediment, kind)), Some((Account::Soil, kind)), units.into());
        }
        Got::Soaked { slot, units } => {
            // Others may have asked for the same; a particle gives no more than it has.
            particles.water[slot] -= units * PARTS;
            transfers.add(Some(free), Some(water), units.into());
        }
    }
}

/// The soil that a rock becomes; none where nothing breaks it.
fn crumbles_to(rock: MaterialId, materials: &Materials) -> Option<MaterialId> {
    materials.get(rock)?.crumbles_to.as_ref().and_then(|name| materials.find(name))
}

fn place_in(brick: IVec3, at: usize) -> IVec3 {
    brick * 8 + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, (at & 7) as i32)
}

/// 0 below `low`, 1 above `high`, smooth between.
fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
