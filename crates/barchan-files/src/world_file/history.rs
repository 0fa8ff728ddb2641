//! The versions that a file holds: adding one, going back and forth between them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use barchan_sim::World;
use barchan_volume::VoxelBox;
use barchan_volume::brick::brick_box;
use glam::IVec3;

use super::append::{Appender, Written, all_of};
use super::bricks::BRICKS_VERSION;
use super::chunk::Tag;
use super::load::{Opened, load_version, open};
use super::pages::{Tree, bricks_of, first_brick, read_chunk};
use super::record::{Log, Says, Version};
use super::save::begin;
use super::source::Source;
use super::{Attachment, HEAD_BYTES, Loaded};
use crate::atomic_write::write_atomically;
use crate::error::{FileError, FormatError};

/// What is said of the world of a file that knows no versions.
const OLD: &str = "as it was";

/// A version that a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedVersion {
    /// Its number.
    pub id: u32,
    /// The one that it came from.
    pub parent: Option<u32>,
    /// What was done.
    pub label: String,
    /// Simulated time (s).
    pub time_s: f64,
    /// Steps since the world was made.
    pub steps: u64,
    /// Where the ground differs from that of the version that it came from, by whole bricks (voxels).
    pub region: VoxelBox,
    /// What it added to the file (bytes).
    pub bytes: u64,
    /// Digest of the world.
    pub digest: u64,
}

/// A .barchan file with its versions.
#[derive(Clone, Debug)]
pub struct WorldFile {
    path: PathBuf,
    memory_limit_bytes: u64,
    log: Log,
    /// The world of a file that knows no versions.
    old: Option<Box<Loaded>>,
}

impl WorldFile {
    /// Opens the file at `path`: what it says of its versions, not the versions. Its worlds may not need more than
    /// `memory_limit_bytes`.
    pub fn open(path: &Path, memory_limit_bytes: u64) -> Result<Self, FileError> {
        let (log, old) = match open(path, memory_limit_bytes)? {
            Opened::Log(_, log) => (*log, None),
            Opened::Old(loaded) => (log_of_old(&loaded.world), Some(loaded)),
        };
        Ok(Self { path: path.to_owned(), memory_limit_bytes, log, old })
    }

