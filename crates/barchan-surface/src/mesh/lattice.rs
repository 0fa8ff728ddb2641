//! The samples of one level of detail: where they lie, and what is read beyond the walls.

use barchan_sim::Materials;
use barchan_volume::brick::voxel_index;
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;

use super::content::{Content, Holds};
use super::options::MeshOptions;

/// One level of samples. Sample p of level n lies in the middle of voxel p * 2^n, so that every level has a sample
/// wherever the next coarser one has.
pub(super) struct Lattice<'a, T> {
    /// What the samples hold.
    pub grid: &'a Grid<T>,
    /// The materials.
    pub materials: &'a Materials,
    /// How the surface is made.
    pub options: MeshOptions,
    /// The samples inside the walls, if there are walls.
    pub inside: Option<VoxelBox>,
}

/// The samples of level `n + 1` that have a part in the samples `inside` of level n.
pub(super) fn coarser(inside: VoxelBox) -> VoxelBox {
    VoxelBox::new(inside.min >> 1, (inside.max >> 1) + IVec3::ONE)
}

impl<T: Holds> Lattice<'_, T> {
    /// Where the content of sample `p` is read: itself, or beyond the sides and the floor of an open world the
    /// sample next to the wall. `None`: nothing is there.
    #[inline]
    pub(super) fn source(&self, p: IVec3) -> Option<IVec3> {
        match self.inside {
            None => Some(p),
            Some(inside) if inside.contains(p) => Some(p),
            Some(inside) if !self.options.closed && p.z < inside.max.z => {
                Some(p.clamp(inside.min, inside.max - IVec3::ONE))
            }
            Some(_) => None,
        }
    }

    /// The part of `region` inside the walls.
    pub(super) fn clip(&self, region: VoxelBox) -> VoxelBox {
        self.inside.map_or(region, |inside| inside.intersect(&region))
    }

    /// What sample `p` holds.
    pub(super) fn content(&self, p: IVec3) -> Content {
        let held = self.source(p).map(|p| self.grid.get(p).content(self.materials));
        held.unwrap_or_default()
    }

    /// The bricks that samples of `region` are read from, to look into them quickly.
    pub(super) fn bricks(&self, region: VoxelBox) -> Bricks<'_, T> {
        let bricks = region.to_bricks();
        let stored = bricks.cells().map(|coord| self.grid.stored(coord)).collect();
        Bricks { bricks, stored }
    }
}

/// Stored bricks of a box, found without hashing.
pub(super) struct Bricks<'a, T> {
    bricks: VoxelBox,
    stored: Vec<Option<&'a Brick<T>>>,
}

impl<'a, T: Holds> Bricks<'a, T> {
    /// The brick at `coord`; `None` when nothing is stored there.
    #[inline]
    pub(super) fn stored(&self, coord: IVec3) -> Option<&'a Brick<T>> {
        self.stored[self.bricks.index(coord)]
    }

    /// What sample `p` holds: quickly where it lies in these bricks.
    #[inline]
    pub(super) fn content(&self, p: IVec3, lattice: &Lattice<'_, T>) -> Content {
        let Some(p) = lattice.source(p) else { return Content::default() };
        if !self.bricks.contains(p >> 3) {
            return lattice.content(p);
        }
        let held = self.stored(p >> 3).map(|brick| brick.get(voxel_index(p)).content(lattice.materials));
        held.unwrap_or_default()
    }
}
