//! The fill of every stored brick, chunk by chunk: what the field is smoothed from.

use barchan_sim::bodies::BODY_FULL;
use barchan_sim::{Materials, Voxel, World};
use barchan_volume::brick::{EDGE, VOXELS};
use barchan_volume::{Brick, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::field::{BRICKS, CHUNK_LOG, FULL_SAMPLE, slot_index};

/// The fill of a brick.
#[derive(Clone, Debug)]
pub(super) enum Fill {
    /// Nothing.
    Air,
    /// Ground everywhere.
    Full,
    /// Voxel by voxel.
    Mixed(Box<[u16; VOXELS]>),
}

/// The fill of all stored bricks.
pub(super) struct Fills {
    /// Where ground can be (voxels).
    pub clip: VoxelBox,
    /// The voxel that chunks are counted from: the first of a brick.
    pub base: IVec3,
    /// Bricks that hold any part of the clip.
    bricks: VoxelBox,
    chunks: FxHashMap<IVec3, Vec<Fill>>,
}

impl Fills {
    pub fn of(world: &World, clip: VoxelBox, base: IVec3) -> Self {
        let shares = world.body_fill().shares();
        let by_chunk = stored_by_chunk(world, base);
        let chunks = by_chunk
            .into_par_iter()
            .map(|(key, stored)| {
                let mut fills = vec![Fill::Air; BRICKS];
                for (coord, brick) in stored {
                    let fill = fill_of(brick, shares.stored(coord), world.materials());
                    fills[slot_index(coord * EDGE - base)] = fill;
                }
                (key, fills)
            })
            .collect();
        Self { clip, base, bricks: clip.to_bricks(), chunks }
    }

    /// The chunks that ground can be in, in order.
    pub fn chunk_keys(&self) -> Vec<IVec3> {
        let near: FxHashSet<_> =
            self.chunks.keys().flat_map(|key| VoxelBox::cell(*key).grow(1).cells()).collect();
        let cells = VoxelBox::new(self.clip.min - self.base - 1, self.clip.max - self.base);
        let within = |key: &IVec3| {
            !cells.intersect(&VoxelBox::new(*key << CHUNK_LOG, (*key + 1) << CHUNK_LOG)).is_empty()
        };
        let mut keys: Vec<_> = near.into_iter().filter(within).collect();
        keys.sort_unstable_by_key(|key| key.to_array());
        keys
    }

    /// The fill of bricks, in the order of the box's cells; beyond the walls it is that of the brick at the wall.
    pub fn of_bricks(&self, bricks: VoxelBox) -> Vec<&Fill> {
        let mut last: Option<(IVec3, Option<&Vec<Fill>>)> = None;
        let fill = |brick: IVec3| {
            let cell = brick.clamp(self.bricks.min, self.bricks.max - 1) * EDGE - self.base;
            let key = cell >> CHUNK_LOG;
            let chunk = match last {
                Some((of, chunk)) if of == key => chunk,
                _ => self.chunks.get(&key),
            };
            last = Some((key, chunk));
            chunk.map_or(&Fill::Air, |fills| &fills[slot_index(cell)])
        };
        bricks.cells().map(fill).collect()
    }
}

/// Bricks of the ground, each with its coordinates.
type Stored<'a> = Vec<(IVec3, &'a Brick<Voxel>)>;

/// The stored bricks of each chunk.
fn stored_by_chunk(world: &World, base: IVec3) -> Vec<(IVec3, Stored<'_>)> {
    let mut numbers: FxHashMap<IVec3, usize> = FxHashMap::default();
    let mut chunks: Vec<(IVec3, Stored<'_>)> = Vec::new();
    let mut number = 0;
    for (coord, brick) in world.ground().voxels().bricks() {
        let key = (coord * EDGE - base) >> CHUNK_LOG;
        // Bricks come column by column: most are in the chunk of the last.
        if chunks.get(number).is_none_or(|(of, _)| *of != key) {
            number = *numbers.entry(key).or_insert(chunks.len());
            if number == chunks.len() {
                chunks.push((key, Vec::new()));
            }
        }
        chunks[number].1.push((coord, brick));
    }
    chunks
}

fn fill_of(brick: &Brick<Voxel>, shares: Option<&Brick<u16>>, materials: &Materials) -> Fill {
    let sample = |voxel: &Voxel, share: u16| {
        let fill = voxel.fill(materials);
        // Ground beside a body is as full as the body leaves room for: it touches the body.
        let touched = if fill > 0.0 { f32::from(share) / f32::from(BODY_FULL) } else { 0.0 };
        ((fill + touched).min(1.0) * f32::from(FULL_SAMPLE) + 0.5) as u16
    };
    let mut values = Box::new([0; VOXELS]);
    match (brick, shares) {
        (Brick::Uniform(voxel), None) => match sample(voxel, 0) {
            0 => return Fill::Air,
            FULL_SAMPLE => return Fill::Full,
            even => values.fill(even),
        },
        (Brick::Dense(voxels), None) => {
            values.iter_mut().zip(voxels.iter()).for_each(|(value, voxel)| *value = sample(voxel, 0));
        }
        (_, Some(shares)) => {
            for (at, value) in values.iter_mut().enumerate() {
                *value = sample(&brick.get(at), shares.get(at));
            }
        }
    }
    match values[0] {
        first @ (0 | FULL_SAMPLE) if values.iter().all(|value| *value == first) => {
            if first == 0 {
                Fill::Air
            } else {
                Fill::Full
            }
        }
        _ => Fill::Mixed(values),
    }
}
