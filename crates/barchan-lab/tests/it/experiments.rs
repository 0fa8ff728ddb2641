//! Every experiment runs, yields rows with the keys that scripts rely on, keeps the books, and draws its plots. What the
//! ground does is judged by the experiments themselves, at their real sizes.

use barchan_lab::{Outcome, Settings, find, run};
use serde_json::{Value, json};

fn outcome(name: &str, sets: &[&str]) -> (Outcome, Value) {
    let experiment = find(name).unwrap_or_else(|| panic!("there is no experiment {name}"));
    let settings = Settings::new(experiment.parameters, sets).unwrap_or_else(|error| panic!("{error}"));
    run(experiment, &settings, &|done| assert!((0.0..=1.0 + 1e-9).contains(&done), "progress {done}"))
}

/// Every row has `keys` as numbers, and its books balance.
fn check_rows(outcome: &Outcome, count: usize, keys: &[&str]) {
    assert_eq!(outcome.rows.len(), count);
    for row in &outcome.rows {
        for key in keys {
            let value = row.get(*key).unwrap_or_else(|| panic!("no {key} in {row:?}"));
            assert!(value.is_number(), "{key} = {value}");
        }
        assert_eq!(row["balance_units"], json!(0), "{row:?}");
        assert!(row["pass"].is_boolean());
    }
}

fn check_plots(outcome: &Outcome, names: &[&str]) {
    let drawn: Vec<_> = outcome.plots.iter().map(|plot| plot.name).collect();
    assert_eq!(drawn, names);
    for plot in &outcome.plots {
        let svg = plot.to_svg();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}", plot.name);
    }
}

const SLUMP: [&str; 6] =
    ["phi_deg=30", "gamma_n_m3=19600", "voxel_size_m=0.8", "radius_m=2.4", "height_m=4", "limit_s=4"];

#[test]
fn slump() {
    let sets = [&SLUMP[..], &["c_pa=0,2000"]].concat();
    let (outcome, _) = outcome("slump", &sets);
    let keys = [
        "phi_deg",
        "c_pa",
        "gamma_n_m3",
        "voxel_size_m",
        "radius_m",
        "height_m",
        "slope_deg",
        "roundness",
        "seconds_to_rest",
        "balance_units",
    ];
    check_rows(&outcome, 2, &keys);
    assert_eq!(outcome.rows[0]["expected"], json!(30.0));
    assert!(!outcome.rows[1].contains_key("expected"));
    check_plots(&outcome, &["slope", "profile", "time", "cohesion", "weight"]);
}

#[test]
fn slump_can_settle_too() {
    let (outcome, json) = outcome("slump", &[&SLUMP[..], &["c_pa=0", "settle=0,1"]].concat());
    check_rows(&outcome, 2, &["slope_deg", "settle"]);
    assert!(json["summary"]["step_and_settle_apart_deg"].is_number(), "{}", json["summary"]);
}

#[test]
fn rows_do_not_depend_on_threads() {
    let rows = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| outcome("slump", &[&SLUMP[..], &["c_pa=0"]].concat()).0.rows)
    };
    assert_eq!(rows(1), rows(3));
}

#[test]
fn cut() {
    let (outcome, _) = outcome("cut", &["phi_deg=20", "voxel_size_m=0.4", "face_deg=90,70"]);
    let keys = ["phi_deg", "c_pa", "gamma_n_m3", "voxel_size_m", "face_deg", "expected", "tolerance"];
    check_rows(&outcome, 2, &keys);
    for row in &outcome.rows {
        assert!(row.contains_key("critical_height_m") && row.contains_key("plane_deg"), "{row:?}");
    }
    check_plots(&outcome, &["height", "plane"]);
}

