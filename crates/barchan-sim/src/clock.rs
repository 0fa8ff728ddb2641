//! The clock of a world: simulated time, never the machine's.

use serde::{Deserialize, Serialize};

/// Simulated time and the number of steps that led to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Simulated time since the beginning (s).
    pub time_s: f64,
    /// Steps taken.
    pub steps: u64,
}

impl Clock {
    /// Lets `dt_s` (s) pass.
    pub(crate) fn advance(&mut self, dt_s: f64) {
        self.time_s += dt_s;
        self.steps += 1;
    }
}
