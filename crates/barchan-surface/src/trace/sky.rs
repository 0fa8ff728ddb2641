//! Sun and sky: what light comes from where.

use glam::Vec3;

use super::chance::smoothstep;

/// Sunlight on a surface that faces it, divided by pi (linear RGB).
const SUN_LIGHT: Vec3 = Vec3::new(3.05, 2.72, 2.25);
/// The sky above, at the horizon, and the glow around the sun (linear RGB).
const ZENITH: Vec3 = Vec3::new(0.36, 0.50, 0.76);
const HORIZON: Vec3 = Vec3::new(0.98, 1.02, 1.06);
const GLOW: Vec3 = Vec3::new(0.60, 0.44, 0.26);
/// Half the angle over which the sun is seen (rad), wider than it is: shadows soften within the size of a world.
const SUN_RADIUS: f32 = 0.018;

/// The light of one time of day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sky {
    /// Direction to the sun.
    pub sun: Vec3,
    /// Sunlight on a surface that faces it (linear RGB).
    pub sunlight: Vec3,
    across: [Vec3; 2],
}

impl Sky {
    /// The sky with the sun at an azimuth (from +x towards +y) and an elevation (rad).
    pub fn new(azimuth: f32, elevation: f32) -> Self {
        let sun =
            Vec3::new(azimuth.cos() * elevation.cos(), azimuth.sin() * elevation.cos(), elevation.sin());
        // Low light is red: its blue is scattered away on a longer path.
        let path = 1.0 / (sun.z.max(0.0) + 0.08);
        let left = Vec3::new(0.02, 0.045, 0.10) * (path - 1.5);
        let sunlight = SUN_LIGHT * Vec3::new((-left.x).exp(), (-left.y).exp(), (-left.z).exp());
        let (a, b) = sun.any_orthonormal_pair();
        Self { sun, sunlight: sunlight * smoothstep(-0.05, 0.05, sun.z), across: [a, b] }
    }

    /// A direction to a point of the sun, from two numbers in 0..1.
    pub fn toward_sun(&self, [u, v]: [f32; 2]) -> Vec3 {
        let (radius, turn) = (u.sqrt() * SUN_RADIUS, v * std::f32::consts::TAU);
        (self.sun + self.across[0] * (radius * turn.cos()) + self.across[1] * (radius * turn.sin()))
            .normalize()
    }

    /// Light from a direction above the horizon; below it goes on as at the horizon.
    pub fn light(&self, direction: Vec3) -> Vec3 {
        let height = direction.z.max(0.0);
        let base = HORIZON.lerp(ZENITH, 1.0 - (1.0 - height).powi(3));
        let toward = direction.dot(self.sun).max(0.0);
        let glow = GLOW * (0.35 * toward.powi(6) + 0.6 * toward.powi(64));
        base + glow
    }

    /// Light of the horizon in a direction, for what lies in the distance.
    pub fn haze(&self, direction: Vec3) -> Vec3 {
        self.light(direction.with_z(0.0).normalize_or(Vec3::X))
    }
}
