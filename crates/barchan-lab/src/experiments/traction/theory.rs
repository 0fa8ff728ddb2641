//! What rigid wheels and tracks pull by the book, integrated anew.

use std::f64::consts::FRAC_PI_2;

/// Parts of a contact that integrals are summed over, and halvings of the angle of entry.
const PARTS: usize = 400;
const HALVINGS: usize = 60;

/// Soil under a wheel.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// kc (N/m^(n+1)), kphi (N/m^(n+2)) and n of the pressure-sinkage law.
    pub sinkage: [f64; 3],
    /// Cohesion that holds along the surface (Pa).
    pub adhesion_pa: f64,
    /// Friction along the surface (-).
    pub tan_phi: f64,
    /// Janosi's K (m).
    pub shear_displacement_m: f64,
}

/// What a wheel does.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    /// Sinkage (m).
    pub sinkage_m: f64,
    /// Force of what holds along the surface, forwards (N).
    pub traction_n: f64,
    /// Force of the pressure, backwards (N).
    pub resistance_n: f64,
}

/// A rigid wheel of this radius and width (m) under `load_n` (N), at this slip: radial pressure by Bekker below the surface, in front
/// of the lowest point only; shear by Janosi and Hanamoto over the way of each point since it met the ground (Wong2008, 2.6).
pub fn wheel(ground: &Ground, radius_m: f64, width_m: f64, load_n: f64, slip: f64) -> Pull {
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if forces(ground, radius_m, width_m, slip, middle)[0] < load_n { low = middle } else { high = middle }
    }
    let entry = 0.5 * (low + high);
    let [_, traction_n, resistance_n] = forces(ground, radius_m, width_m, slip, entry);
    Pull { sinkage_m: radius_m * (1.0 - entry.cos()), traction_n, resistance_n }
}

/// Force up, traction and resistance (N) where the wheel enters the ground at this angle from its lowest point (rad).
fn forces(ground: &Ground, radius_m: f64, width_m: f64, slip: f64, entry: f64) -> [f64; 3] {
    let [kc, kphi, n] = ground.sinkage;
    // The smaller side of the contact rules.
    let smaller_m = width_m.min(radius_m * entry.sin()).max(1e-4);
    let modulus = kc / smaller_m + kphi;
    let mut sum = [0.0; 3];
    for part in 0..PARTS {
        let angle = entry * (part as f64 + 0.5) / PARTS as f64;
        let depth_m = radius_m * (angle.cos() - entry.cos());
        let pressure = modulus * depth_m.powf(n);
        let sheared_m = radius_m * ((entry - angle) - (1.0 - slip) * (entry.sin() - angle.sin()));
        let called_up = 1.0 - (-sheared_m.abs() / ground.shear_displacement_m).exp();
        let shear = (ground.adhesion_pa + pressure * ground.tan_phi) * called_up * sheared_m.signum();
        sum[0] += pressure * angle.cos() + shear * angle.sin();
        sum[1] += shear * angle.cos();
        sum[2] += pressure * angle.sin();
    }
    sum.map(|sum| sum * radius_m * width_m * entry / PARTS as f64)
}

/// What a track of this length and width (m) under `load_n` (N) pulls at this slip, before resistance (N): even pressure, and shear
/// that grows from its front (Wong2008, 2.5).
pub fn track(ground: &Ground, [length_m, width_m]: [f64; 2], load_n: f64, slip: f64) -> f64 {
    let most = ground.adhesion_pa * length_m * width_m + load_n * ground.tan_phi;
    let ways = slip * length_m / ground.shear_displacement_m;
    most * (1.0 - (1.0 - (-ways).exp()) / ways)
}
