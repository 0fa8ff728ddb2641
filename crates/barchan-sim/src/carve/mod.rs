//! Carve: soil that a tool cuts comes off as single particles.
//!
//! Model: a column in front of an edge is lowered in proportion to how far the edge has advanced towards it (Holz2009, eq. 2:
//! v_h = h v_d / d). Here that is the share of each voxel that a body has newly taken: soil gives way in the same proportion, so
//! nothing comes off voxel by voxel. Whole units gather in a pocket in front of the tool and leave it as balls, each where it has room.
//! Reads bodies, the share they took of each voxel before and take now (1/32,768), materials; writes ground and grains (units).
//! Conserves every unit, pockets counted with the grains. What finds no room stays in the ground and is left to `push`, so that the
//! volume constraint holds whatever happens here.
//! Experiments: `carving`, `hybrid-speed`.

mod carve;
mod hands;
mod params;
mod particles;
mod pocket;
mod room;
mod swept;
#[cfg(test)]
mod tests;

pub(crate) use carve::move_water;
pub use carve::{Carve, CarveReport};
pub use params::{CarveError, CarveParams};
pub use pocket::Pocket;
