//! The pressure that keeps the volume of water, by Jacobi steps with momentum.

use barchan_particles::Bundles;
use barchan_particles::lanes::{Level, Simd, dispatch, f32x16, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::density::Density;
use super::flow::{Flow, Wall, lanes_of, mover, pressed, split};
use super::lanes::{WENDLAND_SLOPE, numbers, seen, way, wendland_slope};

/// Share of a Jacobi step that is taken, and of the last change that goes on: with both, seven iterations reach what takes 22
/// without (measured on a dam break of 100,000 particles).
const OMEGA: f32 = 0.5;
const MOMENTUM: f32 = 0.8;

/// Least that a particle's density changes by its pressure (1/support²): in spray a step would be without bounds.
const LEAST_GIVE: f32 = 0.05;

/// Highest impulse of pressure (m/s).
const HIGHEST: f32 = 1e6;

/// What the pressure has to bring about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// At the end of the substep nothing is denser than at rest.
    Density {
        /// Share of what is too dense now that is mended in the substep.
        share: f32,
    },
    /// Density does not rise now, where there are at least so many neighbours.
    Divergence {
        /// Neighbours below which a particle is left out.
        least_neighbours: u32,
    },
}

/// How far the pressure was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solved {
    pub iterations: u32,
    /// Mean error of the density that is left, compression and, where water is pressed, swelling as well (-).
    pub residual: f32,
}

/// What an iteration of the pressure reads about one particle.
struct Reads<'a> {
    densities: &'a [Density],
    walls: &'a [Wall],
    weights: &'a [f32],
    lightness: &'a [f32],
    stand_in: u32,
    goal: Goal,
    /// Substep over support (s/m).
    step_s_m: f32,
}

impl Reads<'_> {
    /// By how much density is above rest before anything moves.
    #[inline(always)]
    fn excess(&self, slot: usize) -> f32 {
        let density = &self.densities[slot];
        let excess = density.share + self.walls[slot].share - 1.0;
        match self.goal {
            Goal::Density { share } if excess > 0.0 => excess * share,
            Goal::Density { .. } => excess,
            Goal::Divergence { least_neighbours } if density.neighbours < least_neighbours => -1e9,
            Goal::Divergence { .. } => 0.0,
        }
    }

    /// By how much density falls for one of pressure (1/support²).
    #[inline(always)]
    fn give(&self, slot: usize) -> f32 {
        let (density, wall) = (&self.densities[slot], &self.walls[slot]);
        let own = (density.slope + wall.slope).length_squared();
        (self.lightness[slot] * own + density.give).max(LEAST_GIVE)
    }
}

impl Flow {
    /// Changes [`Flow::velocities`] by a pressure that reaches `goal` within a substep of `dt_s` (s); it begins with
    /// the pressure in [`Flow::impulses`] and leaves there what it found.
    pub fn solve(&mut self, goal: Goal, dt_s: f32, support_m: f32, tolerance: f32, most: u32) -> Solved {
        let level = Level::new();
        let before = std::mem::take(&mut self.velocities);
        let mut now = before.clone();
        let step_s_m = dt_s / support_m;
        let impulses = std::mem::take(&mut self.impulses);
        self.write_pressed(|slot| impulses[slot][0]);
        self.impulses = impulses;
        let mut solved = Solved::default();
        let Self {
            bundles,
            ranges,
            places,
            movers,
            pressed,
            weights,
            lightness,
            walls,
            densities,
            impulses,
            ..
        } = self;
        let stand_in = bundles.stand_in();
        let reads = Reads { densities, walls, weights, lightness, stand_in, goal, step_s_m };
        loop {
            let velocities = split(ranges, &mut now).into_par_iter();
            let moved = split(ranges, movers).into_par_iter();
            velocities.zip(moved).enumerate().for_each(|(part, (velocities, movers))| {
                let first = ranges[part].start;
                let old = &before[ranges[part].clone()];
                let impulses = &impulses[ranges[part].clone()];
                dispatch!(level, simd => {
                    push_part(simd, bundles, part, pressed, &reads, impulses, old, first, velocities, movers);
                });
            });
            let velocities = &now;
            let next = split(ranges, impulses).into_par_iter();
            let sent = split(ranges, pressed).into_par_iter();
            let errors: Vec<f64> = next
                .zip(sent)
                .enumerate()
                .map(|(part, (impulses, sent))| {
                    let first = ranges[part].start;
                    dispatch!(level, simd => {
                        relax_part(simd, bundles, part, places, movers, &reads, velocities, first, impulses, sent)
                    })
                })
                .collect();
            solved.iterations += 1;
            solved.residual = (errors.iter().sum::<f64>() / before.len().max(1) as f64) as f32;
            if solved.iterations >= most || (solved.residual <= tolerance && solved.iterations >= 2) {
                break;
            }
        }
        self.velocities = now;
        solved
    }
}

