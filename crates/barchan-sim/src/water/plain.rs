//! The sums over neighbours, written out: every particle looks at every other, in f64. The fast ones are checked against them.

use barchan_particles::{Ids, Place};
use glam::{DVec3, Vec3};

use super::flow::Flow;
use super::params::WaterParams;
use super::particles::{Newborn, Particles};
use super::random::Chance;
use super::scale::Scale;
use super::solve::Goal;

/// Wendland's C2 kernel and its gradient along `way` (both in supports).
fn kernel(way: DVec3) -> (f64, DVec3) {
    let q = way.length();
    if q >= 1.0 {
        return (0.0, DVec3::ZERO);
    }
    let norm = 21.0 / (2.0 * std::f64::consts::PI);
    (norm * (1.0 - q).powi(4) * (1.0 + 4.0 * q), -20.0 * norm * (1.0 - q).powi(3) * way)
}

/// A drop of particles of several sizes, some of them muddy, here and far from the origin.
fn drop_of(scale: &Scale, far: f64) -> Particles {
    let (mut particles, mut ids) = (Particles::default(), Ids::default());
    let chance = Chance::new(3, 0, 0);
    for i in 0..600 {
        let at = DVec3::new((i / 100) as f64, (i / 10 % 10) as f64, (i % 10) as f64);
        let jitter = DVec3::from_array([0, 1, 2].map(|axis| chance.share(i * 3 + axis) - 0.5)) * 0.5;
        let point = (at + jitter) * f64::from(scale.spacing_m) + far;
        let water = scale.full_parts / (1 + i as u32 % 3);
        let sediment = (i % 4 == 0).then_some((crate::MaterialId(0), scale.full_parts / 4));
        let velocity = Vec3::from_array([3, 4, 5].map(|axis| chance.share(i * 7 + axis) as f32 - 0.5));
        let place = scale.lattice.place(point).unwrap();
        particles.add(&Newborn { place, velocity, water, sediment, id: ids.give().unwrap() });
    }
    particles
}

fn prepared(scale: &Scale, particles: &mut Particles) -> Flow {
    let mut flow = Flow::default();
    flow.sort(particles);
    flow.find_neighbours(particles, scale);
    flow.walls = vec![super::flow::Wall::default(); particles.len()];
    let lightness = flow.lightness.clone();
    flow.write_movers(&particles.velocities, |slot| lightness[slot]);
    flow.find_densities();
    flow
}

fn ways(scale: &Scale, places: &[Place], slot: usize) -> impl Iterator<Item = (usize, DVec3)> {
    let here = places[slot];
    let support = f64::from(scale.support_m);
    (0..places.len())
        .filter(move |other| *other != slot)
        .map(move |other| (other, scale.lattice.point(here) - scale.lattice.point(places[other])))
        .map(move |(other, way)| (other, way / support))
        .filter(|(_, way)| way.length() < 1.0)
}

#[test]
fn densities_are_those_of_the_plain_sum() {
    let scale = Scale::new(&WaterParams { spacing_m: 0.05, ..WaterParams::default() }, 0.1);
    for far in [0.0, 20_000.0] {
        let mut particles = drop_of(&scale, far);
        let flow = prepared(&scale, &mut particles);
        for slot in 0..particles.len() {
            let weight = f64::from(flow.weights[slot]);
            let (mut share, mut slope, mut give, mut count) =
                (weight * kernel(DVec3::ZERO).0, DVec3::ZERO, 0.0, 0);
            for (other, way) in ways(&scale, &particles.places, slot) {
                let (value, gradient) = kernel(way);
                let theirs = f64::from(flow.weights[other]);
                share += theirs * value;
                slope += theirs * gradient;
                give += weight * theirs * f64::from(flow.lightness[other]) * gradient.length_squared();
                count += 1;
            }
            let found = &flow.densities[slot];
            assert_eq!(found.neighbours, count);
            assert!((f64::from(found.share) - share).abs() < 2e-5 * share, "{found:?} {share}");
            assert!((found.slope.as_dvec3() - slope).length() < 2e-5 * (1.0 + slope.length()));
            assert!((f64::from(found.give) - give).abs() < 1e-4 * (1.0 + give));
        }
    }
}

#[test]
fn the_pressure_that_is_found_holds_the_density_and_keeps_the_momentum() {
    let params = WaterParams { spacing_m: 0.05, ..WaterParams::default() };
    let scale = Scale::new(&params, 0.1);
    let mut particles = drop_of(&scale, 0.0);
    // Everything falls together.
    let here = scale.lattice.point(particles.places[300]);
    for slot in 0..particles.len() {
        let way = here - scale.lattice.point(particles.places[slot]);
        particles.velocities[slot] = (way * 4.0).as_vec3();
    }
    let mut flow = prepared(&scale, &mut particles);
    let (dt_s, tolerance) = (0.002, 1e-4);
    let momentum = |velocities: &[Vec3]| -> DVec3 {
        let mass = |slot: usize| scale.mass_kg(particles.water[slot], particles.sediment_of(slot));
        velocities.iter().enumerate().map(|(slot, v)| v.as_dvec3() * mass(slot)).sum()
    };
    let before = momentum(&particles.velocities);
    flow.velocities.clone_from(&particles.velocities);
    flow.impulses = vec![[0.0; 2]; particles.len()];
    let solved = flow.solve(Goal::Density { share: 1.0 }, dt_s, scale.support_m, tolerance, 500);
    assert!(solved.iterations < 500 && solved.residual <= tolerance, "{solved:?}");
    let error = (momentum(&flow.velocities) - before).length();
    assert!(error < 1e-4 * momentum(&[Vec3::X]).length().max(1.0), "{error}");
    // What is dense does not get denser, by the plain sum.
    let mut too_much = 0.0;
    for slot in 0..particles.len() {
        let mut rate = 0.0;
        for (other, way) in ways(&scale, &particles.places, slot) {
            let approach = (flow.velocities[slot] - flow.velocities[other]).as_dvec3();
            rate += f64::from(flow.weights[other]) * approach.dot(kernel(way).1);
        }
        let after = f64::from(flow.densities[slot].share - 1.0) + rate * f64::from(dt_s / scale.support_m);
        too_much += after.max(0.0);
    }
    assert!(too_much / particles.len() as f64 <= 1.5 * f64::from(tolerance));
}

#[test]
fn viscosity_evens_out_and_acts_on_differences_only() {
    let params = WaterParams { spacing_m: 0.05, ..WaterParams::default() };
    let scale = Scale::new(&params, 0.1);
    let mut particles = drop_of(&scale, 0.0);
    for viscosity in [0.01, 1e4] {
        let mut flow = prepared(&scale, &mut particles);
        flow.velocities = vec![Vec3::new(3.0, -2.0, 1.0); particles.len()];
        flow.smear(viscosity, scale.support_m, 0.01);
        let off = |v: &Vec3| (*v - Vec3::new(3.0, -2.0, 1.0)).length();
        assert!(flow.velocities.iter().all(|v| off(v) < 1e-4), "a common motion stays");
        flow.velocities.clone_from(&particles.velocities);
        let spread = |velocities: &[Vec3]| velocities.iter().map(|v| v.length_squared()).sum::<f32>();
        let before = spread(&flow.velocities);
        flow.smear(viscosity, scale.support_m, 0.01);
        assert!(spread(&flow.velocities) < before);
    }
}
