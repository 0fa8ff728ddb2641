//! One substep of divergence-free SPH (BenderKoschier2015): first nothing approaches, then what would come too close does not.

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

/// Neighbours below which density is not kept from rising by itself: in spray it means nothing.
const LEAST_NEIGHBOURS: u32 = 20;

/// Most iterations of the first of the two pressures; the second corrects what it leaves.
const MOST_DIVERGENCE: u32 = 20;

impl Flow {
    /// Velocities at the end of a substep of `dt_s` (s) under `gravity` (m/s²). Movers must hold the lightness of each.
    pub fn step_dfsph(
        &mut self,
        particles: &mut Particles,
        params: &WaterParams,
        scale: &Scale,
        gravity: Vec3,
        dt_s: f32,
    ) -> Solved {
        self.find_densities();
        let (support_m, tolerance) = (scale.support_m, params.tolerance);
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
        self.smear(params.viscosity_m2_s, support_m, dt_s);

        let to_impulse = dt_s / support_m;
        let warm = |pressure: &f32| [WARM_START * pressure * to_impulse; 2];
        particles.pressures.par_iter().map(warm).collect_into_vec(&mut self.impulses);
        let second = self.solve(Goal::Density, dt_s, support_m, tolerance, params.most_iterations);
        for (drive, [_, used]) in self.drives.iter_mut().zip(&self.impulses) {
            *drive += used;
        }
        let found = self.impulses.par_iter().map(|[now, _]| now / to_impulse);
        found.collect_into_vec(&mut particles.pressures);
        Solved { iterations: first.iterations + second.iterations, residual: second.residual }
    }
}
