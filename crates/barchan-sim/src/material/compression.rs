//! How soil gives way under pressure for good: critical-state compression.

use serde::{Deserialize, Serialize};

use super::table::Material;

/// Pressures below this count as this (kPa): closer to the surface nothing is known of any soil, and measured paths are unloaded
/// to here (OSullivan1999).
pub const LEAST_PRESSURE_KPA: f32 = 1.0;

/// Pressure under which a soil of which nothing else is known lies as loose and as dense as it goes (kPa).
const LOOSE_AT_KPA: f32 = 1.0;
const DENSE_AT_KPA: f32 = 1_000.0;

/// Slope of unloading over that of first loading where nothing is known (-).
const KAPPA_OVER_LAMBDA: f32 = 0.1;

/// Least difference of the slopes: what hardly gives way at all does so by this (-).
const LEAST_SLOPE: f32 = 1e-6;

/// The lines on which specific volume v = 1 + e falls with mean normal stress p (kPa): v = N - lambda ln p on first loading, by
/// kappa ln p on unloading and reloading (OSullivan1999).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compression {
    /// N: specific volume at 1 kPa on first loading (-).
    pub volume_at_1_kpa: f32,
    /// Lambda: slope of first loading (-).
    pub lambda: f32,
    /// Kappa: slope of unloading and reloading (-).
    pub kappa: f32,
}

impl Compression {
    /// The lines through the loosest state at 1 kPa and the densest at 1,000 kPa: for soils of which nothing else is known.
    pub fn between(dense: f32, loose: f32) -> Self {
        let lambda = (loose - dense).max(LEAST_SLOPE) / libm::logf(DENSE_AT_KPA / LOOSE_AT_KPA);
        Self { volume_at_1_kpa: 1.0 + loose, lambda, kappa: KAPPA_OVER_LAMBDA * lambda }
    }

    /// Void ratio on first loading under this pressure (kPa).
    pub fn virgin_void_ratio(&self, pressure_kpa: f32) -> f32 {
        self.volume_at_1_kpa - self.lambda * libm::logf(pressure_kpa.max(LEAST_PRESSURE_KPA)) - 1.0
    }

    /// The greatest pressure that soil of this void ratio has borne (kPa), where `overburden_kpa` rests on it now. Void ratio and
    /// overburden say it, so nobody stores it: ln p_c = (N - kappa ln p0 - v) / (lambda - kappa).
    pub fn preconsolidation_kpa(&self, void_ratio: f32, overburden_kpa: f32) -> f32 {
        let unloaded = self.kappa * libm::logf(overburden_kpa.max(LEAST_PRESSURE_KPA));
        let above = self.volume_at_1_kpa - unloaded - (1.0 + void_ratio);
        // Beyond this a float has no numbers.
        libm::expf((above / self.slope()).clamp(-80.0, 80.0))
    }

    /// Void ratio under `pressure_kpa` (kPa) of soil that has this one under `overburden_kpa`: stiff up to the preconsolidation,
    /// on the line of first loading beyond.
    pub fn loaded_void_ratio(&self, void_ratio: f32, overburden_kpa: f32, pressure_kpa: f32) -> f32 {
        let (rest, load) = (overburden_kpa.max(LEAST_PRESSURE_KPA), pressure_kpa.max(LEAST_PRESSURE_KPA));
        if load > self.preconsolidation_kpa(void_ratio, rest).max(rest) {
            return self.virgin_void_ratio(load).min(void_ratio);
        }
        void_ratio - self.kappa * libm::logf(load / rest).max(0.0)
    }

    /// Void ratio that stays when that pressure is gone: it swells back by kappa.
    pub fn void_ratio_after(&self, void_ratio: f32, overburden_kpa: f32, pressure_kpa: f32) -> f32 {
        let (rest, load) = (overburden_kpa.max(LEAST_PRESSURE_KPA), pressure_kpa.max(LEAST_PRESSURE_KPA));
        if !(load > rest && load > self.preconsolidation_kpa(void_ratio, rest)) {
            return void_ratio;
        }
        (self.virgin_void_ratio(load) + self.kappa * libm::logf(load / rest)).min(void_ratio)
    }

    /// By how much more first loading falls than reloading (-).
    pub(super) fn slope(&self) -> f32 {
        (self.lambda - self.kappa).max(LEAST_SLOPE)
    }

    /// Each number with its name and range.
    pub(super) fn ranges(&self) -> [(&'static str, f32, f32, f32); 3] {
        [
            ("volume_at_1_kpa", self.volume_at_1_kpa, 1.0, 10.0),
            ("lambda", self.lambda, 1e-6, 2.0),
            ("kappa", self.kappa, 0.0, 0.99 * self.lambda),
        ]
    }
}

impl Material {
    /// How it gives way under pressure: as measured, or as its loosest and densest states tell.
    pub fn compression(&self) -> Compression {
        self.measured_compression
            .unwrap_or_else(|| Compression::between(self.void_ratio_dense, self.void_ratio_loose))
    }

    /// What soil of this void ratio has borne over what it has borne in its natural state (-).
    pub fn borne_over_natural(&self, void_ratio: f32) -> f32 {
        let void_ratio = void_ratio.max(self.void_ratio_dense).min(self.void_ratio_loose);
        libm::expf(((self.void_ratio_natural - void_ratio) / self.compression().slope()).clamp(-80.0, 80.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Materials;

    const SANDY_LOAM: Compression = Compression { volume_at_1_kpa: 2.422, lambda: 0.123, kappa: 0.0087 };

    #[test]
    fn preconsolidation_is_that_of_osullivan() {
        // Void ratio, preconsolidation (kPa) under 16 kPa, by hand.
        for (e, expected) in [(0.95, 50.3), (0.85, 120.7), (0.65, 694.0)] {
            let found = SANDY_LOAM.preconsolidation_kpa(e, 16.0);
            assert!((found / expected - 1.0).abs() < 0.01, "{e}: {found}");
        }
    }

    #[test]
    fn what_was_loaded_once_bears_as_much_again_without_giving_way() {
        let materials = Materials::builtin();
        for (_, material) in materials.iter() {
            let compression = material.compression();
            for e in [material.void_ratio_loose, material.void_ratio_natural] {
                for load in [5.0, 80.0, 300.0] {
                    let once = compression.void_ratio_after(e, 10.0, load);
                    assert!(once <= e, "{}", material.name);
                    let again = compression.void_ratio_after(once, 10.0, load);
                    assert!((again - once).abs() < 1e-5, "{}: {once} {again}", material.name);
                    // More goes on along the line of first loading, as if it had come at once.
                    let more = compression.void_ratio_after(once, 10.0, 2.0 * load);
                    let at_once = compression.void_ratio_after(e, 10.0, 2.0 * load);
                    assert!((more - at_once).abs() < 1e-5, "{}: {more} {at_once}", material.name);
                }
            }
        }
    }

    #[test]
    fn nonsense_makes_no_nonsense() {
        for load in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
            let after = SANDY_LOAM.void_ratio_after(0.9, 10.0, load);
            assert!(!after.is_nan() && after <= 0.9, "{load}: {after}");
        }
    }
}
