//! How fast the sandbox runs, and where the time goes.

use std::time::{Duration, Instant};

use barchan_sim::inventory::Stock;
use barchan_sim::{Process, StepReport};

/// How many things time is told for: the processes of a step, then meshing.
pub const TIMED: usize = Process::ALL.len() + 1;

/// What time is told for, in the order of the wire.
pub fn timed_names() -> Vec<&'static str> {
    Process::ALL.into_iter().map(Process::name).chain(["mesh"]).collect()
}

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
    /// All that the books know, by account and kind.
    pub inventory: Vec<Stock>,
    /// By how much they are off (units).
    pub off_by: i128,
    /// Time that each process takes in a step (ms), in the order of [`timed_names`].
    pub process_ms: [f32; TIMED],
}

/// Takes the time of steps.
#[derive(Clone, Debug)]
pub struct Meter {
    window_began: Instant,
    steps_in_window: u32,
    lap: Instant,
    spent: [Duration; TIMED],
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
        let now = Instant::now();
        self.spent[process as usize] += now - self.lap;
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
