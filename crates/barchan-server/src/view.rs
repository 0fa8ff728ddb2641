//! The newest view of the world: what all clients are shown, each as far as it does not have it yet.

use std::collections::HashMap;
use std::sync::Arc;

use barchan_sim::{Clock, Materials, SeenParticles, Voxel};
use barchan_surface::mesh::{BlockKey, GroundView};
use barchan_volume::{Grid, VoxelBox};
use glam::Vec3;

use crate::frame::Block;
use crate::machines::Machines;
use crate::sandbox::{BodyView, Sandbox, Statistics};
use crate::shown::Hand;

/// What is shown of the world at one moment, taken out of the stepping thread. Bricks are shared, so this is cheap.
pub struct Moment {
    /// Rock and soil.
    pub voxels: Grid<Voxel>,
    /// What they are made of.
    pub materials: Materials,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// The voxels inside the walls, if there are walls.
    pub bounds: Option<VoxelBox>,
    /// When.
    pub clock: Clock,
    /// Where hands are at work.
    pub hands: Vec<Hand>,
    /// Where somebody looks from who has not said otherwise (m).
    pub home_m: Vec3,
    /// Everything else that is shown.
    pub rest: Surroundings,
}

/// What is shown beside the ground.
#[derive(Clone)]
pub struct Surroundings {
    /// Grows by one when the world is another one.
    pub epoch: u32,
    /// Grows by one when the world went back or forward in its history.
    pub lineage: u32,
    /// The bodies.
    pub bodies: Arc<[BodyView]>,
    /// Water and grains; the same list as before when none of them moved.
    pub particles: Arc<SeenParticles>,
    /// The vehicles.
    pub machines: Machines,
    /// Numbers.
    pub statistics: Statistics,
}

/// What can be shown at one moment.
#[derive(Clone)]
pub struct View {
    /// Grows by one when the world is another one.
    pub epoch: u32,
    /// Grows by one when the world went back or forward in its history.
    pub lineage: u32,
    /// When.
    pub clock: Clock,
    /// The surface.
    pub blocks: HashMap<BlockKey, Arc<Block>>,
    /// The bodies.
    pub bodies: Arc<[BodyView]>,
    /// Water and grains; the same list as before when none of them moved.
    pub particles: Arc<SeenParticles>,
    /// The vehicles.
    pub machines: Machines,
    /// Numbers.
    pub statistics: Statistics,
}

impl Moment {
    /// The sandbox as it is now.
    pub fn of(sandbox: &mut Sandbox) -> Self {
        let rest = Surroundings {
            epoch: sandbox.epoch(),
            lineage: sandbox.lineage(),
            bodies: sandbox.bodies().into(),
            particles: sandbox.particles(),
            machines: sandbox.machines().clone(),
            statistics: sandbox.statistics(),
        };
        let (world, ground) = (sandbox.world(), sandbox.world().ground());
        Self {
            voxels: ground.voxels().clone(),
            materials: world.materials().clone(),
            voxel_size_m: ground.voxel_size_m(),
            bounds: ground.bounds(),
            clock: world.clock(),
            hands: sandbox.hands(),
            home_m: sandbox.home_m(),
            rest,
        }
    }

    /// The ground, to be meshed as it is.
    pub fn ground(&self) -> GroundView<'_> {
        self.with_voxels(&self.voxels)
    }

    /// The same with other `voxels`.
    pub fn with_voxels<'a>(&'a self, voxels: &'a Grid<Voxel>) -> GroundView<'a> {
        let Self { materials, voxel_size_m, bounds, .. } = self;
        GroundView { voxels, materials, voxel_size_m: *voxel_size_m, bounds: *bounds }
    }
}

impl View {
    /// Triangles in all blocks.
    pub fn triangles(&self) -> u32 {
        self.blocks.values().map(|block| block.triangles).sum()
    }
}
