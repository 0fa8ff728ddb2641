//! What can be wrong with a file, in words that tell how to put it right.
//!
//! Parsers work on bytes and return a [`FormatError`]; whatever touches the disk adds the path and returns a
//! [`FileError`]. Every message is complete in itself: printing the outermost error says it all.

use std::io;
use std::path::{Path, PathBuf};

use barchan_volume::MeshError;
use glam::Vec3;
use thiserror::Error;

/// Why a file could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The operating system refused the read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file that was to be read.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The operating system refused the write. An older file of that name is as it was.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file that was to be written.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The file is larger than its format may be.
    #[error("{}: at most {allowed} bytes are read, found {found} or more", path.display())]
    TooLarge {
        /// The file that was to be read.
        path: PathBuf,
        /// Size that was found (bytes).
        found: u64,
        /// Largest size that is read (bytes).
        allowed: u64,
    },
    /// The file ending does not name a format that is known for this purpose.
    #[error("{}: expected a file ending among {expected}, found `{found}`", path.display())]
    Ending {
        /// The file that was to be read or written.
        path: PathBuf,
        /// The ending, without the dot; empty when there is none.
        found: String,
        /// The endings that are known here.
        expected: &'static str,
    },
    /// The content does not follow its format, or the data does not fit into it.
    #[error("{}: {cause}", path.display())]
    Format {
        /// The file that was to be read or written.
        path: PathBuf,
        /// What is wrong with the content.
        cause: FormatError,
    },
}

impl FileError {
    /// Names the file whose content is wrong. Made for `map_err(FileError::in_file(path))`.
    pub(crate) fn in_file(path: &Path) -> impl FnOnce(FormatError) -> Self + '_ {
        move |cause| Self::Format { path: path.to_owned(), cause }
    }

    /// The world file at `path` holds what cannot be.
    pub fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        let cause = FormatError::Corrupt { format: ".barchan", reason: reason.into() };
        Self::Format { path: path.to_owned(), cause }
    }

    /// The ending of `path` is none of `expected`.
    pub(crate) fn ending(path: &Path, expected: &'static str) -> Self {
        Self::Ending { path: path.to_owned(), found: file_ending(path), expected }
    }
}

/// The file ending of `path` in lower case, without the dot; empty when there is none.
pub(crate) fn file_ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// What is wrong with the content of a file, whatever its path.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FormatError {
    /// A word in a text format is not what must stand there.
    #[error("{format}, line {line}: expected {expected}, found {found}")]
    Syntax {
        /// The format, as people call it.
        format: &'static str,
        /// Line in the file, counted from 1.
        line: usize,
        /// What must stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The file is valid, but of a kind that does not serve here.
    #[error("{format}: expected {expected}, found {found}")]
    Unsupported {
        /// The format, as people call it.
        format: &'static str,
        /// What is needed.
        expected: String,
        /// What the file holds.
        found: String,
    },
    /// A number lies outside of what is allowed.
    #[error("{format}: {what} must be {allowed}, found {found}")]
    OutOfRange {
        /// The format, as people call it.
        format: &'static str,
        /// The name of the number.
        what: &'static str,
        /// The allowed range, in words.
        allowed: String,
        /// The number that was found.
        found: String,
    },
    /// The file announces more, or less, than it holds.
    #[error("{format}: expected {expected} {what}, found {found}")]
    Count {
        /// The format, as people call it.
        format: &'static str,
        /// What is counted, with its unit.
        what: &'static str,
        /// How many the header announces.
        expected: u64,
        /// How many the file holds.
        found: u64,
    },
    /// The bytes do not follow the format.
    #[error("{format}: {reason}")]
    Corrupt {
        /// The format, as people call it.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The geometry of a mesh cannot be used.
    #[error("{format}: {cause}")]
    Mesh {
        /// The format, as people call it.
        format: &'static str,
        /// What is wrong, and where.
        cause: MeshError,
    },
    /// A mesh that has to bound a volume does not.
    #[error(
        "the mesh does not enclose a volume: {open_edges} open edges, {non_manifold_edges} edges of more than two \
         triangles, {misoriented_edges} edges whose triangles disagree about outside; one of them is near ({}, {}, {})",
        .near.x, .near.y, .near.z
    )]
    NotClosed {
        /// Edges of one triangle only: the rims of holes.
        open_edges: usize,
        /// Edges of more than two triangles.
        non_manifold_edges: usize,
        /// Edges whose two triangles face opposite ways.
        misoriented_edges: usize,
        /// Middle of one such edge (m).
        near: Vec3,
    },
}
