//! Triangle meshes from and to files: OBJ, STL and PLY (text and binary), glTF (`.gltf` and `.glb`).
//!
//! Only shape is read: materials, textures, normals, colours, skins and animations are passed over. Lengths are
//! taken as metres. OBJ, STL and PLY say nothing about which way is up and are taken as they are, z up; glTF says y up
//! and is turned to z up, (x, y, z) -> (x, -z, y).
//!
//! Every parser works on bytes, checks each size before it uses it, and holds [`TriMesh::check`] when it succeeds.
//!
//! [`TriMesh::check`]: barchan_volume::TriMesh::check

mod by_ending;
mod closed;
mod gltf;
mod obj;
mod ply;
mod stl;
mod usable;
mod words;

pub use by_ending::{read_mesh, write_mesh};
pub use closed::read_closed_mesh;
pub use gltf::{ReadBeside, read_gltf};
pub use obj::{read_obj, write_obj};
pub use ply::read_ply;
pub use stl::{read_stl, write_stl};
