//! `barchan lab`: the experiments.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use barchan_files::write_atomically;
use barchan_lab::{Experiment, Outcome, Row, Settings};
use serde_json::Value;

use crate::args::LabRunArgs;
use crate::output::print;
use crate::{progress, run};

/// Parts of the progress bar.
const BAR_STEPS: u64 = 1000;

/// Every experiment: those of the lab, and those that need a running sandbox.
fn experiments() -> impl Iterator<Item = &'static Experiment> {
    barchan_lab::registry::EXPERIMENTS.iter().chain(barchan_server::EXPERIMENTS)
}

/// Prints every experiment with its parameters.
pub fn list() -> Result<()> {
    let mut text = String::new();
    for experiment in experiments() {
        writeln!(text, "{:<16} {}", experiment.name, experiment.about)?;
        for parameter in experiment.parameters {
            let default: Vec<_> = parameter.default.iter().map(f64::to_string).collect();
            let set = format!("--set {}={}", parameter.key, default.join(","));
            writeln!(text, "    {set:<28} {}", parameter.about)?;
        }
    }
    print(&text)
}

/// Runs one experiment. True when it passed.
pub fn run(args: &LabRunArgs) -> Result<bool> {
    let Some(experiment) = experiments().find(|experiment| experiment.name == args.name) else {
        let known: Vec<_> = experiments().map(|experiment| experiment.name).collect();
        bail!("there is no experiment '{}'; there are: {}", args.name, known.join(", "));
    };
    let settings = Settings::new(experiment.parameters, &args.sets)?;
    let bar = progress::bar(BAR_STEPS, experiment.name);
    let show = |done: f64| bar.set_position((done * BAR_STEPS as f64) as u64);
    let pool = run::thread_pool(args.options.threads)?;
    let (outcome, json) = pool.install(|| barchan_lab::run(experiment, &settings, &show));
    bar.finish_and_clear();
    if let Some(folder) = &args.options.out {
        write_files(folder, experiment.name, &outcome, &json)?;
    }
    if args.options.json {
        print(&format!("{json}\n"))?;
    } else {
        let mut text = as_table(&outcome.rows);
        for (key, value) in &outcome.summary {
            writeln!(text, "{key}: {}", as_text(value))?;
        }
        writeln!(text, "{}", if outcome.pass { "passed" } else { "did not pass" })?;
        print(&text)?;
    }
    Ok(outcome.pass)
}

fn write_files(folder: &Path, name: &str, outcome: &Outcome, json: &Value) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let pretty = serde_json::to_string_pretty(json)? + "\n";
    let mut files = vec![("json".to_owned(), pretty), ("csv".to_owned(), as_csv(&outcome.rows))];
    files.extend(outcome.plots.iter().map(|plot| (format!("{}.svg", plot.name), plot.to_svg())));
    for (ending, text) in files {
        let path = folder.join(format!("{name}.{ending}"));
        write_atomically(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
    }
    Ok(())
}

/// Every key of any row, in the order of first appearance.
fn columns(rows: &[Row]) -> Vec<&str> {
    let mut columns: Vec<&str> = Vec::new();
    for key in rows.iter().flat_map(Row::keys) {
        if !columns.contains(&key.as_str()) {
            columns.push(key);
        }
    }
    columns
}

fn cell(row: &Row, column: &str) -> String {
    row.get(column).map_or_else(String::new, as_text)
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn as_csv(rows: &[Row]) -> String {
    let columns = columns(rows);
    let quote = |text: String| {
        if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let mut out = columns.join(",") + "\n";
    for row in rows {
        let cells: Vec<_> = columns.iter().map(|column| quote(cell(row, column))).collect();
        out += &(cells.join(",") + "\n");
    }
    out
}

/// As [`cell`], but with no more than five digits after the first: for reading, not for reckoning.
fn short_cell(row: &Row, column: &str) -> String {
    match row.get(column).and_then(Value::as_f64) {
        Some(number) if number.fract() != 0.0 => {
            let digits = 5 - number.abs().log10().floor() as i32;
            let text = format!("{number:.*}", digits.clamp(1, 12) as usize);
            text.trim_end_matches('0').to_owned()
        }
        _ => cell(row, column),
    }
}

fn as_table(rows: &[Row]) -> String {
    let columns = columns(rows);
    let width = |column: &&str| {
        rows.iter().map(|row| short_cell(row, column).chars().count()).max().unwrap_or(0).max(column.len())
    };
    let widths: Vec<_> = columns.iter().map(width).collect();
    let mut out = String::new();
    for (column, width) in columns.iter().zip(&widths) {
        let _ = write!(out, "{column:>width$}  ");
    }
    out.push('\n');
    for row in rows {
        for (column, width) in columns.iter().zip(&widths) {
            let _ = write!(out, "{:>width$}  ", short_cell(row, column));
        }
        out.push('\n');
    }
    out
}
