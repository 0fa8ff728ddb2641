//! The stress below loads on level ground, in closed form.

use std::f32::consts::PI;

use glam::Vec3;

/// A load that presses down on a small part of the ground, as round as one likes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Its middle (m).
    pub point_m: Vec3,
    /// Downward force (N).
    pub down_n: f32,
    /// The area on which it presses (m²); 0 for a point.
    pub area_m2: f32,
}

/// Vertical stress (Pa) at `point_m` (m) below a load, for concentration factor `nu` (3 elastic, 4 to 6 for soils):
/// nu Q / (2 pi R²) cos^nu (Frohlich1934). Below the middle of a patch it is nearly, far from it exactly that of a disc of its area,
/// q (1 - cos^nu): what a part of a patch adds is spread by nu / 2 of the square of its radius.
pub fn vertical_stress_pa(load: &Load, point_m: Vec3, nu: f32) -> f32 {
    let Some((cosine, square)) = way(load, point_m) else { return 0.0 };
    let spread = 0.5 * nu * load.area_m2 / PI;
    nu * load.down_n / (2.0 * PI * (square + spread)) * power(cosine, nu)
}

/// Mean normal stress (Pa), (sigma_x + sigma_y + sigma_z) / 3: the stress of Fröhlich points to the load, so that its only principal
/// stress makes up the sum, nu Q / (6 pi R²) cos^(nu - 2). Below the middle of a disc it is q nu / (3 (nu - 2)) (1 - cos^(nu - 2)),
/// which the spread of (nu - 2) / 2 of the square of the radius gives exactly for nu = 4, and for others at the surface and far off.
pub fn mean_stress_pa(load: &Load, point_m: Vec3, nu: f32) -> f32 {
    let Some((cosine, square)) = way(load, point_m) else { return 0.0 };
    let spread = 0.5 * (nu - 2.0) * load.area_m2 / PI;
    nu * load.down_n / (6.0 * PI * (square + spread)) * power(cosine, nu - 2.0)
}

/// Cosine of the angle from straight down, and the square of the distance (m²); none where the point is not below the load, or
/// the load is no load.
fn way(load: &Load, point_m: Vec3) -> Option<(f32, f32)> {
    let way = load.point_m - point_m;
    let square = way.length_squared();
    let is_load = load.down_n > 0.0 && load.down_n.is_finite() && load.area_m2 >= 0.0;
    (way.z > 0.0 && square.is_finite() && is_load).then(|| (way.z / square.sqrt(), square))
}

/// A cosine to a power that mostly is a small whole number.
fn power(cosine: f32, exponent: f32) -> f32 {
    let square = cosine * cosine;
    match exponent {
        1.0 => cosine,
        2.0 => square,
        3.0 => square * cosine,
        4.0 => square * square,
        5.0 => square * square * cosine,
        6.0 => square * square * square,
        other => libm::powf(cosine, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc of `radius_m` under 100 kPa, cut into small parts.
    fn disc(radius_m: f32) -> Vec<Load> {
        let rings = 40;
        let mut loads = Vec::new();
        for ring in 0..rings {
            let (inner, outer) = (ring as f32 / rings as f32, (ring + 1) as f32 / rings as f32);
            let count = 6 * ring + 4;
            let area_m2 = PI * radius_m * radius_m * (outer * outer - inner * inner) / count as f32;
            for i in 0..count {
                let turn = std::f32::consts::TAU * i as f32 / count as f32;
                let at = 0.5 * (inner + outer) * radius_m;
                let point_m = Vec3::new(at * turn.cos(), at * turn.sin(), 0.0);
                loads.push(Load { point_m, down_n: 1e5 * area_m2, area_m2 });
            }
        }
        loads
    }

    #[test]
    fn below_a_disc_stress_is_that_of_the_literature() {
        let parts = disc(0.2);
        // Concentration factor, depth (m), vertical stress (kPa): Fröhlich's closed form below the middle.
        let rows = [
            (4.0, 0.1, 96.0),
            (4.0, 0.2, 75.0),
            (4.0, 0.3, 52.1),
            (4.0, 0.5, 25.7),
            (4.0, 1.0, 7.5),
            (5.0, 0.1, 98.2),
            (5.0, 0.2, 82.3),
            (5.0, 0.5, 31.0),
        ];
        for (nu, depth_m, expected) in rows {
            let below = Vec3::NEG_Z * depth_m;
            let found: f32 = parts.iter().map(|part| vertical_stress_pa(part, below, nu)).sum::<f32>() / 1e3;
            assert!((found / expected - 1.0).abs() < 0.01, "{nu} {depth_m}: {found}");
        }
        let mean: f32 = parts.iter().map(|part| mean_stress_pa(part, Vec3::NEG_Z * 0.2, 4.0)).sum();
        assert!((mean - 33_333.0).abs() < 200.0, "{mean}");
    }

    #[test]
    fn a_whole_patch_is_nearly_its_parts_below_it_and_from_three_radii_on() {
        let whole = Load { point_m: Vec3::ZERO, down_n: 1e5 * PI * 0.04, area_m2: PI * 0.04 };
        let parts = disc(0.2);
        for nu in [3.0, 4.0, 5.0, 6.0] {
            for below in [[0.0, -0.1], [0.0, -0.2], [0.0, -0.6], [0.5, -0.6], [0.5, -0.9]] {
                let point = Vec3::new(below[0], 0.0, below[1]);
                let sum: f32 = parts.iter().map(|part| mean_stress_pa(part, point, nu)).sum();
                let found = mean_stress_pa(&whole, point, nu);
                assert!((found / sum - 1.0).abs() < 0.25, "{nu} {point}: {found} {sum}");
            }
        }
    }

    #[test]
    fn a_point_load_off_its_axis() {
        let load = Load { point_m: Vec3::ZERO, down_n: 1e4, area_m2: 0.0 };
        let found = vertical_stress_pa(&load, Vec3::new(0.5, 0.0, -0.5), 4.0);
        assert!((found - 3_183.0).abs() < 5.0, "{found}");
    }

    #[test]
    fn nonsense_presses_on_nothing() {
        let below = Vec3::NEG_Z;
        for down_n in [f32::NAN, f32::INFINITY, -5.0, 0.0] {
            assert_eq!(mean_stress_pa(&Load { down_n, ..Load::default() }, below, 4.0), 0.0);
        }
        let load = Load { down_n: 1.0, ..Load::default() };
        for point in [Vec3::Z, Vec3::ZERO, Vec3::splat(f32::NAN)] {
            assert_eq!(mean_stress_pa(&load, point, 4.0), 0.0);
        }
    }
}
