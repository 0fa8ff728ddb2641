//! Writing a world.

use std::io::{self, Write};
use std::path::Path;

use barchan_sim::World;
use rayon::prelude::*;

use super::bricks::{BRICKS_PER_CHUNK, encode};
use super::chunk::{Chunk, Tag};
use super::{MAGIC, VERSION, WorldSummary};
use crate::atomic_write::write_atomically;
use crate::error::FileError;

/// Chunks that are compressed at once, so that a large world is never twice in memory.
const CHUNKS_AT_ONCE: usize = 64;

/// Saves `world` at `path`. Whatever happens on the way, the old file stays whole until the new one is.
pub fn save_world(path: &Path, world: &World) -> Result<(), FileError> {
    write_atomically(path, |file| write_world(file, world))
}

/// Writes `world` as a .barchan file.
pub fn write_world(out: &mut impl Write, world: &World) -> io::Result<()> {
    let mut ground = world.ground().voxels().clone();
    ground.compact();
    let bricks = ground.bricks_in_order();
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let summary = summary(world, bricks.len() as u64);
    let head = postcard::to_stdvec(&summary).map_err(io::Error::other)?;
    Chunk::compress(Tag::HEAD, &head).write(out)?;
    let bodies = world.bodies().to_bytes();
    if bodies.len() > super::chunk::MAX_RAW_BYTES {
        return Err(io::Error::other(format!(
            "the bodies take {} bytes; at most 1 GiB can be saved",
            bodies.len()
        )));
    }
    Chunk::compress(Tag::BODY, &bodies).write(out)?;
    for batch in bricks.chunks(BRICKS_PER_CHUNK * CHUNKS_AT_ONCE) {
        let chunks: Vec<_> = batch
            .par_chunks(BRICKS_PER_CHUNK)
            .map(|bricks| Chunk::compress(Tag::BRICKS, &encode(bricks)))
            .collect();
        for chunk in chunks {
            chunk.write(out)?;
        }
    }
    Chunk::compress(Tag::END, &[]).write(out)
}

fn summary(world: &World, bricks: u64) -> WorldSummary {
    let ground = world.ground();
    WorldSummary {
        voxel_size_m: ground.voxel_size_m(),
        bounds: ground.bounds(),
        gravity_m_s2: world.gravity_m_s2().to_array(),
        clock: world.clock(),
        seed: world.seed(),
        ledger: world.ledger(),
        materials: world.materials().clone(),
        awake: ground.awake().entries().map(|(coord, quiet)| (coord.to_array(), quiet)).collect(),
        bricks,
        bearing: world.bearing().clone(),
        fall: world.fall().clone(),
        momentum: world.momentum().clone(),
        carry: world.carry().clone(),
        digest: world.digest(),
    }
}
