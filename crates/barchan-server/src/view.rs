//! The newest view of the world: what all clients are shown, each as far as it does not have it yet.

use std::collections::HashMap;
use std::sync::Arc;

use barchan_sim::{Clock, World};
use barchan_surface::mesh::BlockKey;

use crate::frame::Block;
use crate::machines::Machines;
use crate::sandbox::{BodyView, Sandbox, Statistics};

/// The world at one moment, taken out of the stepping thread. Bricks are shared, so this is cheap.
pub struct Moment {
    /// The world.
    pub world: World,
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
            machines: sandbox.machines().clone(),
            statistics: sandbox.statistics(),
        };
        Self { world: sandbox.world().clone(), rest }
    }
}

impl View {
    /// Triangles in all blocks.
    pub fn triangles(&self) -> u32 {
        self.blocks.values().map(|block| block.triangles).sum()
    }
}
