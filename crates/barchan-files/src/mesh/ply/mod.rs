//! PLY, text and binary of either byte order: the places of vertices and the corners of faces; all else is passed over.

mod header;
mod rows;
mod values;

pub use rows::read_ply;
