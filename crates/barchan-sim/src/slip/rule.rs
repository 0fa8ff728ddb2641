//! When soil fails, and how fast it goes: the formulas, free of voxels.

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

/// Slopes that are steeper than their plane by less than this (tangents) need no logarithms.
const NEARLY_ON_PLANE: f32 = 0.05;

/// Net force on what slides on a plane of given tangent, with what of it does not depend on the slope.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlopeForce {
    tan: f32,
    cos: f32,
    angle: f32,
}

impl SlopeForce {
    /// On the plane of tangent `tan`.
    pub fn on_plane(tan: f32) -> Self {
        Self { tan, cos: 1.0 / (1.0 + tan * tan).sqrt(), angle: tan.atan() }
    }

    /// Net force on the wedge above the plane in a slice whose slope has the tangent `s`, over its weight (Geiger2015
    /// eq. 8 over eq. 2, in which only the ratio of rise and run is left; dimensionless).
    pub fn over_weight(&self, s: f32) -> f32 {
        let &Self { tan: t, cos, angle } = self;
        if s - t < NEARLY_ON_PLANE {
            // The first terms of the series; most slopes are hardly too steep.
            return cos * (t + 0.5 * (s - t).max(0.0) * cos * cos);
        }
        let weight = 0.5 * (s - t);
        let along = 0.25 * ((s * s + 1.0) * (cos * cos)).ln() * cos;
        let down = 0.5 * ((s - t) - (s.atan() - angle)) * t * cos;
        ((along + down) / weight).clamp(0.0, 1.0)
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
    fn force_has_no_step_where_the_series_ends() {
        for t in [0.0, 0.3, 0.6, 1.0, 5.0] {
            let force = |s: f32| SlopeForce::on_plane(t).over_weight(s);
            let (below, above) = (force(t + NEARLY_ON_PLANE - 1e-4), force(t + NEARLY_ON_PLANE + 1e-4));
            assert!((above - below).abs() < 2e-3, "{below} and {above} for {t}");
        }
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

    #[test]
    fn force_follows_the_sum_over_dovetails() {
        // Geiger2015 eq. 7: the shear stress of all thin dovetails but the lowest.
        for (h, d, t) in [(2.0_f32, 1.0_f32, 0.5_f32), (0.9, 1.0, 0.6), (30.0, 1.0, 0.7), (0.64, 1.0, 0.6)] {
            let (n, mut force) = (20_000, 0.0_f64);
            for i in 0..n {
                let rise = t * d + (h - t * d) * (i as f32 + 0.5) / n as f32;
                let angle = (rise / d).atan();
                let weight = 0.5 * d * (h - t * d) / n as f32;
                // The part along the failure plane of the dovetail's pull along its own lower side.
                force += f64::from(weight * angle.sin() * (angle - t.atan()).cos());
            }
            let weight = f64::from(0.5 * d * (h - t * d));
            let ours = f64::from(SlopeForce::on_plane(t).over_weight(h / d));
            assert!((force / weight - ours).abs() < 0.02, "{} and {ours}", force / weight);
        }
    }
}
