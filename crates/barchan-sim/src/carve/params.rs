//! What an author of scenes says about particles.

use serde::{Deserialize, Serialize};

use crate::grains::{GrainsError, SIZES_M};

/// How soil comes off as particles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarveParams {
    /// Diameter of a particle (m).
    pub size_m: f64,
    /// How far the lowest particle of a column of ten is pressed in, over its diameter (-). More is softer and faster.
    pub overlap: f64,
}

/// Overlaps that make sense: stiffer ones are no longer for real time, softer ones are no heap.
pub const OVERLAPS: [f64; 2] = [0.001, 0.2];

/// Most voxels that a particle may measure: what searches room around it looks at each of them.
pub const MOST_VOXELS: f64 = 16.0;

/// Why soil cannot come off as particles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CarveError {
    /// A number outside its range.
    #[error("{field} = {value} is outside {low} to {high}")]
    OutOfRange {
        /// What.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Lowest allowed.
        low: f64,
        /// Highest allowed.
        high: f64,
    },
    /// What there can be of grains leaves no room for them.
    #[error(transparent)]
    Grains(#[from] GrainsError),
}

impl CarveParams {
    /// Particles somewhat wider than a voxel, so that ground does not look finer than what comes off it.
    pub fn for_voxels(voxel_size_m: f32) -> Self {
        Self { size_m: 1.5 * f64::from(voxel_size_m), overlap: 0.05 }
    }

    /// Checks every number.
    pub fn check(&self, voxel_size_m: f32) -> Result<(), CarveError> {
        let voxel = f64::from(voxel_size_m);
        let [least, most] = SIZES_M;
        let size = [least.max(0.5 * voxel), most.min(MOST_VOXELS * voxel)];
        for (field, value, [low, high]) in
            [("size_m", self.size_m, size), ("overlap", self.overlap, OVERLAPS)]
        {
            if !(low..=high).contains(&value) {
                return Err(CarveError::OutOfRange { field, value, low, high });
            }
        }
        Ok(())
    }
}
