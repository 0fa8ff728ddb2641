//! What a version adds to a file: its new chunks, then a record that names all that it is made of.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use barchan_sim::{Ground, World};
use barchan_volume::VoxelBox;
use glam::IVec3;
use rayon::prelude::*;

use super::bricks::{BRICKS_VERSION, encode};
use super::chunk::{Chunk, MAX_RAW_BYTES, Tag};
use super::frame::GroundFrame;
use super::pages::{Node, Page, Place, page_of, sum_of, way_to};
use super::record::{Record, Says, Version, end_chunk};
use super::{Attachment, CHUNK_VERSION};

/// Pages that are compressed at once, so that a large world is never twice in memory.
const PAGES_AT_ONCE: usize = 32;

/// The end of a file, where chunks are added.
pub(super) struct Appender<W> {
    pub out: W,
    /// How many bytes there are.
    pub at: u64,
    /// What is there already, by its sum.
    known: HashMap<u128, Place>,
}

/// What a world is made of in a file.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub parts: Vec<([u8; 4], u16, Place)>,
    pub trees: Vec<([i32; 3], Place)>,
    pub pages: BTreeMap<[i32; 3], Place>,
    /// What was added for it (bytes).
    pub bytes: u64,
}

impl Written {
    /// The version that this is.
    pub fn version(
        self,
        world: &World,
        id: u32,
        parent: Option<u32>,
        label: &str,
        region: VoxelBox,
    ) -> Version {
        let (clock, label) = (world.clock(), label.to_owned());
        let Self { parts, trees, bytes, .. } = self;
        let (time_s, steps, digest) = (clock.time_s, clock.steps, world.digest());
        Version { id, parent, label, time_s, steps, region, bytes, digest, parts, trees }
    }
}

impl<W: Write> Appender<W> {
    /// Adds to `out`, of which there are `at` bytes.
    pub fn new(out: W, at: u64) -> Self {
        Self { out, at, known: HashMap::new() }
    }

    /// What is at these places need not be written again.
    pub fn knows(&mut self, places: impl IntoIterator<Item = Place>) {
        self.known.extend(places.into_iter().map(|place| (place.sum, place)));
    }

    /// Adds what is not there yet of a world.
    pub fn world(&mut self, world: &World, attachments: &[Attachment]) -> io::Result<Written> {
        let before = self.at;
        let ground = world.ground();
        let mut voxels = ground.voxels().clone();
        voxels.compact();
        let bricks = voxels.bricks_in_order();
        let frame =
            postcard::to_stdvec(&GroundFrame::of(ground, bricks.len() as u64)).map_err(io::Error::other)?;
        let mut raw = vec![(Tag::GROUND, CHUNK_VERSION, frame)];
        raw.extend(world.state().members().into_iter().map(|m| (Tag(m.tag.0), m.version, m.bytes)));
        raw.push((Tag::BODY, CHUNK_VERSION, world.bodies().to_bytes()));
        let attached = attachments.iter().map(|part| (Tag(part.tag), part.version, part.bytes.clone()));
        raw.extend(attached);
        let mut written = Written::default();
        for (tag, version, raw) in raw {
            written.parts.push((tag.0, version, self.chunk(tag, version, &raw)?));
        }
        let mut pages: BTreeMap<[i32; 3], Page<'_>> = BTreeMap::new();
        for (coord, brick) in bricks {
            let (page, inside) = page_of(coord);
            pages.entry(page.to_array()).or_default().push((inside, brick, ground.side(coord)));
        }
        written.pages = self.pages(pages.into_iter().collect())?;
        written.trees = self.trees(&written.pages)?;
        written.bytes = self.at - before;
        Ok(written)
    }

    fn pages(&mut self, pages: Vec<([i32; 3], Page<'_>)>) -> io::Result<BTreeMap<[i32; 3], Place>> {
        let mut places = BTreeMap::new();
        for batch in pages.chunks(PAGES_AT_ONCE) {
            let known = &self.known;
            let made = batch.par_iter().map(|(_, bricks)| {
                let raw = encode(bricks);
                let sum = sum_of(Tag::BRICKS, BRICKS_VERSION, &raw);
                let chunk =
                    (!known.contains_key(&sum)).then(|| Chunk::compress(Tag::BRICKS, BRICKS_VERSION, &raw));
                (sum, chunk)
            });
            let made: Vec<_> = made.collect();
            for ((coord, _), (sum, chunk)) in batch.iter().zip(made) {
                let place = match (self.known.get(&sum), chunk) {
                    (None, Some(chunk)) => self.write(sum, &chunk)?,
                    (known, _) => *known.expect("what was known stays known"),
                };
                places.insert(*coord, place);
            }
        }
        Ok(places)
    }

    /// The nodes above `pages`.
    pub fn trees(&mut self, pages: &BTreeMap<[i32; 3], Place>) -> io::Result<Vec<([i32; 3], Place)>> {
        let mut lower: BTreeMap<([i32; 3], u16), Node> = BTreeMap::new();
        for (page, place) in pages {
            let (tree, [high, low]) = way_to(IVec3::from_array(*page));
            lower.entry((tree, high)).or_default().push((low, *place));
        }
        let mut upper: BTreeMap<[i32; 3], Node> = BTreeMap::new();
        for ((tree, slot), node) in lower {
            upper.entry(tree).or_default().push((slot, self.node(node)?));
        }
        upper.into_iter().map(|(tree, node)| Ok((tree, self.node(node)?))).collect()
    }

    fn node(&mut self, mut node: Node) -> io::Result<Place> {
        node.sort_unstable_by_key(|(slot, _)| *slot);
        let raw = postcard::to_stdvec(&node).map_err(io::Error::other)?;
        self.chunk(Tag::NODE, CHUNK_VERSION, &raw)
    }

    /// Adds a chunk unless it is there.
    pub fn chunk(&mut self, tag: Tag, version: u16, raw: &[u8]) -> io::Result<Place> {
        if raw.len() > MAX_RAW_BYTES {
            let (name, bytes) = (tag.name(), raw.len());
            return Err(io::Error::other(format!(
                "'{name}' takes {bytes} bytes; at most 1 GiB can be saved"
            )));
        }
        let sum = sum_of(tag, version, raw);
        match self.known.get(&sum) {
            Some(place) => Ok(*place),
            None => self.write(sum, &Chunk::compress(tag, version, raw)),
        }
    }

    /// Adds a chunk that is not there.
    pub fn write(&mut self, sum: u128, chunk: &Chunk<'_>) -> io::Result<Place> {
        let place = Place { at: self.at, raw_bytes: chunk.raw_bytes() as u32, sum };
        chunk.write(&mut self.out)?;
        self.at += chunk.file_bytes();
        self.known.insert(sum, place);
        Ok(place)
    }

    /// Adds a record, and the end. What it names must be on the disk before.
    pub fn record(&mut self, previous: Option<u64>, says: Says) -> io::Result<u64> {
        let at = self.at;
        let raw = postcard::to_stdvec(&Record { previous, says }).map_err(io::Error::other)?;
        for chunk in [Chunk::compress(Tag::RECORD, CHUNK_VERSION, &raw), end_chunk(at)] {
            chunk.write(&mut self.out)?;
            self.at += chunk.file_bytes();
        }
        Ok(at)
    }
}

/// All that `ground` holds: the bricks from the lowest to the highest.
pub(super) fn all_of(ground: &Ground) -> VoxelBox {
    let bricks = ground.voxels().bricks().map(|(coord, _)| coord);
    let nothing = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
    bricks.fold(nothing, |region, coord| region.union(&barchan_volume::brick::brick_box(coord)))
}
