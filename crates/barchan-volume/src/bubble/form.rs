//! The shapes of bubbles that have a name, as whole weights.

use glam::I64Vec3;
use serde::{Deserialize, Serialize};

/// A shape of weights in a box of three radii. d is the place in the bubble relative to its middle, r the radii.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The whole box counts alike.
    Box,
    /// Within (x/rx)² + (y/ry)² + (z/rz)² <= 1 all counts alike: a ball, or an ellipsoid where the radii differ.
    #[serde(alias = "ellipsoid")]
    Ball,
    /// A ball whose weights fall with height over and below its middle: 1 - |z|/(rz + 1).
    FlattenedBall,
    /// A ball whose weights fall with the distance from its upright axis: 1 - |(x/(rx + 1), y/(ry + 1))|, in 255 levels.
    TallBall,
    /// A drop with its tip up: within (x/rx)² + (y/ry)² <= (1 - s²)(1 - s)/2 with s = z/rz all counts alike.
    Teardrop,
    /// Within |x|/rx + |y|/ry + |z|/rz <= 1 all counts alike.
    Rhombus,
    /// A ball whose weights fall as 1 - (x/rx)² - (y/ry)² - (z/rz)².
    Falloff,
}

impl Form {
    /// All forms, in the order of their names in scenes.
    pub const ALL: [Self; 7] = [
        Self::Box,
        Self::Ball,
        Self::FlattenedBall,
        Self::TallBall,
        Self::Teardrop,
        Self::Rhombus,
        Self::Falloff,
    ];

    /// The weight at `d` in the levels of the form; the highest stands for 1. [`Form::Falloff`] is a formula and has
    /// no levels: here it counts as a ball.
    pub(super) fn level(self, d: I64Vec3, r: I64Vec3) -> u8 {
        let (d2, r2) = (d * d, r * r);
        let is_in_ball = d2.x * r2.y * r2.z + d2.y * r2.x * r2.z + d2.z * r2.x * r2.y <= r2.x * r2.y * r2.z;
        match self {
            Self::Box => 1,
            Self::Ball | Self::Falloff => u8::from(is_in_ball),
            Self::FlattenedBall if is_in_ball => (r.z + 1 - d.z.abs()) as u8,
            Self::TallBall if is_in_ball => {
                let (x, y) = (d.x as f64 / (r.x + 1) as f64, d.y as f64 / (r.y + 1) as f64);
                (255.0 * (1.0 - (x * x + y * y).sqrt())) as u8
            }
            Self::FlattenedBall | Self::TallBall => 0,
            Self::Teardrop => {
                let wide = 2 * r.z * r2.z * (d2.x * r2.y + d2.y * r2.x);
                u8::from(wide <= r2.x * r2.y * (r2.z - d2.z) * (r.z - d.z))
            }
            Self::Rhombus => {
                let a = d.abs();
                let reach = a.x * r.y * r.z + a.y * r.x * r.z + a.z * r.x * r.y;
                u8::from(reach <= r.x * r.y * r.z)
            }
        }
    }
}
