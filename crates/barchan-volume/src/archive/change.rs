//! Edits: down the tree where something changes, whole cubes at once where they can be, and up again to a new root.

use glam::IVec3;
use rayon::prelude::*;

use super::base::{Base, BaseBrick};
use super::cube::{Cube, LEAF};
use super::draft::{Draft, Hand, Made};
use super::leaf::Leaf;
use super::leaf_words::Form;
use super::store::Store;
use super::subtree::{Part, Subtree};
use super::view::View;
use crate::voxel_box::VoxelBox;

/// What becomes of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stays as it is.
    Keep,
    /// It becomes wholly of this material; 0: air.
    Whole(u8),
    /// It becomes this, which stands in a cube of the same size.
    Take(Subtree),
    /// It has to be looked at more closely.
    Cut,
}

/// A change of voxels. It may look at how everything was `before`.
pub trait Change: Sync {
    /// What becomes of `cube`, which is wholly of the material `now`, if it is of one at all.
    fn of_cube(&self, before: View<'_>, cube: Cube, now: Option<u8>) -> Verdict;

    /// Changes the leaf whose lowest voxel is `min`.
    fn of_leaf(&self, before: View<'_>, min: IVec3, leaf: &mut Leaf);
}

/// Smallest part of an edit that a thread takes up (level).
const FINEST_TASK: u32 = 5;
/// Edits from this length on (voxels) are taken up in smaller parts, for what is made and not stored yet takes memory, too.
const LARGE: usize = 2048;
/// Parts that are made before they are stored.
const TASKS_AT_ONCE: usize = 16;
/// Smaller edits (voxels) are not worth a second thread.
const FEW_VOXELS: u128 = 1 << 15;

/// A part of an edit: a cube and what stands there now.
pub(super) type Task = (Cube, Subtree);

/// An edit.
pub(super) struct Edit<'a, C> {
    pub base: Option<&'a Base>,
    /// What it changes.
    pub root: Subtree,
    pub change: &'a C,
    /// Nothing changes outside.
    pub region: VoxelBox,
    task_level: u32,
}

impl<'a, C: Change> Edit<'a, C> {
    pub fn new(base: Option<&'a Base>, root: Subtree, change: &'a C, region: VoxelBox) -> Self {
        let longest = region.size().into_iter().max().unwrap_or(0).max(1);
        let finer = if longest >= LARGE { 4 } else { 2 };
        let task_level = longest.ilog2().saturating_sub(finer).max(FINEST_TASK);
        Self { base, root, change, region, task_level }
    }

    /// The parts into which the edit falls, in order.
    pub fn tasks(&self, store: &Store) -> Vec<Task> {
        let mut tasks = Vec::new();
        self.find_tasks(store, self.root, Cube::ALL, &mut tasks);
        tasks
    }

    /// The parts, some at a time.
    pub fn batches<'t>(&self, tasks: &'t [Task]) -> impl Iterator<Item = &'t [Task]> + use<'t, C> {
        tasks.chunks(TASKS_AT_ONCE)
    }

    /// Makes some parts, on all threads where that is worth it.
    pub fn make(&self, store: &Store, tasks: &[Task]) -> Vec<(Made, Draft)> {
        let make = |(cube, tree): &Task| {
            let before = self.before(store);
            let mut walk =
                Walk { edit: self, before, hand: Hand::default(), draft: Draft::default(), brick: None };
            let made = walk.cube(*tree, *cube);
            (made, walk.draft)
        };
        if tasks.len() == 1 || self.region.volume() < FEW_VOXELS {
            tasks.iter().map(make).collect()
        } else {
            tasks.par_iter().map(make).collect()
        }
    }

    /// The new root, from what the parts have become.
    pub fn assemble(&self, store: &mut Store, done: Vec<Subtree>) -> Subtree {
        self.put_together(store, self.root, Cube::ALL, &mut done.into_iter())
    }

