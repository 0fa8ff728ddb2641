//! What the ground is made of: soils and rocks with their strength, density, colour, each with its source.

mod builtin;
mod compression;
mod density_strength;
mod earlier_tables;
mod hardness;
mod retention;
mod strength;
mod strength_class;
mod table;
mod variants;

pub use compression::{Compression, LEAST_PRESSURE_KPA};
pub use density_strength::DensityRow;
pub use hardness::{Bed, Hardness, HardnessError, Noise, SoftnessCache};
pub use retention::Retention;
pub use strength::Strength;
pub use strength_class::StrengthClass;
pub use table::{MOST_MATERIALS, Material, MaterialError, MaterialId, Materials, Phase};

pub(crate) use strength_class::DROWNED;
#[cfg(test)]
pub(crate) use table::STANDARD_GRAVITY;
