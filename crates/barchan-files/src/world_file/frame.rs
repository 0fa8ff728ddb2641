//! What the ground is beside its bricks.

use std::collections::BTreeMap;

use barchan_sim::{Base, Ground, GroundBrick, Voxel};
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

/// On what ground stands that is computed, of which only the bricks are kept that differ from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BaseFrame {
    pub base: Base,
    /// Bricks that are all air where the base gives something, in order: there are no voxels to keep of them.
    pub emptied: Vec<[i32; 3]>,
}

impl BaseFrame {
    /// Of `ground` whose `own` bricks are these, if it stands on a base.
    pub fn of(ground: &Ground, own: &BTreeMap<[i32; 3], GroundBrick>) -> Option<Self> {
        let is_empty = |brick: &GroundBrick| brick.voxels.only_value() == Some(Voxel::AIR);
        let emptied = own.iter().filter(|(_, brick)| is_empty(brick)).map(|(coord, _)| *coord).collect();
        Some(Self { base: ground.base()?.clone(), emptied })
    }
}
