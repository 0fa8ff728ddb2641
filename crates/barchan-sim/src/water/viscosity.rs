//! Viscosity and surface tension: what neighbours do to each other beside pressing.

use barchan_particles::Bundles;
use barchan_particles::lanes::{Level, Simd, dispatch, f32x16, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::flow::{Flow, lanes_of, split};
use super::lanes::{WENDLAND_SLOPE, numbers, seen, way, wendland_slope};
use super::params::WaterParams;
use super::scale::Scale;

/// Sum of the weights with which a particle in a pool feels its neighbours (1/support²).
const TYPICAL: f32 = 18.0;

/// Share of a difference of velocities below which viscosity is not reckoned with in a substep.
const NEGLIGIBLE: f32 = 1e-4;

/// Most iterations of a viscosity that is too large for one.
const MOST_ITERATIONS: u32 = 30;

/// Share of the kernel from which on a wall takes so much that nobody can tell how a surface is curved.
const WALL: f32 = 0.05;

impl Flow {
    /// Evens out [`Flow::velocities`] by a viscosity (m²/s), implicitly: however large it is, nothing overshoots. It acts on
    /// differences of velocities only.
    pub fn smear(&mut self, viscosity_m2_s: f32, support_m: f32, dt_s: f32) {
        let strength = viscosity_m2_s * dt_s / (support_m * support_m);
        if strength * TYPICAL < NEGLIGIBLE {
            return;
        }
        let iterations = ((strength * TYPICAL * 2.0).ceil() as u32).clamp(1, MOST_ITERATIONS);
        let before = self.velocities.clone();
        for _ in 0..iterations {
            let now = std::mem::take(&mut self.velocities);
            self.write_movers(&now, |_| 0.0);
            self.velocities = now;
            let level = Level::new();
            let Self { bundles, ranges, places, movers, velocities, .. } = self;
            split(ranges, velocities).into_par_iter().enumerate().for_each(|(part, out)| {
                let first = ranges[part].start;
                let before = &before[ranges[part].clone()];
                dispatch!(level, simd => smear_part(simd, bundles, part, places, movers, strength, before, first, out));
            });
        }
    }

    /// Pulls surfaces together (Müller2003): along the gradient of the colour field, by its curvature.
    pub fn pull_surfaces(&mut self, params: &WaterParams, scale: &Scale, dt_s: f32) {
        if params.tension_n_m <= 0.0 {
            return;
        }
        let level = Level::new();
        let mut curved = vec![0.0f32; self.weights.len()];
        let Self { bundles, ranges, places, weights, velocities, densities, walls, lightness, .. } = self;
        split(ranges, &mut curved).into_par_iter().enumerate().for_each(|(part, out)| {
            let first = ranges[part].start;
            dispatch!(level, simd => curve_part(simd, bundles, part, places, weights, first, out));
        });
        let strength = params.tension_n_m * dt_s / (params.water_kg_m3 * scale.support_m * scale.support_m);
        velocities.par_iter_mut().enumerate().for_each(|(slot, velocity)| {
            let inwards = densities[slot].slope + walls[slot].slope;
            let length = inwards.length();
            let is_free = walls[slot].share < WALL && densities[slot].neighbours > 0;
            if length > params.tension_threshold && is_free {
                *velocity -= inwards / length * (curved[slot] * strength * lightness[slot]);
            }
        });
    }
}

#[allow(clippy::too_many_arguments, reason = "the entry of an inner loop takes all that it reads")]
#[inline(always)]
fn smear_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    places: &[[u32; 4]],
    movers: &[[u32; 4]],
    strength: f32,
    before: &[Vec3],
    first: usize,
    out: &mut [Vec3],
) {
    let zero = f32x16::splat(simd, 0.0);
    let norm = 2.0 * WENDLAND_SLOPE * strength;
    for bundle in bundles.of_part(part) {
        let own = seen(simd, places, bundle.slots);
        let (mut x, mut y, mut z, mut all) = (zero, zero, zero, zero);
        for row in bundle.rows {
            let other = seen(simd, places, row);
            let [vx, vy, vz, _] = numbers(simd, movers, row);
            let way = way(&own, &other);
            let share = wendland_slope(simd, way.r2) * way.r2 / (way.r2 + 0.01);
            x += share * vx;
            y += share * vy;
            z += share * vz;
            all += share * other.number;
        }
        for (lane, slot) in lanes_of(bundle.slots, bundles.stand_in()) {
            let theirs = Vec3::new(x[lane], y[lane], z[lane]) * norm;
            out[slot - first] = (before[slot - first] + theirs) / (1.0 + norm * all[lane]);
        }
    }
}

/// Laplacian of the colour field (1/support²).
#[inline(always)]
fn curve_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    places: &[[u32; 4]],
    weights: &[f32],
    first: usize,
    out: &mut [f32],
) {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    for bundle in bundles.of_part(part) {
        let own = seen(simd, places, bundle.slots);
        let mut sum = zero;
        for row in bundle.rows {
            let other = seen(simd, places, row);
            let q = way(&own, &other).r2.sqrt();
            let rest = (one - q).max(zero);
            // Second derivative of Wendland's kernel, and twice the first over the distance.
            sum += other.number * (rest * rest * (q * 2.0 - one));
        }
        for (lane, slot) in lanes_of(bundle.slots, bundles.stand_in()) {
            out[slot - first] = (sum[lane] - weights[slot]) * (3.0 * WENDLAND_SLOPE);
        }
    }
}
