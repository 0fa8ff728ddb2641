//! Sediment spreads among neighbours, most of it downwards (Weiss2016 eq. 3.36 to 3.38, with Blasi1993's phase function).
//!
//! What a particle gives to a neighbour both reckon with the same numbers, and it is a whole number of parts: what one gives the other
//! gets. Parts of a part go by chance. Nobody gives more than half of what it has at once, and none takes when it is full of grains.

use barchan_particles::{Id, Place};
use glam::Vec3;
use rayon::prelude::*;

use super::erosion::ErosionParams;
use super::flow::Flow;
use super::particles::Particles;
use super::random::Chance;
use super::scale::Scale;

/// Largest share of what a particle holds that it gives in one exchange.
const MOST: f32 = 0.5;

/// Share of its volume above which a particle is full of grains: as loose as they can lie.
const FULL: f32 = 0.6;

/// Mean distance of a neighbour by Wendland's kernel (supports).
const TYPICAL: f32 = 0.4;

/// What a spread reads.
struct Spread<'a> {
    flow: &'a Flow,
    ids: &'a [Id],
    /// How much of its sediment a full kernel of neighbours gets without a direction (-).
    strength: f32,
    phase: f32,
    down: Vec3,
    /// How much each may still take (0 to 1).
    room: Vec<f32>,
    chance: Chance,
}

/// Spreads sediment for `dt_s` (s), among the neighbours that were found last.
pub(super) fn spread(
    particles: &mut Particles,
    flow: &Flow,
    params: &ErosionParams,
    scale: &Scale,
    down: Vec3,
    dt_s: f32,
    chance: Chance,
) {
    let strength = params.diffusion_m_s * params.time_scale * dt_s / (TYPICAL * scale.support_m);
    if strength <= 0.0 || particles.kinds.is_empty() {
        return;
    }
    let room = |slot: usize| {
        let sediment = particles.sediment_of(slot);
        let share = sediment as f64 * scale.soil_part_m3
            / scale.volume_m3(particles.water[slot], sediment).max(f64::MIN_POSITIVE);
        (1.0 - share as f32 / FULL).max(0.0)
    };
    let room = (0..particles.len()).into_par_iter().map(room).collect();
    let ids = std::mem::take(&mut particles.ids);
    let spread = Spread { flow, ids: &ids, strength, phase: params.phase, down, room, chance };
    let len = particles.len();
    let holds = |slot: usize| particles.sediment.iter().any(|of_kind| of_kind[slot] > 0);
    let scale = |slot: usize| if holds(slot) { spread.scale(slot) } else { 1.0 };
    let scales: Vec<f32> = (0..len).into_par_iter().map(scale).collect();
    for (row, of_kind) in particles.sediment.iter_mut().enumerate() {
        let given: Vec<u32> =
            (0..len).into_par_iter().map(|slot| spread.given(slot, row, of_kind, &scales)).collect();
        // Who has too little to be sure of enough gives nothing.
        let gives = |slot: usize| given[slot] <= of_kind[slot];
        let next = |slot: usize| {
            let got: u32 = flow
                .neighbours(slot)
                .iter()
                .map(|&other| other as usize)
                .filter(|&other| of_kind[other] > 0 && gives(other))
                .map(|other| spread.parts(other, slot, row, of_kind, &scales))
                .sum();
            let lost = if gives(slot) { given[slot] } else { 0 };
            of_kind[slot] - lost + got
        };
        let next: Vec<u32> = (0..len).into_par_iter().map(next).collect();
        *of_kind = next;
    }
    particles.ids = ids;
}

impl Spread<'_> {
    /// The share of its sediment that a particle gives a neighbour, before it is held to [`MOST`].
    fn share(&self, from: usize, to: usize) -> f32 {
        let (a, b) = (self.flow.places[from], self.flow.places[to]);
        let part = 1.0 / (1u32 << Place::COARSE_BITS) as f32;
        let way = Vec3::from_array(
            [0, 1, 2].map(|axis| (b[axis] as i32).wrapping_sub(a[axis] as i32) as f32 * part),
        );
        let r2 = way.length_squared();
        if r2 >= 1.0 {
            return 0.0;
        }
        let cosine = if r2 > 0.0 { way.dot(self.down) / r2.sqrt() } else { 0.0 };
        let k = self.phase;
        let bent = 1.0 - k * cosine;
        // Four pi times the phase function: 1 in all directions where k is 0.
        let phase = (1.0 - k * k) / (bent * bent);
        let rest = 1.0 - r2;
        let poly6 = 1.566_681 * rest * rest * rest;
        self.strength * phase * poly6 * self.flow.weights[to] * self.room[to]
    }

    /// What the shares of a particle are multiplied with so that they are no more than [`MOST`].
    fn scale(&self, slot: usize) -> f32 {
        let sum: f32 = self.flow.neighbours(slot).iter().map(|&other| self.share(slot, other as usize)).sum();
        if sum > MOST { MOST / sum } else { 1.0 }
    }

    /// What one gives another of a kind (parts).
    fn parts(&self, from: usize, to: usize, row: usize, of_kind: &[u32], scales: &[f32]) -> u32 {
        if of_kind[from] == 0 {
            return 0;
        }
        let parts = f64::from(of_kind[from]) * f64::from(self.share(from, to) * scales[from]);
        let question = u64::from(self.ids[from].0) << 32 | u64::from(self.ids[to].0);
        (parts + self.chance.share(question ^ (row as u64) << 57)) as u32
    }

    /// What a particle gives of a kind, all together (parts).
    fn given(&self, slot: usize, row: usize, of_kind: &[u32], scales: &[f32]) -> u32 {
        if of_kind[slot] == 0 {
            return 0;
        }
        let neighbours = self.flow.neighbours(slot).iter();
        neighbours.map(|&other| self.parts(slot, other as usize, row, of_kind, scales)).sum()
    }
}
