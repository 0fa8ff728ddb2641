//! One step of a world: the only place that knows the order of processes.

use barchan_volume::Aabb;

use crate::bodies::StepMotion;
use crate::ground::Changes;
use crate::ledger::{Amounts, Ledger};
use crate::world::World;

/// Longest time that one step may pass (s). Longer steps are cut to this and reported.
pub const LONGEST_STEP_S: f64 = 1.0;

/// What a step did, with the books closed.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// Time that passed (s).
    pub dt_s: f64,
    /// Which bricks of ground changed.
    pub changes: Changes,
    /// Bricks awake after the step.
    pub awake_bricks: usize,
    /// How the bodies fared.
    pub bodies: StepMotion,
    /// The books after the step.
    pub ledger: Ledger,
    /// What counting the changed bricks found beyond what processes reported (units). Zero, or there is a bug.
    pub imbalance: Amounts,
    /// What went wrong and was contained, in words.
    pub warnings: Vec<String>,
}

impl World {
    /// Lets `dt_s` (s) pass. Cannot fail: nonsense passes no time and is reported.
    pub fn step(&mut self, dt_s: f64) -> StepReport {
        let mut warnings = Vec::new();
        let dt_s = usable_dt(dt_s, &mut warnings);
        if dt_s == 0.0 {
            let (ledger, awake_bricks) = (self.ledger, self.ground.awake().len());
            return StepReport { ledger, awake_bricks, warnings, ..StepReport::default() };
        }

        let bodies = self.bodies.step(dt_s, self.gravity_m_s2, self.clock.time_s, self.walls_m());
        warnings.extend(body_warnings(&bodies));
        self.ground.pass_step();
        self.update_body_fill();

        self.clock.advance(dt_s);
        let (changes, imbalance) = self.close_books();
        let (ledger, awake_bricks) = (self.ledger, self.ground.awake().len());
        StepReport { dt_s, changes, awake_bricks, bodies, ledger, imbalance, warnings }
    }

    /// The walls as a box (m), if there are walls.
    fn walls_m(&self) -> Option<Aabb> {
        let (bounds, size) = (self.ground.bounds()?, self.ground.voxel_size_m());
        Some(Aabb { min: bounds.min.as_vec3() * size, max: bounds.max.as_vec3() * size })
    }

    /// Compares what the ground holds with what the processes said they moved.
    fn close_books(&mut self) -> (Changes, Amounts) {
        let changes = self.ground.close_changes();
        let imbalance = self.ground.count_change(&changes);
        (changes, imbalance)
    }
}

/// What the bodies have to say, in words.
fn body_warnings(motion: &StepMotion) -> Vec<String> {
    let mut warnings = Vec::new();
    if motion.missed_s > 0.0 {
        warnings.push(format!("bodies could not follow: {} s of their time was left out", motion.missed_s));
    }
    for id in &motion.frozen {
        warnings.push(format!("body {} left all bounds and was frozen", id.0));
    }
    warnings
}

/// `dt_s` as far as it makes sense, and a word when it does not.
fn usable_dt(dt_s: f64, warnings: &mut Vec<String>) -> f64 {
    if !(dt_s > 0.0 && dt_s.is_finite()) {
        warnings.push(format!("dt_s = {dt_s} is not a positive time: nothing was stepped"));
        return 0.0;
    }
    if dt_s > LONGEST_STEP_S {
        warnings.push(format!("dt_s = {dt_s} is longer than {LONGEST_STEP_S} s and was cut to it"));
    }
    dt_s.min(LONGEST_STEP_S)
}
