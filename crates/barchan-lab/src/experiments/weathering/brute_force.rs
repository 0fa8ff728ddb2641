//! Bubbles counted weight by weight, as their definition says: what every faster way must agree with.

use barchan_volume::{Bubble, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;

/// Which voxels of a box are solid.
pub struct Solid {
    /// The box (voxels).
    pub within: VoxelBox,
    /// One for every voxel of it, x slowest and z fastest: 1 where it is solid.
    pub voxels: Vec<u8>,
}

impl Solid {
    /// The counts of `bubble` around the solid voxels of `region`, in order, on all threads. The bubble must stay in the box.
    pub fn count(&self, bubble: &Bubble, region: VoxelBox) -> Vec<u64> {
        let at = |p: IVec3| self.within.index(p);
        let middle = at(self.within.min + bubble.radii()) as isize;
        let places = bubble.bounds().cells().filter(|d| bubble.weight(*d) > 0);
        let weights: Vec<(isize, u64)> = places
            .map(|d| (at(self.within.min + bubble.radii() + d) as isize - middle, bubble.weight(d).into()))
            .collect();
        let around = |p: IVec3| {
            let here = at(p);
            let of = |(offset, weight): &(isize, u64)| {
                weight * u64::from(self.voxels[here.wrapping_add_signed(*offset)])
            };
            weights.iter().map(of).sum::<u64>()
        };
        let of_plane = |x: i32| {
            let plane = VoxelBox::new(region.min.with_x(x), region.max.with_x(x + 1));
            plane.cells().filter(|p| self.voxels[at(*p)] > 0).map(around).collect::<Vec<_>>()
        };
        (region.min.x..region.max.x).into_par_iter().flat_map_iter(of_plane).collect()
    }

    /// Solid voxels of `region`.
    pub fn len_in(&self, region: VoxelBox) -> usize {
        region.cells().filter(|p| self.voxels[self.within.index(*p)] > 0).count()
    }
}
