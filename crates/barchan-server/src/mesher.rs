//! From moments to views: a thread of its own meshes what changed, so that neither steps nor clients wait for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use barchan_surface::mesh::{BlockKey, Detail, MeshOptions, Surface};
use glam::Vec3;
use rayon::prelude::*;

use crate::frame::{Block, soften};
use crate::shown::{Look, ShownGround};
use crate::turf::Turf;
use crate::view::{Moment, View};

/// Cells along an edge of a block: small, so that a stroke makes few triangles new.
const BLOCK_EDGE: u32 = 16;
/// Time that the changes of one view may take to mesh (ms): who has just begun a stroke waits for it.
const LONGEST_MESHING_MS: f32 = 12.0;
/// Bricks that are taken over for one view, however long they take.
const BRICKS_AT_ONCE: [f32; 2] = [8.0, 256.0];
/// Coarsest level of detail.
const LEVELS: u8 = 4;
/// Most triangles in view.
const MOST_TRIANGLES: u32 = 145_000;
/// So few triangles that blocks may be split further away again.
const FEW_TRIANGLES: u32 = 70_000;
/// Blocks nearer to an eye than this many of their edges are split, as long as triangles allow it.
const NEARNESS: f32 = 24.0;
/// Share of the nearness that is left when there are too many triangles.
const COARSER: f32 = 0.8;
/// Time between two changes of level for moving eyes.
const LOOK_PAUSE: Duration = Duration::from_millis(400);

/// The surface of the sandbox's world, kept up to date.
pub struct Mesher {
    surface: Surface,
    epoch: u32,
    lineage: u32,
    ground: ShownGround,
    turf: Turf,
    blocks: HashMap<BlockKey, Arc<Block>>,
    nearness: f32,
    /// Where people look from (m).
    eyes_m: Vec<Vec3>,
    looked: Instant,
    mesh_ms: f32,
    /// Time that a changed brick takes (ms), a mean over some views.
    brick_ms: f32,
}

impl Mesher {
    /// The surface at `moment`, as fine as it must be for `eyes_m` (m).
    pub fn new(moment: &Moment, eyes_m: &[Vec3]) -> Self {
        let eyes_m = eyes_or_home(moment, eyes_m);
        let options = MeshOptions { closed: true, block_edge: BLOCK_EDGE, ..MeshOptions::default() };
        let detail = Detail { eye_m: eyes_m[0], nearness: NEARNESS, levels: LEVELS };
        let mut mesher = Self {
            surface: Surface::with_detail(moment.ground(), options, detail),
            epoch: moment.rest.epoch,
            lineage: moment.rest.lineage,
            ground: ShownGround::new(moment.voxels.clone()),
            turf: Turf::of(&moment.voxels, &moment.materials),
            blocks: HashMap::new(),
            nearness: NEARNESS,
            eyes_m,
            looked: Instant::now(),
            mesh_ms: 0.0,
            brick_ms: 0.25,
        };
        let keys = mesher.surface.keys().collect();
        mesher.encode(moment, keys);
        if mesher.eyes_m.len() > 1 {
            mesher.look(moment);
        }
        while mesher.triangles() > MOST_TRIANGLES && mesher.nearness > 0.5 {
            mesher.coarsen(moment);
        }
        mesher
    }

    /// Brings the surface up to date, and shows it.
    pub fn show(&mut self, moment: &Moment, eyes_m: &[Vec3]) -> View {
        if self.epoch != moment.rest.epoch {
            *self = Self::new(moment, eyes_m);
        }
        let began = Instant::now();
        self.follow_ground(moment);
        self.follow_eyes(moment, eyes_or_home(moment, eyes_m));
        if self.triangles() > MOST_TRIANGLES {
            self.coarsen(moment);
        }
        self.mesh_ms += 0.05 * (began.elapsed().as_secs_f32() * 1e3 - self.mesh_ms);
        let rest = moment.rest.clone();
        let mut statistics = rest.statistics;
        statistics.process_ms[statistics.process_ms.len() - 1] = self.mesh_ms;
        View {
            epoch: rest.epoch,
            lineage: rest.lineage,
            clock: moment.clock,
            blocks: self.blocks.clone(),
            bodies: rest.bodies,
            particles: rest.particles,
            machines: rest.machines,
            statistics,
        }
    }

