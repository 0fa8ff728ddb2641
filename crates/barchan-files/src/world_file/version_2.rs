//! Files of version 2: one world, its bricks in the order of x, y, z in chunks of 512, and an end with its digest.

use barchan_sim::{Ground, GroundBrick, Voxel, World, WorldState};
use barchan_volume::Grid;
use glam::IVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bricks::{BRICKS_VERSION, decode};
use super::chunk::{Chunk, Tag, corrupt};
use super::frame::GroundFrame;
use super::load::{Loaded, known_version, read_part};
use super::{Attachment, CHUNK_VERSION, FORMAT};
use crate::error::FormatError;

/// What stands at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct End {
    /// Digest of the world.
    digest: u64,
}

/// All chunks of a file, each with its checksum.
pub(super) type Chunks<'a> = Vec<(Chunk<'a>, u64)>;

/// The world in what follows the version.
pub(super) fn read(bytes: &[u8], memory_limit_bytes: u64) -> Result<Loaded, FormatError> {
    let chunks = split(bytes, Chunk::read)?;
    check_size(&chunks, memory_limit_bytes)?;
    // Reading ended with the end.
    let (chunks, end) = chunks.split_at(chunks.len() - 1);
    let first = chunks.iter().position(|(chunk, _)| chunk.tag == Tag::BRICKS);
    let (before, bricks) = chunks.split_at(first.unwrap_or(chunks.len()));
    if let Some((chunk, _)) = bricks.iter().find(|(chunk, _)| chunk.tag != Tag::BRICKS) {
        return Err(corrupt(format!("'{}' stands among the bricks", chunk.tag.name())));
    }
    let [(first, checksum), others @ ..] = before else { return Err(corrupt("'GRND' is missing")) };
    if first.tag != Tag::GROUND {
        return Err(corrupt(format!("chunk number 0 is a '{}'", first.tag.name())));
    }
    let frame: GroundFrame = unpack(first, *checksum)?;
    let mut state = WorldState::new(ground(&frame, bricks)?);
    let (mut attachments, mut seen): (Vec<Attachment>, Vec<Tag>) = (Vec::new(), Vec::new());
    for (chunk, checksum) in others {
        if seen.contains(&chunk.tag) {
            return Err(corrupt(format!("'{}' is there twice", chunk.tag.name())));
        }
        seen.push(chunk.tag);
        let bytes = chunk.decompress(*checksum)?;
        read_part(chunk.tag, chunk.version, bytes, &mut state, &mut attachments)?;
    }
    let all_there = state.members().iter().all(|member| seen.contains(&Tag(member.tag.0)));
    let world = World::from_state(state).map_err(|error| corrupt(error.to_string()))?;
    let End { digest } = unpack(&end[0].0, end[0].1)?;
    // A program that knows fewer members made its digest of those.
    if all_there && world.digest() != digest {
        return Err(corrupt("the digest of the world does not match: the file was damaged"));
    }
    Ok(Loaded { world, attachments })
}

/// Refuses chunks that together need more than `limit` bytes.
pub(super) fn check_size(chunks: &Chunks<'_>, limit: u64) -> Result<(), FormatError> {
    check_bytes(chunks.iter().map(|(chunk, _)| chunk.raw_bytes()).sum(), limit)
}

/// Refuses what needs more than `limit` bytes.
pub(super) fn check_bytes(needed: u64, limit: u64) -> Result<(), FormatError> {
    if needed <= limit {
        return Ok(());
    }
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    Err(FormatError::OutOfRange {
        format: FORMAT,
        what: "size when unpacked (MiB)",
        allowed: format!("at most {:.1}", mib(limit)),
        found: format!("{:.1}", mib(needed)),
    })
}

/// All chunks with their checksums up to the end, which `read` reads one by one.
pub(super) fn split<'a>(
    mut bytes: &'a [u8],
    read: impl Fn(&mut &'a [u8]) -> Result<(Chunk<'a>, u64), FormatError>,
) -> Result<Chunks<'a>, FormatError> {
    let mut chunks = Vec::new();
    loop {
        let (chunk, checksum) = read(&mut bytes)?;
        let ends = chunk.tag == Tag::END;
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

fn unpack<T: for<'de> Deserialize<'de>>(chunk: &Chunk<'_>, checksum: u64) -> Result<T, FormatError> {
    known_version(chunk, CHUNK_VERSION)?;
    from_bytes(&chunk.tag.name(), &chunk.decompress(checksum)?)
}

/// What postcard makes of all of `bytes`.
pub(super) fn from_bytes<T: for<'de> Deserialize<'de>>(name: &str, bytes: &[u8]) -> Result<T, FormatError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(corrupt(format!("{} bytes are left over in '{name}'", rest.len()))),
        Err(error) => Err(corrupt(format!("'{name}' cannot be read: {error}"))),
    }
}

fn ground(frame: &GroundFrame, chunks: &[(Chunk<'_>, u64)]) -> Result<Ground, FormatError> {
    let of_chunk = |(chunk, checksum): &(Chunk<'_>, u64)| {
        known_version(chunk, BRICKS_VERSION)?;
        decode(&chunk.decompress(*checksum)?)
    };
    let decoded: Vec<Vec<(IVec3, GroundBrick)>> =
        chunks.par_iter().map(of_chunk).collect::<Result<_, _>>()?;
    put_together(frame, decoded.into_iter().flatten())
}

/// The ground of these bricks, which come in the order of x, y, z.
pub(super) fn put_together(
    frame: &GroundFrame,
    bricks: impl Iterator<Item = (IVec3, GroundBrick)>,
) -> Result<Ground, FormatError> {
    let (mut grid, mut sides) = (Grid::new(Voxel::AIR), Vec::new());
    let mut last: Option<[i32; 3]> = None;
    let mut found = 0;
    for (coord, brick) in bricks {
        if last.is_some_and(|last| coord.to_array() <= last) {
            return Err(corrupt(format!("brick {coord} is out of order")));
        }
        last = Some(coord.to_array());
        found += 1;
        grid.replace(coord, brick.voxels);
        sides.push((coord, brick.side));
    }
    if found != frame.bricks {
        return Err(FormatError::Count { format: FORMAT, what: "bricks", expected: frame.bricks, found });
    }
    let awake = frame.awake.iter().map(|(coord, quiet)| (IVec3::from_array(*coord), *quiet));
    Ok(Ground::from_parts(grid, sides, frame.voxel_size_m, frame.bounds, awake))
}
