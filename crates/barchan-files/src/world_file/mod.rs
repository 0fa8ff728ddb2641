//! The .barchan file: a world with its versions, exact, compressed, checksummed, and never changed but at its end.
//!
//! ```text
//! magic "BARCHAN\n" | version u32 | chunk | chunk | …
//! chunk = tag [u8; 4] | version u16 | raw length u32 | stored length u32 | xxh3-64 of all of it u64 | stored bytes (LZ4 block)
//! ```
//!
//! All numbers are little-endian. What a version adds comes in this order, each chunk only where no chunk of the version before it is
//! equal: `GRND` (postcard: what the ground is beside its bricks), a chunk for each member of the state
//! ([`barchan_sim::WorldState`], which knows their tags), `BODY`, what crates above attach ([`Attachment`]), pages of 8x8x8 bricks
//! (`BRIC`, the voxels' bytes split into sixteen planes), and the tree above them (`NODE`: 8x8x8 places each, two levels). Then a
//! record (`VERS`) names them all by place and sum, and tells where the record before it is, and `END!` where this one is: a
//! file is opened from its end, and no version is read that nobody asks for. A record that only says which version is the present
//! one is what going back leaves.
//!
//! Whatever stands behind the last whole record is what a save left that did not come to its end; it is written over by the next.
//! A member that a record does not name is as it is by default. Unknown tags are refused by name. Files of version 1 and 2 are
//! read, too; adding a version makes them files of version 3.

mod append;
mod attachment;
mod bricks;
mod chunk;
#[cfg(test)]
mod cut_short;
mod frame;
mod history;
#[cfg(test)]
mod hostile;
mod load;
mod pages;
mod prune;
mod record;
mod save;
mod source;
mod version_1;
mod version_2;

pub use attachment::Attachment;
pub use history::{SavedVersion, WorldFile};
pub use load::{Loaded, load_world, load_world_with_attachments, read_world, read_world_with_attachments};
pub use save::{save_world, save_world_with, write_world};

/// First bytes of every file.
const MAGIC: &[u8; 8] = b"BARCHAN\n";
/// The version this program writes.
const VERSION: u32 = 3;
/// Bytes before the first chunk.
const HEAD_BYTES: u64 = 12;
/// The name of the format in messages.
const FORMAT: &str = ".barchan";
/// Of which form the chunks of this crate are.
const CHUNK_VERSION: u16 = 1;
