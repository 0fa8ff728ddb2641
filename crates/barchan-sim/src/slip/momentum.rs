//! Soil that slides and keeps its speed from step to step.

use serde::{Deserialize, Serialize};

/// Soil of one pile that is sliding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sliding {
    /// Its column, and the lowest voxel of the opening that it lies in.
    pub at: [i32; 3],
    /// How high the layer is that slides over a slope which would hold it (voxels).
    pub height_voxels: f32,
    /// Its speed (m/s).
    pub speed_m_s: f32,
}

/// Whether sliding soil keeps its momentum, and what slides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    /// False where soil stops as soon as its slope holds it.
    pub is_kept: bool,
    /// In the order of where it is.
    pub(super) sliding: Vec<Sliding>,
}

impl Momentum {
    /// Nothing slides yet; what will do so keeps its momentum, or does not.
    pub fn new(is_kept: bool) -> Self {
        Self { is_kept, sliding: Vec::new() }
    }

    /// The soil that slides, in the order of where it is.
    pub fn sliding(&self) -> &[Sliding] {
        &self.sliding
    }

    /// True when every height and speed is a number that is not negative.
    pub fn is_sound(&self) -> bool {
        let is_sound = |number: f32| number.is_finite() && number >= 0.0;
        self.sliding.iter().all(|s| is_sound(s.height_voxels) && is_sound(s.speed_m_s))
    }
}
