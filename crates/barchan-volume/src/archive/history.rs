//! The archive and its history: every version is a root, and roots share all that they have in common.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::IVec3;

use super::base::Base;
use super::change::{Change, Edit};
use super::collect::Collector;
use super::copy::Copy;
use super::cube::{Cube, TOP};
use super::dab::Dab;
use super::diff::differing;
use super::error::ArchiveError;
use super::store::{Store, Usage};
use super::subtree::Subtree;
use super::view::View;
use crate::voxel_box::VoxelBox;

/// Which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionId(pub u32);

/// A version of everything: its voxels, and `E`, what goes with them.
#[derive(Clone, Debug)]
pub struct Version<E> {
    /// The one that it came from, as far as that is still there.
    pub parent: Option<VersionId>,
    /// What was done.
    pub label: String,
    /// Where (voxels).
    pub region: VoxelBox,
    /// Memory that it added (bytes).
    pub bytes: u64,
    /// What goes with the voxels.
    pub extra: E,
    root: Subtree,
    /// The one that was made of it, or gone back to it from, last.
    next: Option<VersionId>,
}

/// Voxels of a space 131,072 a side, and all versions of them.
#[derive(Clone, Debug)]
pub struct Archive<E = ()> {
    store: Store,
    base: Option<Arc<Base>>,
    /// The voxels as they are now, committed or not.
    root: Subtree,
    /// Where they differ from the present version.
    region: VoxelBox,
    /// Memory in use when the present version was made (bytes).
    bytes_before: u64,
    versions: BTreeMap<VersionId, Version<E>>,
    present: VersionId,
    newest: VersionId,
    names: BTreeMap<String, VersionId>,
    limit_bytes: Option<u64>,
    collector: Collector,
    /// Something may be there that nobody needs.
    has_garbage: bool,
}

const NOWHERE: VoxelBox = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);

impl<E> Archive<E> {
    /// Empty space, or the base if one is given, as the first version.
    pub fn new(base: Option<Base>, label: impl Into<String>, extra: E) -> Self {
        let root = if base.is_some() { Subtree::BASE } else { Subtree::AIR };
        let label = label.into();
        let first = Version { parent: None, label, region: NOWHERE, bytes: 0, extra, root, next: None };
        Self {
            store: Store::new(),
            base: base.map(Arc::new),
            root,
            region: NOWHERE,
            bytes_before: 0,
            versions: BTreeMap::from([(VersionId(0), first)]),
            present: VersionId(0),
            newest: VersionId(0),
            names: BTreeMap::new(),
            limit_bytes: None,
            collector: Collector::Idle,
            has_garbage: false,
        }
    }

