//! When soil fails, and how fast it goes: the formulas, free of voxels.

use crate::columns::HEIGHT_ONE;
pub use crate::material::Strength;

/// Tangent of the angle of the plane on which a slice of rise `h` and run `d` (m) fails, if it does (Geiger2015 eq. 4 in
/// closed form: t² (d + 2c/gamma) - t (h + d tan phi) + h tan phi + 2c/gamma = 0, the smaller root).
pub fn failure_plane(h: f32, d: f32, strength: &Strength) -> Option<f32> {
    let cohesion = 2.0 * strength.cohesion_pa / strength.gamma_n_m3;
    let (a, b, c) = (d + cohesion, h + d * strength.tan_phi, h * strength.tan_phi + cohesion);
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return None;
    }
    // The smaller root, written so that it does not cancel.
    let t = 2.0 * c / (b + discriminant.sqrt());
    // Where the slope itself is the smaller root, nothing lies above it.
    (t * d < h * (1.0 - 1e-5)).then_some(t)
}

/// Excess that is left alone (1/32,768 voxel): a slope of one part in 128, which lets soil come to rest.
pub(super) const TOLERANCE: i64 = HEIGHT_ONE / 128;

/// The same as a slope (-).
pub(super) const SLACK: f32 = TOLERANCE as f32 / HEIGHT_ONE as f32;

/// How loose soil holds on itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip {
    /// Friction (-).
    pub mu: f32,
    /// Friction of what stands (-).
    pub start: f32,
    /// Slope of the steepest plane that drives a layer: on it the wedge below a cliff is driven most, tan(45° + phi/2) (-).
    pub steepest: f32,
    /// The rise to the next column, and to the next across a corner, that friction bears (1/32,768 voxel).
    pub reach: [i64; 2],
}

impl Grip {
    pub fn of(strength: &Strength) -> Self {
        let mu = strength.tan_phi;
        let reach = [1.0, std::f32::consts::SQRT_2].map(|d| (mu * d * HEIGHT_ONE as f32) as i64);
        Self { mu, start: mu + SLACK, steepest: strength.root_kp(), reach }
    }
}

/// Height up to which a face of slope `beta` (rad) stands in soil of this strength, by plane wedges through its toe
/// (Culmann; m). Infinite where the face is no steeper than the friction.
pub fn culmann_height_m(beta: f32, strength: &Strength) -> f32 {
    let phi = strength.tan_phi.atan();
    if beta <= phi {
        return f32::INFINITY;
    }
    strength.cohesive_run_m() * beta.sin() * phi.cos() / (1.0 - (beta - phi).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(phi_deg: f32, cohesion_pa: f32) -> Strength {
        Strength { tan_phi: phi_deg.to_radians().tan(), cohesion_pa, gamma_n_m3: 18_000.0 }
    }

    #[test]
    fn without_cohesion_the_plane_lies_at_the_friction_angle() {
        for phi in [0.0, 20.0, 33.0, 45.0, 80.0] {
            let s = strength(phi, 0.0);
            let t = failure_plane(10.0, 0.5, &s).expect("steeper than any of them");
            assert!((t - s.tan_phi).abs() < 1e-4 * (1.0 + s.tan_phi), "{t} for {phi}");
            assert_eq!(failure_plane(0.5 * s.tan_phi * 0.99, 0.5, &s), None);
        }
    }

    #[test]
    fn on_the_plane_driving_and_holding_forces_are_equal() {
        for (h, d, phi, c) in [(3.0, 1.0, 20.0, 4_000.0), (1.0, 0.5, 30.0, 500.0), (8.0, 2.0, 5.0, 9_000.0)] {
            let s = strength(phi, c);
            let t = failure_plane(h, d, &s).expect("fails");
            let theta = t.atan();
            let weight = 0.5 * (h - t * d) * d * s.gamma_n_m3;
            let holding = c * d / theta.cos() + weight * theta.cos() * s.tan_phi;
            assert!((holding / (weight * theta.sin()) - 1.0).abs() < 1e-3);
        }
        assert_eq!(failure_plane(1.0, 0.5, &strength(20.0, 50_000.0)), None);
    }

    #[test]
    fn critical_heights_are_those_of_the_table() {
        // gamma Hc / c of a vertical face, by plane wedges (Culmann1866): 4 tan(45° + phi / 2).
        for (phi, number) in [(0.0, 4.00), (10.0, 4.77), (20.0, 5.71), (30.0, 6.93), (40.0, 8.58)] {
            let s = strength(phi, 2_000.0);
            let stability = |height: f32| height * s.gamma_n_m3 / s.cohesion_pa;
            assert!((stability(s.cut_height_m()) - number).abs() < 0.01);
            assert!((stability(culmann_height_m(90_f32.to_radians(), &s)) - number).abs() < 0.01);
        }
    }
}
