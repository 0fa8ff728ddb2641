//! How fast the sandbox runs, and where the time goes.

use std::time::{Duration, Instant};

use barchan_sim::{Ledger, Process, StepReport};

/// What time is told for, in the order of the wire.
pub const PROCESSES: [&str; 7] = ["bearing", "bodies", "carry", "push", "fall", "slip", "mesh"];
/// Weight of the last step in the means that are shown.
const NEWEST: f32 = 0.05;

/// Numbers in view.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Steps that passed in the last second (1/s).
    pub steps_per_s: f32,
    /// Time that a step takes (ms), a mean over some twenty.
    pub step_ms: f32,
    /// Bricks awake after the last step.
    pub awake_bricks: u32,
    /// The books.
    pub ledger: Ledger,
    /// Time that each process takes in a step (ms), in the order of [`PROCESSES`].
    pub process_ms: [f32; PROCESSES.len()],
}

/// Takes the time of steps.
#[derive(Clone, Debug)]
pub struct Meter {
    window_began: Instant,
    steps_in_window: u32,
    lap: Instant,
    spent: [Duration; PROCESSES.len()],
}

impl Meter {
    /// A meter that starts now.
    pub fn start() -> Self {
        let now = Instant::now();
        Self { window_began: now, steps_in_window: 0, lap: now, spent: Default::default() }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.lap = Instant::now();
        self.spent = Default::default();
    }

    /// A process has done its part.
    pub fn done(&mut self, process: Process) {
        let place = match process {
            Process::Bearing => 0,
            Process::Bodies => 1,
            Process::Carry => 2,
            Process::Push => 3,
            Process::Fall => 4,
            Process::Slip => 5,
        };
        let now = Instant::now();
        self.spent[place] += now - self.lap;
        self.lap = now;
    }

    /// A step has ended.
    pub fn end(&mut self, report: &StepReport, statistics: &mut Statistics) {
        let milliseconds = |time: Duration| time.as_secs_f32() * 1e3;
        let mix = |mean: &mut f32, new: f32| *mean += NEWEST * (new - *mean);
        for (mean, spent) in statistics.process_ms.iter_mut().zip(self.spent) {
            mix(mean, milliseconds(spent));
        }
        mix(&mut statistics.step_ms, self.spent.iter().copied().map(milliseconds).sum());
        statistics.awake_bricks = report.awake_bricks as u32;
        self.steps_in_window += 1;
    }

    /// Counts the steps of the last second, also when there were none.
    pub fn look(&mut self, statistics: &mut Statistics) {
        let passed = self.window_began.elapsed();
        if passed >= Duration::from_millis(500) {
            statistics.steps_per_s = self.steps_in_window as f32 / passed.as_secs_f32();
            (self.window_began, self.steps_in_window) = (Instant::now(), 0);
        }
    }
}
