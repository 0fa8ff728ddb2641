//! Other people's programs, which read what we write.

use std::io::{self, Write};
use std::process::Command;

/// What `command` prints. `None`, and a line that says so, where its program is not installed; that is a failure where
/// `BARCHAN_REQUIRE_TOOLS` is 1. `package` is what brings the program.
pub fn output_of(package: &str, command: &mut Command) -> Option<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return left_out(&program, package),
        result => result.unwrap(),
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} ended with {}: {complaints}", output.status);
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Says that a test is left out for want of `package`, or fails it where that must not be.
pub fn left_out<T>(program: &str, package: &str) -> Option<T> {
    let required = std::env::var_os("BARCHAN_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(!required, "{program} is not installed, and BARCHAN_REQUIRE_TOOLS=1 asks for it");
    // Not `eprintln!`: the test runner would keep that to itself.
    let _ = writeln!(io::stderr(), "left out: {program} (package {package}) is not installed");
    None
}
