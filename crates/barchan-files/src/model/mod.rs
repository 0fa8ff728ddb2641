//! Models: ground and bodies as triangles with normals, colours and materials, for other programs to show.
//!
//! | ending | format | up | carries |
//! | --- | --- | --- | --- |
//! | `.glb` | glTF 2.0, binary | y, as the format says | normals, colours, named materials, bodies as nodes with their pose |
//! | `.ply` | PLY, binary | z | normals, colours, material of each face |
//! | `.obj` | Wavefront OBJ | z | normals, colours, one object a body, one group a material |
//! | `.stl` | STL, binary | z | shape only |
//!
//! Lengths are metres everywhere. What is written is meant to be shown: [`read_mesh`](crate::mesh::read_mesh) gives
//! the shape back, not the ground.

mod color;
mod glb;
mod glb_document;
mod model;
mod obj;
mod part;
mod ply;
mod shading;
mod shapes;
mod write;

pub use model::{Look, Model};
pub use part::{Faces, Part};
pub use shapes::shape_mesh;
pub use write::{encode_glb, write_model};
