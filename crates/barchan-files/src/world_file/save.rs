//! Writing a world.

use std::io::{self, Write};
use std::path::Path;

use barchan_sim::World;
use rayon::prelude::*;

use super::bricks::{BRICKS_PER_CHUNK, BRICKS_VERSION, encode};
use super::chunk::{Chunk, MAX_RAW_BYTES, Tag};
use super::{Attachment, End, GroundFrame, MAGIC, VERSION};
use crate::atomic_write::write_atomically;
use crate::error::FileError;

/// Chunks that are compressed at once, so that a large world is never twice in memory.
const CHUNKS_AT_ONCE: usize = 64;

/// Of which form the chunks of this crate are.
pub(super) const CHUNK_VERSION: u16 = 1;

/// Saves `world` at `path`. Whatever happens on the way, the old file stays whole until the new one is.
pub fn save_world(path: &Path, world: &World) -> Result<(), FileError> {
    save_world_with(path, world, &[])
}

/// As [`save_world`], with what crates above attach.
pub fn save_world_with(path: &Path, world: &World, attachments: &[Attachment]) -> Result<(), FileError> {
    write_atomically(path, |file| write_world(file, world, attachments))
}

/// Writes `world` as a .barchan file.
pub fn write_world(out: &mut impl Write, world: &World, attachments: &[Attachment]) -> io::Result<()> {
    let ground = world.ground();
    let mut voxels = ground.voxels().clone();
    voxels.compact();
    let bricks = voxels.bricks_in_order();
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let frame = GroundFrame {
        voxel_size_m: ground.voxel_size_m(),
        bounds: ground.bounds(),
        awake: ground.awake().entries().map(|(coord, quiet)| (coord.to_array(), quiet)).collect(),
        bricks: bricks.len() as u64,
    };
    write_chunk(out, Tag::GROUND, CHUNK_VERSION, &postcard::to_stdvec(&frame).map_err(io::Error::other)?)?;
    for member in world.state().members() {
        write_chunk(out, Tag(member.tag.0), member.version, &member.bytes)?;
    }
    write_chunk(out, Tag::BODY, CHUNK_VERSION, &world.bodies().to_bytes())?;
    for Attachment { tag, version, bytes } in attachments {
        write_chunk(out, Tag(*tag), *version, bytes)?;
    }
    let bricks: Vec<_> =
        bricks.into_iter().map(|(coord, voxels)| (coord, voxels, ground.side(coord))).collect();
    for batch in bricks.chunks(BRICKS_PER_CHUNK * CHUNKS_AT_ONCE) {
        let chunks: Vec<_> = batch
            .par_chunks(BRICKS_PER_CHUNK)
            .map(|bricks| Chunk::compress(Tag::BRICKS, BRICKS_VERSION, &encode(bricks)))
            .collect();
        for chunk in chunks {
            chunk.write(out)?;
        }
    }
    let end = postcard::to_stdvec(&End { digest: world.digest() }).map_err(io::Error::other)?;
    write_chunk(out, Tag::END, CHUNK_VERSION, &end)
}

fn write_chunk(out: &mut impl Write, tag: Tag, version: u16, raw: &[u8]) -> io::Result<()> {
    if raw.len() > MAX_RAW_BYTES {
        let (name, bytes) = (tag.name(), raw.len());
        return Err(io::Error::other(format!("'{name}' takes {bytes} bytes; at most 1 GiB can be saved")));
    }
    Chunk::compress(tag, version, raw).write(out)
}
