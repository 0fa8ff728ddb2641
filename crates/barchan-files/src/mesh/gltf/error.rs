//! The ways in which a glTF file can be wrong, each with its place in the document.

use crate::error::FormatError;

pub(super) const FORMAT: &str = "glTF";

/// The file as a whole does not make sense.
pub(super) fn corrupt(reason: impl Into<String>) -> FormatError {
    FormatError::Corrupt { format: FORMAT, reason: reason.into() }
}

/// An entry such as `accessors[3]` does not make sense.
pub(super) fn bad_entry(place: &str, problem: impl AsRef<str>) -> FormatError {
    corrupt(format!("{place}: {}", problem.as_ref()))
}

/// An entry is used that the document does not have.
pub(super) fn missing(place: &str) -> FormatError {
    bad_entry(place, "it is used but does not exist")
}

/// The shape cannot be known without the extension `name`.
pub(super) fn needs_extension(name: &str) -> FormatError {
    let expected = "no required extension that changes shapes".into();
    FormatError::Unsupported { format: FORMAT, expected, found: name.into() }
}
