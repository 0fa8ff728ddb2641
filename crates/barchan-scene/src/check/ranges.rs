//! Ranges that many keys share.

use crate::reader::{Number, Vector};

/// How far from the origin anything may be (m): f32 tells a centimetre there.
pub const FARTHEST_M: f64 = 100_000.0;

/// A height or one coordinate of a place (m).
pub const PLACE: Number = Number { min: -FARTHEST_M, max: FARTHEST_M };
/// A place (m).
pub const POINT: Vector = Vector(PLACE);
/// A length of ground (m).
pub const LENGTH: Number = Number { min: 0.001, max: FARTHEST_M };
/// A length that may be nothing (m).
pub const LENGTH_OR_ZERO: Number = Number { min: 0.0, max: FARTHEST_M };
/// An angle about an axis (°).
pub const TURN: Number = Number { min: -360.0, max: 360.0 };
/// A share.
pub const SHARE: Number = Number { min: 0.0, max: 1.0 };
/// A factor that enlarges or shrinks a mesh.
pub const SCALE: Number = Number { min: 1e-6, max: 1e6 };
