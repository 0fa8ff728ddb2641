//! A shape at a place, and how much of every voxel it fills.

use glam::{DMat3, DVec3, IVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::{Aabb, Pose, Shape, cuboid, mesh_coverage, round};
use crate::brick::{EDGE, VOXELS};

/// A shape at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solid {
    /// What it is.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
}

/// How much of a brick is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// Nothing.
    Empty,
    /// All of it.
    Full,
    /// Some of it.
    Partial,
}

impl Coverage {
    /// Fills `out` as this answer says it is. Not for partly filled bricks.
    pub(crate) fn fill(self, out: &mut [f32; VOXELS]) -> Self {
        debug_assert!(self != Self::Partial);
        out.fill(if self == Self::Full { 1.0 } else { 0.0 });
        self
    }

    /// What these fractions amount to.
    pub(crate) fn of(fractions: &[f32; VOXELS]) -> Self {
        if fractions.iter().all(|&f| f <= 0.0) {
            Self::Empty
        } else if fractions.iter().all(|&f| f >= 1.0) {
            Self::Full
        } else {
            Self::Partial
        }
    }
}

impl Solid {
    /// The shape `shape` at `pose`.
    pub const fn new(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose }
    }

    /// The smallest box around the solid (m); empty when the solid is nothing: a pose that is not finite, or a shape
    /// that does not pass [`Shape::check`].
    pub fn bounds(&self) -> Aabb {
        let Some(axes) = self.axes() else { return Aabb::EMPTY };
        let axis = axes.z_axis.as_vec3();
        // How far a disc of radius 1 around the axis reaches along x, y and z.
        let disc = (Vec3::ONE - axis * axis).max(Vec3::ZERO).map(f32::sqrt);
        let local = match &self.shape {
            Shape::Box { half_extents: half } => {
                let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis].map(|a| a.as_vec3().abs());
                symmetric(x * half.x + y * half.y + z * half.z)
            }
            Shape::Ball { radius } => symmetric(Vec3::splat(*radius)),
            Shape::Cylinder { radius, half_height } => symmetric(disc * *radius + axis.abs() * *half_height),
            Shape::Cone { radius, half_height } => {
                let (base, apex) = (-axis * *half_height, axis * *half_height);
                Aabb::around([base - disc * *radius, base + disc * *radius, apex])
            }
            Shape::Capsule { radius, half_height } => {
                symmetric(Vec3::splat(*radius) + axis.abs() * *half_height)
            }
            Shape::Hull(hull) => around_turned(hull.vertices(), &axes),
            Shape::Mesh(mesh) => around_turned(&mesh.mesh().vertices, &axes),
        };
        Aabb::new(self.pose.translation + local.min, self.pose.translation + local.max)
    }

    /// Writes the fraction (0 to 1) of every voxel of `brick` that lies inside the solid into `out`, in the order of
    /// [`voxel_index`](crate::brick::voxel_index). Bricks wholly inside or outside are recognised early. A solid
    /// that is nothing (see [`Solid::bounds`]) covers nothing.
    pub fn coverage(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
        let view =
            self.axes().and_then(|axes| BrickView::new(axes, self.pose.translation, brick, voxel_size_m));
        let Some(view) = view else { return Coverage::Empty.fill(out) };
        let voxels = |length_m: f32| (f64::from(length_m) / view.voxel_size_m) as f32;
        match &self.shape {
            Shape::Box { half_extents } => {
                let half = half_extents.to_array().map(voxels);
                cuboid::coverage(half, &view, out)
            }
            Shape::Ball { radius } => round::coverage(&round::Ball::new(voxels(*radius)), &view, out),
            Shape::Cylinder { radius, half_height } => {
                let cylinder = round::Cylinder::new(view.axis(), voxels(*radius), voxels(*half_height));
                round::coverage(&cylinder, &view, out)
            }
            Shape::Cone { radius, half_height } => {
                let cone = round::Cone::new(view.axis(), voxels(*radius), voxels(*half_height));
                round::coverage(&cone, &view, out)
            }
            Shape::Capsule { radius, half_height } => {
                let capsule = round::Capsule::new(view.axis(), voxels(*radius), voxels(*half_height));
                round::coverage(&capsule, &view, out)
            }
            Shape::Hull(hull) => mesh_coverage::coverage(hull.solid(), &view, out),
            Shape::Mesh(mesh) => mesh_coverage::coverage(mesh, &view, out),
        }
    }

    /// The own axes in the world; None when the solid is nothing.
    fn axes(&self) -> Option<DMat3> {
        self.shape.check().ok().and_then(|()| self.pose.axes())
    }
}

fn symmetric(half: Vec3) -> Aabb {
    Aabb::new(-half, half)
}

fn around_turned(points: &[Vec3], axes: &DMat3) -> Aabb {
    let axes = axes.as_mat3();
    Aabb::around(points.iter().map(|&p| axes * p))
}

/// Bricks further away than this (voxels) are never reached: solids are smaller, and squares still fit f32.
const FURTHEST: f64 = 1e12;

/// A brick as seen from a solid, in units of voxels: large coordinates cancel in f64, what remains fits f32.
pub(super) struct BrickView {
    /// The own axes of the solid, in the world.
    pub axes: DMat3,
    /// From the origin of the solid to the centre of the brick, along the axes of the world (voxels).
    pub centre: DVec3,
    /// Edge of a voxel (m).
    pub voxel_size_m: f64,
}

impl BrickView {
    fn new(axes: DMat3, origin_m: Vec3, brick: IVec3, voxel_size_m: f32) -> Option<Self> {
        let voxel_size_m = f64::from(voxel_size_m);
        let half_edge = f64::from(EDGE / 2);
        let brick_centre = brick.as_dvec3() * f64::from(EDGE) + half_edge;
        let centre = brick_centre - origin_m.as_dvec3() / voxel_size_m;
        let within_reach = centre.abs().max_element() < FURTHEST;
        (voxel_size_m > 0.0 && within_reach).then_some(Self { axes, centre, voxel_size_m })
    }

    /// The z axis of the solid, in the world.
    fn axis(&self) -> Vec3 {
        self.axes.z_axis.as_vec3()
    }
}
