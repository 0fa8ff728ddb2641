//! The .barchan file: a whole world, exact, compressed, checksummed, versioned.
//!
//! ```text
//! magic "BARCHAN\n" | version u32 | chunk | chunk | … | chunk "END!"
//! chunk = tag [u8; 4] | raw length u32 | stored length u32 | xxh3-64 of all of it u64 | stored bytes (LZ4 block)
//! ```
//!
//! All numbers are little-endian. Chunks, in this order: one `HEAD` (postcard: everything that is neither bricks nor
//! bodies, with the digest of the world), one `BODY`, then `BRIC`s of up to 512 bricks each, ordered by x, y, z,
//! with the voxels' bytes split into ten planes; `END!` says that nothing is missing.

mod bricks;
mod chunk;
#[cfg(test)]
mod hostile;
mod load;
mod save;

pub use load::{load_world, read_world, world_summary};
pub use save::{save_world, write_world};

use barchan_sim::bearing::Bearing;
use barchan_sim::carry::Carry;
use barchan_sim::fall::Fall;
use barchan_sim::slip::Momentum;
use barchan_sim::{Clock, Ledger, Materials};
use barchan_volume::VoxelBox;
use serde::{Deserialize, Serialize};

/// First bytes of every file.
const MAGIC: &[u8; 8] = b"BARCHAN\n";
/// The version this program writes, and the only one it reads.
const VERSION: u32 = 1;
/// The name of the format in messages.
const FORMAT: &str = ".barchan";

/// Everything in a world but bricks and bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorldSummary {
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Voxels inside the walls.
    pub bounds: Option<VoxelBox>,
    /// Gravity (m/s²).
    pub gravity_m_s2: [f32; 3],
    /// The clock.
    pub clock: Clock,
    /// The seed.
    pub seed: u64,
    /// The books.
    pub ledger: Ledger,
    /// The materials.
    pub materials: Materials,
    /// Awake bricks and how many steps each has been quiet.
    pub awake: Vec<([i32; 3], u8)>,
    /// Number of stored bricks.
    pub bricks: u64,
    /// How the ground bears the bodies.
    pub bearing: Bearing,
    /// The soil that is in the air.
    pub fall: Fall,
    /// The soil that slides and keeps its speed.
    pub momentum: Momentum,
    /// How the soil on bodies moves.
    pub carry: Carry,
    /// Digest of the world.
    pub digest: u64,
}
