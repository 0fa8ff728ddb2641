//! How much of a cube lies below a plane: the closed form of Scardovelli and Zaleski (2000), arranged so that
//! nearly axis-parallel planes lose no digits.

use glam::Vec3;

/// Components of a normal below this count as this: flatter planes are the same plane to within a voxel's rounding.
const SMALLEST_COMPONENT: f32 = 1e-6;

/// The fraction of a unit cube that lies on the near side of the plane that passes `distance` (cube edges) beyond its centre in
/// the direction of the unit vector `normal`.
pub fn half_space_share(normal: Vec3, distance: f32) -> f32 {
    Cut::new(normal).below(distance)
}

/// A plane direction, prepared to cut many unit cubes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The components of the normal, without sign, in ascending order.
    m1: f32,
    m2: f32,
    m3: f32,
    /// 1 / (6 m2 m3).
    scale: f32,
    /// Distance from the centre of the cube at which a plane of this direction leaves it (cube edges).
    pub reach: f32,
}

impl Cut {
    /// Cuts by planes with the unit normal `normal`.
    #[inline]
    pub fn new(normal: Vec3) -> Self {
        let m = normal.abs().max(Vec3::splat(SMALLEST_COMPONENT));
        let (low, high) = (m.x.min(m.y), m.x.max(m.y));
        let (m1, m3) = (low.min(m.z), high.max(m.z));
        let m2 = low.max(high.min(m.z));
        Self { m1, m2, m3, scale: 1.0 / (6.0 * m2 * m3), reach: 0.5 * (m1 + m2 + m3) }
    }

    /// The fraction of a unit cube on the near side of the plane that passes `distance` (cube edges) beyond its
    /// centre in the direction of the normal.
    #[inline]
    pub fn below(&self, distance: f32) -> f32 {
        if distance >= self.reach {
            1.0
        } else if distance <= -self.reach {
            0.0
        } else if distance > 0.0 {
            1.0 - self.lower_half(self.reach - distance)
        } else {
            self.lower_half(self.reach + distance)
        }
    }

    /// The fraction of a unit cube within `half_thickness` of the plane `distance` away from its centre (cube edges).
    #[inline]
    pub fn slab(&self, distance: f32, half_thickness: f32) -> f32 {
        let distance = distance.abs();
        self.below(half_thickness - distance) - self.below(-half_thickness - distance)
    }

    /// The fraction cut off by a plane at `height` above the lowest corner, up to the centre of the cube.
    #[inline]
    fn lower_half(&self, height: f32) -> f32 {
        let Self { m1, m2, m3, scale, .. } = *self;
        if height < m1 {
            return height * height * height * scale / m1;
        }
        if height > m1 + m2 {
            return (height - 0.5 * (m1 + m2)) / m3;
        }
        // The corners that the plane has passed: one along m1 (folded into the square), maybe those along m2 and m3.
        let cube = |x: f32| x * x * x;
        let passed = cube((height - m2).max(0.0)) + cube((height - m3).max(0.0));
        (3.0 * height * (height - m1) + m1 * m1 - passed / m1) * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fraction below the plane by integrating exact heights over a fine mesh of columns.
    fn sampled(normal: Vec3, distance: f32) -> f32 {
        const N: usize = 200;
        let mut sum = 0.0_f64;
        for i in 0..N {
            for j in 0..N {
                let at = |k: usize| (k as f64 + 0.5) / N as f64 - 0.5;
                let rest = f64::from(distance) - f64::from(normal.x) * at(i) - f64::from(normal.y) * at(j);
                sum += (rest / f64::from(normal.z) + 0.5).clamp(0.0, 1.0);
            }
        }
        (sum / (N * N) as f64) as f32
    }

    #[test]
    fn agrees_with_integration_for_every_kind_of_normal() {
        let normals = [
            Vec3::new(0.0, 0.0, 1.0),
            Vec3::new(0.0, 1e-4, 1.0),
            Vec3::new(1e-4, 0.3, 1.0),
            Vec3::new(0.2, 0.3, 1.0),
            Vec3::new(0.8, 0.9, 1.0),
            Vec3::new(1.0, 1.0, 1.0),
            Vec3::new(0.0, 1.0, 1.0),
        ];
        for normal in normals.map(Vec3::normalize) {
            let cut = Cut::new(normal);
            for step in -20..=20 {
                let distance = step as f32 * 0.05;
                let (got, want) = (cut.below(distance), sampled(normal, distance));
                assert!((got - want).abs() < 1e-4, "{normal} {distance}: {got} instead of {want}");
            }
        }
    }

    #[test]
    fn both_sides_of_a_plane_fill_the_cube() {
        for (x, y) in [(0.0, 0.0), (0.1, 0.5), (0.6, 0.6), (1e-7, 0.7)] {
            let cut = Cut::new(Vec3::new(x, y, 1.0).normalize());
            for step in 0..100 {
                let distance = step as f32 * 0.01;
                assert!((cut.below(distance) + cut.below(-distance) - 1.0).abs() < 1e-6);
            }
        }
    }
}
