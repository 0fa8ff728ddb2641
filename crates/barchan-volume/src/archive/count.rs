//! How many voxels are solid, and of which material: from what is kept beside the nodes, not from the voxels.

use super::cube::{Cube, LEAF, leaf_index};
use super::error::ArchiveError;
use super::history::check_inside;
use super::leaf::{Leaf, each_bit};
use super::subtree::{Part, Subtree};
use super::view::{Reader, View};
use crate::voxel_box::VoxelBox;

/// Solid voxels by their material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialCounts {
    /// Voxels of each material.
    pub by_material: Box<[u64; 256]>,
    /// True when part of what was asked for is as the base gives it, which is not counted.
    pub lacks_base: bool,
}

impl MaterialCounts {
    /// All of them.
    pub fn solid(&self) -> u64 {
        self.by_material.iter().sum()
    }
}

impl View<'_> {
    /// Counts all solid voxels.
    pub fn count(&self) -> MaterialCounts {
        let mut counts = MaterialCounts { by_material: Box::new([0; 256]), lacks_base: false };
        self.add(self.root, Cube::ALL, &Cube::ALL.voxels(), &mut counts);
        counts
    }

    /// Counts the solid voxels of `region`.
    pub fn count_in(&self, region: VoxelBox) -> Result<MaterialCounts, ArchiveError> {
        check_inside(region)?;
        let mut counts = MaterialCounts { by_material: Box::new([0; 256]), lacks_base: false };
        self.add(self.root, Cube::ALL, &region, &mut counts);
        Ok(counts)
    }

    fn add(&self, tree: Subtree, cube: Cube, region: &VoxelBox, counts: &mut MaterialCounts) {
        let part = region.intersect(&cube.voxels());
        if part.is_empty() || tree == Subtree::AIR {
            return;
        }
        if part == cube.voxels() {
            counts.lacks_base |= self.store.summary(tree, cube.level).has_base;
            self.store.tally(tree, cube.level, &mut counts.by_material);
            return;
        }
        match tree.part() {
            Part::Base => counts.lacks_base = true,
            Part::Whole(material) => counts.by_material[usize::from(material)] += part.volume() as u64,
            Part::Even(_) => {
                let material = usize::from(self.store.summary(tree, LEAF).material);
                counts.by_material[material] += if material == 0 { 0 } else { part.volume() as u64 };
            }
            Part::Stored(_) if cube.level == LEAF => {
                let mut leaf = Leaf::default();
                self.store.read_leaf(tree, &mut leaf);
                let mask = part.cells().fold(0_u64, |mask, p| mask | 1 << leaf_index(p));
                each_bit(leaf.solid & mask, |at| counts.by_material[usize::from(leaf.material(at))] += 1);
            }
            Part::Stored(_) => {
                for at in 0..8 {
                    self.add(self.store.eighth(tree, cube.level, at), cube.eighth(at), region, counts);
                }
            }
        }
    }

    /// The material that there is most of in `tree`; 0: it is not solid, or by less than half.
    pub(super) fn look_of(&self, tree: Subtree, level: u32) -> u8 {
        let summary = self.store.summary(tree, level);
        if 2 * summary.solid < super::cube::volume(level) {
            return 0;
        }
        if !summary.several {
            return summary.material;
        }
        let mut counts = [0; 256];
        self.store.tally(tree, level, &mut counts);
        (1..=255_u8).rev().max_by_key(|material| counts[usize::from(*material)]).unwrap_or(0)
    }
}

impl Reader<'_> {
    /// The material of voxel `at` of the leaf `tree`; 0: not solid.
    #[inline]
    pub fn leaf_material(&self, tree: Subtree, at: usize) -> u8 {
        let Part::Stored(id) = tree.part() else { return 0 };
        let (solid, one) = self.view.store.leaves.solid(id);
        if solid >> at & 1 == 0 {
            return 0;
        }
        if one != 0 {
            return one;
        }
        let mut leaf = Leaf::default();
        self.view.store.read_leaf(tree, &mut leaf);
        leaf.material(at)
    }
}
