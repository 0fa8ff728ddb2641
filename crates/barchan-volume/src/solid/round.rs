//! Voxelising round shapes: balls, cylinders, cones and capsules.
//!
//! A voxel is cut by the tangent plane at the nearest point of the surface. A plane ignores that the surface bends away
//! from it: averaged over a voxel by κ/24 voxels for every principal curvature κ (the variance of a uniform
//! distribution is 1/12, and half of that times κ is lost), so the plane is moved inwards by that much. Voxels too
//! large for the curvature, and those at sharp rims, are divided into smaller cells.

use glam::{IVec3, Vec3};

use super::Coverage;
use super::coverage::BrickView;
use super::cut::Cut;
use crate::brick::{EDGE, VOXELS, voxel_index};

/// Half of a cube's diagonal (cube edges).
const HALF_DIAGONAL: f32 = 0.866_025_4;
/// Smallest radius of curvature that a cell is cut with (cells): below, tangent planes err by more than a percent.
const MIN_RADIUS_CELLS: f32 = 2.5;
/// Voxels along the edge of the blocks that are recognised as wholly inside or outside.
const BLOCK: i32 = EDGE / 2;
/// Cells along a voxel's edge where it is cut by a rim.
const RIM_CELLS: usize = 4;
/// Most cells along a voxel's edge.
const MAX_CELLS: usize = 6;

/// A round shape around the origin, in the axes of the world (voxels).
pub(super) trait Round {
    /// Negative inside, positive outside, and nowhere larger in size than the distance to the surface.
    fn distance_bound(&self, p: Vec3) -> f32;

    /// Into how many cells along its edge the voxel at `p`, which the surface may cut, must be divided.
    fn cells(&self, p: Vec3) -> usize;

    /// The fraction inside of the cube around `p` with edges of `size`.
    fn fraction(&self, p: Vec3, size: f32) -> f32;
}

/// Fractions of the voxels of a brick inside `shape`.
pub(super) fn coverage(shape: &impl Round, view: &BrickView, out: &mut [f32; VOXELS]) -> Coverage {
    let centre = view.centre.as_vec3();
    match uncut(shape, centre, EDGE as f32) {
        Some(0.0) => return Coverage::Empty.fill(out),
        Some(_) => return Coverage::Full.fill(out),
        None => {}
    }
    for x in [0, BLOCK] {
        for y in [0, BLOCK] {
            for z in [0, BLOCK] {
                fill_block(shape, centre, IVec3::new(x, y, z), out);
            }
        }
    }
    Coverage::of(out)
}

/// Fills the block whose lowest voxel is `low` of the brick around `centre`.
fn fill_block(shape: &impl Round, centre: Vec3, low: IVec3, out: &mut [f32; VOXELS]) {
    let corner = centre + (low - EDGE / 2).as_vec3();
    let whole = uncut(shape, corner + 0.5 * BLOCK as f32, BLOCK as f32);
    for x in 0..BLOCK {
        for y in 0..BLOCK {
            let start = voxel_index(low + IVec3::new(x, y, 0));
            let run = &mut out[start..start + BLOCK as usize];
            if let Some(fraction) = whole {
                run.fill(fraction);
                continue;
            }
            for (z, fraction) in run.iter_mut().enumerate() {
                let p = corner + (Vec3::new(x as f32, y as f32, z as f32) + 0.5);
                *fraction = uncut(shape, p, 1.0).unwrap_or_else(|| cut_voxel(shape, p));
            }
        }
    }
}

fn cut_voxel(shape: &impl Round, p: Vec3) -> f32 {
    match shape.cells(p) {
        1 => shape.fraction(p, 1.0),
        cells => divided(shape, p, cells),
    }
}

/// The fraction of a cube that the surface certainly does not cut.
#[inline]
fn uncut(shape: &impl Round, p: Vec3, size: f32) -> Option<f32> {
    let distance = shape.distance_bound(p);
    if distance >= HALF_DIAGONAL * size {
        Some(0.0)
    } else if distance <= -HALF_DIAGONAL * size {
        Some(1.0)
    } else {
        None
    }
}

/// The fraction of the voxel at `p` as the mean over `cells` x `cells` x `cells` parts of it.
fn divided(shape: &impl Round, p: Vec3, cells: usize) -> f32 {
    let size = 1.0 / cells as f32;
    let at = |i: usize| (i as f32 + 0.5) * size - 0.5;
    let mut sum = 0.0;
    for x in 0..cells {
        for y in 0..cells {
            for z in 0..cells {
                let q = p + Vec3::new(at(x), at(y), at(z));
                sum += uncut(shape, q, size).unwrap_or_else(|| shape.fraction(q, size));
            }
        }
    }
    sum * size * size * size
}

/// Into how many cells a voxel must be divided where the surface has this radius of curvature (voxels).
fn cells_for(radius: f32) -> usize {
    ((MIN_RADIUS_CELLS / radius).ceil() as usize).clamp(1, MAX_CELLS)
}

/// The fraction of the cube around a point at `offset` from the centre of curvature, on the near side of the plane at
/// `radius` from there.
#[inline]
fn cut_across(offset: Vec3, radius: f32, size: f32) -> f32 {
    let distance = offset.length();
    if distance <= 0.0 {
        return 1.0;
    }
    Cut::new(offset / distance).below((radius - distance) / size)
}

