//! glTF 2.0, as `.gltf` (JSON, with buffers inside it or beside it) and `.glb` (one binary file): reading only.
//!
//! The document is read with types of our own that hold just what shape needs, and every index, offset and count is
//! checked where it is used, since a glTF file is a heap of references that anyone may have written.

mod accessor;
mod buffers;
mod document;
mod error;
mod primitive;
mod scene;

pub use buffers::ReadBeside;
pub use scene::read_gltf;
