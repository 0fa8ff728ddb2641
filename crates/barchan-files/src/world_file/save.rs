//! Writing a world as the only version of a file.

use std::io::{self, Write};
use std::path::Path;

use barchan_sim::World;

use super::append::{Appender, all_of};
use super::record::Says;
use super::{Attachment, HEAD_BYTES, MAGIC, VERSION};
use crate::atomic_write::write_atomically;
use crate::error::FileError;

/// What is said of a version where nothing else is.
const LABEL: &str = "saved";

/// Saves `world` at `path`, without any other version. Whatever happens on the way, the old file stays whole until the new one is.
pub fn save_world(path: &Path, world: &World) -> Result<(), FileError> {
    save_world_with(path, world, &[])
}

/// As [`save_world`], with what crates above attach.
pub fn save_world_with(path: &Path, world: &World, attachments: &[Attachment]) -> Result<(), FileError> {
    write_atomically(path, |file| write_world(file, world, attachments))
}

/// Writes `world` as a .barchan file.
pub fn write_world(out: &mut impl Write, world: &World, attachments: &[Attachment]) -> io::Result<()> {
    begin(out)?;
    let mut end = Appender::new(out, HEAD_BYTES);
    let written = end.world(world, attachments)?;
    let version = written.version(world, 0, None, LABEL, all_of(world.ground()));
    end.record(None, Says::Version(Box::new(version))).map(drop)
}

/// What every file begins with.
pub(super) fn begin(out: &mut impl Write) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())
}
