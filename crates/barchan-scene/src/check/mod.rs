//! From text to a checked [`Scene`]. Each table of a scene has its own file; ranges stand beside the keys they hold for.

mod angles;
mod bodies;
mod camera;
mod carve;
mod edits;
mod files;
mod grain_walls;
mod grains;
mod ground;
mod hardness;
mod heightmap;
mod materials;
mod packing;
mod ranges;
mod record;
mod relief;
mod rounded;
mod shapes;
mod site;
mod strata;
mod water;
mod weather;
mod whole;

pub(crate) use whole::{check, check_edits};
