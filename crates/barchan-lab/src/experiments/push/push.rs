//! The experiment: many sizes, one or more threads.

use serde_json::json;

use super::plots::plots;
use super::run_across::{Crossing, cross};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{core_round_trip_ns, exponent, median};
use crate::settings::{Parameter, Settings};
use crate::test_soil;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "push",
    about: "a block is pushed through soil: time of a step against the size of the world (Geiger, fig. 53-57)",
    parameters: &[
        Parameter {
            key: "n",
            about: "voxels along each side of the world",
            default: &[56.0, 64.0, 72.0, 80.0, 100.0, 128.0, 192.0, 256.0],
            range: (16.0, 512.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "threads",
            about: "threads to step with",
            default: &[1.0, 2.0],
            range: (1.0, 256.0),
            whole: true,
            list: true,
        },
        test_soil::phi_deg(&[25.0]),
        Parameter {
            key: "speed_voxels",
            about: "way of the block (voxels per step)",
            default: &[0.5],
            range: (0.01, 10.0),
            whole: false,
            list: false,
        },
    ],
    run,
};

/// Steps per second that a size should reach on two cores: n, steps.
const TARGETS: [(usize, f64); 3] = [(72, 500.0), (100, 250.0), (256, 40.0)];

/// Geiger's line through his times (ms) for n voxels a side on his GPU.
pub(super) fn geiger_ms(n: f64) -> f64 {
    2.4e-5 * n.powi(3) + 4.3
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (sizes, angles) = (settings.list("n"), settings.list("phi_deg"));
    let threads: Vec<usize> = settings.list("threads").iter().map(|threads| *threads as usize).collect();
    let work: f64 = sizes.iter().map(|n| n.powi(2)).sum::<f64>() * angles.len() as f64;
    let (mut done, mut rows, mut crossings) = (0.0, Vec::new(), Vec::new());
    for &n in sizes {
        for &phi_deg in angles {
            match cross(n as usize, phi_deg, settings.number("speed_voxels"), &threads) {
                Ok(found) => {
                    rows.extend(found.iter().map(|crossing| crossing.row(phi_deg)));
                    crossings.extend(found);
                }
                Err(problem) => {
                    let problem = problem.to_string();
                    rows.push(row(json!({ "n": n as usize, "problem": problem, "pass": false })));
                }
            }
            done += n.powi(2) / work;
            progress(done);
        }
    }
    let pass = rows.iter().all(|row| row["pass"] == json!(true));
    let mut summary = summary(&crossings);
    if let Some(ns) = core_round_trip_ns() {
        summary.insert("core_round_trip_ns".into(), json!(ns));
    }
    Outcome { rows, summary, plots: plots(&crossings), pass }
}

impl Crossing {
    /// How many times as fast as `one` this is: the median over pieces of the way, each measured shortly after the other.
    fn speedup_over(&self, one: &Self) -> Option<f64> {
        let ratios = one.pieces.iter().zip(&self.pieces).map(|([_, one_ms], [_, ms])| one_ms / ms);
        median(&ratios.collect::<Vec<_>>())
    }

    /// Speed is reported, not judged: it depends on the machine and on who else uses it. What must hold are the books.
    fn row(&self, phi_deg: f64) -> Row {
        let steps_per_second = 1e3 / self.ms_per_step;
        let geiger = 1e3 / geiger_ms(self.n as f64);
        row(json!({
            "n": self.n,
            "voxels": self.n.pow(3),
            "threads": self.threads,
            "phi_deg": phi_deg,
            "steps_per_second": steps_per_second,
            "ms_per_step": self.ms_per_step,
            "undisturbed_steps_per_second": 1e3 / self.undisturbed_ms,
            "awake_bricks": self.awake_bricks,
            "pushed_units": self.pushed_units,
            "passes": self.passes,
            "geiger_steps_per_second": geiger,
            "times_geiger": steps_per_second / geiger,
            "balance_units": self.balance_units,
            "pass": self.balance_units == 0,
        }))
    }
}

/// How time grows with size, what more threads bring, and whether the targets are met here and now.
fn summary(crossings: &[Crossing]) -> Row {
    let mut summary = Row::new();
    let mut threads: Vec<_> = crossings.iter().map(|c| c.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    for &threads in &threads {
        let times = crossings.iter().filter(|c| c.threads == threads);
        let points: Vec<_> = times.map(|c| [c.n as f64, c.ms_per_step]).collect();
        if let Some(k) = exponent(&points) {
            summary.insert(format!("exponent_in_n_threads_{threads}"), json!(k));
        }
    }
    let largest = crossings.iter().map(|c| c.n).max().unwrap_or(0);
    let by = |threads: usize| crossings.iter().find(|c| c.n == largest && c.threads == threads);
    for &many in threads.iter().filter(|threads| **threads > 1) {
        if let (Some(one), Some(more)) = (by(1), by(many)) {
            let speedup = format!("speedup_{many}_threads_n_{largest}");
            summary.insert(format!("{speedup}_undisturbed"), json!(one.undisturbed_ms / more.undisturbed_ms));
            summary.insert(speedup, json!(more.speedup_over(one)));
        }
    }
    for (n, target) in TARGETS {
        let fastest = crossings.iter().filter(|c| c.n == n).map(|c| 1e3 / c.ms_per_step).reduce(f64::max);
        if let Some(fastest) = fastest {
            let reached =
                json!({ "steps_per_second": fastest, "target": target, "reached": fastest >= target });
            summary.insert(format!("target_n_{n}"), reached);
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossing(n: usize, threads: usize, ms_per_step: f64) -> Crossing {
        let pieces = vec![[1.0, ms_per_step]; 3];
        Crossing { n, threads, ms_per_step, undisturbed_ms: ms_per_step, pieces, ..Crossing::default() }
    }

    #[test]
    fn the_summary_tells_growth_speedup_and_targets() {
        let found =
            [(72, 1, 1.0), (256, 1, 16.0), (72, 2, 0.8), (256, 2, 8.0)].map(|(n, t, ms)| crossing(n, t, ms));
        let summary = summary(&found);
        assert_eq!(summary["speedup_2_threads_n_256"], json!(2.0));
        let k = summary["exponent_in_n_threads_1"].as_f64().unwrap();
        assert!((k - 16_f64.ln() / (256.0_f64 / 72.0).ln()).abs() < 1e-9);
        assert_eq!(summary["target_n_72"]["reached"], json!(true));
        assert_eq!(summary["target_n_256"]["target"], json!(40.0));
        assert!(!summary.contains_key("target_n_100"));
    }

    #[test]
    fn a_crossing_whose_books_are_off_does_not_pass() {
        assert_eq!(crossing(72, 1, 2.0).row(25.0)["pass"], json!(true));
        let off = Crossing { balance_units: 1, ..crossing(72, 1, 2.0) };
        assert_eq!(off.row(25.0)["pass"], json!(false));
        assert!((geiger_ms(100.0) - 28.3).abs() < 1e-9);
    }
}
