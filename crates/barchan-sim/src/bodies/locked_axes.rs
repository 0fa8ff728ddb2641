//! Axes of the world along which a body cannot move, or about which it cannot turn.

use glam::{BVec3, Vec3};
use serde::{Deserialize, Serialize};

/// What holds a dynamic body as an axle or a rail does, along and about the axes of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedAxes {
    /// Along these its centre of mass does not move: x, y, z.
    pub translation: [bool; 3],
    /// About these it does not turn: x, y, z.
    pub rotation: [bool; 3],
}

impl LockedAxes {
    /// Nothing is locked.
    pub const NONE: Self = Self { translation: [false; 3], rotation: [false; 3] };

    /// A wheel on an axle that does not move: it turns about the axis of this number (0 to 2) and does nothing else.
    pub fn axle(axis: usize) -> Self {
        Self { translation: [true; 3], rotation: std::array::from_fn(|i| i != axis) }
    }

    /// True when nothing is locked.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// 1 for each axis along which it may move, else 0.
    pub fn may_move(&self) -> Vec3 {
        free(self.translation)
    }

    /// 1 for each axis about which it may turn, else 0.
    pub fn may_turn(&self) -> Vec3 {
        free(self.rotation)
    }
}

fn free(locked: [bool; 3]) -> Vec3 {
    Vec3::select(BVec3::from_array(locked), Vec3::ZERO, Vec3::ONE)
}
