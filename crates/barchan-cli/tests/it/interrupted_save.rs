//! A save that is killed at any point leaves the old file whole.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use barchan_files::world_file::load_world;

use crate::program::{command, run};

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
