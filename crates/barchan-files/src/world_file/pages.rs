//! Pages: cubes of 8x8x8 bricks, and the two levels of nodes above them. Equal pages are stored once, wherever they are.

use std::collections::BTreeMap;

use barchan_sim::voxel::SideList;
use barchan_sim::{GroundBrick, Voxel};
use barchan_volume::Brick;
use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::CHUNK_VERSION;
use super::bricks::{BRICKS_VERSION, decode};
use super::chunk::{Chunk, Tag, corrupt};
use super::load::known_version;
use super::source::Source;
use super::version_2::from_bytes;
use crate::error::FormatError;

/// Exponent of the bricks along a page, and of what is along a node.
const SHIFT: i32 = 3;
/// Levels of nodes.
const LEVELS: i32 = 2;
/// Trees further out than this do not occur.
const FARTHEST_TREE: i32 = 1 << 17;

/// Where a chunk is, how long it is when unpacked (bytes), and what it is, by the sum of what it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub at: u64,
    pub raw_bytes: u32,
    pub sum: u128,
}

/// What there is in a node: number of the eighth of the eighth of the eighth, and where it is.
pub(super) type Node = Vec<(u16, Place)>;

/// Bricks of a page with their coordinates in it, in order.
pub(super) type Page<'a> = Vec<(IVec3, &'a Brick<Voxel>, &'a SideList)>;

/// The page in which a brick lies, and where it lies there.
pub(super) fn page_of(brick: IVec3) -> (IVec3, IVec3) {
    let page = brick >> SHIFT;
    (page, brick - (page << SHIFT))
}

/// The lowest brick of a page.
pub(super) fn first_brick(page: IVec3) -> IVec3 {
    page << SHIFT
}

/// The tree of a page, and the numbers that lead to it from there down.
pub(super) fn way_to(page: IVec3) -> ([i32; 3], [u16; LEVELS as usize]) {
    let slot = |p: IVec3| {
        let p = p & 7;
        (p.x << 6 | p.y << 3 | p.z) as u16
    };
    ((page >> (SHIFT * LEVELS)).to_array(), [slot(page >> SHIFT), slot(page)])
}

fn below(place: IVec3, slot: u16) -> IVec3 {
    let slot = i32::from(slot);
    (place << SHIFT) + IVec3::new(slot >> 6, slot >> 3 & 7, slot & 7)
}

/// The pages of a version, and the nodes that lead to them.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// By their places.
    pub pages: BTreeMap<[i32; 3], Place>,
    pub nodes: Vec<Place>,
}

impl Tree {
    /// What stands under `trees`. Stops where more than `limit` bytes would come of it.
    pub fn read(
        source: &Source<'_>,
        trees: &[([i32; 3], Place)],
        limit: u64,
    ) -> Result<(Self, u64), FormatError> {
        let (mut tree, mut bytes) = (Self::default(), 0);
        let mut open: Vec<(IVec3, Place, i32)> = Vec::new();
        for (place, node) in trees.iter().rev() {
            let coord = IVec3::from_array(*place);
            if coord.cmplt(IVec3::splat(-FARTHEST_TREE)).any()
                || coord.cmpge(IVec3::splat(FARTHEST_TREE)).any()
            {
                return Err(corrupt(format!("bricks at {coord} are too far out")));
            }
            open.push((coord, *node, LEVELS));
        }
        if !trees.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            return Err(corrupt("the trees of a version are out of order"));
        }
        while let Some((coord, place, level)) = open.pop() {
            bytes += u64::from(place.raw_bytes).max(1);
            if bytes > limit {
                break;
            }
            if level == 0 {
                tree.pages.insert(coord.to_array(), place);
                continue;
            }
            let node: Node = from_bytes("NODE", &read_chunk(source, Tag::NODE, CHUNK_VERSION, place)?)?;
            if node.last().is_none_or(|last| last.0 > 511)
                || !node.windows(2).all(|pair| pair[0].0 < pair[1].0)
            {
                return Err(corrupt("a node is out of order"));
            }
            tree.nodes.push(place);
            open.extend(node.into_iter().rev().map(|(slot, place)| (below(coord, slot), place, level - 1)));
        }
        Ok((tree, bytes))
    }
}

/// The bricks of the page at `page`.
pub(super) fn bricks_of(page: IVec3, raw: &[u8]) -> Result<Vec<(IVec3, GroundBrick)>, FormatError> {
    let mut bricks = decode(raw)?;
    let mut last = None;
    for (coord, _) in &mut bricks {
        let is_inside = coord.cmpge(IVec3::ZERO).all() && coord.cmplt(IVec3::splat(1 << SHIFT)).all();
        if !is_inside || last.is_some_and(|last| coord.to_array() <= last) {
            return Err(corrupt(format!("brick {coord} is out of order in its page")));
        }
        last = Some(coord.to_array());
        *coord += first_brick(page);
    }
    Ok(bricks)
}

/// The raw bytes of the chunk that should be at `place`.
pub(super) fn read_chunk(
    source: &Source<'_>,
    tag: Tag,
    version: u16,
    place: Place,
) -> Result<Vec<u8>, FormatError> {
    let (chunk, checksum) = source.chunk(place.at)?;
    open_chunk(&chunk, checksum, tag, version, place)
}

/// The raw bytes of a chunk, if it is what should be at `place`.
pub(super) fn open_chunk(
    chunk: &Chunk<'_>,
    checksum: u64,
    tag: Tag,
    version: u16,
    place: Place,
) -> Result<Vec<u8>, FormatError> {
    if chunk.tag != tag {
        return Err(corrupt(format!("where a '{}' should be is a '{}'", tag.name(), chunk.tag.name())));
    }
    known_version(chunk, version)?;
    if chunk.raw_bytes() != u64::from(place.raw_bytes) {
        return Err(corrupt(format!("a '{}' is of another length than its record says", tag.name())));
    }
    let raw = chunk.decompress(checksum)?;
    if sum_of(tag, version, &raw) != place.sum {
        return Err(corrupt(format!("a '{}' is another than its record says", tag.name())));
    }
    Ok(raw)
}

/// Reads pages, some at a time, and gives the bricks of each to `take`.
pub(super) fn each_page(
    source: &Source<'_>,
    pages: &BTreeMap<[i32; 3], Place>,
    mut take: impl FnMut(Vec<(IVec3, GroundBrick)>),
) -> Result<(), FormatError> {
    use rayon::prelude::*;
    /// Pages that are unpacked at once, so that a large world is never twice in memory.
    const AT_ONCE: usize = 32;
    let pages: Vec<_> = pages.iter().collect();
    for batch in pages.chunks(AT_ONCE) {
        let read = |(coord, place): &(&[i32; 3], &Place)| {
            let (chunk, checksum) = source.chunk(place.at)?;
            let raw = open_chunk(&chunk, checksum, Tag::BRICKS, BRICKS_VERSION, **place)?;
            bricks_of(IVec3::from_array(**coord), &raw)
        };
        let decoded: Vec<_> = batch.par_iter().map(read).collect::<Result<_, FormatError>>()?;
        decoded.into_iter().for_each(&mut take);
    }
    Ok(())
}

/// The sum by which a chunk is known.
pub(super) fn sum_of(tag: Tag, version: u16, raw: &[u8]) -> u128 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(&tag.0);
    hasher.update(&version.to_le_bytes());
    hasher.update(raw);
    hasher.digest128()
}
