//! The experiment: every case, every kind that takes part in it.

use barchan_sim::{Account, MaterialId};
use serde_json::json;

use super::case::{Case, Trial};
use crate::experiment::{Experiment, Outcome, Row, row};
use crate::rest::{LIMIT_S, balance_units};
use crate::settings::{Parameter, Settings};
use crate::test_soil;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "kinds",
    about: "soils that are poured, pushed and dug through each other stay what they are and keep their slopes",
    parameters: &[
        Parameter {
            key: "case",
            about: "which cases, by number: sand on gravel 1, gravel on sand 2, blade 3, bucket 4, five soils 5, silt 6, halves 7",
            default: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
            range: (1.0, 7.0),
            whole: true,
            list: true,
        },
        test_soil::voxel_size_m(&[0.1, 0.05]),
        LIMIT_S,
    ],
    run,
};

/// How far a slope may be from the angle of friction of its soil (°).
const TOLERANCE_DEG: f64 = 1.5;
const SOURCE: &str = "Coulomb: loose soil stands at its angle of friction";

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let trials = trials(settings);
    let mut rows = Vec::new();
    for (index, &(case, voxel_size_m)) in trials.iter().enumerate() {
        match super::case::run(case, voxel_size_m, settings.number("limit_s")) {
            Ok(trial) => rows.extend(rows_of(case, voxel_size_m, &trial)),
            Err(problem) => rows.push(row(json!({
                "case": case.name(), "voxel_size_m": voxel_size_m, "problem": problem.to_string(), "pass": false,
            }))),
        }
        progress((index + 1) as f64 / trials.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

/// Cases and voxel sizes (m); those that are about one size run once.
fn trials(settings: &Settings) -> Vec<(Case, f64)> {
    let mut trials = Vec::new();
    for case in settings.list("case").iter().map(|&number| Case::ALL[number as usize - 1]) {
        match case.own_voxel_size_m() {
            Some(size) => trials.push((case, size)),
            None => trials.extend(settings.list("voxel_size_m").iter().map(|&size| (case, size))),
        }
    }
    trials
}

/// A row for every soil that came into the world.
fn rows_of(case: Case, voxel_size_m: f64, trial: &Trial) -> Vec<Row> {
    let (world, counted) = (&trial.world, trial.world.ground().count());
    let balance = balance_units(world) + trial.off_balance as i64;
    let kinds = world.ledger().entered.iter().filter(|((account, _), _)| *account == Account::Soil);
    let row_of = |kind: MaterialId| {
        let place = (Account::Soil, kind);
        let before = world.ledger().entered.get(place) - world.ledger().left.get(place);
        let after = counted.get(place);
        let material = &world.materials()[kind];
        let mut row = row(json!({
            "case": case.name(),
            "voxel_size_m": voxel_size_m,
            "kind": material.name,
            "before_units": before as i64,
            "after_units": after as i64,
            "balance_units": balance,
        }));
        let mut pass = before == after && balance == 0;
        if let Some((_, slope)) = trial.slopes.iter().find(|(of, _)| *of == kind) {
            let (measured, expected) = (slope.to_degrees(), f64::from(material.friction_angle).to_degrees());
            pass &= (measured - expected).abs() <= TOLERANCE_DEG;
            row.extend(self::row(json!({
                "slope_deg": measured, "expected_deg": expected,
                "measured": measured, "expected": expected, "tolerance": TOLERANCE_DEG, "source": SOURCE,
            })));
        }
        row.insert("pass".into(), json!(pass));
        row
    };
    kinds.map(|((_, kind), _)| row_of(kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soils_stay_what_they_are_and_stand_at_their_own_angles() {
        let settings = Settings::new(EXPERIMENT.parameters, &["case=1,6,7", "voxel_size_m=0.1"]).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:#?}", outcome.rows);
        assert_eq!(outcome.rows.iter().filter(|row| row.contains_key("slope_deg")).count(), 2);
    }
}
