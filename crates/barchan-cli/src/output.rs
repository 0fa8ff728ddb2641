//! Standard output that may be closed early: `barchan info dunes | head -1` is no error.

use std::io::{self, ErrorKind, Write};

use anyhow::Result;

/// Prints `text`. A reader that went away has what it wanted.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}
