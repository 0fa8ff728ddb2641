//! The walk of a ray through the field: empty space is left in cubes of 64, 32, 16, 8 and 2 voxels, and only where
//! the surface goes through a cube of 2 are samples looked at.

use glam::{IVec3, Vec3A};

use super::field::{CHUNK_LOG, Chunk, Field, FieldBrick, LEVEL_SAMPLE, Slot, cell_of, slot_index};

/// Distance between looks at the field inside a cube (voxels); the field changes over two.
const STRIDE: f32 = 0.9;

/// A ray in the places of a field.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    /// Where it starts.
    pub origin: Vec3A,
    /// Where it goes: a unit vector.
    pub direction: Vec3A,
    inverse: Vec3A,
}

/// Where a ray meets the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GroundHit {
    /// Distance (voxels).
    pub t: f32,
    /// The outward normal of the wall, where the ray meets the cut through the ground.
    pub cut: Option<Vec3A>,
}

impl Ray {
    pub fn new(origin: Vec3A, direction: Vec3A) -> Self {
        // No component is nought: its inverse would not be a number.
        let tiny = |d: f32| if d.abs() < 1e-7 { 1e-7_f32.copysign(d) } else { d };
        let direction = Vec3A::from_array(direction.to_array().map(tiny));
        Self { origin, direction, inverse: direction.recip() }
    }

    #[inline]
    pub fn at(&self, t: f32) -> Vec3A {
        self.origin + self.direction * t
    }

    /// Distances at which the ray enters and leaves a box, and the axis of the face it enters by.
    pub fn through(&self, low: Vec3A, high: Vec3A) -> Option<(f32, f32, usize)> {
        let (a, b) = ((low - self.origin) * self.inverse, (high - self.origin) * self.inverse);
        let (near, far) = (a.min(b), a.max(b));
        let (enter, leave) = (near.max_element(), far.min_element());
        (enter <= leave && leave >= 0.0).then(|| (enter, leave, near.max_position()))
    }
}

impl Field {
    /// The first ground on a ray no further than `reach` (voxels).
    pub fn cast(&self, ray: &Ray, reach: f32) -> Option<GroundHit> {
        let (enter, leave, axis) = ray.through(self.low, self.high)?;
        if enter > reach {
            return None;
        }
        if enter > 0.0 && self.at(ray.at(enter)) >= 0.5 {
            let side = Vec3A::AXES[axis] * -ray.direction[axis].signum();
            return Some(GroundHit { t: enter, cut: Some(side) });
        }
        let t = self.walk(ray, enter.max(0.0), leave.min(reach))?;
        Some(GroundHit { t, cut: None })
    }

    fn walk(&self, ray: &Ray, from: f32, to: f32) -> Option<f32> {
        // Enough to get into the next cube, also where numbers are large.
        let nudge = 1e-3 + self.low.abs().max(self.high.abs()).max_element() * 3e-7;
        let (mut key, mut chunk): (IVec3, Option<&Chunk>) = (IVec3::MAX, None);
        let mut t = from;
        while t < to {
            let cell = cell_of(ray.at(t));
            if cell >> CHUNK_LOG != key {
                key = cell >> CHUNK_LOG;
                chunk = self.chunks.get(&key);
            }
            let (log, brick) = chunk.map_or((CHUNK_LOG, None), |chunk| self.emptiness(chunk, cell));
            let end = exit(ray, cell, log).max(t);
            if let Some(brick) = brick
                && let Some(hit) = cross(ray, brick, (cell & !7).as_vec3a(), t, end)
            {
                return Some(hit).filter(|hit| *hit <= to);
            }
            t = end + nudge;
        }
        None
    }

    /// The edge of the largest cube around a cell that has no surface, as a power of two; or the brick to look at.
    #[inline]
    fn emptiness(&self, chunk: &Chunk, cell: IVec3) -> (i32, Option<&FieldBrick>) {
        let quad: IVec3 = (cell >> 5) & 1;
        if chunk.quads >> ((quad.x << 2) | (quad.y << 1) | quad.z) & 1 == 0 {
            return (5, None);
        }
        let pair: IVec3 = (cell >> 4) & 3;
        if chunk.pairs >> ((pair.x << 4) | (pair.y << 2) | pair.z) & 1 == 0 {
            return (4, None);
        }
        let Slot::Stored(number) = chunk.slots[slot_index(cell)] else { return (3, None) };
        let brick = &self.bricks[number as usize];
        if brick.surface == 0 {
            return (3, None);
        }
        let cube: IVec3 = (cell >> 1) & 3;
        let crossed = brick.surface >> ((cube.x << 4) | (cube.y << 2) | cube.z) & 1 == 1;
        (1, crossed.then_some(brick))
    }
}

/// Where the ray leaves the cube of edge 2^`log` around `cell`.
#[inline]
fn exit(ray: &Ray, cell: IVec3, log: i32) -> f32 {
    let low = (cell >> log << log).as_vec3a();
    let far = Vec3A::select(
        ray.direction.cmpgt(Vec3A::ZERO),
        low + (1 << log) as f32,
        low,
    );
    ((far - ray.origin) * ray.inverse).min_element()
}

/// Where the ray comes below the surface between `from` and `to`.
#[inline]
fn cross(ray: &Ray, brick: &FieldBrick, corner: Vec3A, from: f32, to: f32) -> Option<f32> {
    let origin = ray.origin - corner;
    let look = |t: f32| brick.at(origin + ray.direction * t) - LEVEL_SAMPLE;
    let mut before = (from, look(from));
    if before.1 >= 0.0 {
        return Some(from);
    }
    let strides = ((to - from) / STRIDE).ceil().max(1.0);
    let stride = (to - from) / strides;
    for at in 1..=strides as usize {
        let t = from + stride * at as f32;
        let now = (t, look(t));
        if now.1 >= 0.0 {
            return Some(refine(before, now, look));
        }
        before = now;
    }
    None
}

/// The root between a point outside and one inside.
fn refine(mut outside: (f32, f32), mut inside: (f32, f32), look: impl Fn(f32) -> f32) -> f32 {
    for _ in 0..3 {
        let share = outside.1 / (outside.1 - inside.1);
        let t = outside.0 + (inside.0 - outside.0) * share;
        let value = look(t);
        if value < 0.0 {
            outside = (t, value);
        } else {
            inside = (t, value);
        }
    }
    outside.0 + (inside.0 - outside.0) * outside.1 / (outside.1 - inside.1)
}
