//! Ctrl-C ends the sandbox, whenever it comes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program::command;

fn start(folder: &Path) -> Child {
    let mut command = command(folder, &["play", "--no-open"]);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_ends_it_at_any_moment_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for wait_ms in [0, 5, 20, 60, 150, 400] {
        let mut child = start(folder.path());
        std::thread::sleep(Duration::from_millis(wait_ms));
        interrupt(&child);
        let status = child.wait().unwrap();
        // Before the sandbox runs the system ends it, afterwards it ends itself.
        assert!(status.code().is_none_or(|code| code == 0), "after {wait_ms} ms: {status}");
    }
}

#[test]
fn ctrl_c_ends_a_running_sandbox_and_saves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.next().unwrap().unwrap();
    assert!(address.contains("http://127.0.0.1:"), "{address}");
    // The last line comes before it waits for the signal: it may need a moment to get there.
    assert!(lines.next().unwrap().unwrap().contains("ctrl-C"));
    std::thread::sleep(Duration::from_millis(200));
    interrupt(&child);
    let status = child.wait().unwrap();
    assert!(status.code().is_none_or(|code| code == 0), "{status}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