#[test]
fn push() {
    let (outcome, json) = outcome("push", &["n=16,24", "threads=1,2"]);
    let keys = ["n", "voxels", "threads", "steps_per_second", "ms_per_step", "awake_bricks"];
    check_rows(&outcome, 4, &keys);
    assert!(outcome.pass, "speed does not decide, the books balance");
    assert!(json["summary"]["exponent_in_n_threads_1"].is_number(), "{}", json["summary"]);
    assert!(json["summary"]["speedup_2_threads_n_24"].is_number(), "{}", json["summary"]);
    check_plots(&outcome, &["time", "passes", "awake"]);
}

#[test]
fn carry() {
    let (outcome, _) = outcome("carry", &["friction_deg=30", "distance_m=0.5", "voxel_size_m=0.2"]);
    let keys =
        ["friction_deg", "distance_m", "units_loaded", "units_carried", "share_carried", "balance_units"];
    check_rows(&outcome, 3, &keys);
    let motions: Vec<_> = outcome.rows.iter().map(|row| row["motion"].clone()).collect();
    assert_eq!(motions, ["translate", "rotate", "tip"]);
    assert!(outcome.rows.iter().all(|row| row["units_loaded"].as_i64() > Some(0)));
    check_plots(&outcome, &["share"]);
}

#[test]
fn piles_made_by_sliding_have_no_ridges() {
    let (outcome, _) = outcome("ridges", &["radius_m=2.6", "settle=1"]);
    assert_eq!(outcome.rows.len(), 6);
    for row in &outcome.rows {
        assert!(row["normals"].as_u64() > Some(500), "{row:?}");
        let [with, without] =
            ["with_ridges_deg", "measured"].map(|key| row[key].as_f64().unwrap_or(f64::NAN));
        assert!(without < 3.0 && with > 2.0 * without, "{row:?}");
    }
    assert!(outcome.pass);
}

#[test]
fn a_case_that_needs_too_many_voxels_says_so() {
    for (name, sets) in [
        ("slump", &["radius_m=1000", "voxel_size_m=0.001", "phi_deg=30", "c_pa=0", "gamma_n_m3=19600"][..]),
        ("cut", &["c_pa=1e9", "voxel_size_m=0.001", "phi_deg=30"]),
        ("carry", &["voxel_size_m=0.001"]),
    ] {
        let (outcome, _) = outcome(name, sets);
        assert!(!outcome.pass, "{name}");
        let problem = outcome.rows[0]["problem"].as_str().unwrap_or_default();
        assert!(problem.contains("voxels; an experiment uses at most"), "{name}: {:?}", outcome.rows[0]);
    }
}

/// The experiment passes with these settings; where it does not, its rows say why.
fn check_passes(name: &str, sets: &[&str], count: usize) {
    let (outcome, _) = outcome(name, sets);
    assert_eq!(outcome.rows.len(), count, "{name}");
    assert!(outcome.pass, "{name}: {:#?}", outcome.rows);
    assert!(!outcome.plots.is_empty());
}

#[test]
fn stress_and_compression() {
    check_passes("stress", &["nu=4,5", "depth_m=0.1,0.5"], 8);
    check_passes("compression", &["soil=0,1,2,3,4,5,6,7,8"], 72);
}

#[test]
fn trench() {
    check_passes("trench", &["void_ratio=0.6,0.9"], 2);
}

#[test]
fn plates() {
    check_passes("sinkage", &["kind=1", "pressure_kpa=60", "voxels=6"], 1);
    check_passes("passes", &["passes=2", "gear=0"], 2);
}

#[test]
fn blade() {
    check_passes("blade", &["model=3", "rake_deg=60", "voxels=4"], 1);
}

#[test]
fn particle_speed_sums_alike_at_every_level() {
    let sets = ["particles=20000", "threads=1,2", "simd=0,1,2,3,4", "rounds=1"];
    let (outcome, _) = outcome("particle-speed", &sets);
    assert!(outcome.rows.len() >= 4, "the best level and the plainest on one thread and two");
    for row in &outcome.rows {
        for key in ["particles", "threads", "sort_ms", "list_ms", "density_ms", "bytes_per_particle"] {
            assert!(row[key].is_number(), "{key} in {row:?}");
        }
        assert_eq!(row["digest"], outcome.rows[0]["digest"], "{row:?}");
        assert!((25.0..40.0).contains(&row["neighbours"].as_f64().unwrap()), "{row:?}");
    }
}

