//! Reading a world. Nothing in a file is believed: sums, shapes, order, voxels, books and digest are all checked.

use std::path::Path;

use barchan_sim::bodies::Bodies;
use barchan_sim::{Ground, Voxel, World, WorldParts};
use barchan_volume::{Brick, Grid};
use glam::{IVec3, Vec3};
use rayon::prelude::*;

use super::bricks::decode;
use super::chunk::{Chunk, Tag, corrupt};
use super::{FORMAT, MAGIC, VERSION, WorldSummary};
use crate::error::{FileError, FormatError};
use crate::read_limit::read_file;

/// Loads the world saved at `path`, which may not need more than `memory_limit_bytes`.
pub fn load_world(path: &Path, memory_limit_bytes: u64) -> Result<World, FileError> {
    let bytes = read_file(path, memory_limit_bytes)?;
    read_world(&bytes, memory_limit_bytes).map_err(FileError::in_file(path))
}

/// What is in the file at `path`, without its bricks and bodies.
pub fn world_summary(path: &Path, memory_limit_bytes: u64) -> Result<WorldSummary, FileError> {
    let bytes = read_file(path, memory_limit_bytes)?;
    let chunks = split(&bytes).map_err(FileError::in_file(path))?;
    head(&chunks).map_err(FileError::in_file(path))
}

/// The world in the bytes of a .barchan file.
pub fn read_world(bytes: &[u8], memory_limit_bytes: u64) -> Result<World, FormatError> {
    let chunks = split(bytes)?;
    let summary = head(&chunks)?;
    let needed: u64 = chunks.iter().map(|(chunk, _)| chunk.raw_bytes()).sum();
    if needed > memory_limit_bytes {
        return Err(FormatError::OutOfRange {
            format: FORMAT,
            what: "size when unpacked (MiB)",
            allowed: format!("at most {:.1}", mib(memory_limit_bytes)),
            found: format!("{:.1}", mib(needed)),
        });
    }
    let (body, checksum) = &chunks[1];
    let bodies =
        Bodies::from_bytes(&body.decompress(*checksum)?).map_err(|error| corrupt(error.to_string()))?;
    let voxels = grid(&chunks[2..chunks.len() - 1], summary.bricks)?;
    let awake = summary.awake.iter().map(|(coord, quiet)| (IVec3::from_array(*coord), *quiet));
    let ground = Ground::from_parts(voxels, summary.voxel_size_m, summary.bounds, awake);
    let mut world = World::from_parts(WorldParts {
        ground,
        bodies,
        bearing: summary.bearing,
        fall: summary.fall,
        momentum: summary.momentum,
        carry: summary.carry,
        materials: summary.materials,
        gravity_m_s2: Vec3::from_array(summary.gravity_m_s2),
        clock: summary.clock,
        seed: summary.seed,
        ledger: summary.ledger,
    })
    .map_err(|error| corrupt(error.to_string()))?;
    if world.digest() != summary.digest {
        return Err(corrupt("the digest of the world does not match: the file was damaged"));
    }
    world.limit_memory(memory_limit_bytes);
    Ok(world)
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// All chunks with their checksums, when they are there in the right order.
fn split(mut bytes: &[u8]) -> Result<Vec<(Chunk<'_>, u64)>, FormatError> {
    if bytes.split_off(..MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
        return Err(corrupt("this is not a .barchan file"));
    }
    let version = bytes.split_off(..4).ok_or_else(|| corrupt("the file ends in the middle"))?;
    let version = u32::from_le_bytes([version[0], version[1], version[2], version[3]]);
    if version != VERSION {
        return Err(FormatError::Unsupported {
            format: FORMAT,
            expected: format!("version {VERSION}"),
            found: format!("version {version}"),
        });
    }
    let mut chunks = Vec::new();
    loop {
        let (chunk, checksum) = Chunk::read(&mut bytes)?;
        let expected = match chunks.len() {
            0 => chunk.tag == Tag::HEAD,
            1 => chunk.tag == Tag::BODY,
            _ => chunk.tag == Tag::BRICKS || chunk.tag == Tag::END,
        };
        if !expected {
            let name = String::from_utf8_lossy(&chunk.tag.0).into_owned();
            return Err(corrupt(format!("chunk number {} is a '{}'", chunks.len(), name.escape_debug())));
        }
        let ends = chunk.tag == Tag::END;
        if ends {
            chunk.decompress(checksum)?;
        }
        chunks.push((chunk, checksum));
        if ends {
            break;
        }
    }
    if !bytes.is_empty() {
        return Err(corrupt(format!("{} bytes are left over at the end", bytes.len())));
    }
    Ok(chunks)
}

fn head(chunks: &[(Chunk<'_>, u64)]) -> Result<WorldSummary, FormatError> {
    let (chunk, checksum) = &chunks[0];
    let raw = chunk.decompress(*checksum)?;
    match postcard::take_from_bytes(&raw) {
        Ok((summary, [])) => Ok(summary),
        Ok((_, rest)) => Err(corrupt(format!("{} bytes are left over in the header", rest.len()))),
        Err(error) => Err(corrupt(format!("the header cannot be read: {error}"))),
    }
}

fn grid(chunks: &[(Chunk<'_>, u64)], expected: u64) -> Result<Grid<Voxel>, FormatError> {
    let decoded: Vec<Vec<(IVec3, Brick<Voxel>)>> = chunks
        .par_iter()
        .map(|(chunk, checksum)| decode(&chunk.decompress(*checksum)?))
        .collect::<Result<_, _>>()?;
    let mut grid = Grid::new(Voxel::AIR);
    let mut last: Option<[i32; 3]> = None;
    let mut found = 0;
    for (coord, brick) in decoded.into_iter().flatten() {
        if last.is_some_and(|last| coord.to_array() <= last) {
            return Err(corrupt(format!("brick {coord} is out of order")));
        }
        last = Some(coord.to_array());
        found += 1;
        grid.replace(coord, brick);
    }
    if found != expected {
        return Err(FormatError::Count { format: FORMAT, what: "bricks", expected, found });
    }
    Ok(grid)
}