/// A ball.
pub(super) struct Ball {
    radius: f32,
    cells: usize,
}

impl Ball {
    pub fn new(radius: f32) -> Self {
        Self { radius, cells: cells_for(radius) }
    }
}

impl Round for Ball {
    #[inline]
    fn distance_bound(&self, p: Vec3) -> f32 {
        p.length() - self.radius
    }

    #[inline]
    fn cells(&self, _: Vec3) -> usize {
        self.cells
    }

    #[inline]
    fn fraction(&self, p: Vec3, size: f32) -> f32 {
        cut_across(p, self.radius - size * size / (12.0 * self.radius), size)
    }
}

/// A cylinder: a round side between two caps. The caps are perpendicular to the side, so the fractions multiply.
pub(super) struct Cylinder {
    axis: Vec3,
    caps: Cut,
    radius: f32,
    half_height: f32,
    cells: usize,
}

impl Cylinder {
    pub fn new(axis: Vec3, radius: f32, half_height: f32) -> Self {
        Self { axis, caps: Cut::new(axis), radius, half_height, cells: cells_for(radius) }
    }
}

impl Round for Cylinder {
    #[inline]
    fn distance_bound(&self, p: Vec3) -> f32 {
        let z = self.axis.dot(p);
        let side = (p - self.axis * z).length() - self.radius;
        side.max(z.abs() - self.half_height)
    }

    #[inline]
    fn cells(&self, _: Vec3) -> usize {
        self.cells
    }

    #[inline]
    fn fraction(&self, p: Vec3, size: f32) -> f32 {
        let z = self.axis.dot(p);
        let side_radius = self.radius - size * size / (24.0 * self.radius);
        let side = cut_across(p - self.axis * z, side_radius, size);
        side * self.caps.slab(z / size, self.half_height / size)
    }
}

/// A capsule: everything within a distance of a line.
pub(super) struct Capsule {
    axis: Vec3,
    radius: f32,
    half_height: f32,
    cells: usize,
}

impl Capsule {
    pub fn new(axis: Vec3, radius: f32, half_height: f32) -> Self {
        Self { axis, radius, half_height, cells: cells_for(radius) }
    }
}

impl Round for Capsule {
    #[inline]
    fn distance_bound(&self, p: Vec3) -> f32 {
        let z = self.axis.dot(p).clamp(-self.half_height, self.half_height);
        (p - self.axis * z).length() - self.radius
    }

    #[inline]
    fn cells(&self, _: Vec3) -> usize {
        self.cells
    }

    #[inline]
    fn fraction(&self, p: Vec3, size: f32) -> f32 {
        let z = self.axis.dot(p);
        let on_line = z.clamp(-self.half_height, self.half_height);
        // The side bends one way, the ends two ways.
        let bends = if z == on_line { 1.0 } else { 2.0 };
        let radius = self.radius - bends * size * size / (24.0 * self.radius);
        cut_across(p - self.axis * on_line, radius, size)
    }
}

/// A cone: a round slope above a base. They meet at an angle, so voxels on the rim are divided.
pub(super) struct Cone {
    axis: Vec3,
    base: Cut,
    radius: f32,
    half_height: f32,
    /// The normal of the slope: outwards and along the axis.
    out: f32,
    up: f32,
}

impl Cone {
    pub fn new(axis: Vec3, radius: f32, half_height: f32) -> Self {
        let (out, up) = (2.0 * half_height, radius);
        let length = (out * out + up * up).sqrt();
        Self { axis, base: Cut::new(axis), radius, half_height, out: out / length, up: up / length }
    }

    /// Height above the base, offset from the axis, and signed distance from the slope.
    #[inline]
    fn split(&self, p: Vec3) -> (f32, Vec3, f32) {
        let z = self.axis.dot(p);
        let offset = p - self.axis * z;
        let height = z + self.half_height;
        let slope = (offset.length() - self.radius) * self.out + height * self.up;
        (height, offset, slope)
    }

    /// Radius of the cone at the point of the slope nearest to a point `slope` away from it.
    #[inline]
    fn radius_near(&self, offset: Vec3, slope: f32) -> f32 {
        offset.length() - slope * self.out
    }
}

impl Round for Cone {
    #[inline]
    fn distance_bound(&self, p: Vec3) -> f32 {
        let (height, _, slope) = self.split(p);
        slope.max(-height)
    }

    #[inline]
    fn cells(&self, p: Vec3) -> usize {
        let (height, offset, slope) = self.split(p);
        if slope < -HALF_DIAGONAL {
            return 1;
        }
        let rim = if height.abs() < HALF_DIAGONAL { RIM_CELLS } else { 1 };
        let curvature_radius = self.radius_near(offset, slope) / self.out;
        rim.max(cells_for(curvature_radius.max(f32::MIN_POSITIVE)))
    }

    #[inline]
    fn fraction(&self, p: Vec3, size: f32) -> f32 {
        let (height, offset, slope) = self.split(p);
        // At the apex nothing is left to correct: no curvature beyond that of the smallest cell is believed.
        let curvature = self.out / self.radius_near(offset, slope).max(size);
        let normal = offset.normalize_or_zero() * self.out + self.axis * self.up;
        let bend = curvature * size * size / 24.0;
        let side = Cut::new(normal).below((-slope - bend) / size);
        side * self.base.below(height / size)
    }
}
