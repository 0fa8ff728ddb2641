//! From the world to what people look at: maps of its top and pictures. Everything here is derived; nothing flows
//! back.

mod picture;
mod top;
mod view;

pub use picture::{Image, picture};
pub use top::{TopError, TopSurface};
pub use view::View;
