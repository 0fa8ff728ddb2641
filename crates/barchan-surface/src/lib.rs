//! From the world to what people look at: meshes, maps of its top and pictures. Everything here is derived; nothing flows
//! back.

pub mod mesh;
mod picture;
mod top;
mod view;

pub use mesh::{SurfaceMesh, VertexMaterial};
pub use picture::{Image, picture};
pub use top::{TopError, TopSurface};
pub use view::View;