    fn before<'s>(&self, store: &'s Store) -> View<'s>
    where
        'a: 's,
    {
        View::new(store, self.base, self.root)
    }

    /// What becomes of `tree` without a look inside.
    fn verdict(&self, before: View<'_>, tree: Subtree, cube: Cube) -> Verdict {
        if self.region.intersect(&cube.voxels()).is_empty() {
            return Verdict::Keep;
        }
        self.change.of_cube(before, cube, tree.only_material())
    }

    fn find_tasks(&self, store: &Store, tree: Subtree, cube: Cube, tasks: &mut Vec<Task>) {
        if self.verdict(self.before(store), tree, cube) != Verdict::Cut {
            return;
        }
        if cube.level <= self.task_level {
            tasks.push((cube, tree));
            return;
        }
        for at in 0..8 {
            self.find_tasks(store, store.eighth(tree, cube.level, at), cube.eighth(at), tasks);
        }
    }

    fn put_together(
        &self,
        store: &mut Store,
        tree: Subtree,
        cube: Cube,
        done: &mut impl Iterator<Item = Subtree>,
    ) -> Subtree {
        match self.verdict(self.before(store), tree, cube) {
            Verdict::Keep => return tree,
            Verdict::Whole(material) => return Subtree::whole(material),
            Verdict::Take(other) => return other,
            Verdict::Cut => {}
        }
        if cube.level <= self.task_level {
            return done.next().unwrap_or(tree);
        }
        let before: [Subtree; 8] = std::array::from_fn(|at| store.eighth(tree, cube.level, at));
        let mut children = before;
        for at in 0..8 {
            children[at] = self.put_together(store, before[at], cube.eighth(at), done);
        }
        if children == before { tree } else { store.enter_node(cube.level, children) }
    }
}

/// The way through one part of an edit.
struct Walk<'a, C> {
    edit: &'a Edit<'a, C>,
    before: View<'a>,
    hand: Hand,
    draft: Draft,
    /// The brick of the base that was looked at last.
    brick: Option<BaseBrick>,
}

impl<C: Change> Walk<'_, C> {
    fn cube(&mut self, tree: Subtree, cube: Cube) -> Made {
        match self.edit.verdict(self.before, tree, cube) {
            Verdict::Keep => return Made::Is(tree),
            Verdict::Whole(material) => return Made::Is(Subtree::whole(material)),
            Verdict::Take(other) => return Made::Is(other),
            Verdict::Cut => {}
        }
        if cube.level == LEAF {
            return self.leaf(tree, cube);
        }
        let before: [Subtree; 8] = std::array::from_fn(|at| self.before.store.eighth(tree, cube.level, at));
        let mut children = before.map(Made::Is);
        for at in 0..8 {
            children[at] = self.cube(before[at], cube.eighth(at));
        }
        if children == before.map(Made::Is) { Made::Is(tree) } else { self.draft.node(cube.level, children) }
    }

    fn leaf(&mut self, tree: Subtree, cube: Cube) -> Made {
        let (store, hand) = (self.before.store, &mut self.hand);
        let mut base_form = None;
        if let (Part::Base, Some(base)) = (tree.part(), self.edit.base) {
            BaseBrick::around(&mut self.brick, base, cube.min).read_leaf(cube.min, &mut hand.leaf);
            base_form = Some(hand.leaf.to_words(&mut hand.before));
        } else {
            store.read_leaf(tree, &mut hand.leaf);
        }
        self.edit.change.of_leaf(self.before, cube.min, &mut hand.leaf);
        let form = hand.leaf.to_words(&mut hand.after);
        let is_same = match tree.part() {
            Part::Whole(material) => form == Form::Whole(material),
            Part::Base => base_form == Some(form) && (is_whole(form) || hand.before == hand.after),
            Part::Even(id) | Part::Stored(id) => !is_whole(form) && store.leaves.holds(id, &hand.after),
        };
        if is_same { Made::Is(tree) } else { self.draft.leaf(form, &hand.after) }
    }
}

fn is_whole(form: Form) -> bool {
    matches!(form, Form::Whole(_))
}
