//! The shapes a solid can have: their sizes, limits and volumes.

use std::f32::consts::PI;
use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Hull, MeshSolid};
use crate::mesh::MeshError;

/// A solid shape in its own frame, centred on its origin, with z as its axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A box.
    Box {
        /// Half of each side (m).
        half_extents: Vec3,
    },
    /// A ball.
    Ball {
        /// Radius (m).
        radius: f32,
    },
    /// A cylinder.
    Cylinder {
        /// Radius (m).
        radius: f32,
        /// Half of the height (m).
        half_height: f32,
    },
    /// A cone with its apex at +z and its base at -z.
    Cone {
        /// Radius of the base (m).
        radius: f32,
        /// Half of the height (m).
        half_height: f32,
    },
    /// A cylinder with a half ball on either end.
    Capsule {
        /// Radius (m).
        radius: f32,
        /// Half of the length of the straight part (m).
        half_height: f32,
    },
    /// The convex hull of points.
    Hull(Arc<Hull>),
    /// The inside of a closed mesh.
    Mesh(Arc<MeshSolid>),
}

/// What makes a shape unusable.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A length that is not a number, not positive, or absurd.
    #[error("{field} is {value} m; it must be between {} and {} m", Shape::MIN_SIZE_M, Shape::MAX_SIZE_M)]
    Size {
        /// Which length.
        field: &'static str,
        /// What it is (m).
        value: f32,
    },
    /// Too few or too many points for a hull.
    #[error("hull has {count} points; it must have between 4 and {}", Hull::MAX_POINTS)]
    PointCount {
        /// How many there are.
        count: usize,
    },
    /// A point of a hull that is not a number or absurdly far away.
    #[error("hull point {index} is {point}; its coordinates must be between -{limit} and {limit} m", limit = Shape::MAX_SIZE_M)]
    Point {
        /// Which point, counted from 0.
        index: usize,
        /// Where it is (m).
        point: Vec3,
    },
    /// A hull whose points lie in one plane, or a mesh that encloses nothing.
    #[error("{what} encloses no volume: it measures {} x {} x {} m", .size.x, .size.y, .size.z)]
    NoVolume {
        /// `"hull"` or `"mesh"`.
        what: &'static str,
        /// Sides of the box around it (m).
        size: Vec3,
    },
    /// A mesh with holes, or whose triangles disagree about which side is outside.
    #[error(
        "mesh is not closed: {count} edges lack the triangle on their other side; every edge must have it"
    )]
    OpenMesh {
        /// How many edges of triangles have no counterpart.
        count: usize,
    },
    /// A mesh with bad vertices or indices.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl Shape {
    /// Smallest length of a shape (m).
    pub const MIN_SIZE_M: f32 = 1e-4;
    /// Largest length of a shape (m).
    pub const MAX_SIZE_M: f32 = 1e5;

    /// Tells whether every size is a number within [`Shape::MIN_SIZE_M`] and [`Shape::MAX_SIZE_M`]. Hulls and meshes
    /// were checked when they were made.
    pub fn check(&self) -> Result<(), ShapeError> {
        match *self {
            Self::Box { half_extents } => {
                check_size("half_extents.x", half_extents.x)?;
                check_size("half_extents.y", half_extents.y)?;
                check_size("half_extents.z", half_extents.z)
            }
            Self::Ball { radius } => check_size("radius", radius),
            Self::Cylinder { radius, half_height }
            | Self::Cone { radius, half_height }
            | Self::Capsule { radius, half_height } => {
                check_size("radius", radius)?;
                check_size("half_height", half_height)
            }
            Self::Hull(_) | Self::Mesh(_) => Ok(()),
        }
    }

    /// Volume (m³).
    pub fn volume_m3(&self) -> f32 {
        match self {
            Self::Box { half_extents } => 8.0 * half_extents.element_product(),
            Self::Ball { radius } => ball_volume(*radius),
            Self::Cylinder { radius, half_height } => cylinder_volume(*radius, *half_height),
            Self::Cone { radius, half_height } => cylinder_volume(*radius, *half_height) / 3.0,
            Self::Capsule { radius, half_height } => {
                ball_volume(*radius) + cylinder_volume(*radius, *half_height)
            }
            Self::Hull(hull) => hull.volume_m3(),
            Self::Mesh(mesh) => mesh.volume_m3(),
        }
    }

    /// The centre of the volume, in the own frame of the shape (m).
    pub fn centroid(&self) -> Vec3 {
        match self {
            Self::Box { .. } | Self::Ball { .. } | Self::Cylinder { .. } | Self::Capsule { .. } => Vec3::ZERO,
            // A quarter of the height above the base.
            Self::Cone { half_height, .. } => Vec3::new(0.0, 0.0, -0.5 * half_height),
            Self::Hull(hull) => hull.centroid(),
            Self::Mesh(mesh) => mesh.centroid(),
        }
    }
}

pub(super) fn check_size(field: &'static str, value: f32) -> Result<(), ShapeError> {
    if (Shape::MIN_SIZE_M..=Shape::MAX_SIZE_M).contains(&value) {
        Ok(())
    } else {
        Err(ShapeError::Size { field, value })
    }
}

fn ball_volume(radius: f32) -> f32 {
    4.0 / 3.0 * PI * radius * radius * radius
}

fn cylinder_volume(radius: f32, half_height: f32) -> f32 {
    2.0 * PI * radius * radius * half_height
}
