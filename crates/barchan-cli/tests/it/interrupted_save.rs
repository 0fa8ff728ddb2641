//! A save that is killed at any point leaves the old file whole, and its versions if it only adds one.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use barchan_files::world_file::{WorldFile, load_world};

use crate::program::{command, run, run_json};

const LIMIT: u64 = 1 << 32;

/// Files in `folder` that a save left or is writing.
fn temporary_files(folder: &Path) -> HashSet<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".tmp")).collect()
}

#[test]
fn fifty_killed_saves_leave_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let saved = path.join("saved.barchan");
    assert!(run(path, &["convert", "heaps", "saved.barchan"]).status.success());
    assert!(run(path, &["convert", "dunes", "other.barchan"]).status.success());
    let digest = |file: &Path| load_world(file, LIMIT).map(|world| world.digest());
    let allowed = [digest(&saved).unwrap(), digest(&path.join("other.barchan")).unwrap()];
    let mut in_the_middle = 0;
    for round in 0..50_u64 {
        let known = temporary_files(path);
        let mut child = command(path, &["convert", "other.barchan", "saved.barchan"]).spawn().unwrap();
        // The save has begun when its temporary file is there; then the kill falls at another point each time.
        while child.try_wait().unwrap().is_none() && temporary_files(path) == known {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(round * 400));
        child.kill().unwrap();
        child.wait().unwrap();
        in_the_middle += usize::from(temporary_files(path) != known);
        let found = digest(&saved).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert!(allowed.contains(&found), "round {round}: a world that was never saved");
    }
    assert!(in_the_middle > 0, "no kill fell into a save: the test shows nothing");
}

/// One more hole in the row of them.
fn dig(round: u64) -> [String; 3] {
    let (x, y) = (4 + round % 10 * 2, 4 + round / 10 % 5 * 4);
    ["kind=ball".into(), format!("center_m=[{x},{y},1]"), "radius_m=0.7".into()]
}

/// Kills the program while it adds versions; how many of the kills fell between the first byte and the last.
fn kill_while_adding(rounds: u64) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let saved = path.join("saved.barchan");
    assert!(run(path, &["convert", "heaps", "saved.barchan"]).status.success());
    let (mut in_the_middle, mut digests) = (0, Vec::new());
    for round in 0..rounds {
        let before = fs::metadata(&saved).unwrap().len();
        let keys = dig(round);
        let mut args = vec!["edit", "saved.barchan", "remove"];
        args.extend(keys.iter().map(String::as_str));
        let mut child = command(path, &args).stdout(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && fs::metadata(&saved).unwrap().len() == before {
            std::thread::sleep(Duration::from_micros(50));
        }
        std::thread::sleep(Duration::from_micros(round % 25 * 40));
        in_the_middle += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let file = WorldFile::open(&saved, LIMIT).unwrap_or_else(|error| panic!("round {round}: {error}"));
        let found: Vec<u64> = file.versions().map(|version| version.digest).collect();
        assert!(found.starts_with(&digests), "round {round}: a version is gone");
        assert!(found.len() <= digests.len() + 1 || round == 0);
        // Loading compares the digest.
        for version in [file.present().id, file.present().parent.unwrap_or(0)] {
            file.load(version).unwrap_or_else(|error| panic!("round {round}: version {version}: {error}"));
        }
        digests = found;
    }
    in_the_middle
}

#[test]
fn fifty_killed_edits_lose_no_version_but_the_one_being_added() {
    assert!(kill_while_adding(50) > 0, "no kill fell into a save: the test shows nothing");
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_keeps_every_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let saved = path.join("saved.barchan");
    assert!(run(path, &["convert", "heaps", "saved.barchan"]).status.success());
    let before = fs::read(&saved).unwrap();
    // No file may grow beyond so many blocks of 512 bytes: writing fails there, as it does where a disk is full.
    let script = format!(
        "trap '' XFSZ; ulimit -f {}; exec {} edit saved.barchan remove {}",
        before.len().div_ceil(512),
        env!("CARGO_BIN_EXE_barchan"),
        dig(0).join(" ")
    );
    let output = Command::new("sh").current_dir(path).args(["-c", &script]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("cannot write saved.barchan"), "{message}");
    assert_eq!(fs::read(&saved).unwrap(), before);
    assert!(
        run(path, &["edit", "saved.barchan", "remove", "kind=ball", "center_m=[5,5,1]", "radius_m=1"])
            .status
            .success()
    );
}

#[test]
fn versions_of_a_file_are_listed_left_and_come_back_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(run(path, &["convert", "heaps", "a.barchan"]).status.success());
    let edit = |keys: &[&str]| run_json(path, &[&["edit", "a.barchan", "--json"], keys].concat());
    let ball =
        |x: &str| ["remove", "kind=ball", &format!("center_m=[{x},5,1]"), "radius_m=1"].map(str::to_owned);
    let digest = |answer: serde_json::Value| answer["digest"].as_str().unwrap().to_owned();
    let dig = |x: &str| digest(edit(&ball(x).each_ref().map(String::as_str)));
    let (first, second) = (dig("5"), dig("15"));
    let log = edit(&["log"]);
    let versions = log["versions"].as_array().unwrap();
    let labels: Vec<_> = versions.iter().map(|version| version["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["saved", &ball("5").join(" "), &ball("15").join(" ")]);
    assert_eq!(
        (versions[1]["digest"].as_str(), versions[2]["digest"].as_str()),
        (Some(&*first), Some(&*second))
    );
    // Voxels of 0.2 m: the box of the hole, by whole bricks.
    let min = versions[1]["box_voxels"]["min"].as_array().unwrap();
    assert!(min[0].as_i64().unwrap() <= 20 && versions[1]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(edit(&["undo"])["present"], 1);
    assert_eq!(edit(&["undo"])["present"], 0);
    assert_eq!(edit(&["redo"])["present"], 1);
    assert_eq!(edit(&["redo"])["present"], 2);
    assert_eq!(edit(&["go", "version=1"])["present"], 1);
    // A branch: what is dug now comes from version 1.
    let third = dig("25");
    let log = edit(&["log"]);
    assert_eq!(
        (&log["present"], &log["versions"][3]["parent"]),
        (&serde_json::json!(3), &serde_json::json!(1))
    );
    assert_eq!(log["versions"][3]["digest"].as_str(), Some(&*third));
    let size = || fs::metadata(path.join("a.barchan")).unwrap().len();
    let before = size();
    let pruned = edit(&["prune", "keep=2"]);
    assert_eq!(pruned["versions"].as_array().unwrap().len(), 2);
    assert!(size() < before);
    assert_eq!(edit(&["go", "version=2"])["present"], 2);
    assert_eq!(
        load_world(&path.join("a.barchan"), LIMIT).map(|world| format!("{:016x}", world.digest())).unwrap(),
        second
    );
    for (keys, said) in [
        (&["undo"][..], "nothing to undo"),
        (&["redo"], "nothing to redo"),
        (&["go"], "needs the number"),
        (&["go", "version=77"], "there is no version 77"),
        (&["go", "version=x"], "whole number"),
        (&["prune", "keep=0"], "must be 1 or more"),
        (&["log", "keep=1"], "knows no keep"),
    ] {
        let output = run(path, &[&["edit", "a.barchan"], keys].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(said), "{keys:?}: {message}");
    }
}
