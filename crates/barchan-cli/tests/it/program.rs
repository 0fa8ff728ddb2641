//! Starting the program under test.

use std::path::Path;
use std::process::{Command, Output};

/// The program with `args`, in `folder`, not started yet.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_barchan"));
    command.current_dir(folder).args(args);
    command
}

/// Runs the program to its end.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the program starts")
}

/// Runs the program, which must succeed, and reads its one JSON object.
pub fn run_json(folder: &Path, args: &[&str]) -> serde_json::Value {
    let output = run(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {errors}");
    serde_json::from_slice(&output.stdout).expect("exactly one JSON object on stdout")
}
