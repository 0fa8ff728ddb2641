//! Reading a world. Nothing in a file is believed: sums, shapes, order, voxels, books and digest are all checked.

use std::path::Path;

use barchan_sim::bodies::Bodies;
use barchan_sim::state::{MemberBytes, MemberTag};
use barchan_sim::{Ground, Voxel, World, WorldState};
use barchan_volume::Grid;
use glam::IVec3;

use super::chunk::{Chunk, Tag, corrupt};
use super::frame::GroundFrame;
use super::pages::{Tree, each_page, read_chunk};
use super::record::{Log, Version};
use super::source::Source;
use super::version_2::{check_bytes, from_bytes};
use super::{Attachment, CHUNK_VERSION, FORMAT, HEAD_BYTES, MAGIC, VERSION, version_1, version_2};
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

/// Loads the present version of the world saved at `path`, which may not need more than `memory_limit_bytes`.
pub fn load_world(path: &Path, memory_limit_bytes: u64) -> Result<World, FileError> {
    Ok(load_world_with_attachments(path, memory_limit_bytes)?.world)
}

/// As [`load_world`], with what crates above attached.
pub fn load_world_with_attachments(path: &Path, memory_limit_bytes: u64) -> Result<Loaded, FileError> {
    match open(path, memory_limit_bytes)? {
        Opened::Old(loaded) => Ok(*loaded),
        Opened::Log(source, log) => {
            let version = &log.versions[log.present];
            load_version(&source, version, memory_limit_bytes).map_err(FileError::in_file(path))
        }
    }
}

/// The present version of the world in the bytes of a .barchan file.
pub fn read_world(bytes: &[u8], memory_limit_bytes: u64) -> Result<World, FormatError> {
    Ok(read_world_with_attachments(bytes, memory_limit_bytes)?.world)
}

/// As [`read_world`], with what crates above attached.
pub fn read_world_with_attachments(bytes: &[u8], memory_limit_bytes: u64) -> Result<Loaded, FormatError> {
    let source = Source::Bytes(bytes);
    if version_of(&source)? != VERSION {
        return read_old(bytes, memory_limit_bytes);
    }
    let log = Log::read(&source)?;
    load_version(&source, &log.versions[log.present], memory_limit_bytes)
}

