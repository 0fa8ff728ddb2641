//! The walk from cell to cell along a ray.

use glam::{DVec3, IVec3, Vec3};

use super::LEVEL;
use super::cubic::Cubic;
use crate::sample::Cell;
use crate::voxel_box::VoxelBox;

/// From farther away than this a ray cannot tell voxels apart (voxels).
const FARTHEST_ORIGIN: f64 = (1u64 << 40) as f64;

/// A place on a ray, always on the face through which its cell was entered.
pub struct Walk {
    origin: DVec3,
    pub direction: DVec3,
    /// 1 / direction.
    per_direction: DVec3,
    pub cell: IVec3,
    pub t: f64,
}

impl Walk {
    /// None when the ray leads nowhere.
    pub fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let near = origin.abs().max_element() <= FARTHEST_ORIGIN;
        let valid = near && direction.is_finite() && direction != DVec3::ZERO;
        let per_direction = direction.recip();
        valid.then_some(Self { origin, direction, per_direction, cell: IVec3::ZERO, t: 0.0 })
    }

    /// The point at `t`.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }

    /// The cell on this axis at `x`; on a face, the one that the ray goes into.
    fn cell_on(&self, axis: usize, x: f64) -> i32 {
        if self.direction[axis] < 0.0 { (x.ceil() - 1.0) as i32 } else { x.floor() as i32 }
    }

    /// Moves to the first cell of `space` on the ray.
    pub fn enter(&mut self, space: &VoxelBox) -> Option<()> {
        if space.is_empty() {
            return None;
        }
        let mut through = None;
        for axis in 0..3 {
            let step = self.direction[axis];
            let face = if step > 0.0 { space.min[axis] } else { space.max[axis] };
            let before = (f64::from(face) - self.origin[axis]) * step > 0.0;
            let t = (f64::from(face) - self.origin[axis]) * self.per_direction[axis];
            if before && t > self.t {
                (self.t, through) = (t, Some(axis));
            }
        }
        let p = self.at(self.t);
        for axis in 0..3 {
            self.cell[axis] = self.cell_on(axis, p[axis]);
        }
        if let Some(axis) = through {
            let forward = self.direction[axis] > 0.0;
            self.cell[axis] = if forward { space.min[axis] } else { space.max[axis] - 1 };
        }
        space.contains(self.cell).then_some(())
    }

    /// Moves to the first cell beyond `bounds`, in which the cell lies.
    pub fn leave(&mut self, bounds: &VoxelBox) {
        let exits = DVec3::from_array([0, 1, 2].map(|axis| self.exit(axis, bounds)));
        self.t = exits.min_element().max(self.t);
        for axis in 0..3 {
            let (first, last) = (bounds.min[axis], bounds.max[axis] - 1);
            let forward = self.direction[axis] > 0.0;
            self.cell[axis] = if exits[axis] <= self.t {
                if forward { last + 1 } else { first - 1 }
            } else if first == last {
                first
            } else {
                // Rounding must not move the ray back or out of another face.
                let cell = self.cell_on(axis, self.origin[axis] + self.direction[axis] * self.t);
                let (low, high) = if forward { (self.cell[axis], last) } else { (first, self.cell[axis]) };
                cell.clamp(low, high)
            };
        }
    }

    /// Where the ray passes the far face of `bounds` on an axis.
    fn exit(&self, axis: usize, bounds: &VoxelBox) -> f64 {
        let step = self.direction[axis];
        if step == 0.0 {
            return f64::INFINITY;
        }
        let face = if step > 0.0 { bounds.max[axis] } else { bounds.min[axis] };
        (f64::from(face) - self.origin[axis]) * self.per_direction[axis]
    }

    /// The first `t` in `from..=to` at which the interpolation in a cell reaches the level.
    pub fn first_crossing(&self, base: IVec3, cell: &Cell, from: f64, to: f64) -> Option<f64> {
        let level = |s: f64| {
            let place = self.at(from + (to - from) * s) - base.as_dvec3();
            f64::from(cell.value(place.as_vec3().clamp(Vec3::ZERO, Vec3::ONE)) - LEVEL)
        };
        let cubic = Cubic::through([level(0.0), level(1.0 / 3.0), level(2.0 / 3.0), level(1.0)]);
        cubic.first_not_negative().map(|s| from + (to - from) * s)
    }
}
