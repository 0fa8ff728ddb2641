//! Water that goes into the air, and small remnants that join their neighbours.

use glam::Vec3;
use rayon::prelude::*;

use super::erosion::ErosionParams;
use super::flow::Flow;
use super::particles::Particles;
use super::random::Chance;
use super::scale::Scale;

/// Share of a whole particle's volume below which a remnant joins its nearest neighbour.
const REMNANT: f64 = 0.125;

/// Takes water from particles at the surface for `dt_s` (s): those with no other in the cone above them (Weiss2016 eq. 3.39, where the
/// angle is measured from the upward direction). Returns what went (parts).
pub(super) fn evaporate(
    particles: &mut Particles,
    flow: &Flow,
    params: &ErosionParams,
    scale: &Scale,
    up: Vec3,
    dt_s: f32,
    chance: Chance,
) -> u64 {
    let m3 = f64::from(params.evaporation_m_s * params.time_scale * dt_s)
        * f64::from(scale.spacing_m)
        * f64::from(scale.spacing_m);
    let parts = m3 / scale.water_part_m3;
    if parts <= 0.0 {
        return 0;
    }
    let cosine = libm::cosf(0.5 * params.cone);
    let gone = |slot: usize| {
        let here = particles.places[slot];
        let is_above = |&other: &u32| {
            let way = scale.lattice.between(here, particles.places[other as usize]);
            let length = way.length();
            length > 0.0 && length < scale.support_m && way.dot(up) > cosine * length
        };
        if flow.neighbours(slot).iter().any(is_above) {
            return 0;
        }
        let wanted = parts + chance.share(u64::from(particles.ids[slot].0));
        (wanted as u64).min(particles.water[slot].into()) as u32
    };
    let gone: Vec<u32> = (0..particles.len()).into_par_iter().map(gone).collect();
    for (water, gone) in particles.water.iter_mut().zip(&gone) {
        *water -= gone;
    }
    gone.iter().map(|gone| u64::from(*gone)).sum()
}

/// Lets remnants join their nearest neighbours, with all that they hold and their momentum. What nobody is near stays. Returns who is
/// still there; none: nobody joined.
pub(super) fn join(particles: &mut Particles, flow: &Flow, scale: &Scale) -> Option<Vec<bool>> {
    let small_m3 = REMNANT * scale.volume_m3(scale.full_parts, 0);
    let is_small = |particles: &Particles, slot: usize| {
        scale.volume_m3(particles.water[slot], particles.sediment_of(slot)) < small_m3
    };
    let small: Vec<usize> =
        (0..particles.len()).into_par_iter().filter(|slot| is_small(particles, *slot)).collect();
    if small.is_empty() {
        return None;
    }
    let mut keep = vec![true; particles.len()];
    for slot in small {
        let here = particles.places[slot];
        let distance = |other: usize| scale.lattice.between(here, particles.places[other]).length_squared();
        let near = flow.neighbours(slot).iter().map(|&other| other as usize).filter(|&other| keep[other]);
        let Some(other) = near.min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b))) else {
            continue;
        };
        let fits = particles.water[other].checked_add(particles.water[slot]).is_some()
            && particles.sediment.iter().all(|of_kind| of_kind[other].checked_add(of_kind[slot]).is_some());
        if !fits {
            continue;
        }
        let mass = |at: usize| scale.mass_kg(particles.water[at], particles.sediment_of(at)) as f32;
        let (own, theirs) = (mass(slot), mass(other));
        if own + theirs > 0.0 {
            let momentum = particles.velocities[slot] * own + particles.velocities[other] * theirs;
            particles.velocities[other] = momentum / (own + theirs);
        }
        particles.water[other] += std::mem::take(&mut particles.water[slot]);
        for of_kind in &mut particles.sediment {
            of_kind[other] += std::mem::take(&mut of_kind[slot]);
        }
        particles.claims[other] = particles.claims[other].saturating_add(particles.claims[slot]);
        keep[slot] = false;
    }
    Some(keep)
}
