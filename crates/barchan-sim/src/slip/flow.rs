//! What is about to move, from pile to pile.

use crate::columns::{HEIGHT_ONE, PileRef};

/// Excess that is left alone (1/32,768 voxel): a slope of one part in 128, which lets soil come to rest.
pub(super) const TOLERANCE: i64 = HEIGHT_ONE / 128;

/// Pairs that lack less than this to be too steep go along when what is below them goes (1/32,768 voxel).
pub(super) const NEARLY: i64 = HEIGHT_ONE / 8;

/// A difference of heights as flows keep it (1/32,768 voxel): they are many, and none moves as much as would not fit.
#[inline]
pub(super) fn in_flow(height: i64) -> i32 {
    height.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Soil that is to slide from one pile to a lower one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flow {
    pub from: PileRef,
    pub to: PileRef,
    /// How far the upper pile stands above what this pair alone can bear (1/32,768 voxel).
    pub excess: i32,
    /// What moves it.
    pub drive: Drive,
    /// Among the flows of a pile, how much of its soil takes this one (-).
    pub weight: f32,
    /// The layer in which it leaves over an edge and falls; none where it slides on.
    pub over_edge_z: Option<i32>,
}

/// What moves soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drive {
    /// The slope of a pair of columns (-), and the net force over weight (-) on the steepest slope of the pile.
    Slope { tangent: f32, force: f32 },
    /// The floor, on which soil slides more easily than on itself: net force over weight (-).
    Floor { force: f32 },
    /// A wedge of many columns: the height above its plane (1/32,768 voxel), its net force over its weight (-).
    Wedge { above: i32, force: f32 },
}

impl Default for Drive {
    fn default() -> Self {
        Self::Wedge { above: 0, force: 0.0 }
    }
}

impl Flow {
    /// True when this pair or its wedge is too steep by itself.
    pub fn is_unstable(&self) -> bool {
        match self.drive {
            Drive::Slope { .. } | Drive::Floor { .. } => i64::from(self.excess) > TOLERANCE,
            Drive::Wedge { above, .. } => i64::from(above) > TOLERANCE,
        }
    }
}
