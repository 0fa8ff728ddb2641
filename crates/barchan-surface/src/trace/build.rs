//! Making the field, chunk by chunk and on all threads: samples wherever the surface can be, then the leaps of rays.

use barchan_sim::World;
use barchan_volume::VoxelBox;
use barchan_volume::brick::{EDGE, brick_of};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::field::{BRICKS, CHUNK_LOG, Chunk, FULL_SAMPLE, Field, FieldBrick, LEAPS, Slot};
use super::fills::{Fill, Fills};
use super::leaps::{Occupied, leaps, occupied};
use super::smooth::{smoothed, surface_cubes};

/// Bricks along an edge of a chunk with a brick more on every side.
const AROUND: i32 = 10;

/// The field of all ground in `world`.
pub(super) fn field(world: &World) -> Field {
    let ground = world.ground();
    let bricks = ground.voxels().brick_bounds();
    let clip = if bricks.is_empty() {
        VoxelBox::new(IVec3::ZERO, IVec3::ZERO)
    } else {
        // Two voxels of air around ground that no wall cuts off.
        ground.clip(VoxelBox::new(bricks.min * EDGE, bricks.max * EDGE).grow(2))
    };
    let base = (clip.min + (clip.max - clip.min) / 2) & !(EDGE - 1);
    let fills = Fills::of(world, clip, base);
    let made = fills.chunk_keys().into_par_iter().with_max_len(1);
    let mut made: Vec<_> = made.filter_map(|key| Some((key, chunk(&fills, key)?))).collect();
    let with_surface: FxHashMap<IVec3, Occupied> =
        made.iter().map(|(key, chunk)| (*key, occupied(&chunk.surface))).collect();
    made.par_iter_mut().for_each(|(key, chunk)| chunk.leaps = leaps(&with_surface, *key));
    let corner = |voxel: IVec3| (voxel - base).as_vec3a() - 0.5;
    let (low, high) = (corner(clip.min), corner(clip.max));
    Field { base, voxel_size_m: ground.voxel_size_m(), low, high, chunks: made.into_iter().collect() }
}

/// Chunk `key`, unless it is all air, without leaps.
fn chunk(fills: &Fills, key: IVec3) -> Option<Chunk> {
    let first = brick_of((key << CHUNK_LOG) + fills.base);
    let around = VoxelBox::new(first - 1, first - 1 + AROUND);
    let near = fills.of_bricks(around);
    if near.iter().all(|fill| matches!(fill, Fill::Air)) {
        return None;
    }
    let (mut slots, mut surface) = (Box::new([Slot::Air; BRICKS]), Box::new([0; BRICKS]));
    let mut bricks = Vec::new();
    for at in 0..BRICKS {
        let coord = first + IVec3::new(at as i32 >> 6, at as i32 >> 3 & 7, at as i32 & 7);
        let own = around.index(coord - 1);
        let near: [&Fill; 27] = std::array::from_fn(|n| {
            near[own + (n / 9 * AROUND as usize + n / 3 % 3) * AROUND as usize + n % 3]
        });
        slots[at] = if near.iter().all(|fill| matches!(fill, Fill::Air)) {
            Slot::Air
        } else if near.iter().all(|fill| matches!(fill, Fill::Full)) {
            Slot::Full
        } else {
            let samples = smoothed(&near, coord, &fills.clip);
            match samples[0] {
                0 if samples.iter().all(|sample| *sample == 0) => Slot::Air,
                FULL_SAMPLE if samples.iter().all(|sample| *sample == FULL_SAMPLE) => Slot::Full,
                _ => {
                    surface[at] = surface_cubes(&samples);
                    bricks.push(FieldBrick(samples));
                    Slot::Stored(bricks.len() as u16 - 1)
                }
            }
        };
    }
    let is_air = slots.iter().all(|slot| *slot == Slot::Air);
    (!is_air).then(|| Chunk { slots, surface, leaps: Box::new([0; LEAPS]), bricks })
}
