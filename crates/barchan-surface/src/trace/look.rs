//! What a surface looks like at a point: its colour, the fine relief that its normal shows, and how it shines.

use glam::Vec3;

/// The looks of a surface at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Share of light that is given back in all directions (linear RGB).
    pub albedo: Vec3,
    /// Outward, with the fine relief.
    pub normal: Vec3,
    /// Share of light that is mirrored when seen head-on (-).
    pub shine: f32,
    /// How sharp the mirror image is: exponent of the lobe (-).
    pub gloss: f32,
}

impl Look {
    /// A dull surface.
    pub fn dull(albedo: Vec3, normal: Vec3) -> Self {
        Self { albedo, normal, shine: 0.0, gloss: 1.0 }
    }
}

/// A normal that leans away from where a relief rises. `slope`: of the relief, in space.
pub(super) fn bump(normal: Vec3, slope: Vec3) -> Vec3 {
    let along = slope - normal * slope.dot(normal);
    (normal - along).normalize_or(normal)
}

/// How much of a pattern is seen: none once a wave of it falls between two pixels.
pub(super) fn seen(wavelength: f32, footprint: f32) -> f32 {
    (wavelength / footprint.max(1e-6) * 0.7 - 0.7).clamp(0.0, 1.0)
}

/// sRGB as linear light.
pub(super) fn linear(color: [u8; 3]) -> Vec3 {
    let decode = |value: u8| {
        let value = f32::from(value) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::from_array(color.map(decode))
}
