//! What an author of scenes says about coming to rest.

use serde::{Deserialize, Serialize};

/// When grains become ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergeParams {
    /// Slower than this is at rest (m/s).
    pub speed_m_s: f64,
    /// And turns more slowly than this (rad/s).
    pub spin_rad_s: f64,
    /// For so long (s).
    pub rest_s: f64,
    /// Nothing merges this close to a tool that moves (m).
    pub clearance_m: f64,
    /// Most grains that may be alive: beyond it the oldest at rest merge first.
    pub most: u32,
}

impl Default for MergeParams {
    fn default() -> Self {
        Self { speed_m_s: 0.05, spin_rad_s: 1.0, rest_s: 0.3, clearance_m: 0.3, most: 5_000 }
    }
}

impl MergeParams {
    /// Ranges: field, value, lowest, highest.
    pub fn ranges(&self) -> [(&'static str, f64, f64, f64); 5] {
        [
            ("speed_m_s", self.speed_m_s, 1e-6, 100.0),
            ("spin_rad_s", self.spin_rad_s, 1e-6, 1_000.0),
            ("rest_s", self.rest_s, 0.0, 1e4),
            ("clearance_m", self.clearance_m, 0.0, 100.0),
            ("most", f64::from(self.most), 1.0, 1e6),
        ]
    }

    /// Says what lies outside its range.
    ///
    /// # Errors
    /// With the field, its value and the range.
    pub fn check(&self) -> Result<(), String> {
        for (field, value, low, high) in self.ranges() {
            if !(low..=high).contains(&value) {
                return Err(format!("{field} = {value} is outside {low} to {high}"));
            }
        }
        Ok(())
    }
}
