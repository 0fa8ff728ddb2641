//! How a soil holds water, and how the water holds the soil together.

use serde::{Deserialize, Serialize};

use super::table::STANDARD_GRAVITY;

/// Density of water (kg/m³).
pub(crate) const WATER_KG_M3: f32 = 1_000.0;

/// Most that suction presses grains together (Pa): about an atmosphere, at which water in all but the finest pores cavitates
/// (Lu2010 measures less in everything but dry clay).
const MOST_SUCTION_STRESS_PA: f32 = 100_000.0;

/// Effective saturation below which too little water is left for menisci between all grains (-). From here on suction stress
/// falls evenly to nothing in soil without water; van Genuchten's curve has no end there.
const DRY: f32 = 0.02;

/// The water retention curve of a soil (vanGenuchten1980).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retention {
    /// One over the suction at which air enters the pores (1/m of water column).
    pub alpha_per_m: f32,
    /// Evenness of the pores: how steeply the curve falls beyond (-).
    pub n: f32,
    /// Share of the pores whose water clings to grains and does not flow (-).
    pub residual_saturation: f32,
}

impl Retention {
    /// Each number with its name and range.
    pub(super) fn ranges(&self) -> [(&'static str, f32, f32, f32); 3] {
        [
            ("retention alpha (1/m)", self.alpha_per_m, 0.01, 1_000.0),
            ("retention n", self.n, 1.01, 20.0),
            ("residual_saturation", self.residual_saturation, 0.0, 0.9),
        ]
    }

    /// The stress (Pa) with which water that fills this share of the pores presses the grains together: Se s, the effective
    /// saturation times the suction (Lu2010). Nothing in dry soil, and nothing in drowned soil.
    pub fn suction_stress_pa(&self, saturation: f32) -> f32 {
        let dry = self.residual_saturation + DRY * (1.0 - self.residual_saturation);
        if saturation.is_nan() || saturation <= 0.0 {
            return 0.0;
        }
        let held = saturation.clamp(dry, 1.0);
        let effective = (held - self.residual_saturation) / (1.0 - self.residual_saturation);
        let stress = (effective * self.suction_pa(effective)).min(MOST_SUCTION_STRESS_PA);
        stress * (saturation / dry).min(1.0)
    }

    /// Suction of the water at this effective saturation (Pa): Se = (1 + (alpha s)^n)^-(1 - 1/n), solved for s.
    fn suction_pa(&self, effective: f32) -> f32 {
        let n = f64::from(self.n);
        let inverse = libm::pow(f64::from(effective), -n / (n - 1.0)) - 1.0;
        let metres = libm::pow(inverse.max(0.0), 1.0 / n) / f64::from(self.alpha_per_m);
        metres as f32 * WATER_KG_M3 * STANDARD_GRAVITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Materials;

    #[test]
    fn apparent_cohesion_is_that_of_the_table() {
        let materials = Materials::builtin();
        // Soil, angle of friction (°), apparent cohesion at effective saturation 0.1, 0.5 and 0.9 (kPa), after Lu2010.
        let rows = [("dry_sand", 33.0_f32, [0.17, 0.29, 0.21]), ("sandy_loam", 30.0, [1.0, 0.72, 0.33])];
        for (name, phi_deg, expected) in rows {
            let retention = materials[materials.find(name).unwrap()].retention.unwrap();
            for (effective, expected) in [0.1, 0.5, 0.9].into_iter().zip(expected) {
                let residual = retention.residual_saturation;
                let stress = retention.suction_stress_pa(residual + effective * (1.0 - residual));
                let found = stress * phi_deg.to_radians().tan() / 1e3;
                assert!((found - expected).abs() < 0.01, "{name} at {effective}: {found} kPa");
            }
        }
    }

    #[test]
    fn neither_dry_nor_drowned_soil_is_held_and_nothing_jumps() {
        for (_, material) in Materials::builtin().iter() {
            let Some(retention) = material.retention else { continue };
            for nothing in [0.0, 1.0, -1.0, 2.0, f32::NAN] {
                assert_eq!(retention.suction_stress_pa(nothing), 0.0, "{} at {nothing}", material.name);
            }
            let mut last = 0.0;
            for step in 1..=10_000 {
                let stress = retention.suction_stress_pa(step as f32 / 1e4);
                assert!((0.0..=MOST_SUCTION_STRESS_PA).contains(&stress));
                // Clay alone falls steeply, where its last pores fill.
                assert!((stress - last).abs() < 0.02 * MOST_SUCTION_STRESS_PA, "{} at {step}", material.name);
                last = stress;
            }
        }
    }
}
