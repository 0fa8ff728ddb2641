//! What has come off and is not yet a whole particle.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::bodies::BodyId;
use crate::material::MaterialId;

/// Soil of one kind in front of one tool that is not enough for a particle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pocket {
    /// The tool.
    pub body: BodyId,
    /// Which soil.
    pub kind: MaterialId,
    /// How much of it (units).
    pub units: u64,
    /// The water in it (units).
    pub water: u64,
    /// Where the last of it came off (m).
    pub at_m: DVec3,
    /// Since when nothing has come (s).
    pub idle_s: f64,
}

impl Pocket {
    /// Takes the soil of one particle out, with its share of the water.
    pub fn split_off(&mut self, units: u64) -> (u64, u64) {
        let units = units.min(self.units);
        let water = if units == self.units {
            self.water
        } else {
            (u128::from(self.water) * u128::from(units) / u128::from(self.units)) as u64
        };
        self.units -= units;
        self.water -= water;
        (units, water)
    }

    /// True when its numbers make sense: those of a file need not.
    pub fn is_sound(&self) -> bool {
        self.at_m.is_finite()
            && self.at_m.length() < 1e7
            && (0.0..1e9).contains(&self.idle_s)
            && self.units < 1 << 40
            && self.water < 1 << 40
    }
}
