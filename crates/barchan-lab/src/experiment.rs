//! What an experiment is, and what it yields.

use serde_json::{Map, Value, json};

use crate::plot::Plot;
use crate::settings::{Parameter, Settings};

/// One line of a result: keys and values, in the order they were put in.
pub type Row = Map<String, Value>;

/// A named run with parameters.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// The run itself; it reports its progress (0 to 1) as it goes.
    pub run: fn(&Settings, &dyn Fn(f64)) -> Outcome,
}

/// What an experiment found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// One row per case.
    pub rows: Vec<Row>,
    /// Figures over all rows.
    pub summary: Row,
    /// What shows them at a glance.
    pub plots: Vec<Plot>,
    /// True when every comparison held.
    pub pass: bool,
}

/// Runs `experiment`. The answer is the object that `barchan lab run --json` prints.
pub fn run(experiment: &Experiment, settings: &Settings, progress: &dyn Fn(f64)) -> (Outcome, Value) {
    let outcome = (experiment.run)(settings, progress);
    let json = json!({
        "experiment": experiment.name,
        "parameters": settings.to_json(),
        "rows": outcome.rows,
        "summary": outcome.summary,
        "pass": outcome.pass,
    });
    (outcome, json)
}

/// A row of the keys and values of a JSON object.
pub(crate) fn row(object: Value) -> Row {
    match object {
        Value::Object(row) => row,
        other => unreachable!("a row is written as an object, not as {other}"),
    }
}
