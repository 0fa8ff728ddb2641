//! What of a world a surface is made from.

use barchan_sim::{Materials, Voxel, World};
use barchan_volume::{Grid, VoxelBox};

/// Ground to be meshed: that of a world, or any that is like it.
#[derive(Clone, Copy, Debug)]
pub struct GroundView<'a> {
    /// Rock and soil.
    pub voxels: &'a Grid<Voxel>,
    /// What they are made of.
    pub materials: &'a Materials,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// The voxels inside the walls, if there are walls.
    pub bounds: Option<VoxelBox>,
}

impl<'a> From<&'a World> for GroundView<'a> {
    fn from(world: &'a World) -> Self {
        let ground = world.ground();
        Self {
            voxels: ground.voxels(),
            materials: world.materials(),
            voxel_size_m: ground.voxel_size_m(),
            bounds: ground.bounds(),
        }
    }
}
