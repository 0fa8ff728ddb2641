//! Where the window of a world on a base is: around all that moves, what an edit reaches, and what somebody looks at.

use barchan_volume::{Aabb, VoxelBox};
use glam::Vec3;

use crate::bodies::Motion;
use crate::ground::{Base, EditError, Ground};
use crate::step::LONGEST_STEP_S;
use crate::world::{NOWHERE, World, WorldConfig, WorldError};

/// The window reaches at least this far beyond what moves, and is moved where half of it is used up (voxels). Nothing that moves in a
/// step looks further than half of it, but for faces of cohesive soil that are longer.
pub(crate) const MARGIN: i32 = 64;

impl World {
    /// A world on a base, empty but for it; `near` (voxels) is always in its window. The bounds of `config` are those of the base.
    pub fn on_base(config: WorldConfig, base: Base, near: VoxelBox) -> Result<Self, WorldError> {
        let (limit, walls) = (config.memory_limit_bytes, base.bounds);
        let refused = |error: EditError| WorldError::Base(error.to_string());
        base.check(&config.materials).map_err(refused)?;
        let mut world = Self::new(WorldConfig { bounds: Some(walls), ..config })?;
        let near = match near.intersect(&walls) {
            near if near.is_empty() => VoxelBox::new(walls.min, walls.min + 1),
            near => near,
        };
        let (size, own, awake) = (world.ground().voxel_size_m(), Default::default(), Vec::new());
        world.state.ground =
            Ground::on_base(base, own, awake, size, near.grow(MARGIN), &world.state.materials, limit)
                .map_err(refused)?;
        world.near = near;
        world.drop_caches();
        Ok(world)
    }

    /// From now on `near` (voxels) is always in the window. Changes nothing where there is no base, and nothing that happens.
    pub fn look_at(&mut self, near: VoxelBox) -> Result<(), EditError> {
        let walls = self.ground().scene_bounds().unwrap_or(near);
        let before = std::mem::replace(&mut self.near, near.intersect(&walls));
        self.look_around(NOWHERE).inspect_err(|_| self.near = before)
    }

    /// Drops what need not be in the window.
    pub fn look_away(&mut self) -> Result<(), EditError> {
        if self.ground().base().is_none() {
            return Ok(());
        }
        match self.needed(NOWHERE) {
            needed if needed.is_empty() => Ok(()),
            needed => self.move_window(needed.grow(MARGIN)),
        }
    }

    /// Sees that all that moves is in the window, with a margin, and so is `also` (voxels).
    pub(crate) fn look_around(&mut self, also: VoxelBox) -> Result<(), EditError> {
        let ground = self.ground();
        let (Some(base), Some(window)) = (ground.base(), ground.bounds()) else { return Ok(()) };
        let (needed, walls) = (self.needed(also), base.bounds);
        if needed.is_empty() {
            return Ok(());
        }
        let is_seen = window.contains_box(&needed.grow(MARGIN / 2).intersect(&walls));
        let wanted = needed.grow(MARGIN);
        // What is at rest is dropped where memory is short and much of it could be.
        let in_use = ground.memory_bytes() as u64 + ground.window_bytes();
        let is_short = in_use > self.memory_limit_bytes / 4 * 3;
        if is_seen && !(is_short && 2 * wanted.intersect(&walls).volume() < window.volume()) {
            return Ok(());
        }
        self.move_window(wanted)
    }

    fn move_window(&mut self, region: VoxelBox) -> Result<(), EditError> {
        let limit = self.memory_limit_bytes;
        self.state.ground.move_window(region, &self.state.materials, limit)?;
        self.drop_caches();
        Ok(())
    }

    /// What has to be in the window (voxels).
    fn needed(&self, also: VoxelBox) -> VoxelBox {
        let ground = self.ground();
        let mut needed = also.union(&self.near);
        for (coord, _) in ground.awake().entries() {
            needed = needed.union(&barchan_volume::brick::brick_box(coord));
        }
        let mut take = |bounds: Aabb| needed = needed.union(&ground.scene_reach(&bounds).unwrap_or(NOWHERE));
        for body in self.bodies().iter() {
            let bounds = body.solid().bounds();
            take(bounds);
            if let Motion::Scripted(track) = &body.spec.motion {
                let ahead =
                    track.pose(self.state.clock.time_s + LONGEST_STEP_S).translation - body.pose.translation;
                take(Aabb::new(bounds.min + ahead, bounds.max + ahead));
            }
        }
        if !self.water().particles().is_empty() || !self.state.grains.is_empty() {
            let particles = self.particles();
            for particle in particles.water.iter().chain(&particles.grains) {
                let radius = Vec3::splat(particle.radius_m);
                take(Aabb::new(particle.centre_m - radius, particle.centre_m + radius));
            }
        }
        needed
    }
}
