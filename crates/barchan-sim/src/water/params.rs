//! What an author of scenes sets about water.

use serde::{Deserialize, Serialize};

use super::Method;

/// How water behaves. Every number has its range in [`WaterParams::ranges`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaterParams {
    /// Distance of particles at rest (m): one particle stands for so long a cube of water.
    pub spacing_m: f32,
    /// How the pressure is found.
    pub method: Method,
    /// Density of water (kg/m³); the share omega of water in the mass of a particle.
    pub water_kg_m3: f32,
    /// Density of the grains that water carries (kg/m³); the share sigma of sediment in the mass of a particle.
    pub sediment_kg_m3: f32,
    /// Kinematic viscosity (m²/s).
    pub viscosity_m2_s: f32,
    /// Surface tension (N/m).
    pub tension_n_m: f32,
    /// Length of the gradient of the colour field below which there is no surface to speak of (-, times the kernel's support).
    pub tension_threshold: f32,
    /// Roughness of rock that slows the water along it (m).
    pub rock_roughness_m: f32,
    /// Roughness of soil that slows the water along it (m).
    pub soil_roughness_m: f32,
    /// Compression at which the pressure is good enough, mean over all particles (-). Only `dfsph`.
    pub tolerance: f32,
    /// Most iterations of the pressure in a substep. Only `dfsph`.
    pub most_iterations: u32,
    /// Stiffness: pressure over density beyond rest (m²/s²). Only `muller`.
    pub stiffness_m2_s2: f32,
    /// Density from which on water presses back (kg/m³). Only `muller`.
    pub rest_density_kg_m3: f32,
    /// True where what carries sediment is slower in everything, even in free fall (Weiss2016, eq. 3.27). Only `muller`.
    pub heavy_is_slow: bool,
    /// True where clear water that has come to rest sleeps: it stands still and costs nothing until something comes to it.
    pub sleeps: bool,
}

/// The range of a number of [`WaterParams`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterRange {
    /// What it is called in scenes, with its unit.
    pub key: &'static str,
    /// Smallest allowed.
    pub min: f32,
    /// Largest allowed.
    pub max: f32,
}

impl Default for WaterParams {
    fn default() -> Self {
        Self {
            spacing_m: 0.1,
            method: Method::Dfsph,
            water_kg_m3: 1_000.0,
            sediment_kg_m3: 2_650.0,
            viscosity_m2_s: 1e-6,
            tension_n_m: 0.0,
            tension_threshold: 0.5,
            rock_roughness_m: 0.01,
            soil_roughness_m: 0.002,
            tolerance: 1e-3,
            most_iterations: 50,
            stiffness_m2_s2: 1_000.0,
            rest_density_kg_m3: 1_000.0,
            heavy_is_slow: false,
            sleeps: true,
        }
    }
}

/// The ranges of the numbers, in the order of [`WaterParams::numbers`].
const RANGES: [WaterRange; 12] = [
    WaterRange { key: "spacing_m", min: 1e-4, max: 1e3 },
    WaterRange { key: "water_kg_m3", min: 100.0, max: 20_000.0 },
    WaterRange { key: "sediment_kg_m3", min: 100.0, max: 25_000.0 },
    WaterRange { key: "viscosity_m2_s", min: 0.0, max: 1e4 },
    WaterRange { key: "tension_n_m", min: 0.0, max: 100.0 },
    WaterRange { key: "tension_threshold", min: 0.01, max: 10.0 },
    WaterRange { key: "rock_roughness_m", min: 0.0, max: 10.0 },
    WaterRange { key: "soil_roughness_m", min: 0.0, max: 10.0 },
    WaterRange { key: "tolerance", min: 1e-5, max: 0.1 },
    WaterRange { key: "most_iterations", min: 2.0, max: 1_000.0 },
    WaterRange { key: "stiffness_m2_s2", min: 0.1, max: 1e6 },
    WaterRange { key: "rest_density_kg_m3", min: 0.0, max: 20_000.0 },
];

impl WaterParams {
    /// Smallest and largest spacing, in voxels: particles of a sixteenth of a voxel to a voxel in radius.
    pub const SPACING_VOXELS: [f32; 2] = [0.125, 2.0];

    /// The range of a number by its key.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn range(key: &str) -> WaterRange {
        *RANGES.iter().find(|range| range.key == key).expect("a key of water")
    }

    /// All numbers with their ranges.
    pub fn ranges(&self) -> impl Iterator<Item = (WaterRange, f32)> {
        RANGES.into_iter().zip(self.numbers())
    }

    /// The first number that is out of its range, in words; `voxel_size_m` (m) is that of the ground.
    pub fn problem(&self, voxel_size_m: f32) -> Option<String> {
        let outside = |(range, value): &(WaterRange, f32)| !(range.min..=range.max).contains(value);
        if let Some((WaterRange { key, min, max }, value)) = self.ranges().find(outside) {
            return Some(format!("{key} = {value} is outside {min} to {max}"));
        }
        let [low, high] = Self::SPACING_VOXELS.map(|voxels| voxels * voxel_size_m);
        let fits = (low * 0.999..=high * 1.001).contains(&self.spacing_m);
        (!fits).then(|| {
            format!(
                "spacing_m = {} is outside {low} to {high}: an eighth of a voxel to two voxels",
                self.spacing_m
            )
        })
    }

    fn numbers(&self) -> [f32; 12] {
        [
            self.spacing_m,
            self.water_kg_m3,
            self.sediment_kg_m3,
            self.viscosity_m2_s,
            self.tension_n_m,
            self.tension_threshold,
            self.rock_roughness_m,
            self.soil_roughness_m,
            self.tolerance,
            self.most_iterations as f32,
            self.stiffness_m2_s2,
            self.rest_density_kg_m3,
        ]
    }
}
