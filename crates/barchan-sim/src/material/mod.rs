//! What the ground is made of: soils and rocks with their strength, density, colour, each with its source.

mod builtin;
mod table;

pub use table::{MOST_MATERIALS, Material, MaterialError, MaterialId, Materials, Phase};

pub(crate) use table::STANDARD_GRAVITY;
