//! Records: what stands at the end of every version. They name all that the version is made of, and where the record before them is.

use std::collections::BTreeMap;

use barchan_volume::VoxelBox;
use serde::{Deserialize, Serialize};

use super::chunk::{Chunk, FRAME_BYTES, Tag, corrupt};
use super::pages::Place;
use super::source::Source;
use super::version_2::from_bytes;
use super::{CHUNK_VERSION, HEAD_BYTES};
use crate::error::FormatError;

/// A record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// Where the record before it is.
    pub previous: Option<u64>,
    pub says: Says,
}

/// What a record says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Says {
    /// There is a new version, the present one from now on.
    Version(Box<Version>),
    /// This version is the present one from now on.
    Present(u32),
}

/// A version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Version {
    pub id: u32,
    /// The one that it came from.
    pub parent: Option<u32>,
    /// What was done.
    pub label: String,
    /// Simulated time (s).
    pub time_s: f64,
    /// Steps since the world was made.
    pub steps: u64,
    /// Where the ground differs from that of the version that it came from.
    pub region: VoxelBox,
    /// What it added to the file (bytes).
    pub bytes: u64,
    /// Of the world.
    pub digest: u64,
    /// Every chunk but bricks and nodes, in order: tag, version, place.
    pub parts: Vec<([u8; 4], u16, Place)>,
    /// The trees of pages by their places, in order.
    pub trees: Vec<([i32; 3], Place)>,
}

/// What a file says of its versions.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// In the order in which they were made.
    pub versions: Vec<Version>,
    /// Index of the present one.
    pub present: usize,
    /// To which version one goes forward.
    pub next: BTreeMap<u32, u32>,
    /// Where the last record is.
    pub last: u64,
    /// The first byte that is no part of a whole version.
    pub end: u64,
}

/// What the last chunk takes: eight bytes do not get shorter.
const END_BYTES: u64 = FRAME_BYTES as u64 + 9;

/// The chunk that stands last and tells where the last record is.
pub(super) fn end_chunk(last: u64) -> Chunk<'static> {
    Chunk::compress(Tag::END, CHUNK_VERSION, &last.to_le_bytes())
}

impl Log {
    /// What the file at `source` says, whose head was looked at.
    pub fn read(source: &Source<'_>) -> Result<Self, FormatError> {
        let (last, end) = match source.length().checked_sub(END_BYTES).and_then(|at| last_record(source, at))
        {
            Some(last) => (last, source.length()),
            None => find_last(source)?,
        };
        let mut records = Vec::new();
        let mut at = Some(last);
        while let Some(place) = at {
            let record = read_record(source, place)?;
            if record.previous.is_some_and(|before| before >= place) {
                return Err(corrupt("a record names one after it as the one before"));
            }
            at = record.previous;
            records.push(record.says);
        }
        let mut log = Self { last, end, ..Self::default() };
        records.into_iter().rev().try_for_each(|says| log.follow(says))?;
        if log.versions.is_empty() {
            return Err(corrupt("there is no version in it"));
        }
        Ok(log)
    }

    /// The version of this number.
    pub fn find(&self, id: u32) -> Option<usize> {
        self.versions.binary_search_by_key(&id, |version| version.id).ok()
    }

    fn follow(&mut self, says: Says) -> Result<(), FormatError> {
        match says {
            Says::Version(version) => {
                let is_later = self.versions.last().is_none_or(|last| last.id < version.id);
                if !is_later || version.parent.is_some_and(|parent| self.find(parent).is_none()) {
                    return Err(corrupt(format!(
                        "version {} comes from none that was before it",
                        version.id
                    )));
                }
                if let Some(parent) = version.parent {
                    self.next.insert(parent, version.id);
                }
                self.present = self.versions.len();
                self.versions.push(*version);
            }
            Says::Present(id) => {
                let to = self.find(id).ok_or_else(|| corrupt(format!("there is no version {id}")))?;
                if let Some(from) = self.versions.get(self.present).filter(|from| from.parent == Some(id)) {
                    self.next.insert(id, from.id);
                }
                self.present = to;
            }
        }
        Ok(())
    }
}

/// Where the last record is by the chunk at `at`, if that says so.
fn last_record(source: &Source<'_>, at: u64) -> Option<u64> {
    let (chunk, checksum) = source.chunk(at).ok()?;
    let raw = if chunk.tag == Tag::END { chunk.decompress(checksum).ok()? } else { return None };
    let last = u64::from_le_bytes(raw.try_into().ok()?);
    (last < at && read_record(source, last).is_ok()).then_some(last)
}

fn read_record(source: &Source<'_>, at: u64) -> Result<Record, FormatError> {
    let (chunk, checksum) = source.chunk(at)?;
    if chunk.tag != Tag::RECORD {
        return Err(corrupt(format!("where a record should be is a '{}'", chunk.tag.name())));
    }
    super::load::known_version(&chunk, CHUNK_VERSION)?;
    from_bytes("VERS", &chunk.decompress(checksum)?)
}

/// Goes through all chunks for the last whole record; where it is, and where what follows it begins.
fn find_last(source: &Source<'_>) -> Result<(u64, u64), FormatError> {
    let (mut at, mut found) = (HEAD_BYTES, None);
    let mut problem = None;
    while let Ok(frame) = source.frame(at) {
        let next = at + (FRAME_BYTES + frame.lengths.1) as u64;
        if next > source.length() {
            break;
        }
        if frame.tag == Tag::RECORD {
            match read_record(source, at) {
                Ok(_) => found = Some((at, next)),
                Err(error) => problem = Some(error),
            }
        }
        at = next;
    }
    found.ok_or_else(|| {
        problem.unwrap_or_else(|| corrupt("the file ends in the middle: no version of it is whole"))
    })
}
