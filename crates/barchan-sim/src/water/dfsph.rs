//! One substep of divergence-free SPH (BenderKoschier2015): first nothing approaches, then what would come too close does not.
//!
//! What is too dense moves apart no faster than it can have got there: mended within one short substep, it would fly on.

use glam::Vec3;
use rayon::prelude::*;

use super::flow::Flow;
use super::params::WaterParams;
use super::particles::Particles;
use super::scale::Scale;
use super::solve::{Goal, Solved};

/// Share of the last pressure with which the next begins. With more, water swells where it is pressed no more.
const WARM_START: f32 = 0.7;

/// Time in which what is too close moves apart, over that in which a particle falls by its own size: no faster than it got there.
const MENDING: f32 = 0.25;

/// Neighbours below which density is not kept from rising by itself: in spray it means nothing.
const LEAST_NEIGHBOURS: u32 = 20;

/// Most iterations of the first of the two pressures; the second corrects what it leaves.
const MOST_DIVERGENCE: u32 = 20;

/// Viscosity of the discretisation, over spacing squared and the time of a fall by it (-): it takes the noise of single particles and
/// leaves what is larger.
const NOISE: f32 = 0.05;

/// Gravity below which mending gets no slower (m/s²).
const LEAST_GRAVITY_M_S2: f32 = 1.0;

impl Flow {
    /// Velocities at the end of a substep of `dt_s` (s) under `gravity` (m/s²), in [`Flow::velocities`]. Movers must hold the
    /// lightness of each.
    pub fn step_dfsph(
        &mut self,
        particles: &mut Particles,
        params: &WaterParams,
        scale: &Scale,
        gravity: Vec3,
        dt_s: f32,
    ) -> Solved {
        self.find_densities();
        let support_m = scale.support_m;
        let fall_s = (scale.spacing_m / gravity.length().max(LEAST_GRAVITY_M_S2)).sqrt();
        let share = (dt_s / (MENDING * fall_s)).min(1.0);
        // As much error a second, however short the substep is.
        let tolerance = params.tolerance * share;
        self.velocities.clone_from(&particles.velocities);
        self.impulses.clear();
        self.impulses.resize(particles.len(), [0.0; 2]);
        let goal = Goal::Divergence { least_neighbours: LEAST_NEIGHBOURS };
        let most = params.most_iterations.min(MOST_DIVERGENCE);
        let first = self.solve(goal, dt_s, support_m, tolerance, most);
        self.drives.clear();
        self.drives.extend(self.impulses.iter().map(|[_, used]| *used));

        self.velocities.par_iter_mut().for_each(|velocity| *velocity += gravity * dt_s);
        self.pull_surfaces(params, scale, dt_s);
        self.smear(
            params.viscosity_m2_s + scale.spacing_m * NOISE * scale.spacing_m / fall_s,
            support_m,
            dt_s,
        );

        let to_impulse = dt_s / support_m;
        let warm = |pressure: &f32| [WARM_START * pressure * to_impulse; 2];
        particles.pressures.par_iter().map(warm).collect_into_vec(&mut self.impulses);
        let second = self.solve(Goal::Density { share }, dt_s, support_m, tolerance, params.most_iterations);
        for (drive, [_, used]) in self.drives.iter_mut().zip(&self.impulses) {
            *drive += used;
        }
        let found = self.impulses.par_iter().map(|[now, _]| now / to_impulse);
        found.collect_into_vec(&mut particles.pressures);
        particles.velocities.clone_from(&self.velocities);
        Solved { iterations: first.iterations + second.iterations, residual: second.residual }
    }
}
