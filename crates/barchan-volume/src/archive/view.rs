//! An archive as it is, or was, to look at.

use glam::IVec3;

use super::base::{Base, BaseBrick};
use super::cube::{Cube, LEAF, SPAN, TOP, leaf_index};
use super::leaf::{Leaf, Value};
use super::store::Store;
use super::subtree::{Part, Subtree};

/// One version of an archive.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) store: &'a Store,
    pub(super) base: Option<&'a Base>,
    pub(super) root: Subtree,
}

impl<'a> View<'a> {
    pub(super) fn new(store: &'a Store, base: Option<&'a Base>, root: Subtree) -> Self {
        Self { store, base, root }
    }

    /// Voxel `p`; outside the archive is air.
    pub fn get(&self, p: IVec3) -> Value {
        if !Cube::ALL.voxels().contains(p) {
            return Value::AIR;
        }
        let mut leaf = Leaf::default();
        Reader::new(*self).read_leaf(Cube::around(p, LEAF).min, &mut leaf);
        leaf.get(leaf_index(p))
    }

    /// Reads the leaf whose lowest voxel is `min`, a multiple of four; outside the archive is air. To read many, use
    /// [`View::read_leaves`].
    pub fn read_leaf(&self, min: IVec3, leaf: &mut Leaf) {
        Reader::new(*self).read_leaf(min, leaf);
    }

    /// Reads every leaf of `cube`, x slowest, z fastest.
    pub fn read_leaves(&self, cube: Cube, mut visit: impl FnMut(IVec3, &Leaf)) {
        let (mut reader, mut leaf) = (Reader::new(*self), Leaf::default());
        let step = 1 << LEAF;
        let count = (cube.edge() / step).max(1);
        for at in (0..count.pow(3)).map(|at| IVec3::new(at / (count * count), at / count % count, at % count))
        {
            let min = cube.min + at * step;
            reader.read_leaf(min, &mut leaf);
            visit(min, &leaf);
        }
    }

    /// What all of `cube` is, where that is known without a look at its voxels.
    pub fn only(&self, cube: Cube) -> Option<Value> {
        let (tree, level) = Reader::new(*self).find(cube.min, cube.level);
        match tree.part() {
            Part::Whole(material) => Some(Value::whole(material)),
            Part::Base => self.base?.of_cube(cube).map(Value::whole),
            Part::Even(id) => {
                let mut leaf = Leaf::default();
                self.store.read_leaf(Subtree::even(id), &mut leaf);
                Some(leaf.get(0))
            }
            Part::Stored(_) => {
                debug_assert!(level == cube.level, "what is stored goes down to where one asks");
                None
            }
        }
    }
}

/// Reads one place after the other; what is near the last one is found quickly.
pub(super) struct Reader<'a> {
    pub view: View<'a>,
    /// What stands around the last place, level by level.
    trees: [Subtree; TOP as usize + 1],
    /// The last place, counted from the lowest corner of the space.
    last: IVec3,
    /// The lowest level at which `trees` holds something.
    deepest: u32,
    brick: Option<BaseBrick>,
}

impl<'a> Reader<'a> {
    pub fn new(view: View<'a>) -> Self {
        let trees = [view.root; TOP as usize + 1];
        Self { view, trees, last: IVec3::ZERO, deepest: TOP, brick: None }
    }

    /// What stands around voxel `p`, which lies in the archive: the smallest part of at least `lowest` that has parts itself or all of
    /// whose voxels are equal, and its level.
    #[inline]
    pub fn find(&mut self, p: IVec3, lowest: u32) -> (Subtree, u32) {
        let p = p + SPAN / 2;
        let differ = (p.x ^ self.last.x) | (p.y ^ self.last.y) | (p.z ^ self.last.z);
        let common = 32 - (differ as u32).leading_zeros();
        let mut level = common.max(self.deepest).max(lowest).min(TOP);
        let mut tree = self.trees[level as usize];
        while level > lowest
            && let Part::Stored(id) = tree.part()
        {
            let bit = p >> (level as i32 - 1) & 1;
            tree = self.view.store.nodes(level).children(id)[(bit.x << 2 | bit.y << 1 | bit.z) as usize];
            level -= 1;
            self.trees[level as usize] = tree;
        }
        (self.last, self.deepest) = (p, level);
        (tree, level)
    }

    /// Reads the leaf whose lowest voxel is `min`; outside the archive is air.
    pub fn read_leaf(&mut self, min: IVec3, leaf: &mut Leaf) {
        if !Cube::ALL.voxels().contains(min) {
            leaf.fill(!0, 0);
            return;
        }
        let (tree, _) = self.find(min, LEAF);
        match (tree.part(), self.view.base) {
            (Part::Base, Some(base)) => {
                BaseBrick::around(&mut self.brick, base, min).read_leaf(min, leaf);
            }
            _ => self.view.store.read_leaf(tree, leaf),
        }
    }

    /// The material that the base has at voxel `p`.
    pub fn base_material(&mut self, base: &Base, p: IVec3) -> u8 {
        BaseBrick::around(&mut self.brick, base, p).material(p)
    }
}
