//! Joints: how far they reach and how fast they go.

use std::f32::consts::{PI, TAU};

/// One joint of a vehicle: an angle (rad) or a length (m).
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The lever that moves it.
    pub lever: &'static str,
    /// Lowest and highest value; a full turn is joined where they are infinite.
    pub range: [f32; 2],
    /// Fastest change (1/s).
    pub speed: f32,
    /// Where it starts.
    pub start: f32,
}

impl Joint {
    /// The value in its range that means the same angle (rad) as `angle`.
    pub fn nearest(&self, angle: f32) -> f32 {
        let turns = [0.0, -TAU, TAU].map(|turn| angle + turn);
        let off = |angle: &f32| (angle - angle.clamp(self.range[0], self.range[1])).abs();
        turns.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(angle)
    }

    /// The value after `dt_s` (s) with the lever at `lever` (-1 to 1).
    pub fn moved(&self, value: f32, lever: f32, dt_s: f32) -> f32 {
        let value = value + lever * self.speed * dt_s;
        if self.range[0].is_finite() {
            return value.clamp(self.range[0], self.range[1]);
        }
        // Kept small, so that no precision is lost by turning for long.
        (value + PI).rem_euclid(TAU) - PI
    }
}
