//! Narrow-band signed distance to the 0.5 level of a fill, brick by brick.
//!
//! Voxels beside the surface get their distance from where the interpolated fill crosses the level along the axes, and
//! keep it. The others follow from |grad d| = 1 by fast sweeping (Zhao 2005): Godunov's upwind differences in the
//! eight diagonal orders. Nothing farther than the band matters, so a brick and a margin around it are enough.

use std::ops::Range;

use glam::{IVec3, Vec3};

use crate::brick::{EDGE, VOXELS};
use crate::grid::Grid;

/// The surface lies where the fill has this value.
const LEVEL: f32 = 0.5;
/// The least that the distance grows from the nearest neighbour: 1/sqrt(3), where all three axes count alike.
const DIAGONAL: f32 = 0.577;
/// Smaller changes than this do not ask for another sweep (voxels).
const SETTLED: f32 = 1e-4;

/// Memory for [`Grid::distance_brick`], to be used again.
#[derive(Clone, Debug)]
pub struct DistanceScratch<T> {
    halo: Vec<T>,
    fill: Vec<f32>,
    sweeps: Sweeps,
}

impl<T> Default for DistanceScratch<T> {
    fn default() -> Self {
        Self { halo: Vec::new(), fill: Vec::new(), sweeps: Sweeps::default() }
    }
}

impl<T: Copy + PartialEq> Grid<T> {
    /// Distance of the voxel centres of brick `coord` from the surface of `fill` (voxels), negative inside, cut off at
    /// ±`band`, into `out` in the order of [`voxel_index`](crate::brick::voxel_index). False when no surface is
    /// near enough to matter.
    pub fn distance_brick(
        &self,
        coord: IVec3,
        band: u8,
        fill: impl Fn(T) -> f32,
        scratch: &mut DistanceScratch<T>,
        out: &mut [f32; VOXELS],
    ) -> bool {
        let margin = i32::from(band) + 2;
        let region = self.read_halo(coord, margin, &mut scratch.halo);
        scratch.fill.clear();
        scratch.fill.extend(scratch.halo.iter().map(|&value| fill(value)));
        let found = scratch.sweeps.run(&scratch.fill, region.size(), f32::from(band));
        for (column, out) in out.chunks_exact_mut(EDGE as usize).enumerate() {
            let at = [(column >> 3) + margin as usize, (column & 7) + margin as usize, margin as usize];
            scratch.sweeps.copy_signed(&scratch.fill, at, out);
        }
        found
    }
}

/// Distance of every voxel of a dense box of fills from their surface (voxels), negative inside, cut off at ±`band`.
/// The box has `size` voxels, z fastest.
pub fn signed_distance(fill: &[f32], size: [usize; 3], band: u8) -> Vec<f32> {
    assert_eq!(size.iter().product::<usize>(), fill.len(), "fill does not match the box");
    let mut sweeps = Sweeps::default();
    sweeps.run(fill, size, f32::from(band));
    let mut out = vec![0.0; fill.len()];
    for (column, out) in out.chunks_exact_mut(size[2].max(1)).enumerate() {
        sweeps.copy_signed(fill, [column / size[1], column % size[1], 0], out);
    }
    out
}

/// Unsigned distances in a box with one voxel of far away around it.
#[derive(Clone, Debug, Default)]
struct Sweeps {
    size: [usize; 3],
    band: f32,
    distance: Vec<f32>,
    fixed: Vec<bool>,
    /// For every row along z, the voxels in it that can be within the band.
    rows: Vec<Range<usize>>,
}

impl Sweeps {
    /// False when there is no surface in the box.
    fn run(&mut self, fill: &[f32], size: [usize; 3], band: f32) -> bool {
        self.size = size;
        self.band = band;
        let cells = size.iter().map(|side| side + 2).product();
        self.distance.clear();
        self.distance.resize(cells, f32::INFINITY);
        self.fixed.clear();
        self.fixed.resize(cells, false);
        self.rows.clear();
        self.rows.resize(size[0] * size[1], 0..0);
        if !self.fix_surface(fill) {
            return false;
        }
        self.widen_rows();
        // Opposite orders follow each other; a sweep that changes nothing has found the solution.
        for order in [0, 7, 1, 6, 2, 5, 3, 4] {
            if !self.sweep([order & 4 != 0, order & 2 != 0, order & 1 != 0]) {
                break;
            }
        }
        true
    }

    /// Steps to the next voxel along x, y and z.
    fn strides(&self) -> [usize; 3] {
        [(self.size[1] + 2) * (self.size[2] + 2), self.size[2] + 2, 1]
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [sx, sy, sz] = self.strides();
        (x + 1) * sx + (y + 1) * sy + (z + 1) * sz
    }

    /// Gives the voxels beside the surface their distance from it.
    fn fix_surface(&mut self, fill: &[f32]) -> bool {
        let field = Field { fill, size: self.size };
        let mut found = false;
        for row in 0..self.rows.len() {
            let (x, y) = (row / self.size[1], row % self.size[1]);
            for z in 0..self.size[2] {
                if let Some(distance) = field.beside_surface([x, y, z]) {
                    let at = self.index([x, y, z]);
                    self.distance[at] = distance;
                    self.fixed[at] = true;
                    self.rows[row] = join(&self.rows[row], &(z..z + 1));
                    found = true;
                }
            }
        }
        found
    }

