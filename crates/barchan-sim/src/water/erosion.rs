//! What an author of scenes sets about what water takes, carries and lays down.

use serde::{Deserialize, Serialize};

use super::WaterRange;

/// How water and ground exchange matter. Names of constants are those of Weiss2016; all rates are per second and per volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErosionParams {
    /// False: water takes nothing, lays down nothing and wets nothing.
    pub is_on: bool,
    /// Kc: sediment that water can hold over its own volume, for each m/s of speed (s/m).
    pub capacity_s_m: f32,
    /// Kn: share of what is missing to that which water takes for each metre that it moves against the ground (1/m).
    pub dissolve_normal_1_m: f32,
    /// Kt: the same for each metre along it (1/m).
    pub dissolve_tangential_1_m: f32,
    /// Kd: share of what is too much that water lays down (1/s).
    pub deposit_1_s: f32,
    /// Epsilon: least that counts as too much, over the volume of a whole particle (-).
    pub least_share: f32,
    /// Alpha 1: cosine of the slope on which nothing stays (-).
    pub steep_cosine: f32,
    /// Alpha 2: cosine of the slope on which all stays (-).
    pub flat_cosine: f32,
    /// True: the least that is laid down is laid down on any slope, so that noses grow on walls (Weiss2016, fig. 3.14).
    pub noses: bool,
    /// Thickness of the layer of water that the ground feels (m): rates do not depend on the spacing of particles.
    pub touch_m: f32,
    /// Beta: how strongly sediment spreads among neighbours (m/s); it sinks in still water at about a fifth of that.
    pub diffusion_m_s: f32,
    /// k: how much of it goes downwards, -1 to 1 (-).
    pub phase: f32,
    /// Ke: how fast the surface of water evaporates (m/s).
    pub evaporation_m_s: f32,
    /// Opening of the cone above a particle in which no other is, where it lies at the surface (rad).
    pub cone: f32,
    /// How fast soil takes up the water that touches it (m/s).
    pub soak_m_s: f32,
    /// How many seconds of exchange pass in a second.
    pub time_scale: f32,
}

impl Default for ErosionParams {
    fn default() -> Self {
        Self {
            is_on: true,
            capacity_s_m: 0.1,
            dissolve_normal_1_m: 0.05,
            dissolve_tangential_1_m: 0.05,
            deposit_1_s: 1.0,
            least_share: 1e-3,
            steep_cosine: 0.6,
            flat_cosine: 0.8,
            noses: false,
            touch_m: 0.1,
            diffusion_m_s: 0.05,
            phase: 0.7,
            evaporation_m_s: 0.0,
            cone: 70_f32.to_radians(),
            soak_m_s: 1e-5,
            time_scale: 1.0,
        }
    }
}

const fn range(key: &'static str, min: f32, max: f32) -> WaterRange {
    WaterRange { key, min, max }
}

/// The ranges of the numbers, in the order of [`ErosionParams::numbers`].
const RANGES: [WaterRange; 14] = [
    range("capacity_s_m", 0.0, 100.0),
    range("dissolve_normal_1_m", 0.0, 1e4),
    range("dissolve_tangential_1_m", 0.0, 1e4),
    range("deposit_1_s", 0.0, 1e4),
    range("least_share", 0.0, 1.0),
    range("steep_cosine", -1.0, 1.0),
    range("flat_cosine", -1.0, 1.0),
    range("touch_m", 1e-4, 1e3),
    range("diffusion_m_s", 0.0, 1e3),
    range("phase", -0.99, 0.99),
    range("evaporation_m_s", 0.0, 10.0),
    range("cone", 0.0, std::f32::consts::TAU),
    range("soak_m_s", 0.0, 10.0),
    range("time_scale", 0.0, 1e7),
];

impl ErosionParams {
    /// The range of a number by its key.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn range(key: &str) -> WaterRange {
        *RANGES.iter().find(|range| range.key == key).expect("a key of erosion")
    }

    /// The first number that is out of its range, in words.
    pub fn problem(&self) -> Option<String> {
        let outside = |(range, value): &(WaterRange, f32)| !(range.min..=range.max).contains(value);
        if let Some((WaterRange { key, min, max }, value)) =
            RANGES.into_iter().zip(self.numbers()).find(outside)
        {
            return Some(format!("{key} = {value} is outside {min} to {max}"));
        }
        let is_flatter = self.flat_cosine > self.steep_cosine;
        (!is_flatter).then(|| {
            format!("flat_cosine = {} must be above steep_cosine = {}", self.flat_cosine, self.steep_cosine)
        })
    }

    fn numbers(&self) -> [f32; 14] {
        [
            self.capacity_s_m,
            self.dissolve_normal_1_m,
            self.dissolve_tangential_1_m,
            self.deposit_1_s,
            self.least_share,
            self.steep_cosine,
            self.flat_cosine,
            self.touch_m,
            self.diffusion_m_s,
            self.phase,
            self.evaporation_m_s,
            self.cone,
            self.soak_m_s,
            self.time_scale,
        ]
    }
}
