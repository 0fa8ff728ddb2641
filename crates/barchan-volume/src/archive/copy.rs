//! Copies of boxes: what is shifted by a multiple of its own size is shared, the rest is copied voxel by voxel.

use glam::IVec3;

use super::change::{Change, Verdict};
use super::cube::{Cube, LEAF, leaf_index};
use super::leaf::{Leaf, Rare};
use super::view::{Reader, View};
use crate::voxel_box::VoxelBox;

/// Puts the voxels of a box into another place.
pub(super) struct Copy {
    /// Where they come to lie.
    pub to: VoxelBox,
    /// How far that is from where they were (voxels).
    pub by: IVec3,
}

impl Change for Copy {
    fn of_cube(&self, before: View<'_>, cube: Cube, _: Option<u8>) -> Verdict {
        if self.by == IVec3::ZERO {
            return Verdict::Keep;
        }
        let is_aligned = self.by & (cube.edge() - 1) == IVec3::ZERO;
        if !is_aligned || !self.to.contains_box(&cube.voxels()) {
            return Verdict::Cut;
        }
        let (tree, _) = Reader::new(before).find(cube.min - self.by, cube.level);
        // The base is another one in another place.
        if before.store.summary(tree, cube.level).has_base { Verdict::Cut } else { Verdict::Take(tree) }
    }

    fn of_leaf(&self, before: View<'_>, min: IVec3, leaf: &mut Leaf) {
        let part = self.to.intersect(&Cube { min, level: LEAF }.voxels());
        let mask = part.cells().fold(0, |mask, p| mask | 1 << leaf_index(p));
        leaf.fill(mask, 0);
        let (mut reader, mut source, mut source_min) = (Reader::new(before), Leaf::default(), None);
        for p in part.cells() {
            let from = p - self.by;
            let from_min = Cube::around(from, LEAF).min;
            if source_min != Some(from_min) {
                reader.read_leaf(from_min, &mut source);
                source_min = Some(from_min);
            }
            let (at, from_at) = (leaf_index(p), leaf_index(from));
            leaf.set(at, source.get(from_at));
            for rare in source.rare.iter().filter(|rare| usize::from(rare.voxel) == from_at) {
                leaf.add_rare(Rare { voxel: at as u8, data: rare.data });
            }
        }
    }
}
