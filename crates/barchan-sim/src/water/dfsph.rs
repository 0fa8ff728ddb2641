//! One substep of divergence-free SPH (BenderKoschier2015): velocities first, with a pressure that lets nothing get denser than at
//! rest; then places, with one that moves apart what is too close all the same.
//!
//! The second changes no velocity: water that is pushed apart to mend a density does not fly on, and a lake comes to rest however short
//! the steps are.

use glam::Vec3;
use rayon::prelude::*;

use super::flow::Flow;
use super::params::WaterParams;
use super::particles::Particles;
use super::scale::Scale;
use super::solve::{Goal, Solved};

/// Share of the last pressure with which the next begins. With more, water swells, and the residual does not tell: it counts
/// compression only.
const WARM_START: f32 = 0.7;

/// Time in which what is too close moves apart, over that in which a particle falls by its own size: no faster than it got there.
const MENDING: f32 = 0.25;

/// Gravity below which mending gets no slower (m/s²).
const LEAST_GRAVITY_M_S2: f32 = 1.0;

impl Flow {
    /// Velocities at the end of a substep of `dt_s` (s) under `gravity` (m/s²), and those that places move with
    /// ([`Flow::velocities`]). Movers must hold the lightness of each.
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
        self.velocities.par_iter_mut().for_each(|velocity| *velocity += gravity * dt_s);
        self.pull_surfaces(params, scale, dt_s);
        self.smear(params.viscosity_m2_s, support_m, dt_s);

        let to_impulse = dt_s / support_m;
        let warm = |pressure: &f32| [WARM_START * pressure * to_impulse; 2];
        particles.pressures.par_iter().map(warm).collect_into_vec(&mut self.impulses);
        let first = self.solve(Goal::Velocities, dt_s, support_m, tolerance, params.most_iterations);
        let used = self.impulses.par_iter().map(|[_, used]| *used);
        used.collect_into_vec(&mut self.drives);
        let found = self.drives.par_iter().map(|drive| drive / to_impulse);
        found.collect_into_vec(&mut particles.pressures);
        particles.velocities.clone_from(&self.velocities);

        self.impulses.iter_mut().for_each(|impulse| *impulse = [0.0; 2]);
        let second = self.solve(Goal::Places { share }, dt_s, support_m, tolerance, params.most_iterations);
        Solved { iterations: first.iterations + second.iterations, residual: second.residual }
    }
}
