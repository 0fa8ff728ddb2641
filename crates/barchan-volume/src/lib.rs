//! Voxel storage and pure geometry on it. No word of physics.
//!
//! The centre is [`Grid`]: an unbounded sparse grid of 8x8x8 [`Brick`]s, shared copy-on-write. z is up.

pub mod archive;
mod boxes;
pub mod brick;
mod bubble;
mod connect;
mod cover;
mod density;
mod distance;
mod grid;
mod grid_walks;
mod heights;
mod mesh;
mod noise;
mod ray;
mod region;
mod rounded;
pub mod sample;
mod solid;
mod spans;
mod voxel_box;

pub use brick::Brick;
pub use bubble::{
    Around, Bubble, BubbleError, Counts, Filling, Form, GridFilling, LiveCounts, Plugged, TileCounts, Walled,
    count_bubbles,
};
pub use connect::{FloodError, Mask, VoxelSet, components, enclosed, flood, flood_hollow};
pub use cover::{Cover, CoverSpec, DistanceGrid};
pub use density::{Caves, Density, DensityError};
pub use distance::{DistanceScratch, signed_distance};
pub use grid::Grid;
pub use heights::{HeightSamples, Heights, HeightsError};
pub use mesh::{MeshError, Topology, TriMesh};
pub use noise::{Fractal, FractalError, Spacing};
pub use ray::{RayHit, RayVoxel};
pub use region::Region;
pub use rounded::{Path, RoughBall, RoundedError};
pub use solid::{Aabb, Coverage, Hull, MeshSolid, Pose, Shape, ShapeError, Solid, half_space_share};
pub use spans::Span;
pub use voxel_box::VoxelBox;
