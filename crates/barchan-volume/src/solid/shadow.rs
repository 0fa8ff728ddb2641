//! The volumes below triangles, in the voxels of a brick. Coordinates are voxels from its lowest corner.
//!
//! A triangle clipped to a voxel shades the volume between it and the floor of the voxel, and its area in every voxel
//! below. Where a triangle spans the whole width of a voxel column, it is a plane there and cuts voxels in closed form.

use std::ops::Range;

use glam::{DVec2, DVec3, Vec3Swizzles};

use super::cut::Cut;
use super::polygon::Polygon;
use crate::brick::{EDGE, VOXELS};

/// Fractions this close to 0 or 1 are that: the rounding of many sums.
const ROUNDING: f64 = 1e-5;
/// Triangles with smaller shadows (voxel faces) stand upright and shade nothing.
const NO_SHADOW: f64 = 1e-12;
const TOP: f64 = EDGE as f64;
const SIDE: usize = EDGE as usize;

/// Volumes below triangles: positive below those that face up, negative below those that face down.
pub(super) struct Shadows {
    /// Volume in the voxels that the triangles pass through.
    within: [f64; VOXELS],
    /// What every voxel below this one receives.
    below: [f64; VOXELS],
    /// What every voxel of a column receives from above the brick.
    above: [f64; SIDE * SIDE],
}

impl Shadows {
    pub fn new() -> Self {
        Self { within: [0.0; VOXELS], below: [0.0; VOXELS], above: [0.0; SIDE * SIDE] }
    }

    /// Adds what a triangle shades.
    pub fn add(&mut self, corners: [DVec3; 3]) {
        let triangle = Polygon::from_triangle(corners);
        if triangle.shadow().0.abs() < NO_SHADOW {
            return;
        }
        let plane = Plane::new(corners);
        // What is below the brick shades none of it.
        let rest = triangle.clipped(2, 0.0, f64::INFINITY).clipped(0, 0.0, TOP).clipped(1, 0.0, TOP);
        rest.for_each_layer(0, |x, slice| {
            let touched = slice.layers(1);
            let spanned = plane.spanned_columns(x, touched);
            for y in spanned.clone() {
                self.add_plane(x, y, &plane);
            }
            let mut add_piece = |y: usize, piece: &Polygon| self.add_piece(x * SIDE + y, piece);
            if spanned.is_empty() {
                slice.for_each_layer(1, add_piece);
                return;
            }
            if touched.0 < spanned.start {
                slice.split(1, spanned.start as f64).0.for_each_layer(1, &mut add_piece);
            }
            if spanned.end <= touched.1 {
                slice.split(1, spanned.end as f64).1.for_each_layer(1, &mut add_piece);
            }
        });
    }

    /// Adds the part of a triangle in one column of voxels.
    fn add_piece(&mut self, column: usize, piece: &Polygon) {
        let (inside, over) = piece.split(2, TOP);
        self.above[column] += over.shadow().0;
        inside.for_each_layer(2, |z, part| {
            let (area, volume) = part.shadow();
            let voxel = column * SIDE + z;
            self.within[voxel] += volume - area * z as f64;
            self.below[voxel] += area;
        });
    }

    /// Adds a triangle that spans a column of voxels.
    fn add_plane(&mut self, x: usize, y: usize, plane: &Plane) {
        let column = x * SIDE + y;
        let height = plane.height(x, y);
        let (low, high) = ((height - plane.rise).floor(), (height + plane.rise).floor());
        if low >= TOP {
            self.above[column] += plane.sign;
            return;
        }
        let voxels = &mut self.within[column * SIDE..][..SIDE];
        let (first, last) = (low.max(0.0) as usize, high.min(TOP - 1.0));
        for z in first..=last as usize {
            let distance = (height - z as f64 - 0.5) * plane.steepness;
            voxels[z] += plane.sign * f64::from(plane.cut.below(distance as f32));
        }
        self.below[column * SIDE + first] += plane.sign;
    }

    /// The fractions: what every voxel receives from the triangles in it and above it.
    pub fn sum(&self, out: &mut [f32; VOXELS]) {
        for (column, fractions) in out.chunks_exact_mut(SIDE).enumerate() {
            let mut above = self.above[column];
            for (z, fraction) in fractions.iter_mut().enumerate().rev() {
                let voxel = column * SIDE + z;
                let filled = above + self.within[voxel];
                above += self.below[voxel];
                *fraction = match filled {
                    f if f < ROUNDING => 0.0,
                    f if f > 1.0 - ROUNDING => 1.0,
                    f => f as f32,
                };
            }
        }
    }
}

/// The plane of a triangle that is not upright.
struct Plane {
    /// 1 when it faces up, -1 when it faces down.
    sign: f64,
    /// Height at the origin, and its slope.
    base: f64,
    slope: DVec2,
    /// How far it rises above its height in the middle of a voxel column.
    rise: f64,
    /// Distance from the plane per height above it.
    steepness: f64,
    cut: Cut,
    /// Inward directions of the three edges seen from above, and how far along them the edge lies, for columns
    /// rather than points.
    edges: [(DVec2, f64); 3],
}

impl Plane {
    fn new([a, b, c]: [DVec3; 3]) -> Self {
        let normal = (b - a).cross(c - a);
        let sign = normal.z.signum();
        let slope = -normal.xy() / normal.z;
        let edge = |from: DVec3, to: DVec3| {
            let inward = sign * (to - from).xy().perp();
            (inward, inward.dot(from.xy()) + 0.5 * (inward.x.abs() + inward.y.abs()))
        };
        let unit = normal.normalize();
        Self {
            sign,
            base: a.z - slope.dot(a.xy()),
            slope,
            rise: 0.5 * (slope.x.abs() + slope.y.abs()),
            steepness: unit.z.abs(),
            cut: Cut::new(unit.as_vec3()),
            edges: [edge(a, b), edge(b, c), edge(c, a)],
        }
    }

    /// The columns that the triangle spans, of those from `first` to `last` in row `x`: it is convex, so they are
    /// neighbours.
    fn spanned_columns(&self, x: usize, (first, last): (usize, usize)) -> Range<usize> {
        let spans = |y: &usize| {
            let middle = middle_of(x, *y);
            self.edges.iter().all(|(inward, limit)| inward.dot(middle) >= *limit)
        };
        let start = (first..=last).find(spans).unwrap_or(last + 1);
        let end = (start..=last).find(|y| !spans(y)).unwrap_or(last + 1);
        start..end
    }

    /// Height in the middle of a column.
    fn height(&self, x: usize, y: usize) -> f64 {
        self.base + self.slope.dot(middle_of(x, y))
    }
}

fn middle_of(x: usize, y: usize) -> DVec2 {
    DVec2::new(x as f64 + 0.5, y as f64 + 0.5)
}
