//! Where water leaves: drains, and borders that are open.

use barchan_volume::{Aabb, VoxelBox};
use glam::{DVec3, IVec3, Vec3};
use serde::{Deserialize, Serialize};

/// A box in which water goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drain {
    /// Lowest corner (m).
    pub min_m: Vec3,
    /// Highest corner (m).
    pub max_m: Vec3,
    /// Most that goes (m³/s); none: all that is there.
    pub rate_m3_s: Option<f32>,
    /// What has not gone yet of what might have (m³).
    pub(super) owed_m3: f64,
}

impl Drain {
    /// Between two corners (m), at most so much (m³/s).
    pub fn new(min_m: Vec3, max_m: Vec3, rate_m3_s: Option<f32>) -> Self {
        Self { min_m, max_m, rate_m3_s, owed_m3: 0.0 }
    }

    /// True when a point (m) is in it.
    pub(super) fn holds(&self, point_m: DVec3) -> bool {
        let Aabb { min, max } = Aabb { min: self.min_m, max: self.max_m };
        point_m.cmpge(min.as_dvec3()).all() && point_m.cmple(max.as_dvec3()).all()
    }

    /// True when all of its numbers are in range.
    pub(super) fn is_sound(&self) -> bool {
        let rate = self.rate_m3_s.unwrap_or(0.0);
        self.min_m.is_finite()
            && self.max_m.is_finite()
            && (0.0..=1e9).contains(&rate)
            && (0.0..=1e9).contains(&self.owed_m3)
    }
}

/// Borders of the world over which water leaves: those at low x, y, z and those at high x, y, z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// At the low end of each axis.
    pub low: [bool; 3],
    /// At the high end of each axis.
    pub high: [bool; 3],
}

impl Open {
    /// True when a voxel outside the walls lies beyond open borders only.
    pub(super) fn is_open(&self, p: IVec3, walls: &VoxelBox) -> bool {
        (0..3).all(|axis| {
            (p[axis] >= walls.min[axis] || self.low[axis]) && (p[axis] < walls.max[axis] || self.high[axis])
        })
    }
}
