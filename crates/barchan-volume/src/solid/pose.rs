//! Where a solid is, and the box around it.

use glam::{DMat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A position and an orientation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Where the origin of the moved thing lies (m).
    pub translation: Vec3,
    /// How it is turned about its origin; any length but zero is accepted.
    pub rotation: Quat,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// At `translation` (m), turned by `rotation`.
    pub const fn new(translation: Vec3, rotation: Quat) -> Self {
        Self { translation, rotation }
    }

    /// At `translation` (m), not turned.
    pub const fn at(translation: Vec3) -> Self {
        Self::new(translation, Quat::IDENTITY)
    }

    /// A point given in the own frame of the moved thing (m), in the world (m).
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.translation
    }

    /// A point of the world (m), in the own frame of the moved thing (m).
    pub fn inverse_transform_point(&self, point: Vec3) -> Vec3 {
        self.rotation.inverse() * (point - self.translation)
    }

    /// The turn as a matrix whose columns are the own axes in the world. None when the pose is no place at all:
    /// not finite, or without an orientation.
    pub(super) fn axes(&self) -> Option<DMat3> {
        let rotation = self.rotation.as_dquat();
        let length = rotation.length();
        let usable = self.translation.is_finite() && length.is_finite() && length > 1e-6;
        usable.then(|| DMat3::from_quat(rotation / length))
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A box along the axes of the world. Empty when `min` exceeds `max` anywhere; sides may be infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Lowest corner (m).
    pub min: Vec3,
    /// Highest corner (m).
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box from `min` to `max` (m).
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The smallest box around `points` (m).
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |bounds, p| Self::new(bounds.min.min(p), bounds.max.max(p)))
    }

    /// True when nothing is inside.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// What is in both.
    pub fn intersect(&self, other: &Self) -> Self {
        Self::new(self.min.max(other.min), self.max.min(other.max))
    }
}