    /// The voxels as they are now.
    pub fn now(&self) -> View<'_> {
        View::new(&self.store, self.base.as_deref(), self.root)
    }

    /// The voxels as they were in a version.
    pub fn view(&self, id: VersionId) -> Result<View<'_>, ArchiveError> {
        Ok(View::new(&self.store, self.base.as_deref(), self.version(id)?.root))
    }

    /// What it holds.
    pub fn usage(&self) -> Usage {
        self.store.usage()
    }

    /// Changes voxels of `region`. False when all of them are as they were. Refused as a whole where it reaches beyond the archive or
    /// takes too much memory.
    pub fn change(&mut self, region: VoxelBox, change: &impl Change) -> Result<bool, ArchiveError> {
        check_inside(region)?;
        if region.is_empty() {
            return Ok(false);
        }
        let base = self.base.clone();
        let edit = Edit::new(base.as_deref(), self.root, change, region);
        let tasks = edit.tasks(&self.store);
        let mut done = Vec::with_capacity(tasks.len());
        for batch in edit.batches(&tasks) {
            let made = edit.make(&self.store, batch);
            let needed = made.iter().map(|(_, draft)| draft.bytes()).sum();
            let kept = done.iter().zip(&tasks).map(|(tree, (cube, _))| (*tree, cube.level));
            self.make_room(needed, kept.collect())?;
            done.extend(made.into_iter().map(|(made, draft)| draft.enter(made, &mut self.store)));
        }
        let root = edit.assemble(&mut self.store, done);
        self.make_room(0, vec![(root, TOP)])?;
        let is_changed = root != self.root;
        if is_changed {
            // What no version holds was for nothing.
            self.has_garbage |= self.is_changed();
            self.root = root;
            self.region = self.region.union(&region);
            self.collector.keep(root, TOP);
        }
        Ok(is_changed)
    }

    /// Fills, empties or paints a ball or a box.
    pub fn dab(&mut self, dab: &Dab) -> Result<bool, ArchiveError> {
        self.change(dab.region()?, dab)
    }

    /// Puts the voxels of `from` where its lowest voxel is `to`. What lies there is replaced; the two may overlap.
    pub fn copy(&mut self, from: VoxelBox, to: IVec3) -> Result<bool, ArchiveError> {
        check_inside(from)?;
        let size = from.max - from.min;
        let to = VoxelBox::new(to, to.saturating_add(size));
        check_inside(to)?;
        self.change(to, &Copy { to, by: to.min - from.min })
    }

    /// Makes what is there now a version that comes after the present one, and the present one itself.
    pub fn commit(&mut self, label: impl Into<String>, extra: E) -> VersionId {
        let id = VersionId(self.newest.0 + 1);
        let bytes = self.store.bytes_in_use().saturating_sub(self.bytes_before);
        let (label, region, root) = (label.into(), self.region, self.root);
        let parent = Some(self.present);
        self.versions.insert(id, Version { parent, label, region, bytes, extra, root, next: None });
        if let Some(parent) = self.versions.get_mut(&self.present) {
            parent.next = Some(id);
        }
        (self.newest, self.present, self.region) = (id, id, NOWHERE);
        self.bytes_before = self.store.bytes_in_use();
        id
    }

    /// Goes back to the version before.
    pub fn undo(&mut self) -> Result<VersionId, ArchiveError> {
        let parent = self.version(self.present)?.parent.ok_or(ArchiveError::NothingToUndo)?;
        let from = self.present;
        self.go_to(parent)?;
        if let Some(version) = self.versions.get_mut(&parent) {
            version.next = Some(from);
        }
        Ok(parent)
    }

    /// Goes forward to the version that was gone back from last, or made last.
    pub fn redo(&mut self) -> Result<VersionId, ArchiveError> {
        let next = self.version(self.present)?.next.ok_or(ArchiveError::NothingToRedo)?;
        self.go_to(next)?;
        Ok(next)
    }

    /// Goes to any version. What is committed next begins a branch there.
    pub fn go_to(&mut self, id: VersionId) -> Result<(), ArchiveError> {
        if self.root != self.version(self.present)?.root {
            return Err(ArchiveError::Uncommitted(self.present.0));
        }
        self.root = self.version(id)?.root;
        (self.present, self.region) = (id, NOWHERE);
        self.bytes_before = self.store.bytes_in_use();
        Ok(())
    }

    /// Forgets what was changed since the present version.
    pub fn revert(&mut self) {
        if let Ok(version) = self.version(self.present) {
            (self.root, self.region) = (version.root, NOWHERE);
            self.has_garbage = true;
        }
    }

    /// The present version.
    pub fn present(&self) -> VersionId {
        self.present
    }

    /// True when something changed since the present version.
    pub fn is_changed(&self) -> bool {
        self.version(self.present).is_ok_and(|version| version.root != self.root)
    }

    /// A version.
    pub fn version(&self, id: VersionId) -> Result<&Version<E>, ArchiveError> {
        self.versions.get(&id).ok_or(ArchiveError::NoVersion(id.0))
    }

    /// All versions, the oldest first.
    pub fn versions(&self) -> impl Iterator<Item = (VersionId, &Version<E>)> {
        self.versions.iter().map(|(id, version)| (*id, version))
    }

    /// Gives a version a name; it is not given up for want of memory. A name that another version bore is taken from it.
    pub fn name(&mut self, id: VersionId, name: impl Into<String>) -> Result<(), ArchiveError> {
        self.version(id)?;
        self.names.insert(name.into(), id);
        Ok(())
    }

    /// The version of this name.
    pub fn named(&self, name: &str) -> Result<VersionId, ArchiveError> {
        self.names.get(name).copied().ok_or_else(|| ArchiveError::NoName(name.to_owned()))
    }

    /// All names and what they name.
    pub fn names(&self) -> &BTreeMap<String, VersionId> {
        &self.names
    }

    /// The cubes in which two versions differ, none smaller than 2^`finest` voxels a side (4 at least).
    pub fn diff(&self, a: VersionId, b: VersionId, finest: u32) -> Result<Vec<Cube>, ArchiveError> {
        Ok(self.differing(self.version(a)?.root, self.version(b)?.root, finest))
    }

    /// The cubes in which a version differs from what is there now, none smaller than 2^`finest` voxels a side.
    pub fn diff_to_now(&self, from: VersionId, finest: u32) -> Result<Vec<Cube>, ArchiveError> {
        Ok(self.differing(self.version(from)?.root, self.root, finest))
    }

    fn differing(&self, a: Subtree, b: Subtree, finest: u32) -> Vec<Cube> {
        let mut cubes = Vec::new();
        differing(&self.store, (a, b), Cube::ALL, finest, &mut cubes);
        cubes
    }

    /// Gives a version up. Those that came from it come from the one before it from now on.
    pub fn forget(&mut self, id: VersionId) -> Result<E, ArchiveError> {
        if id == self.present {
            return Err(ArchiveError::Present(id.0));
        }
        let version = self.versions.remove(&id).ok_or(ArchiveError::NoVersion(id.0))?;
        for other in self.versions.values_mut() {
            if other.parent == Some(id) {
                other.parent = version.parent;
            }
            if other.next == Some(id) {
                other.next = version.next;
            }
        }
        self.names.retain(|_, named| *named != id);
        self.has_garbage = true;
        Ok(version.extra)
    }

    /// Memory that leaves and nodes may take from now on (bytes); none: as much as there is. The oldest versions without a name are
    /// given up where that is not enough.
    pub fn limit_memory(&mut self, limit_bytes: Option<u64>) {
        self.limit_bytes = limit_bytes;
    }

    /// Gives back what no version needs, looking at up to `some` leaves and nodes. True when there is more to do.
    pub fn collect(&mut self, some: usize) -> bool {
        if self.collector.is_idle() {
            if !self.has_garbage {
                return false;
            }
            self.begin_collection(Vec::new());
        }
        self.collector.work(&mut self.store, some) || self.has_garbage
    }

    fn begin_collection(&mut self, others: Vec<(Subtree, u32)>) {
        let roots = self.versions.values().map(|version| (version.root, TOP));
        let roots = roots.chain([(self.root, TOP)]).chain(others).collect();
        self.collector.begin(&mut self.store, roots);
        self.has_garbage = false;
    }

    /// Sees that `needed` bytes more are within the limit, whatever must be given up for it. `others` are needed, too.
    fn make_room(&mut self, needed: u64, others: Vec<(Subtree, u32)>) -> Result<(), ArchiveError> {
        let Some(limit_bytes) = self.limit_bytes else { return Ok(()) };
        while self.store.bytes_in_use() + needed > limit_bytes {
            if self.has_garbage || !self.collector.is_idle() {
                // What is under way was begun without knowing of the others, and without knowing what was given up since.
                others.iter().for_each(|(tree, level)| self.collector.keep(*tree, *level));
                while self.collector.work(&mut self.store, usize::MAX) {}
                self.begin_collection(others.clone());
                while self.collector.work(&mut self.store, usize::MAX) {}
                continue;
            }
            let oldest = self
                .versions
                .keys()
                .copied()
                .find(|id| *id != self.present && !self.names.values().any(|named| named == id));
            let Some(oldest) = oldest else {
                let needed_bytes = self.store.bytes_in_use() + needed;
                self.has_garbage = true;
                return Err(ArchiveError::Memory { needed_bytes, limit_bytes });
            };
            self.forget(oldest)?;
        }
        Ok(())
    }
}

/// An error where `region` reaches beyond the archive.
pub(super) fn check_inside(region: VoxelBox) -> Result<(), ArchiveError> {
    if Cube::ALL.voxels().contains_box(&region) {
        return Ok(());
    }
    Err(ArchiveError::Outside { min: region.min, max: region.max })
}
