//! One substep by an equation of state, with Müller's three kernels (Müller2003, as Weiss2016 ch. 3.2 has them).
//!
//! Three errors of that print are set right: the norm of the spiky kernel is 15/(pi h^6), viscosity acts on differences of
//! velocities, and a pair counts the sum of its pressures, without which a lake needs twice the pressure of its depth. What is
//! thinner than at rest does not pull.

use std::f32::consts::PI;

use barchan_particles::Bundles;
use barchan_particles::lanes::{Level, Simd, dispatch, f32x16, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::density::Density;
use super::flow::{Flow, lanes_of, split};
use super::fold::DENSER_BY_POLY6;
use super::lanes::{numbers, seen, way};
use super::params::WaterParams;
use super::particles::Particles;
use super::scale::Scale;
use super::solve::Solved;

/// Norms in units of the support: poly6, the gradient of the spiky kernel, the Laplacian of that for viscosity.
const POLY6: f32 = 315.0 / (64.0 * PI);
const SPIKY_SLOPE: f32 = 45.0 / PI;
const VISCOUS: f32 = 45.0 / PI;

/// Share of the speed of sound by which particles that approach or leave each other are braked (Monaghan1994): without it the noise of
/// an equation of state grows, and where only approach is braked it stays.
const BRAKE: f32 = 0.1;

/// Nearer than this particles do not tell in which direction they push each other (supports).
const NEAREST: f32 = 1e-4;

impl Flow {
    /// Velocities at the end of a substep of `dt_s` (s) under `gravity` (m/s²).
    pub fn step_muller(
        &mut self,
        particles: &mut Particles,
        params: &WaterParams,
        scale: &Scale,
        gravity: Vec3,
        dt_s: f32,
    ) -> Solved {
        let level = Level::new();
        let rest = params.rest_density_kg_m3 / params.water_kg_m3;
        self.densities.resize(particles.len(), Density::default());
        {
            let Self { bundles, ranges, places, weights, densities, .. } = self;
            split(ranges, densities).into_par_iter().enumerate().for_each(|(part, out)| {
                let first = ranges[part].start;
                dispatch!(level, simd => density_part(simd, bundles, part, places, weights, first, out));
            });
        }
        let (densities, walls) = (&self.densities, &self.walls);
        let pressure = |slot: usize| {
            let density = densities[slot].share + DENSER_BY_POLY6 * walls[slot].share;
            params.stiffness_m2_s2 * (density - rest).max(0.0)
        };
        (0..particles.len()).into_par_iter().map(pressure).collect_into_vec(&mut particles.pressures);
        self.write_pressed(|slot| particles.pressures[slot]);
        self.drives.clear();
        self.drives.extend(particles.pressures.iter().map(|pressure| pressure * dt_s / scale.support_m));
        self.velocities.clone_from(&particles.velocities);
        self.pull_surfaces(params, scale, dt_s);
        let before = self.velocities.clone();
        self.write_movers(&before, |_| 0.0);
        {
            let Self { bundles, ranges, places, movers, pressed, velocities, walls, lightness, .. } = self;
            let pressures = &particles.pressures;
            split(ranges, velocities).into_par_iter().enumerate().for_each(|(part, out)| {
                let first = ranges[part].start;
                let slow = Slow { gravity, params, support_m: scale.support_m, dt_s };
                let own = &before[ranges[part].clone()];
                let sums = |slot: usize, sums: Sums| {
                    let own = (before[slot], pressures[slot], walls[slot].slope, lightness[slot]);
                    slow.velocity(own, sums)
                };
                dispatch!(level, simd => force_part(simd, bundles, part, [places, movers, pressed], (first, own), &sums, out));
            });
        }
        particles.velocities.clone_from(&self.velocities);
        let excess = |(density, wall): (&Density, &super::flow::Wall)| {
            f64::from((density.share + DENSER_BY_POLY6 * wall.share - rest).max(0.0))
        };
        let excess: f64 = self.densities.iter().zip(&self.walls).map(excess).sum();
        Solved { iterations: 1, residual: (excess / particles.len().max(1) as f64) as f32 }
    }
}

/// What sums over neighbours found.
struct Sums {
    /// Volume times pressure times slope of the spiky kernel.
    pressed: Vec3,
    /// Volume times slope of the spiky kernel.
    slope: Vec3,
    /// Volume times approach times slope of the spiky kernel (m/s).
    braked: Vec3,
    /// Volume times velocity times Laplacian.
    dragged: Vec3,
    /// Volume times Laplacian.
    drag: f32,
}

/// How a particle's velocity follows from its sums.
struct Slow<'a> {
    gravity: Vec3,
    params: &'a WaterParams,
    support_m: f32,
    dt_s: f32,
}