    /// All versions, in the order in which they were made.
    pub fn versions(&self) -> impl Iterator<Item = SavedVersion> + '_ {
        self.log.versions.iter().map(saved)
    }

    /// The version that is loaded where none is named.
    pub fn present(&self) -> SavedVersion {
        saved(&self.log.versions[self.log.present])
    }

    /// Loads a version.
    pub fn load(&self, id: u32) -> Result<Loaded, FileError> {
        let version = &self.log.versions[self.index(id)?];
        if let Some(old) = &self.old {
            return Ok((**old).clone());
        }
        let source = Source::open(&self.path)?;
        load_version(&source, version, self.memory_limit_bytes).map_err(FileError::in_file(&self.path))
    }

    /// Adds `world` as a version that came from the present one, and makes it the present one. What is equal to the version before is
    /// not written again. Whatever happens on the way, the versions before it stay whole.
    pub fn add(&mut self, world: &World, attachments: &[Attachment], label: &str) -> Result<u32, FileError> {
        if let Some(old) = self.old.take() {
            self.renew(&old).inspect_err(|_| self.old = Some(old))?;
        }
        self.at_the_end(|log, source, end| {
            let parent = &log.versions[log.present];
            let (tree, _) = Tree::read(source, &parent.trees, u64::MAX).map_err(io::Error::other)?;
            end.knows(parent.parts.iter().map(|(_, _, place)| *place));
            end.knows(parent.trees.iter().map(|(_, place)| *place));
            end.knows(tree.nodes.iter().chain(tree.pages.values()).copied());
            let written = end.world(world, attachments)?;
            let region = differing(world, source, &tree, &written).map_err(io::Error::other)?;
            let id = log.versions.last().map_or(0, |last| last.id + 1);
            Ok(Says::Version(Box::new(written.version(world, id, Some(parent.id), label, region))))
        })?;
        Ok(self.log.versions[self.log.present].id)
    }

    /// Goes back to the version that the present one came from.
    pub fn undo(&mut self) -> Result<SavedVersion, FileError> {
        match self.log.versions[self.log.present].parent {
            Some(parent) => self.go_to(parent),
            None => Err(self.refuse("there is nothing to undo: no version came before this one")),
        }
    }

    /// Goes forward to the version that was made or gone back from last.
    pub fn redo(&mut self) -> Result<SavedVersion, FileError> {
        match self.log.next.get(&self.log.versions[self.log.present].id) {
            Some(next) => self.go_to(*next),
            None => Err(self.refuse("there is nothing to redo: no version came after this one")),
        }
    }

    /// Makes a version the present one. What is added next begins a branch there.
    pub fn go_to(&mut self, id: u32) -> Result<SavedVersion, FileError> {
        let index = self.index(id)?;
        if index != self.log.present {
            self.at_the_end(|_, _, _| Ok(Says::Present(id)))?;
        }
        Ok(self.present())
    }

    /// Gives up all but the `keep` newest versions and the present one; returns by how much the file became shorter (bytes).
    pub fn prune(&mut self, keep: usize) -> Result<u64, FileError> {
        if self.old.is_some() {
            return Ok(0);
        }
        let source = Source::open(&self.path)?;
        let log = Log::read(&source).map_err(FileError::in_file(&self.path))?;
        write_atomically(&self.path, |out| log.write_newest(&source, keep, out))?;
        let before = source.length();
        *self = Self::open(&self.path, self.memory_limit_bytes)?;
        Ok(before.saturating_sub(self.log.end))
    }

    fn index(&self, id: u32) -> Result<usize, FileError> {
        self.log.find(id).ok_or_else(|| self.refuse(&format!("there is no version {id}")))
    }

    fn refuse(&self, why: &str) -> FileError {
        let cause = FormatError::Unsupported {
            format: super::FORMAT,
            expected: format!("versions {}", self.numbers()),
            found: why.to_owned(),
        };
        FileError::Format { path: self.path.clone(), cause }
    }

    fn numbers(&self) -> String {
        let ids = self.log.versions.iter().map(|version| version.id.to_string());
        ids.collect::<Vec<_>>().join(", ")
    }

    /// Makes a file that knows no versions one that does.
    fn renew(&mut self, old: &Loaded) -> Result<(), FileError> {
        write_atomically(&self.path, |out| {
            begin(out)?;
            let mut end = Appender::new(out, HEAD_BYTES);
            let written = end.world(&old.world, &old.attachments)?;
            let version = written.version(&old.world, 0, None, OLD, all_of(old.world.ground()));
            end.record(None, Says::Version(Box::new(version))).map(drop)
        })?;
        self.log = Self::open(&self.path, self.memory_limit_bytes)?.log;
        Ok(())
    }

    /// Adds what `write` writes, and then the record that it gives. Where that fails, nothing was added.
    fn at_the_end(
        &mut self,
        write: impl FnOnce(&Log, &Source<'_>, &mut Appender<BufWriter<&File>>) -> io::Result<Says>,
    ) -> Result<(), FileError> {
        let unwritable = |cause| FileError::Write { path: self.path.clone(), cause };
        let file = OpenOptions::new().read(true).write(true).open(&self.path).map_err(unwritable)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(unwritable(io::Error::other("another program is adding a version to it")));
            }
            // Some disks know no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let source = Source::open(&self.path)?;
        // Another program may have added to it since it was opened.
        let log = Log::read(&source).map_err(FileError::in_file(&self.path))?;
        if let Err(error) = add(&file, &log, &source, write) {
            // If this fails, too, what was begun stands behind the last whole record, where nobody looks.
            let _ = file.set_len(log.end);
            return Err(unwritable(error));
        }
        drop(file);
        self.log = Log::read(&Source::open(&self.path)?).map_err(FileError::in_file(&self.path))?;
        Ok(())
    }
}

fn add(
    mut file: &File,
    log: &Log,
    source: &Source<'_>,
    write: impl FnOnce(&Log, &Source<'_>, &mut Appender<BufWriter<&File>>) -> io::Result<Says>,
) -> io::Result<()> {
    file.set_len(log.end)?;
    file.seek(SeekFrom::Start(log.end))?;
    let mut end = Appender::new(BufWriter::new(file), log.end);
    let says = write(log, source, &mut end)?;
    // A record may not be on the disk before what it names.
    end.out.flush()?;
    file.sync_data()?;
    end.record(Some(log.last), says)?;
    end.out.flush()?;
    file.sync_all()
}

fn saved(version: &Version) -> SavedVersion {
    let Version { id, parent, ref label, time_s, steps, region, bytes, digest, .. } = *version;
    SavedVersion { id, parent, label: label.clone(), time_s, steps, region, bytes, digest }
}

fn log_of_old(world: &World) -> Log {
    let version = Written::default().version(world, 0, None, OLD, all_of(world.ground()));
    Log { versions: vec![version], ..Log::default() }
}

/// The box around all bricks of `world` that are not as in the version with this tree.
fn differing(
    world: &World,
    source: &Source<'_>,
    tree: &Tree,
    now: &Written,
) -> Result<VoxelBox, FormatError> {
    let ground = world.ground();
    let mut region = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
    let all = tree.pages.keys().chain(now.pages.keys());
    for coord in all {
        let (before, after) = (tree.pages.get(coord), now.pages.get(coord));
        if before == after {
            continue;
        }
        let page = IVec3::from_array(*coord);
        let mut old = std::collections::HashMap::new();
        if let Some(place) = before {
            let raw = read_chunk(source, Tag::BRICKS, BRICKS_VERSION, *place)?;
            old.extend(bricks_of(page, &raw)?);
        }
        let first = first_brick(page);
        for brick in VoxelBox::new(first, first + 8).cells() {
            let now = ground.brick(brick);
            let is_same = old.get(&brick).map_or(now == barchan_sim::GroundBrick::AIR, |old| *old == now);
            if !is_same {
                region = region.union(&brick_box(brick));
            }
        }
    }
    Ok(region)
}
