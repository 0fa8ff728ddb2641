//! From moments to views: a thread of its own meshes what changed, so that neither steps nor clients wait for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use barchan_sim::{Voxel, World};
use barchan_surface::mesh::{BlockKey, Detail, MeshOptions, Surface};
use barchan_volume::Grid;
use glam::{IVec3, Vec3};
use rayon::prelude::*;

use crate::frame::Block;
use crate::view::{Moment, View};

/// Cells along an edge of a block: small, so that a stroke makes few triangles new.
const BLOCK_EDGE: u32 = 16;
/// Coarsest level of detail.
const LEVELS: u8 = 4;
/// Most triangles in view.
const MOST_TRIANGLES: u32 = 145_000;
/// Blocks nearer to the eye than this many of their edges are split, as long as triangles allow it.
const NEARNESS: f32 = 24.0;
/// Share of the nearness that is left when there are too many triangles.
const COARSER: f32 = 0.8;
/// Time between two changes of level for a moving eye.
const LOOK_PAUSE: Duration = Duration::from_millis(400);

/// The surface of the sandbox's world, kept up to date.
pub struct Mesher {
    surface: Surface,
    epoch: u32,
    /// The ground as it was meshed last.
    ground: Grid<Voxel>,
    blocks: HashMap<BlockKey, Arc<Block>>,
    version: u64,
    nearness: f32,
    eye_m: Vec3,
    looked: Instant,
    mesh_ms: f32,
}

impl Mesher {
    /// The surface at `moment`.
    pub fn new(moment: &Moment, eye_m: Option<Vec3>) -> Self {
        let world = &moment.world;
        let eye_m = eye_m.unwrap_or_else(|| barchan_surface::View::whole(world).eye_m);
        let options = MeshOptions { closed: true, block_edge: BLOCK_EDGE, ..MeshOptions::default() };
        let detail = Detail { eye_m, nearness: NEARNESS, levels: LEVELS };
        let surface = Surface::with_detail(world, options, detail);
        let keys: Vec<_> = surface.keys().collect();
        let mut mesher = Self {
            surface,
            epoch: moment.rest.epoch,
            ground: world.ground().voxels().clone(),
            blocks: HashMap::new(),
            version: 0,
            nearness: NEARNESS,
            eye_m,
            looked: Instant::now(),
            mesh_ms: 0.0,
        };
        mesher.encode(world, keys);
        while mesher.triangles() > MOST_TRIANGLES && mesher.nearness > 0.5 {
            mesher.coarsen(world);
        }
        mesher
    }

    /// Brings the surface up to date, and shows it.
    pub fn show(&mut self, moment: &Moment, eye_m: Option<Vec3>) -> View {
        if self.epoch != moment.rest.epoch {
            let version = self.version;
            *self = Self::new(moment, eye_m);
            // Blocks of the old world and of the new one never pass for each other.
            self.version += version;
        }
        let began = Instant::now();
        self.follow_ground(&moment.world);
        self.follow_eye(&moment.world, eye_m);
        if self.triangles() > MOST_TRIANGLES {
            self.coarsen(&moment.world);
        }
        self.mesh_ms += 0.05 * (began.elapsed().as_secs_f32() * 1e3 - self.mesh_ms);
        let rest = moment.rest.clone();
        let mut statistics = rest.statistics;
        statistics.process_ms[statistics.process_ms.len() - 1] = self.mesh_ms;
        View {
            epoch: rest.epoch,
            lineage: rest.lineage,
            clock: moment.world.clock(),
            blocks: self.blocks.clone(),
            bodies: rest.bodies,
            machines: rest.machines,
            statistics,
        }
    }

    fn follow_ground(&mut self, world: &World) {
        let now = world.ground().voxels();
        let changed = changed_bricks(&self.ground, now);
        if changed.is_empty() {
            return;
        }
        let keys = self.surface.update(world, changed);
        self.ground = now.clone();
        self.encode(world, keys);
    }

    fn follow_eye(&mut self, world: &World, eye_m: Option<Vec3>) {
        let width_m = BLOCK_EDGE as f32 * world.ground().voxel_size_m();
        match eye_m {
            Some(eye) if eye.distance(self.eye_m) > width_m && self.looked.elapsed() > LOOK_PAUSE => {
                self.eye_m = eye;
                self.look(world);
            }
            _ => {}
        }
    }

    fn coarsen(&mut self, world: &World) {
        self.nearness *= COARSER;
        self.look(world);
    }

    fn look(&mut self, world: &World) {
        self.looked = Instant::now();
        let detail = Detail { eye_m: self.eye_m, nearness: self.nearness, levels: LEVELS };
        let keys = self.surface.look(world, detail);
        self.encode(world, keys);
    }

    /// Makes the blocks of `keys` ready for the wire. Those whose bytes are the same as before stay as they are.
    fn encode(&mut self, world: &World, keys: Vec<BlockKey>) {
        self.version += 1;
        let (surface, size_m) = (&self.surface, world.ground().voxel_size_m());
        let floor_m = world.ground().bounds().map_or(f32::MIN, |bounds| bounds.min.z as f32 * size_m);
        let of_key =
            |key: &BlockKey| surface.mesh(*key).and_then(|mesh| Block::of(*key, &mesh, size_m, floor_m));
        let encoded: Vec<_> = keys.par_iter().map(of_key).collect();
        for (key, block) in keys.into_iter().zip(encoded) {
            match block {
                None => drop(self.blocks.remove(&key)),
                Some(block) if self.blocks.get(&key).is_some_and(|old| old.bytes == block.bytes) => {}
                Some(block) => {
                    self.blocks.insert(key, Arc::new(Block { version: self.version, ..block }));
                }
            }
        }
    }

    fn triangles(&self) -> u32 {
        self.blocks.values().map(|block| block.triangles).sum()
    }
}

/// The bricks in which two grounds differ, in order. Bricks that both share are told apart without looking into them.
fn changed_bricks(before: &Grid<Voxel>, now: &Grid<Voxel>) -> Vec<IVec3> {
    let appeared =
        now.bricks().filter(|(coord, brick)| before.stored(*coord).is_none_or(|old| !old.is_same(brick)));
    let vanished = before.bricks().filter(|(coord, _)| now.stored(*coord).is_none());
    let mut changed: Vec<_> = appeared.chain(vanished).map(|(coord, _)| coord).collect();
    changed.sort_unstable_by_key(IVec3::to_array);
    changed
}
