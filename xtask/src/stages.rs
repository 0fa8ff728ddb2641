//! Runs stages one after the other, stops at the first that fails, and keeps the time of each.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// One named part of the checks. `C` is what the stages share.
pub struct Stage<C> {
    pub name: &'static str,
    /// The error says what went wrong in one line; the details were printed while the stage ran.
    pub run: fn(&mut C) -> Result<(), String>,
}

/// How a stage ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed(Duration),
    Failed(Duration),
    NotRun,
}

/// A stage's name and how it ended.
pub type Timing = (&'static str, Outcome);

/// Runs the stages in order. After a failure the rest is [`Outcome::NotRun`].
pub fn run<C>(stages: &[Stage<C>], shared: &mut C) -> Vec<Timing> {
    let mut timings = Vec::with_capacity(stages.len());
    let mut failed = false;
    for stage in stages {
        let outcome = if failed { Outcome::NotRun } else { run_one(stage, shared) };
        failed |= matches!(outcome, Outcome::Failed(_));
        timings.push((stage.name, outcome));
    }
    timings
}

fn run_one<C>(stage: &Stage<C>, shared: &mut C) -> Outcome {
    eprintln!("\n== {}", stage.name);
    let start = Instant::now();
    let result = (stage.run)(shared);
    let took = start.elapsed();
    match result {
        Ok(()) => Outcome::Passed(took),
        Err(reason) => {
            eprintln!("{} failed: {reason}", stage.name);
            Outcome::Failed(took)
        }
    }
}

/// Whether every stage ran and passed.
pub fn all_passed(timings: &[Timing]) -> bool {
    timings.iter().all(|(_, outcome)| matches!(outcome, Outcome::Passed(_)))
}

/// Where the time went, one line per stage.
pub fn table(timings: &[Timing]) -> String {
    let mut text = format!("{:<10}{:>9}  {}\n", "stage", "seconds", "outcome");
    let mut total = Duration::ZERO;
    for &(name, outcome) in timings {
        let (took, word) = match outcome {
            Outcome::Passed(took) => (Some(took), "ok"),
            Outcome::Failed(took) => (Some(took), "failed"),
            Outcome::NotRun => (None, "not run"),
        };
        total += took.unwrap_or_default();
        let seconds = took.map_or("-".to_string(), |took| format!("{:.1}", took.as_secs_f64()));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10}{seconds:>9}  {word}");
    }
    let verdict = if all_passed(timings) { "ok" } else { "failed" };
    let _ = writeln!(text, "{:<10}{:>9.1}  {verdict}", "total", total.as_secs_f64());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    type Log = Vec<&'static str>;

    const PASSES: Stage<Log> = Stage {
        name: "passes",
        run: |log| {
            log.push("passes");
            Ok(())
        },
    };
    const FAILS: Stage<Log> = Stage {
        name: "fails",
        run: |log| {
            log.push("fails");
            Err("on purpose".to_string())
        },
    };

    #[test]
    fn stops_at_the_first_failure_and_still_lists_the_rest() {
        let mut log = Log::new();
        let timings = run(&[PASSES, FAILS, PASSES], &mut log);
        assert_eq!(log, ["passes", "fails"]);
        assert!(!all_passed(&timings));
        assert!(matches!(
            timings[..],
            [("passes", Outcome::Passed(_)), ("fails", Outcome::Failed(_)), ("passes", Outcome::NotRun)]
        ));
    }

    #[test]
    fn passes_only_when_every_stage_passed() {
        assert!(all_passed(&run(&[PASSES, PASSES], &mut Log::new())));
        assert!(!all_passed(&[("a", Outcome::NotRun)]));
    }

    #[test]
    fn table_shows_every_stage_and_the_sum() {
        let timings = [
            ("format", Outcome::Passed(Duration::from_millis(1_250))),
            ("clippy", Outcome::Failed(Duration::from_millis(61_500))),
            ("tests", Outcome::NotRun),
        ];
        let expected = "\
stage       seconds  outcome
format          1.2  ok
clippy         61.5  failed
tests             -  not run
total          62.8  failed
";
        assert_eq!(table(&timings), expected);
    }
}