#[test]
fn world_size_tells_what_changed() {
    let (outcome, _) = outcome("world-size", &["bricks=1000,4000", "rounds=3"]);
    assert_eq!(outcome.rows.len(), 2);
    for row in &outcome.rows {
        for key in ["bricks", "edit_ms", "moment_ms", "undo_ms"] {
            assert!(row[key].is_number(), "{key} in {row:?}");
        }
        assert_eq!(row["changed_bricks"], outcome.rows[0]["changed_bricks"], "{row:?}");
    }
}

#[test]
fn weather_counts_as_brute_force_does() {
    let sets = ["tool=17,33", "bubble=7", "threads=1,2", "noise=24", "brute_weights=1e9"];
    let (outcome, json) = outcome("weather", &sets);
    let keys = [
        "tool",
        "bubble",
        "threads",
        "buffer_s",
        "count_s",
        "remove_s",
        "commit_s",
        "total_s",
        "mvoxel_per_s",
    ];
    // Eight cubes, two tools and noise on each number of threads.
    check_rows(&outcome, 8 + 2 * 3, &keys);
    for row in &outcome.rows {
        assert_eq!(row["pass"], json!(true), "{row:?}");
        assert!(row["case"] == "cube" || row["brute_s"].is_number(), "{row:?}");
    }
    assert!(json["summary"]["times_brute_force"].is_array());
    check_plots(&outcome, &["tool", "bubble", "stages_by_tool", "stages_by_bubble"]);
}

#[test]
fn debris_comes_to_rest_everywhere() {
    let sets = ["scenario=0,1,2,3", "n=8", "angle_deg=45", "repeats=1", "large=0"];
    let (outcome, _) = outcome("debris", &sets);
    let keys = ["n", "angle_deg", "init_s", "grow_s", "move_s", "commit_s", "rounds"];
    check_rows(&outcome, 4, &keys);
    for (row, scenario) in outcome.rows.iter().zip(["plane", "slope", "funnel", "overhang"]) {
        assert!(row["scenario"] == scenario && row["pass"] == true, "{row:?}");
    }
    assert!(outcome.rows[0]["measured_deg"].is_number() && outcome.rows[3]["sweep_s"].is_null());
    check_plots(&outcome, &["time", "stages", "angle"]);
}

#[test]
fn thresholds_bend_angles_and_ours_has_none() {
    let (outcome, _) = outcome("rest-threshold", &["n=12", "threshold=0.01,0.5"]);
    assert_eq!(outcome.rows.len(), 3);
    let angle = |row: usize| outcome.rows[row]["angle_deg"].as_f64().unwrap();
    assert!((angle(0) - 45.0).abs() < (angle(1) - 45.0).abs(), "{:#?}", outcome.rows);
    assert!(outcome.rows[2]["method"] == "ours" && outcome.rows[2]["threshold"] == 0.0);
    check_plots(&outcome, &["time", "angle"]);
}

#[test]
fn weather_and_debris_at_one_click() {
    let sets = ["share=0.2,0.8", "threshold=0.6", "edge=16", "bubble=7", "repeats=2"];
    let (outcome, json) = outcome("weather-debris", &sets);
    check_rows(&outcome, 3, &["share", "threshold", "voxels", "seconds", "interval_s"]);
    let debris = |row: usize| outcome.rows[row]["debris_voxels"].as_f64().unwrap();
    assert!(debris(1) > 3.0 * debris(0), "{:#?}", outcome.rows);
    assert!(json["summary"]["rest_s_per_1000_voxels"].is_number());
    check_plots(&outcome, &["share", "threshold", "debris"]);
}
