//! Runs, conversions and experiments from the command line.

use std::fs;

use crate::program::{run, run_json};

#[test]
fn a_run_answers_with_everything_it_promises() {
    let folder = tempfile::tempdir().unwrap();
    let answer = run_json(folder.path(), &["run", "heaps", "--steps", "3", "--json"]);
    for key in
        ["scene", "steps", "sim_seconds", "wall_seconds", "steps_per_second", "ledger", "digest", "warnings"]
    {
        assert!(answer.get(key).is_some(), "no {key} in {answer}");
    }
    assert_eq!(answer["steps"], 3);
    assert_eq!(answer["ledger"]["balance"], 0);
    assert!(answer["ledger"]["soil"].as_i64() > Some(0));
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is written without --out");
}

#[test]
fn threads_and_a_save_in_the_middle_do_not_change_the_digest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let one = run_json(path, &["run", "boulders", "--steps", "12", "--threads", "1", "--json"]);
    let two = run_json(path, &["run", "boulders", "--steps", "12", "--threads", "2", "--json"]);
    assert_eq!(one["digest"], two["digest"]);
    run_json(path, &["run", "boulders", "--steps", "5", "--out", "half", "--json"]);
    let rest = run_json(path, &["run", "half/world.barchan", "--steps", "7", "--json"]);
    assert_eq!(rest["digest"], one["digest"]);
}

#[test]
fn results_land_in_the_folder_and_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let answer = run_json(path, &["run", "blade", "--steps", "4", "--out", "results", "--json"]);
    let info = run_json(path, &["info", "results/world.barchan", "--json"]);
    assert_eq!(info["digest"], answer["digest"]);
    assert_eq!(info["steps"], 4);
    assert!(path.join("results/picture.png").metadata().unwrap().len() > 1_000);
    let table = fs::read_to_string(path.join("results/table.csv")).unwrap();
    assert!(table.lines().count() >= 2 && table.starts_with("time_s,"), "{table}");
    let map = run_json(path, &["info", "results/heights.png", "--json"]);
    assert_eq!(map["scale"], "metres");
}

#[test]
fn pictures_are_taken_of_scenes_and_saved_worlds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let common = ["--size", "64x36", "--samples", "2", "--eye", "40,-20,18", "--target", "15,15,1"];
    let render = |scene: &str, picture: &str, more: &[&str]| {
        let args = [&["render", scene, "-o", picture][..], &common[..], more].concat();
        let output = run(path, &args);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(path.join(picture)).unwrap()
    };
    assert_eq!(run(path, &["convert", "heaps", "heaps.barchan"]).status.code(), Some(0));
    let of_scene = render("heaps", "scene.png", &[]);
    assert!(of_scene.starts_with(b"\x89PNG"));
    assert!(of_scene == render("heaps.barchan", "world.png", &["--threads", "1"]));
    assert!(of_scene != render("heaps", "other.png", &["--fov-deg", "60"]));
    render("blade", "later.png", &["--after", "0.05"]);
}

#[test]
fn worlds_become_heightmaps_and_heightmaps_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for args in [
        ["convert", "heaps", "heaps.barchan"],
        ["convert", "heaps.barchan", "heaps.tif"],
        ["convert", "heaps.tif", "heaps.asc"],
    ] {
        let output = run(path, &args);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let tif = run_json(path, &["info", "heaps.tif", "--json"]);
    let asc = run_json(path, &["info", "heaps.asc", "--json"]);
    for key in ["width", "height", "cells_without_data", "highest"] {
        assert_eq!(tif[key], asc[key], "{key}");
    }
}

#[test]
fn experiments_are_listed_and_pass() {
    let folder = tempfile::tempdir().unwrap();
    let list = run(folder.path(), &["lab", "list"]);
    assert!(String::from_utf8_lossy(&list.stdout).contains("books"));
    let args = ["lab", "run", "books", "--set", "worlds=2", "--set", "steps=6", "--json", "--out", "lab"];
    let answer = run_json(folder.path(), &args);
    assert_eq!(answer["pass"], true, "{answer}");
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["parameters"]["worlds"], 2.0);
    assert!(folder.path().join("lab/books.csv").exists());
}
