//! Voxelising boxes: a box is what three slabs have in common.
//!
//! Every slab cuts every voxel exactly; a voxel's fraction is the product of the three. That is exact where one pair of
//! faces cuts the voxel. On rotated edges it errs, but without bias: the slabs are perpendicular, so the sum over
//! all voxels is the volume of the box at any orientation and however thin the box is.

use glam::Vec3;

use super::Coverage;
use super::coverage::BrickView;
use super::cut::Cut;
use crate::brick::{EDGE, VOXELS};

/// Fractions of the voxels of a brick inside the box with half sides `half` (voxels).
pub(super) fn coverage(half: [f32; 3], view: &BrickView, out: &mut [f32; VOXELS]) -> Coverage {
    let slabs = [0, 1, 2].map(|i| Slab::new(i, half[i], view));
    if slabs.iter().any(|slab| slab.outside(slab.centre, slab.brick_reach)) {
        return Coverage::Empty.fill(out);
    }
    Coverage::Full.fill(out);
    for slab in slabs.iter().filter(|slab| !slab.inside(slab.centre, slab.brick_reach)) {
        slab.cut_brick(out);
    }
    Coverage::of(out)
}

/// The space within `half` of a plane through the centre of the box.
struct Slab {
    /// Unit normal of the plane.
    normal: Vec3,
    cut: Cut,
    /// Half thickness (voxels).
    half: f32,
    /// Signed distance of the centre of the brick from the plane (voxels).
    centre: f32,
    /// How far the corners of the brick reach beyond its centre along the normal (voxels).
    brick_reach: f32,
}

impl Slab {
    fn new(axis: usize, half: f32, view: &BrickView) -> Self {
        let normal = view.axes.col(axis).as_vec3();
        let cut = Cut::new(normal);
        let centre = view.axes.col(axis).dot(view.centre) as f32;
        Self { normal, cut, half, centre, brick_reach: cut.reach * EDGE as f32 }
    }

    /// True when everything within `reach` of a point at `distance` from the plane is inside.
    fn inside(&self, distance: f32, reach: f32) -> bool {
        distance.abs() + reach <= self.half
    }

    /// True when everything within `reach` of a point at `distance` from the plane is outside.
    fn outside(&self, distance: f32, reach: f32) -> bool {
        distance.abs() - reach >= self.half
    }

    /// Multiplies every fraction of a brick by what this slab leaves of the voxel.
    fn cut_brick(&self, fractions: &mut [f32; VOXELS]) {
        let middle = 0.5 * (EDGE - 1) as f32;
        let column_reach = self.cut.reach + middle * self.normal.z.abs();
        for (index, column) in fractions.chunks_exact_mut(EDGE as usize).enumerate() {
            let (x, y) = ((index / EDGE as usize) as f32 - middle, (index % EDGE as usize) as f32 - middle);
            let distance = self.centre + self.normal.x * x + self.normal.y * y;
            if self.outside(distance, column_reach) {
                column.fill(0.0);
            } else if !self.inside(distance, column_reach) {
                self.cut_column(distance, column);
            }
        }
    }

    fn cut_column(&self, distance: f32, column: &mut [f32]) {
        let middle = 0.5 * (EDGE - 1) as f32;
        for (z, fraction) in column.iter_mut().enumerate() {
            let distance = distance + self.normal.z * (z as f32 - middle);
            if !self.inside(distance, self.cut.reach) {
                *fraction *= self.cut.slab(distance, self.half);
            }
        }
    }
}
