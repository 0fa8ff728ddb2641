//! Water that is there at once: a region, filled up to a level.

use barchan_volume::brick::{EDGE, VOXELS, brick_box, voxel_index};
use barchan_volume::{Coverage, Region, VoxelBox};
use glam::{DVec3, IVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::sources::MOST_PARTICLES;
use crate::material::MaterialId;

/// Water that fills a region as far as it is free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pour {
    /// Where.
    pub region: Region,
    /// Highest that it reaches (m); none: all of the region.
    pub level_m: Option<f32>,
    /// How it moves (m/s).
    pub velocity_m_s: Vec3,
    /// Share of its volume that is sediment, 0 to 0.6 (-).
    pub sediment: f32,
    /// Which.
    pub kind: MaterialId,
}

/// Why water cannot be poured. Nothing was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PourError {
    /// A region without end in a world without walls.
    #[error("the region has no end and the world has no bounds")]
    Unbounded,
    /// More than there may be.
    #[error("{0} particles of water are more than {MOST_PARTICLES}: take a larger spacing or less water")]
    TooMany(u64),
    /// A number that is out of its range.
    #[error("{0}")]
    Number(String),
}

impl Pour {
    /// Clear water at rest in a region.
    pub fn new(region: Region) -> Self {
        Self { region, level_m: None, velocity_m_s: Vec3::ZERO, sediment: 0.0, kind: MaterialId(0) }
    }

    /// The middles (m) of the cubes of `spacing_m` of which most lies in the region, within `walls` (m) and below the level, in the
    /// order of x, y, z.
    pub(super) fn points(&self, spacing_m: f32, walls: Option<[Vec3; 2]>) -> Result<Vec<DVec3>, PourError> {
        let mut reach = self.region.bounds();
        if let Some([low, high]) = walls {
            (reach.min, reach.max) = (reach.min.max(low), reach.max.min(high));
        }
        if let Some(level_m) = self.level_m {
            reach.max.z = reach.max.z.min(level_m);
        }
        if !(reach.min.is_finite() && reach.max.is_finite()) {
            return Err(PourError::Unbounded);
        }
        if reach.is_empty() {
            return Ok(Vec::new());
        }
        let spacing = f64::from(spacing_m);
        let cell = |point: Vec3| (point.as_dvec3() / spacing).clamp(DVec3::splat(-1e9), DVec3::splat(1e9));
        let cells =
            VoxelBox::new(cell(reach.min).floor().as_ivec3(), cell(reach.max).ceil().as_ivec3());
        let size = (cells.max - cells.min).as_dvec3();
        let most = size.x * size.y * size.z;
        if most > 64.0 * MOST_PARTICLES as f64 {
            return Err(PourError::TooMany(most as u64));
        }
        let mut points = Vec::new();
        let mut shares = Box::new([0.0; VOXELS]);
        let is_low = |at: &DVec3| at.z < f64::from(reach.max.z) + 1e-6 * spacing;
        for brick in cells.to_bricks().cells() {
            if self.region.coverage(brick, spacing_m, &mut shares) == Coverage::Empty {
                continue;
            }
            let inside = |p: &IVec3| cells.contains(*p) && shares[voxel_index(*p - brick * EDGE)] >= 0.5;
            let middles = brick_box(brick).cells().filter(inside).map(|p| (p.as_dvec3() + 0.5) * spacing);
            points.extend(middles.filter(is_low));
            if points.len() > MOST_PARTICLES {
                return Err(PourError::TooMany(points.len() as u64));
            }
        }
        points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        Ok(points)
    }
}
