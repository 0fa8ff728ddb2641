//! World to triangles: the 0.5 level of the fill, in blocks of several levels of detail.
//!
//! [`Surface`] owns the blocks and follows the world; [`whole_mesh`] makes one mesh of everything. On the way from
//! voxels to triangles, `lattice` says what a sample holds, `field` reshapes fill so that slopes have no steps, `cells` and
//! `strip` cut cells, and `polyhedron` says how a cell is cut.

mod band;
mod block;
mod cells;
mod content;
mod field;
mod frame;
mod ground_view;
mod key;
mod lattice;
mod levels;
mod lod;
mod options;
mod polyhedron;
mod pyramid;
mod room;
mod strip;
mod surface;
mod surface_mesh;

pub use block::BlockMesh;
pub use ground_view::GroundView;
pub use key::{BlockKey, Neighbours, Side};
pub use lod::{Detail, LodTree};
pub use options::{MeshOptions, Phases};
pub use surface::{Mesher, Surface, whole_mesh};
pub use surface_mesh::{SurfaceMesh, VertexMaterial};