    /// Widens the rows from the voxels beside the surface to all within the band, along z, then y, then x.
    fn widen_rows(&mut self) {
        let [sx, sy, sz] = self.size;
        let reach = self.band as usize;
        for row in self.rows.iter_mut().filter(|row| row.start < row.end) {
            *row = row.start.saturating_sub(reach)..(row.end + reach).min(sz);
        }
        for (stride, length) in [(1, sy), (sy, sx)] {
            let narrow = self.rows.clone();
            for (i, row) in self.rows.iter_mut().enumerate() {
                let place = i / stride % length;
                let near = place.saturating_sub(reach)..(place + reach + 1).min(length);
                *row = near.fold(0..0, |row, other| join(&row, &narrow[i - place * stride + other * stride]));
            }
        }
    }

    /// One pass over the rows, along each axis backwards or not. True when it changed anything.
    fn sweep(&mut self, backwards: [bool; 3]) -> bool {
        let [sx, sy, _] = self.size;
        let turned = |axis: usize, i: usize, count: usize| if backwards[axis] { count - 1 - i } else { i };
        let strides = self.strides();
        let mut changed = false;
        for x in 0..sx {
            for y in 0..sy {
                let (x, y) = (turned(0, x, sx), turned(1, y, sy));
                let row = self.rows[x * sy + y].clone();
                let start = self.index([x, y, 0]);
                for i in 0..row.len() {
                    changed |= self.update(start + row.start + turned(2, i, row.len()), strides);
                }
            }
        }
        changed
    }

    #[inline]
    fn update(&mut self, at: usize, strides: [usize; 3]) -> bool {
        let d = &self.distance;
        let nearest = strides.map(|stride| d[at - stride].min(d[at + stride]));
        let least = nearest[0].min(nearest[1]).min(nearest[2]);
        if self.fixed[at] || least >= self.band || least + DIAGONAL >= d[at] {
            return false;
        }
        let better = upwind(nearest);
        let changed = better < d[at] - SETTLED;
        self.distance[at] = d[at].min(better);
        changed
    }

    fn copy_signed(&self, fill: &[f32], start: [usize; 3], out: &mut [f32]) {
        let at = self.index(start);
        let from = (start[0] * self.size[1] + start[1]) * self.size[2] + start[2];
        for (k, out) in out.iter_mut().enumerate() {
            let distance = self.distance[at + k].min(self.band);
            *out = if fill[from + k] >= LEVEL { -distance } else { distance };
        }
    }
}

/// The smallest range around both; an empty one adds nothing.
fn join(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// A dense box of fills.
struct Field<'a> {
    fill: &'a [f32],
    size: [usize; 3],
}

impl Field<'_> {
    fn stride(&self, axis: usize) -> usize {
        [self.size[1] * self.size[2], self.size[2], 1][axis]
    }

    /// Distance of a voxel from the surface, if that passes between it and a neighbour. Every crossing along an axis
    /// gives the distance of the plane through it; planes that face the axis count for more.
    fn beside_surface(&self, p: [usize; 3]) -> Option<f32> {
        let at = (p[0] * self.size[1] + p[1]) * self.size[2] + p[2];
        let own = self.fill[at];
        let (mut sum, mut weights) = (0.0, 0.0);
        let mut own_gradient = None;
        for axis in 0..3 {
            let stride = self.stride(axis);
            for up in [false, true] {
                let inside_box = if up { p[axis] + 1 < self.size[axis] } else { p[axis] > 0 };
                if !inside_box {
                    continue;
                }
                let beside = self.fill[if up { at + stride } else { at - stride }];
                if (beside >= LEVEL) == (own >= LEVEL) {
                    continue;
                }
                let share = (own - LEVEL) / (own - beside);
                let mut q = p;
                q[axis] = if up { p[axis] + 1 } else { p[axis] - 1 };
                let here = *own_gradient.get_or_insert_with(|| self.gradient(p));
                let gradient = here + share * (self.gradient(q) - here);
                let facing = gradient[axis] * gradient[axis] / gradient.length_squared();
                sum += facing * share * facing.sqrt();
                weights += facing;
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// Central differences, one-sided at the border of the box.
    fn gradient(&self, p: [usize; 3]) -> Vec3 {
        let at = (p[0] * self.size[1] + p[1]) * self.size[2] + p[2];
        Vec3::from([0, 1, 2].map(|axis| {
            let stride = self.stride(axis);
            let low = if p[axis] > 0 { at - stride } else { at };
            let high = if p[axis] + 1 < self.size[axis] { at + stride } else { at };
            (self.fill[high] - self.fill[low]) / ((high - low) / stride).max(1) as f32
        }))
    }
}

/// The distance at a voxel from the nearest ones on the three axes: the root of `sum (d - d_i)² = 1` over those below d.
fn upwind([x, y, z]: [f32; 3]) -> f32 {
    let (low, high) = (x.min(y), x.max(y));
    let (a, middle) = (low.min(z), low.max(z));
    let (b, c) = (middle.min(high), middle.max(high));
    let one = a + 1.0;
    if one <= b {
        return one;
    }
    let two = 0.5 * (a + b + (2.0 - (a - b) * (a - b)).sqrt());
    if two <= c {
        return two;
    }
    let sum = a + b + c;
    let square = a * a + b * b + c * c;
    (sum + (sum * sum - 3.0 * (square - 1.0)).max(0.0).sqrt()) / 3.0
}
