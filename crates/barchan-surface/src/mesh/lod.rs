//! Which blocks of which level cover the ground: an octree in which neighbours differ by one level at most.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::key::{BlockKey, Neighbours, Side};

/// Blocks that together cover everything once, and how fine the neighbours of each are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LodTree {
    leaves: BTreeMap<BlockKey, Neighbours>,
    roots: BTreeSet<BlockKey>,
}

impl LodTree {
    /// The tree under `roots`, all of one level, in which every block that `is_split` names is split, and besides only
    /// what must be so that blocks with a common side differ by one level at most.
    pub fn new(roots: &BTreeSet<BlockKey>, is_split: impl Fn(BlockKey) -> bool) -> Self {
        let mut splits = Splits { roots, split: BTreeSet::new() };
        let mut open: Vec<BlockKey> = roots.iter().copied().collect();
        while let Some(key) = open.pop() {
            if key.level > 0 && is_split(key) {
                splits.add(key);
                open.extend(key.children());
            }
        }
        let split = splits.split;
        let whole = roots.iter().copied().filter(|root| !split.contains(root));
        let inner = split.iter().flat_map(BlockKey::children).filter(|child| !split.contains(child));
        let leaves: BTreeSet<BlockKey> = whole.chain(inner).collect();
        let neighbours = |key: &BlockKey| {
            Neighbours::of(*key, |near| split.contains(&near), |near| leaves.contains(&near))
        };
        let leaves = leaves.iter().map(|key| (*key, neighbours(key))).collect();
        Self { leaves, roots: roots.clone() }
    }

    /// True when `root` is one of the roots, split or not.
    pub(super) fn covers(&self, root: BlockKey) -> bool {
        self.roots.contains(&root)
    }

    /// All blocks, in order, with their neighbours.
    pub fn blocks(&self) -> impl Iterator<Item = (BlockKey, Neighbours)> + '_ {
        self.leaves.iter().map(|(key, neighbours)| (*key, *neighbours))
    }

    /// The neighbours of block `key`; `None` when it is not in the tree.
    pub fn neighbours(&self, key: BlockKey) -> Option<Neighbours> {
        self.leaves.get(&key).copied()
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// True when there is no block.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }
}

/// The blocks that are split, each with all that this demands of others.
struct Splits<'a> {
    roots: &'a BTreeSet<BlockKey>,
    split: BTreeSet<BlockKey>,
}

impl Splits<'_> {
    /// Splits `key`: the block around it must be split too, and beyond each side there must be blocks of its own level,
    /// so that its children border on nothing coarser than that.
    fn add(&mut self, key: BlockKey) {
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            if !self.split.insert(key) {
                continue;
            }
            let beside = Side::ALL.into_iter().map(|side| key.beyond(side));
            for near in beside.chain([key]).filter(|near| !self.roots.contains(near)) {
                if self.is_covered(near) {
                    open.push(near.parent());
                }
            }
        }
    }

    /// True when `key` lies in one of the roots.
    fn is_covered(&self, key: BlockKey) -> bool {
        let Some(level) = self.roots.first().map(|root| root.level) else { return false };
        let mut around = key;
        while around.level < level {
            around = around.parent();
        }
        self.roots.contains(&around)
    }
}

/// From where the ground is looked at, and how fine it should be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Where the eye is (m).
    pub eye_m: Vec3,
    /// Blocks nearer to the eye than this many of their own edges are split.
    pub nearness: f32,
    /// The coarsest level, at most [`Detail::MOST_LEVELS`].
    pub levels: u8,
}

impl Detail {
    /// The coarsest level there can be.
    pub const MOST_LEVELS: u8 = 10;

    /// True when block `key` is too coarse for where it lies, with cells of `cells` along an edge and voxels of
    /// `voxel_size_m`.
    pub(super) fn is_split(&self, key: BlockKey, cells: i32, voxel_size_m: f32) -> bool {
        let width = (cells << key.level) as f32 * voxel_size_m;
        let low = key.coord().as_vec3() * width;
        let nearest = self.eye_m.clamp(low, low + width);
        // Written so that an eye at no place at all splits nothing.
        nearest.distance(self.eye_m) < self.nearness * width
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;

    #[test]
    fn neighbours_differ_by_one_level_and_know_it() {
        let roots: BTreeSet<_> =
            (0..8).map(|at| BlockKey::new(4, IVec3::new(at & 1, at >> 1 & 1, at >> 2))).collect();
        let corner = |key: BlockKey| key.coord() == IVec3::splat(16 >> key.level);
        let tree = LodTree::new(&roots, corner);
        assert!(tree.blocks().any(|(key, _)| key.level == 0));
        let volume: u64 = tree.blocks().map(|(key, _)| 1 << (3 * key.level)).sum();
        assert_eq!(volume, 8 << 12);
        for (key, neighbours) in tree.blocks() {
            for side in Side::ALL {
                let beyond = key.beyond(side);
                let children: Vec<_> = beyond.children().collect();
                let coord = beyond.coord() - (roots.first().expect("eight").coord() << (4 - key.level));
                let outside = coord.min_element() < 0 || coord.max_element() >= 2 << (4 - key.level);
                let same = tree.neighbours(beyond).is_some();
                let coarser = tree.neighbours(beyond.parent()).is_some();
                let touching = children.iter().filter(|child| {
                    let across = child.coord()[side.axis()] & 1;
                    (across == 0) == side.is_high()
                });
                let is_finer =
                    key.level > 0 && touching.clone().all(|child| tree.neighbours(*child).is_some());
                assert_eq!(neighbours.is_finer_beyond(side), is_finer, "{key:?} {side:?}");
                assert!(outside || same || coarser || is_finer, "{key:?} {side:?}");
            }
        }
    }
}
