//! Reading a world. Nothing in a file is believed: sums, shapes, order, voxels, books and digest are all checked.

use std::path::Path;

use barchan_sim::bodies::Bodies;
use barchan_sim::state::{MemberBytes, MemberTag};
use barchan_sim::{Ground, GroundBrick, Voxel, World, WorldState};
use barchan_volume::Grid;
use glam::IVec3;
use rayon::prelude::*;

use super::bricks::{BRICKS_VERSION, decode};
use super::chunk::{Chunk, Tag, corrupt};
use super::save::CHUNK_VERSION;
use super::{Attachment, End, FORMAT, GroundFrame, MAGIC, VERSION, version_1};
use crate::error::{FileError, FormatError};
use crate::read_limit::read_file;

/// What a file holds.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The world.
    pub world: World,
    /// What goes with it.
    pub attachments: Vec<Attachment>,
}

/// Loads the world saved at `path`, which may not need more than `memory_limit_bytes`.
pub fn load_world(path: &Path, memory_limit_bytes: u64) -> Result<World, FileError> {
    Ok(load_world_with_attachments(path, memory_limit_bytes)?.world)
}

/// As [`load_world`], with what crates above attached.
pub fn load_world_with_attachments(path: &Path, memory_limit_bytes: u64) -> Result<Loaded, FileError> {
    let bytes = read_file(path, memory_limit_bytes)?;
    read_world_with_attachments(&bytes, memory_limit_bytes).map_err(FileError::in_file(path))
}

/// The world in the bytes of a .barchan file.
pub fn read_world(bytes: &[u8], memory_limit_bytes: u64) -> Result<World, FormatError> {
    Ok(read_world_with_attachments(bytes, memory_limit_bytes)?.world)
}

/// As [`read_world`], with what crates above attached.
pub fn read_world_with_attachments(mut bytes: &[u8], memory_limit_bytes: u64) -> Result<Loaded, FormatError> {
    if bytes.split_off(..MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
        return Err(corrupt("this is not a .barchan file"));
    }
    let version = bytes.split_off(..4).ok_or_else(|| corrupt("the file ends in the middle"))?;
    let mut loaded = match u32::from_le_bytes([version[0], version[1], version[2], version[3]]) {
        VERSION => read(bytes, memory_limit_bytes)?,
        1 => Loaded { world: version_1::read(bytes, memory_limit_bytes)?, attachments: Vec::new() },
        other => {
            return Err(FormatError::Unsupported {
                format: FORMAT,
                expected: format!("version 1 to {VERSION}"),
                found: format!("version {other}"),
            });
        }
    };
    loaded.world.limit_memory(memory_limit_bytes);
    Ok(loaded)
}

/// All chunks of a file, each with its checksum.
pub(super) type Chunks<'a> = Vec<(Chunk<'a>, u64)>;

fn read(bytes: &[u8], memory_limit_bytes: u64) -> Result<Loaded, FormatError> {
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
    let (mut attachments, mut seen) = (Vec::new(), Vec::new());
    for (chunk, checksum) in others {
        if seen.iter().any(|(tag, _)| *tag == chunk.tag) {
            return Err(corrupt(format!("'{}' is there twice", chunk.tag.name())));
        }
        seen.push((chunk.tag, chunk.version));
        read_chunk(chunk, *checksum, &mut state, &mut attachments)?;
    }
    let all_there = state.members().iter().all(|member| seen.contains(&(Tag(member.tag.0), member.version)));
    let world = World::from_state(state).map_err(|error| corrupt(error.to_string()))?;
    let End { digest } = unpack(&end[0].0, end[0].1)?;
    // A program that knows fewer members, or other versions of them, made its digest of those.
    if all_there && world.digest() != digest {
        return Err(corrupt("the digest of the world does not match: the file was damaged"));
    }
    Ok(Loaded { world, attachments })
}

fn read_chunk(
    chunk: &Chunk<'_>,
    checksum: u64,
    state: &mut WorldState,
    attachments: &mut Vec<Attachment>,
) -> Result<(), FormatError> {
    let bytes = chunk.decompress(checksum)?;
    let (tag, version) = (chunk.tag.0, chunk.version);
    if chunk.tag == Tag::BODY {
        known_version(chunk, CHUNK_VERSION)?;
        state.bodies = Bodies::from_bytes(&bytes).map_err(|error| corrupt(error.to_string()))?;
    } else if Attachment::is_known(chunk.tag) {
        attachments.push(Attachment { tag, version, bytes });
    } else {
        let member = MemberBytes { tag: MemberTag(tag), version, bytes };
        state.read_member(&member).map_err(|error| corrupt(error.to_string()))?;
    }
    Ok(())
}

/// Refuses chunks that together need more than `limit` bytes.
pub(super) fn check_size(chunks: &Chunks<'_>, limit: u64) -> Result<(), FormatError> {
    let needed: u64 = chunks.iter().map(|(chunk, _)| chunk.raw_bytes()).sum();
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

fn unpack<T: for<'de> serde::Deserialize<'de>>(chunk: &Chunk<'_>, checksum: u64) -> Result<T, FormatError> {
    known_version(chunk, CHUNK_VERSION)?;
    from_bytes(&chunk.tag.name(), &chunk.decompress(checksum)?)
}

/// What postcard makes of all of `bytes`.
pub(super) fn from_bytes<T: for<'de> serde::Deserialize<'de>>(
    name: &str,
    bytes: &[u8],
) -> Result<T, FormatError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(corrupt(format!("{} bytes are left over in '{name}'", rest.len()))),
        Err(error) => Err(corrupt(format!("'{name}' cannot be read: {error}"))),
    }
}

fn known_version(chunk: &Chunk<'_>, known: u16) -> Result<(), FormatError> {
    if chunk.version == known {
        return Ok(());
    }
    let (name, found) = (chunk.tag.name(), chunk.version);
    Err(corrupt(format!("'{name}' is of version {found}; this program knows version {known}")))
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
