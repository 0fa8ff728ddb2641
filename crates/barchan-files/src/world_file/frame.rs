//! What the ground is beside its bricks.

use barchan_sim::Ground;
use barchan_volume::VoxelBox;
use serde::{Deserialize, Serialize};

/// What the ground is beside its bricks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GroundFrame {
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Voxels inside the walls.
    pub bounds: Option<VoxelBox>,
    /// Awake bricks and how many steps each has been quiet.
    pub awake: Vec<([i32; 3], u8)>,
    /// Number of stored bricks.
    pub bricks: u64,
}

impl GroundFrame {
    /// Of `ground`, of which so many bricks are stored.
    pub fn of(ground: &Ground, bricks: u64) -> Self {
        Self {
            voxel_size_m: ground.voxel_size_m(),
            bounds: ground.bounds(),
            awake: ground.awake().entries().map(|(coord, quiet)| (coord.to_array(), quiet)).collect(),
            bricks,
        }
    }
}
