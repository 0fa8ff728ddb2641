//! Mesh files: hand-made ones of every format, what is said about wrong ones, and broken ones by the thousand.

mod broken;
mod files;
mod gltf;
mod gltf_wrong;
mod obj;
mod ply;
mod samples;
mod stl;
