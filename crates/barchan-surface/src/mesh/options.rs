//! What to mesh, and how.

/// Which part of the ground has a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phases {
    /// Rock and soil as one.
    #[default]
    Joined,
    /// Soil alone: rock is as air.
    Soil,
    /// Rock alone: soil is as air.
    Rock,
}

/// How a surface is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeshOptions {
    /// Which part of the ground.
    pub phases: Phases,
    /// True: ground that reaches the bounds of the world ends there with a surface, so that the mesh is closed.
    /// False: it goes on beyond them, so that the mesh has no sides and no underside, and is open.
    pub closed: bool,
    /// True: slopes are smooth. False: the bare 0.5 level of the fill, which shows a step for every voxel of height; for
    /// comparison.
    pub smooth: bool,
    /// Cells along an edge of a block; brought into 8 to 64.
    pub block_edge: u32,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self { phases: Phases::Joined, closed: false, smooth: true, block_edge: 32 }
    }
}

impl MeshOptions {
    /// Cells along an edge of a block, in range.
    pub(super) fn edge(&self) -> i32 {
        self.block_edge.clamp(8, 64) as i32
    }
}
