//! Solids: simple shapes, convex hulls and closed meshes, and how much of every voxel they fill.
//!
//! Ground is placed and cut with them, and moving bodies are voxelised with them in every step. A voxel on the surface
//! is filled in part, so that volumes come out right at any offset and orientation: planes cut voxels exactly, round
//! surfaces are cut by their tangent plane corrected for curvature, meshes are clipped to the voxels exactly.

mod coverage;
mod cuboid;
mod cut;
mod hull;
mod mesh_coverage;
mod mesh_solid;
mod mesh_tree;
mod polygon;
mod pose;
mod quickhull;
mod round;
mod shadow;
mod shape;

pub use coverage::{Coverage, Solid};
pub use cut::half_space_share;
pub use hull::Hull;
pub use mesh_solid::MeshSolid;
pub use pose::{Aabb, Pose};
pub use shape::{Shape, ShapeError};
