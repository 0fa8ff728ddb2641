//! Rays through a grid: every voxel on the way, or the first point on a surface.
//!
//! Positions are in voxels; the ray is at `origin + t direction`. Steps go from face to face (Amanatides and Woo),
//! each `t` computed from the origin anew, so that errors do not add up. Space of one value is left in one step.

use std::ops::ControlFlow;

use glam::{DVec3, IVec3, Vec3};

use crate::brick::{Brick, EDGE, brick_box, brick_of, voxel_index};
use crate::grid::Grid;
use crate::sample::{Cell, FARTHEST, corner_offset};
use crate::voxel_box::VoxelBox;

pub(crate) use walk::Walk;

mod cubic;
mod walk;

/// The surface of a field in 0..1 lies where it has this value.
const LEVEL: f32 = 0.5;

/// One voxel on a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayVoxel<T> {
    /// Which voxel.
    pub voxel: IVec3,
    /// What it holds.
    pub value: T,
    /// Where the ray enters it (lengths of the direction).
    pub t_enter: f32,
    /// Where the ray leaves it (lengths of the direction).
    pub t_exit: f32,
}

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// How far along the ray (lengths of the direction).
    pub t: f32,
    /// The nearest voxel inside the surface.
    pub voxel: IVec3,
    /// Unit vector out of the surface.
    pub normal: Vec3,
}

impl<T: Copy + PartialEq> Grid<T> {
    /// Shows `visit` every voxel that the ray passes through from `t = 0` to `max_t`, in order, until it breaks.
    /// Bricks of one value for which `skip` is true are passed over, and so is all space outside the stored bricks if
    /// `skip` is true for the background; if it is not, an infinite ray ends 2³⁰ voxels from the origin.
    /// A direction that is zero or not finite, or an origin beyond 2⁴⁰ voxels, visits nothing.
    pub fn walk_ray<B>(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_t: f32,
        skip: impl Fn(T) -> bool,
        mut visit: impl FnMut(RayVoxel<T>) -> ControlFlow<B>,
    ) -> Option<B> {
        let mut walk = Walk::new(origin.as_dvec3(), direction.as_dvec3())?;
        let space = if skip(self.background()) { voxels_of(self.reach()) } else { everywhere() };
        walk.enter(&space)?;
        let max_t = f64::from(max_t);
        while walk.t < max_t && space.contains(walk.cell) {
            let coord = brick_of(walk.cell);
            let brick = self.stored(coord);
            let bounds = brick_box(coord);
            let uniform = brick.map_or(Some(self.background()), Brick::uniform);
            if uniform.is_some_and(&skip) {
                walk.leave(&bounds);
                continue;
            }
            while walk.t < max_t && bounds.contains(walk.cell) {
                let (voxel, t_enter) = (walk.cell, walk.t as f32);
                let value = brick.map_or(self.background(), |brick| brick.get(voxel_index(voxel)));
                let before = walk.t;
                walk.leave(&VoxelBox::cell(voxel));
                if walk.t > before {
                    let t_exit = walk.t.min(max_t) as f32;
                    if let ControlFlow::Break(found) = visit(RayVoxel { voxel, value, t_enter, t_exit }) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The first point on the ray, up to `max_t`, where `f` of the voxels, interpolated between their centres, is 0.5
    /// or more. At the origin itself if the ray starts inside.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_t: f32,
        f: impl Fn(T) -> f32,
    ) -> Option<RayHit> {
        // Cells between voxel centres are walked like voxels, half a voxel lower.
        let mut walk = Walk::new(origin.as_dvec3() - 0.5, direction.as_dvec3())?;
        let max_t = f64::from(max_t);
        if max_t.is_nan() || max_t < 0.0 {
            return None;
        }
        if self.sample(origin, &f) >= LEVEL {
            return Some(self.hit(&walk, 0.0, &f));
        }
        let reach = voxels_of(self.reach());
        let space = VoxelBox::new(reach.min - 1, reach.max);
        walk.enter(&space)?;
        while walk.t <= max_t && space.contains(walk.cell) {
            let bounds = brick_box(brick_of(walk.cell));
            let octet = Octet::new(self, brick_of(walk.cell));
            if octet.is_outside(&f) {
                walk.leave(&bounds);
                continue;
            }
            while walk.t <= max_t && bounds.contains(walk.cell) {
                let (base, from) = (walk.cell, walk.t);
                let cell = octet.cell(base, &f);
                walk.leave(&VoxelBox::cell(base));
                if cell.0.iter().any(|&v| v >= LEVEL)
                    && let Some(t) = walk.first_crossing(base, &cell, from, walk.t.min(max_t))
                {
                    return Some(self.hit(&walk, t, &f));
                }
            }
        }
        None
    }

    fn hit(&self, walk: &Walk, t: f64, f: impl Fn(T) -> f32) -> RayHit {
        let p = walk.at(t);
        let base =
            p.floor().clamp(DVec3::splat(-f64::from(FARTHEST)), DVec3::splat(f64::from(FARTHEST))).as_ivec3();
        let corners = (0..8).map(|i| base + corner_offset(i));
        let inside = corners.filter(|&c| f(self.get(c)) >= LEVEL);
        let distance = |c: &IVec3| (c.as_dvec3() - p).length_squared();
        let nearest = inside.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let back = -walk.direction.normalize().as_vec3();
        let normal = self.normal((p + 0.5).as_vec3(), &f).unwrap_or(back);
        RayHit { t: t as f32, voxel: nearest.unwrap_or((p + 0.5).floor().as_ivec3()), normal }
    }
}

fn voxels_of(bricks: VoxelBox) -> VoxelBox {
    VoxelBox::new(bricks.min * EDGE, bricks.max * EDGE)
}

fn everywhere() -> VoxelBox {
    VoxelBox::new(IVec3::splat(-(1 << 30)), IVec3::splat(1 << 30))
}

/// The 2x2x2 bricks that hold the corners of 8x8x8 cells.
struct Octet<'a, T> {
    bricks: [Option<&'a Brick<T>>; 8],
    background: T,
    start: IVec3,
}

impl<'a, T: Copy + PartialEq> Octet<'a, T> {
    fn new(grid: &'a Grid<T>, coord: IVec3) -> Self {
        let bricks = std::array::from_fn(|i| grid.stored(coord + corner_offset(i)));
        Self { bricks, background: grid.background(), start: coord * EDGE }
    }

    /// True when all of it is certainly below the level.
    fn is_outside(&self, f: impl Fn(T) -> f32) -> bool {
        let uniform = |brick: &Option<&Brick<T>>| brick.map_or(Some(self.background), Brick::uniform);
        self.bricks.iter().all(|brick| uniform(brick).is_some_and(|value| f(value) < LEVEL))
    }

    fn cell(&self, base: IVec3, f: impl Fn(T) -> f32) -> Cell {
        Cell(std::array::from_fn(|i| {
            let p = base + corner_offset(i);
            let part: IVec3 = (p - self.start) >> 3;
            let brick = self.bricks[(part.x << 2 | part.y << 1 | part.z) as usize];
            f(brick.map_or(self.background, |brick| brick.get(voxel_index(p))))
        }))
    }
}
