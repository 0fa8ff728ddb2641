//! From the world to what people look at: meshes, maps of its top and pictures. Everything here is derived; nothing flows
//! back.

mod ground_kind;
pub mod mesh;
mod overlay;
mod picture;
mod top;
mod trace;
mod view;

pub use ground_kind::{GroundKind, grows_grass};
pub use mesh::{SurfaceMesh, VertexMaterial};
pub use overlay::{Overlay, OverlaySeen};
pub use picture::{Image, PictureOptions, picture, render, render_overlay, render_particles};
pub use top::{TopError, TopSurface};
pub use view::View;