impl Slow<'_> {
    fn velocity(&self, (before, pressure, wall, light): (Vec3, f32, Vec3, f32), sums: Sums) -> Vec3 {
        // The sum of both pressures, not their mean: the mean gives half of the gradient.
        let push = sums.pressed + (sums.slope + wall) * pressure;
        let gravity = if self.params.heavy_is_slow { self.gravity * light } else { self.gravity };
        let brake = sums.braked * (BRAKE * self.params.stiffness_m2_s2.sqrt());
        let driven = before + (gravity - (push + brake) * (light / self.support_m)) * self.dt_s;
        let strength = self.params.viscosity_m2_s * self.dt_s * light / (self.support_m * self.support_m);
        (driven + sums.dragged * strength) / (1.0 + sums.drag * strength)
    }
}

#[inline(always)]
fn density_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    places: &[[u32; 4]],
    weights: &[f32],
    first: usize,
    out: &mut [Density],
) {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    for bundle in bundles.of_part(part) {
        let own = seen(simd, places, bundle.slots);
        let (mut sum, mut count) = (zero, zero);
        let (mut x, mut y, mut z) = (zero, zero, zero);
        for row in bundle.rows {
            let other = seen(simd, places, row);
            let way = way(&own, &other);
            let rest = (one - way.r2).max(zero);
            let squared = other.number * (rest * rest);
            sum += squared * rest;
            x += squared * way.x;
            y += squared * way.y;
            z += squared * way.z;
            count += other.number.simd_gt(zero).select(one, zero);
        }
        for (lane, slot) in lanes_of(bundle.slots, bundles.stand_in()) {
            out[slot - first] = Density {
                share: POLY6 * (sum[lane] + weights[slot]),
                slope: Vec3::new(x[lane], y[lane], z[lane]) * (-6.0 * POLY6),
                give: 0.0,
                neighbours: count[lane] as u32,
            };
        }
    }
}

#[inline(always)]
fn force_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    [places, movers, pressed]: [&[[u32; 4]]; 3],
    (first, before): (usize, &[Vec3]),
    velocity: &impl Fn(usize, Sums) -> Vec3,
    out: &mut [Vec3],
) {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    for bundle in bundles.of_part(part) {
        let own = seen(simd, places, bundle.slots);
        let [mut px, mut py, mut pz] = [zero; 3];
        let [mut sx, mut sy, mut sz] = [zero; 3];
        let [mut bx, mut by, mut bz] = [zero; 3];
        let of_lane = |lane: usize, axis: usize| {
            let slot = bundle.slots[lane] as usize;
            before.get(slot.wrapping_sub(first)).map_or(0.0, |velocity| velocity[axis])
        };
        let [own_x, own_y, own_z] = [0, 1, 2].map(|axis| f32x16::from_fn(simd, |lane| of_lane(lane, axis)));
        let [mut dx, mut dy, mut dz, mut drag] = [zero; 4];
        for row in bundle.rows {
            let other = seen(simd, places, row);
            let [vx, vy, vz, _] = numbers(simd, movers, row);
            let [_, _, _, pressure] = numbers(simd, pressed, row);
            let way = way(&own, &other);
            let q = way.r2.sqrt();
            let rest = (one - q).max(zero);
            let slope = rest * rest / q.max(f32x16::splat(simd, NEAREST));
            let (by_pressure, by_volume) = (slope * pressure, slope * other.number);
            px += by_pressure * way.x;
            py += by_pressure * way.y;
            pz += by_pressure * way.z;
            sx += by_volume * way.x;
            sy += by_volume * way.y;
            sz += by_volume * way.z;
            let approach = (vx - own_x * other.number) * way.x
                + (vy - own_y * other.number) * way.y
                + (vz - own_z * other.number) * way.z;
            let brake = slope * approach / (way.r2 + 0.01);
            bx += brake * way.x;
            by += brake * way.y;
            bz += brake * way.z;
            dx += rest * vx;
            dy += rest * vy;
            dz += rest * vz;
            drag += rest * other.number;
        }
        for (lane, slot) in lanes_of(bundle.slots, bundles.stand_in()) {
            let sums = Sums {
                pressed: Vec3::new(px[lane], py[lane], pz[lane]) * -SPIKY_SLOPE,
                slope: Vec3::new(sx[lane], sy[lane], sz[lane]) * -SPIKY_SLOPE,
                braked: Vec3::new(bx[lane], by[lane], bz[lane]) * -SPIKY_SLOPE,
                dragged: Vec3::new(dx[lane], dy[lane], dz[lane]) * VISCOUS,
                drag: drag[lane] * VISCOUS,
            };
            out[slot - first] = velocity(slot, sums);
        }
    }
}
