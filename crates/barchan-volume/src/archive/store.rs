//! All that is stored: leaves and nodes, level by level.

use super::cube::{LEAF, TOP, volume};
use super::leaf::{Leaf, each_bit};
use super::leaf_words::Form;
use super::leaves::Leaves;
use super::nodes::{Nodes, TALLIED, Tally};
use super::subtree::{Part, Subtree, Summary};

/// What an archive holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Memory of what is stored (bytes).
    pub bytes: u64,
    /// Memory that is set aside for it, indices included (bytes).
    pub reserved_bytes: u64,
    /// Leaves of 4x4x4 voxels.
    pub leaves: usize,
    /// Nodes above them.
    pub nodes: usize,
}

/// Which mark means that something is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// The mark of what is kept.
    pub live: bool,
    /// It is being found out what is kept: nothing new is marked until it is reached from a root.
    pub marking: bool,
}

/// Leaves and nodes, each stored once.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub leaves: Leaves,
    levels: Vec<Nodes>,
    pub marks: Marks,
}

impl Store {
    pub fn new() -> Self {
        let levels = (LEAF + 1..=TOP).map(Nodes::new).collect();
        Self { leaves: Leaves::new(), levels, marks: Marks::default() }
    }

    #[inline]
    pub fn nodes(&self, level: u32) -> &Nodes {
        &self.levels[(level - LEAF - 1) as usize]
    }

    #[inline]
    pub fn nodes_mut(&mut self, level: u32) -> &mut Nodes {
        &mut self.levels[(level - LEAF - 1) as usize]
    }

    /// Eighth number `at` of `tree`.
    #[inline]
    pub fn eighth(&self, tree: Subtree, level: u32, at: usize) -> Subtree {
        match tree.part() {
            Part::Stored(id) => self.nodes(level).children(id)[at],
            _ => tree,
        }
    }

    /// What is counted in `tree`.
    #[inline]
    pub fn summary(&self, tree: Subtree, level: u32) -> Summary {
        match tree.part() {
            Part::Whole(material) => Summary::of_one(material, volume(level)),
            Part::Base => Summary { has_base: true, ..Summary::default() },
            Part::Even(leaf) => {
                let (solid, material) = self.leaves.solid(leaf);
                Summary::of_one(material, if solid == 0 { 0 } else { volume(level) })
            }
            Part::Stored(id) if level == LEAF => {
                let (solid, material) = self.leaves.solid(id);
                let several = material == 0 && solid != 0;
                Summary { solid: solid.count_ones().into(), material, several, has_base: false }
            }
            Part::Stored(id) => self.nodes(level).summary(id),
        }
    }

    /// Adds what there is of each material in `tree`; that of the base is not counted.
    pub fn tally(&self, tree: Subtree, level: u32, counts: &mut [u64; 256]) {
        let summary = self.summary(tree, level);
        if !summary.several {
            counts[usize::from(summary.material)] += summary.solid;
            return;
        }
        let Part::Stored(id) = tree.part() else { return };
        if level == LEAF {
            let mut leaf = Leaf::default();
            leaf.read_words(self.leaves.words(id));
            each_bit(leaf.solid, |at| counts[usize::from(leaf.material(at))] += 1);
        } else if let Some(tally) = self.nodes(level).tally(id) {
            tally.iter().for_each(|(material, voxels)| counts[usize::from(*material)] += voxels);
        } else {
            self.nodes(level).children(id).iter().for_each(|child| self.tally(*child, level - 1, counts));
        }
    }

    /// Reads the leaf at a place of the lowest level; what the base gives is not known here.
    pub fn read_leaf(&self, tree: Subtree, leaf: &mut Leaf) {
        match tree.part() {
            Part::Whole(material) => leaf.fill(!0, material),
            Part::Base => leaf.fill(!0, 0),
            Part::Even(id) | Part::Stored(id) => leaf.read_words(self.leaves.words(id)),
        }
    }

    /// The leaf of these words, stored if it is not yet.
    pub fn enter_leaf(&mut self, form: Form, words: &[u64]) -> Subtree {
        let (born, found) = self.birth();
        match form {
            Form::Whole(material) => Subtree::whole(material),
            Form::Even => Subtree::even(self.leaves.intern(words, born, found)),
            Form::Mixed => Subtree::stored(self.leaves.intern(words, born, found)),
        }
    }

    /// The node of these children, stored if it is not yet.
    pub fn enter_node(&mut self, level: u32, children: [Subtree; 8]) -> Subtree {
        let first = children[0];
        let may_be_one = first.is_uniform() || first == Subtree::BASE;
        if may_be_one && children.iter().all(|child| *child == first) {
            return first;
        }
        let (born, found) = self.birth();
        if let Some(id) = self.nodes_mut(level).find(&children, found) {
            return Subtree::stored(id);
        }
        let parts = children.iter().map(|child| self.summary(*child, level - 1));
        let summary = parts.fold(Summary::default(), Summary::plus);
        let tally = (summary.several && level >= TALLIED).then(|| self.tally_of(&children, level));
        Subtree::stored(self.nodes_mut(level).add(children, summary, tally, born))
    }

    fn tally_of(&self, children: &[Subtree; 8], level: u32) -> Tally {
        let mut counts = [0; 256];
        children.iter().for_each(|child| self.tally(*child, level - 1, &mut counts));
        (0..=255).zip(counts).filter(|(_, voxels)| *voxels > 0).collect()
    }

    /// The mark of what is new, and that of what is found to be there already.
    fn birth(&self) -> (bool, Option<bool>) {
        let Marks { live, marking } = self.marks;
        if marking { (!live, None) } else { (live, Some(live)) }
    }

    /// Memory of what is stored (bytes).
    pub fn bytes_in_use(&self) -> u64 {
        self.leaves.bytes_in_use() + self.levels.iter().map(Nodes::bytes_in_use).sum::<u64>()
    }

    pub fn usage(&self) -> Usage {
        Usage {
            bytes: self.bytes_in_use(),
            reserved_bytes: self.leaves.bytes() + self.levels.iter().map(Nodes::bytes).sum::<u64>(),
            leaves: self.leaves.count(),
            nodes: self.levels.iter().map(Nodes::count).sum(),
        }
    }
}
