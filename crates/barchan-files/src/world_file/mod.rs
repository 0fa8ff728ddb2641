//! The .barchan file: a whole world, exact, compressed, checksummed, versioned.
//!
//! ```text
//! magic "BARCHAN\n" | version u32 | chunk | chunk | … | chunk "END!"
//! chunk = tag [u8; 4] | version u16 | raw length u32 | stored length u32 | xxh3-64 of all of it u64 | stored bytes (LZ4 block)
//! ```
//!
//! All numbers are little-endian. Chunks, in this order: `GRND` (postcard: what the ground is beside its bricks), one chunk for
//! each member of the state ([`barchan_sim::WorldState`], which knows their tags), `BODY`, what crates above attach
//! ([`Attachment`]), then `BRIC`s of up to 512 bricks each, ordered by x, y, z, with the voxels' bytes split into sixteen planes;
//! `END!` holds the digest and says that nothing is missing. A member without a chunk is as it is by default. Unknown tags are
//! refused by name. Files of version 1 are read, too (`version_1.rs`).

mod attachment;
mod bricks;
mod chunk;
#[cfg(test)]
mod hostile;
mod load;
mod save;
mod version_1;

pub use attachment::Attachment;
pub use load::{Loaded, load_world, load_world_with_attachments, read_world, read_world_with_attachments};
pub use save::{save_world, save_world_with, write_world};

use barchan_volume::VoxelBox;
use serde::{Deserialize, Serialize};

/// First bytes of every file.
const MAGIC: &[u8; 8] = b"BARCHAN\n";
/// The version this program writes.
const VERSION: u32 = 2;
/// The name of the format in messages.
const FORMAT: &str = ".barchan";

/// What the ground is beside its bricks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct GroundFrame {
    /// Edge of a voxel (m).
    voxel_size_m: f32,
    /// Voxels inside the walls.
    bounds: Option<VoxelBox>,
    /// Awake bricks and how many steps each has been quiet.
    awake: Vec<([i32; 3], u8)>,
    /// Number of stored bricks.
    bricks: u64,
}

/// What stands at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct End {
    /// Digest of the world.
    digest: u64,
}
