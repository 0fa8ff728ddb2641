//! What can be wrong with a body, or with saved bodies.

use barchan_volume::ShapeError;
use thiserror::Error;

use super::BodyId;

/// Why bodies cannot be inserted, changed or loaded.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BodyError {
    /// A field of a [`BodySpec`](super::BodySpec), or an argument, has a value that is not allowed.
    #[error("body {body:?}: {field} = {value} is not allowed; it must be {range}")]
    OutOfRange {
        /// Name of the body.
        body: String,
        /// The field, as it is called in [`BodySpec`](super::BodySpec).
        field: String,
        /// What it holds.
        value: String,
        /// What it may hold.
        range: &'static str,
    },
    /// The shape itself is wrong.
    #[error("body {body:?}: shape: {source}")]
    Shape {
        /// Name of the body.
        body: String,
        /// What is wrong with the shape.
        source: ShapeError,
    },
    /// The shape is sound, but no collider can be made of it.
    #[error("body {body:?}: shape: no collider can be made of it ({reason})")]
    Collider {
        /// Name of the body.
        body: String,
        /// What stands in the way.
        reason: String,
    },
    /// There is no such body.
    #[error("there is no body {0}")]
    Unknown(BodyId),
    /// A scripted body is where its track says, and nowhere else.
    #[error("body {0} follows a track: it cannot be placed by hand")]
    Scripted(BodyId),
    /// Only scripted bodies follow tracks.
    #[error("body {0} follows no track: it cannot be given another")]
    NotScripted(BodyId),
    /// The bytes are not saved bodies, or have been changed since they were saved.
    #[error("these are not saved bodies: {0}")]
    Damaged(String),
}
