//! Where a block lies in the world.

use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

/// The scale and place of one block's samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Lowest sample of the block, in samples of its level.
    pub origin: IVec3,
    /// Its level.
    pub level: u8,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// The voxels that no vertex may leave, if any.
    pub bounds: Option<VoxelBox>,
}

impl Frame {
    /// The place in the world (m) of `place` (samples above the origin). Up to the last rounding all of it is exact, so
    /// that blocks agree on what they share, whatever they measure it from.
    #[inline]
    pub(super) fn world(&self, place: Vec3) -> [f32; 3] {
        let samples = (self.origin.as_dvec3() + place.as_dvec3()) * f64::from(1_u32 << self.level);
        let voxels = samples + 0.5;
        let voxels = match self.bounds {
            None => voxels,
            Some(bounds) => voxels.clamp(bounds.min.as_dvec3(), bounds.max.as_dvec3()),
        };
        (voxels * f64::from(self.voxel_size_m)).as_vec3().to_array()
    }

    /// The same place seen from the next finer level.
    pub(super) fn finer(&self) -> Self {
        Self { origin: self.origin * 2, level: self.level - 1, ..*self }
    }
}