/// Velocities after the push of the pressure.
#[allow(clippy::too_many_arguments, reason = "the entry of an inner loop takes all that it reads")]
#[inline(always)]
fn push_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    pressed: &[[u32; 4]],
    reads: &Reads<'_>,
    impulses: &[[f32; 2]],
    before: &[Vec3],
    first: usize,
    velocities: &mut [Vec3],
    movers: &mut [[u32; 4]],
) {
    let zero = f32x16::splat(simd, 0.0);
    for bundle in bundles.of_part(part) {
        let own = seen(simd, pressed, bundle.slots);
        let (mut x, mut y, mut z) = (zero, zero, zero);
        for row in bundle.rows {
            let other = seen(simd, pressed, row);
            let way = way(&own, &other);
            let slope = other.number * wendland_slope(simd, way.r2);
            x += slope * way.x;
            y += slope * way.y;
            z += slope * way.z;
        }
        for (lane, slot) in lanes_of(bundle.slots, reads.stand_in) {
            let theirs = Vec3::new(x[lane], y[lane], z[lane]) * -WENDLAND_SLOPE;
            let [own, _] = impulses[slot - first];
            let push = (reads.densities[slot].slope + reads.walls[slot].slope) * own + theirs;
            let light = reads.lightness[slot];
            let velocity = before[slot - first] - push * light;
            velocities[slot - first] = velocity;
            movers[slot - first] = mover(reads.weights[slot], velocity, light);
        }
    }
}

/// The pressures of the next iteration from how density changes now; the sum of what density is off by. Where there is
/// pressure, too thin is as wrong as too dense: whoever counts compression only stops while the pressure overshoots, and the
/// water swells.
#[allow(clippy::too_many_arguments, reason = "the entry of an inner loop takes all that it reads")]
#[inline(always)]
fn relax_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    places: &[[u32; 4]],
    movers: &[[u32; 4]],
    reads: &Reads<'_>,
    velocities: &[Vec3],
    first: usize,
    impulses: &mut [[f32; 2]],
    sent: &mut [[u32; 4]],
) -> f64 {
    let zero = f32x16::splat(simd, 0.0);
    let mut error = 0.0;
    for bundle in bundles.of_part(part) {
        let own = seen(simd, places, bundle.slots);
        let mut towards = zero;
        for row in bundle.rows {
            let other = seen(simd, places, row);
            let [vx, vy, vz, _] = numbers(simd, movers, row);
            let way = way(&own, &other);
            towards += wendland_slope(simd, way.r2) * (vx * way.x + vy * way.y + vz * way.z);
        }
        for (lane, slot) in lanes_of(bundle.slots, reads.stand_in) {
            let (density, wall, velocity) = (&reads.densities[slot], &reads.walls[slot], velocities[slot]);
            let rate = velocity.dot(density.slope)
                + (velocity - wall.velocity).dot(wall.slope)
                + WENDLAND_SLOPE * towards[lane];
            let excess = reads.excess(slot) + reads.step_s_m * rate;
            let [now, before] = impulses[slot - first];
            // What overshoots loses its momentum: on a lake that halves the iterations.
            let momentum = if (now - before) * excess < 0.0 { 0.0 } else { MOMENTUM };
            let step = OMEGA * excess / (reads.step_s_m * reads.give(slot)) + momentum * (now - before);
            let next = (now + step).clamp(0.0, HIGHEST);
            impulses[slot - first] = [next, now];
            sent[slot - first] = pressed(places[slot], reads.weights[slot] * next);
            error += f64::from(if now > 0.0 { excess.abs().min(1.0) } else { excess.max(0.0) });
        }
    }
    error
}
