//! Joints: how far they reach and how fast they go.

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
    /// The value after `dt_s` (s) with the lever at `lever` (-1 to 1).
    pub fn moved(&self, value: f32, lever: f32, dt_s: f32) -> f32 {
        let value = value + lever * self.speed * dt_s;
        if self.range[0].is_finite() {
            return value.clamp(self.range[0], self.range[1]);
        }
        // Kept small, so that no precision is lost by turning for long.
        (value + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU) - std::f32::consts::PI
    }
}