    fn follow_ground(&mut self, moment: &Moment) {
        let began = Instant::now();
        // Another time of the world is another picture: there is nothing to wait for.
        let changed = if self.lineage == moment.rest.lineage {
            let look = Look {
                materials: &moment.materials,
                voxel_size_m: moment.voxel_size_m,
                eyes_m: &self.eyes_m,
                hands: &moment.hands,
                most_bricks: (LONGEST_MESHING_MS / self.brick_ms).clamp(BRICKS_AT_ONCE[0], BRICKS_AT_ONCE[1])
                    as usize,
                now: began,
            };
            self.ground.follow(&moment.voxels, &look)
        } else {
            self.lineage = moment.rest.lineage;
            self.ground.take_all(&moment.voxels)
        };
        if !changed.is_empty() {
            let bricks = changed.len() as f32;
            let keys = self.surface.update(moment.with_voxels(self.ground.voxels()), changed);
            self.encode(moment, keys);
            self.brick_ms += 0.1 * (began.elapsed().as_secs_f32() * 1e3 / bricks - self.brick_ms);
        }
    }

    fn follow_eyes(&mut self, moment: &Moment, eyes_m: Vec<Vec3>) {
        let width_m = BLOCK_EDGE as f32 * moment.voxel_size_m;
        let moved = eyes_m.len() != self.eyes_m.len()
            || eyes_m.iter().zip(&self.eyes_m).any(|(now, before)| now.distance(*before) > width_m);
        if moved && self.looked.elapsed() > LOOK_PAUSE {
            self.eyes_m = eyes_m;
            if self.triangles() < FEW_TRIANGLES {
                self.nearness = (self.nearness / COARSER).min(NEARNESS);
            }
            self.look(moment);
        }
    }

    fn coarsen(&mut self, moment: &Moment) {
        self.nearness *= COARSER;
        self.look(moment);
    }

    fn look(&mut self, moment: &Moment) {
        self.looked = Instant::now();
        let nearness = self.nearness;
        let details = self.eyes_m.iter().map(|eye| Detail { eye_m: *eye, nearness, levels: LEVELS });
        let keys = self.surface.look(moment.with_voxels(self.ground.voxels()), details);
        self.encode(moment, keys);
    }

    /// Makes the blocks of `keys` ready for the wire. Those whose bytes are the same as before stay as they are.
    fn encode(&mut self, moment: &Moment, keys: Vec<BlockKey>) {
        let (surface, turf, size_m) = (&self.surface, &self.turf, moment.voxel_size_m);
        let ground = moment.with_voxels(self.ground.voxels());
        let floor_m = moment.bounds.map_or(f32::MIN, |bounds| bounds.min.z as f32 * size_m);
        let of_key = |key: &BlockKey| {
            let mut mesh = surface.mesh(*key)?.into_owned();
            soften(&mut mesh, *key, BLOCK_EDGE as i32, ground);
            let grows = |place, normal| turf.grows(ground, key.level, place, normal);
            Block::of(*key, &mesh, size_m, floor_m, grows)
        };
        let encoded: Vec<_> = keys.par_iter().map(of_key).collect();
        for (key, block) in keys.into_iter().zip(encoded) {
            match block {
                None => drop(self.blocks.remove(&key)),
                Some(block) if self.blocks.get(&key).is_some_and(|old| old.bytes == block.bytes) => {}
                Some(block) => drop(self.blocks.insert(key, Arc::new(block))),
            }
        }
    }

    fn triangles(&self) -> u32 {
        self.blocks.values().map(|block| block.triangles).sum()
    }
}

/// Where people look from; where they begin when nobody looks.
fn eyes_or_home(moment: &Moment, eyes_m: &[Vec3]) -> Vec<Vec3> {
    if eyes_m.is_empty() { vec![moment.home_m] } else { eyes_m.to_vec() }
}