/// A file that was opened.
pub(super) enum Opened {
    /// Of an older version: the world in it.
    Old(Box<Loaded>),
    /// With what it says of its versions.
    Log(Source<'static>, Box<Log>),
}

/// Opens the file at `path`.
pub(super) fn open(path: &Path, memory_limit_bytes: u64) -> Result<Opened, FileError> {
    let source = Source::open(path)?;
    if version_of(&source).map_err(FileError::in_file(path))? == VERSION {
        let log = Log::read(&source).map_err(FileError::in_file(path))?;
        return Ok(Opened::Log(source, Box::new(log)));
    }
    let bytes = read_file(path, memory_limit_bytes)?;
    let loaded = read_old(&bytes, memory_limit_bytes).map_err(FileError::in_file(path))?;
    Ok(Opened::Old(Box::new(loaded)))
}

fn version_of(source: &Source<'_>) -> Result<u32, FormatError> {
    let head = source.read(0, HEAD_BYTES as usize).map_err(|_| corrupt("this is not a .barchan file"))?;
    match head.split_at(MAGIC.len()) {
        (magic, &[a, b, c, d]) if magic == MAGIC => Ok(u32::from_le_bytes([a, b, c, d])),
        _ => Err(corrupt("this is not a .barchan file")),
    }
}

fn read_old(bytes: &[u8], memory_limit_bytes: u64) -> Result<Loaded, FormatError> {
    let rest = &bytes[HEAD_BYTES as usize..];
    let mut loaded = match version_of(&Source::Bytes(bytes))? {
        1 => Loaded { world: version_1::read(rest, memory_limit_bytes)?, attachments: Vec::new() },
        2 => version_2::read(rest, memory_limit_bytes)?,
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

/// The world of a version.
pub(super) fn load_version(
    source: &Source<'_>,
    version: &Version,
    memory_limit_bytes: u64,
) -> Result<Loaded, FormatError> {
    let of_parts: u64 = version.parts.iter().map(|(_, _, place)| u64::from(place.raw_bytes)).sum();
    let (tree, of_tree) = Tree::read(source, &version.trees, memory_limit_bytes)?;
    check_bytes(of_parts + of_tree, memory_limit_bytes)?;
    let [(first, form, place), others @ ..] = &version.parts[..] else {
        return Err(corrupt("'GRND' is missing"));
    };
    if *first != Tag::GROUND.0 {
        return Err(corrupt(format!("part number 0 is a '{}'", Tag(*first).name())));
    }
    if *form != CHUNK_VERSION {
        return Err(other_version(Tag(*first), *form, CHUNK_VERSION));
    }
    let frame: GroundFrame = from_bytes("GRND", &read_chunk(source, Tag::GROUND, *form, *place)?)?;
    let mut state = WorldState::new(ground(source, &frame, &tree)?);
    let (mut attachments, mut seen) = (Vec::new(), Vec::new());
    for (tag, form, place) in others {
        if seen.iter().any(|(other, _)| other == tag) {
            return Err(corrupt(format!("'{}' is there twice", Tag(*tag).name())));
        }
        seen.push((*tag, *form));
        let bytes = read_chunk(source, Tag(*tag), *form, *place)?;
        read_part(Tag(*tag), *form, bytes, &mut state, &mut attachments)?;
    }
    let all_there = state.members().iter().all(|member| seen.contains(&(member.tag.0, member.version)));
    let mut world = World::from_state(state).map_err(|error| corrupt(error.to_string()))?;
    // A program that knows fewer members, or them in another form, made its digest of those.
    if all_there && world.digest() != version.digest {
        return Err(corrupt("the digest of the world does not match: the file was damaged"));
    }
    world.limit_memory(memory_limit_bytes);
    Ok(Loaded { world, attachments })
}

/// Reads what is no ground.
pub(super) fn read_part(
    tag: Tag,
    version: u16,
    bytes: Vec<u8>,
    state: &mut WorldState,
    attachments: &mut Vec<Attachment>,
) -> Result<(), FormatError> {
    let Tag(tag_bytes) = tag;
    if tag == Tag::BODY {
        if version != CHUNK_VERSION {
            return Err(other_version(tag, version, CHUNK_VERSION));
        }
        state.bodies = Bodies::from_bytes(&bytes).map_err(|error| corrupt(error.to_string()))?;
    } else if Attachment::is_known(tag) {
        attachments.push(Attachment { tag: tag_bytes, version, bytes });
    } else {
        let member = MemberBytes { tag: MemberTag(tag_bytes), version, bytes };
        state.read_member(&member).map_err(|error| corrupt(error.to_string()))?;
    }
    Ok(())
}

/// Refuses a chunk of another form than the one that is known.
pub(super) fn known_version(chunk: &Chunk<'_>, known: u16) -> Result<(), FormatError> {
    if chunk.version == known { Ok(()) } else { Err(other_version(chunk.tag, chunk.version, known)) }
}

fn other_version(tag: Tag, found: u16, known: u16) -> FormatError {
    corrupt(format!("'{}' is of version {found}; this program knows version {known}", tag.name()))
}

fn ground(source: &Source<'_>, frame: &GroundFrame, tree: &Tree) -> Result<Ground, FormatError> {
    let (mut grid, mut sides) = (Grid::new(Voxel::AIR), Vec::new());
    let mut found = 0;
    each_page(source, &tree.pages, |bricks| {
        found += bricks.len() as u64;
        for (coord, brick) in bricks {
            grid.replace(coord, brick.voxels);
            sides.push((coord, brick.side));
        }
    })?;
    if found != frame.bricks {
        return Err(FormatError::Count { format: FORMAT, what: "bricks", expected: frame.bricks, found });
    }
    let awake = frame.awake.iter().map(|(coord, quiet)| (IVec3::from_array(*coord), *quiet));
    Ok(Ground::from_parts(grid, sides, frame.voxel_size_m, frame.bounds, awake))
}
