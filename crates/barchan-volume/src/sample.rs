//! Values between voxel centres: trilinear interpolation and its slope.
//!
//! Positions are in voxels: voxel `p` has its centre at `p + 0.5`.

use glam::{IVec3, Vec3};

use crate::brick::{brick_of, voxel_index};
use crate::grid::Grid;
use crate::voxel_box::VoxelBox;

/// Positions are held within this distance of the origin (voxels): cells keep clear of the ends of `i32`.
pub const FARTHEST: f32 = (1 << 30) as f32;

impl<T: Copy + PartialEq> Grid<T> {
    /// `f` of the voxels, interpolated at position `p` (voxels).
    pub fn sample(&self, p: Vec3, f: impl Fn(T) -> f32) -> f32 {
        let (base, place) = locate(p);
        self.cell(base, f).value(place)
    }

    /// `f` of the voxels, interpolated at position `p` (voxels), and the gradient of that interpolation (1/voxel). The
    /// gradient jumps from cell to cell; see [`Grid::smooth_gradient`].
    pub fn sample_with_gradient(&self, p: Vec3, f: impl Fn(T) -> f32) -> (f32, Vec3) {
        let (base, place) = locate(p);
        let cell = self.cell(base, f);
        (cell.value(place), cell.gradient(place))
    }

    /// The central difference of the interpolation at `p` over one voxel to each side (1/voxel): continuous in `p`.
    pub fn smooth_gradient(&self, p: Vec3, f: impl Fn(T) -> f32) -> Vec3 {
        let (base, place) = locate(p);
        // Differences of the interpolation are interpolations of differences.
        let mut values = [self.background(); 64];
        self.read_box_into(VoxelBox::new(base - 1, base + 3), &mut values);
        let mut differences = [[0.0; 8]; 3];
        for corner in 0..8 {
            let at = ((corner >> 2) + 1) * 16 + ((corner >> 1 & 1) + 1) * 4 + (corner & 1) + 1;
            for (axis, step) in [16, 4, 1].into_iter().enumerate() {
                differences[axis][corner] = 0.5 * (f(values[at + step]) - f(values[at - step]));
            }
        }
        Vec3::from(differences.map(|corners| Cell(corners).value(place)))
    }

    /// The direction in which `f` falls fastest at `p` (voxels): out of the ground when `f` is its fill. None where
    /// `f` is level.
    pub fn normal(&self, p: Vec3, f: impl Fn(T) -> f32) -> Option<Vec3> {
        (-self.smooth_gradient(p, f)).try_normalize()
    }

    /// `f` of the 2x2x2 voxels from `base` upwards.
    fn cell(&self, base: IVec3, f: impl Fn(T) -> f32) -> Cell {
        let brick = brick_of(base);
        let corner = |i: usize| base + corner_offset(i);
        if brick_of(base + 1) == brick {
            return match self.stored(brick) {
                None => Cell([f(self.background()); 8]),
                Some(brick) => Cell(std::array::from_fn(|i| f(brick.get(voxel_index(corner(i)))))),
            };
        }
        // Corners in the order of z come from the same brick more often than not.
        let mut at = brick;
        let mut stored = self.stored(at);
        Cell(std::array::from_fn(|i| {
            let p = corner(i);
            if brick_of(p) != at {
                at = brick_of(p);
                stored = self.stored(at);
            }
            f(stored.map_or(self.background(), |brick| brick.get(voxel_index(p))))
        }))
    }
}

/// Where corner `i` of a cell lies from its lowest one: z fastest.
pub fn corner_offset(i: usize) -> IVec3 {
    IVec3::new((i >> 2) as i32, (i >> 1 & 1) as i32, (i & 1) as i32)
}

/// The lowest voxel of the cell around `p` and the place of `p` in that cell, 0..1.
pub fn locate(p: Vec3) -> (IVec3, Vec3) {
    let p = (p - 0.5).clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
    let base = p.floor();
    (base.as_ivec3(), p - base)
}

/// Values at the corners of the cube between eight voxel centres, in the order of [`corner_offset`].
#[derive(Clone, Copy, Debug)]
pub struct Cell(pub [f32; 8]);

impl Cell {
    /// The value at `place` in the cube, 0 to 1 along each axis.
    pub fn value(&self, place: Vec3) -> f32 {
        let v = &self.0;
        let [a, b, c, d] = [0, 2, 4, 6].map(|i| mix(place.z, v[i], v[i + 1]));
        mix(place.x, mix(place.y, a, b), mix(place.y, c, d))
    }

    /// The gradient of the values at `place` in the cube.
    pub fn gradient(&self, place: Vec3) -> Vec3 {
        let v = &self.0;
        let [a, b, c, d] = [0, 2, 4, 6].map(|i| mix(place.z, v[i], v[i + 1]));
        let [e, f, g, h] = [0, 2, 4, 6].map(|i| v[i + 1] - v[i]);
        Vec3::new(
            mix(place.y, c - a, d - b),
            mix(place.x, b - a, d - c),
            mix(place.x, mix(place.y, e, f), mix(place.y, g, h)),
        )
    }
}

fn mix(s: f32, a: f32, b: f32) -> f32 {
    a + s * (b - a)
}
