//! The stages of `cargo xtask test`, in their order: the cheap ones first, so that nobody waits for a
//! compiler to learn of a missing file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::needs::{self, Need};
use crate::{page, stages, tree};

pub type Stage = stages::Stage<Checks>;

pub const NEEDS: Stage = Stage { name: "needs", run: needs };
const FORMAT: Stage = Stage { name: "format", run: format };
pub const TREE: Stage = Stage { name: "tree", run: tree };
const CLIPPY: Stage = Stage { name: "clippy", run: clippy };
const TESTS: Stage = Stage { name: "tests", run: tests };
pub const PAGE: Stage = Stage { name: "page", run: page };
const RUSTDOC: Stage = Stage { name: "rustdoc", run: rustdoc };

/// `cargo xtask test`.
pub const ALL: &[Stage] = &[NEEDS, FORMAT, TREE, CLIPPY, TESTS, PAGE, RUSTDOC];
/// `cargo xtask test --quick`.
pub const QUICK: &[Stage] = &[FORMAT, CLIPPY, TESTS];

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Stages are told apart by their names.
impl PartialEq for Stage {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Stage {}

/// What the stages share.
pub struct Checks {
    root: PathBuf,
    cargo: OsString,
    tools: Tools,
    /// What a stage could not check, one line each.
    unchecked: Vec<String>,
}

/// What the stage `needs` found out.
enum Tools {
    NotLookedAt,
    AllThere,
    Missing(Vec<&'static Need>),
}

impl Checks {
    /// Checks of the workspace in the folder `root`.
    pub fn new(root: PathBuf) -> Self {
        // The very Cargo that started us, not whichever comes first on the path.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self { root, cargo, tools: Tools::NotLookedAt, unchecked: Vec::new() }
    }

    /// One line for each tool that could not be had, with the tests that were left out for it.
    pub fn left_out(&self) -> Vec<String> {
        let missing: Vec<String> = match &self.tools {
            Tools::Missing(needs) => needs.iter().map(|need| need.left_out()).collect(),
            Tools::NotLookedAt | Tools::AllThere => Vec::new(),
        };
        let unchecked = self.unchecked.iter().filter(|line| !missing.contains(line)).cloned();
        missing.iter().cloned().chain(unchecked).collect()
    }

    /// Notes what cannot be checked here. In CI that is a failure.
    fn leave_out(&mut self, line: String) -> Result<(), String> {
        if needs::in_ci() {
            return Err(line);
        }
        eprintln!("{line}");
        self.unchecked.push(line);
        Ok(())
    }

    /// Where npm's packages go: tests look for them beside what Cargo builds.
    fn tools_folder(&self) -> PathBuf {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        self.root.join(target).join("tools")
    }

    fn cargo(&self, arguments: &str) -> Command {
        let mut command = Command::new(&self.cargo);
        command.current_dir(&self.root).args(arguments.split_whitespace());
        command
    }

    fn has(&self, subcommand: &str) -> bool {
        succeeds(self.cargo(subcommand).arg("--version"))
    }
}

fn needs(checks: &mut Checks) -> Result<(), String> {
    if !checks.has("fmt") || !checks.has("clippy") {
        let mut rustup = Command::new("rustup");
        stream(rustup.current_dir(&checks.root).args(["component", "add", "rustfmt", "clippy"]))?;
    }
    let missing = needs::provide(needs::NEEDS, &checks.tools_folder());
    let verdict = needs::verdict(&missing, needs::in_ci());
    checks.tools = if missing.is_empty() { Tools::AllThere } else { Tools::Missing(missing) };
    verdict
}

fn format(checks: &mut Checks) -> Result<(), String> {
    stream(&mut checks.cargo("fmt --all --check"))
        .map_err(|reason| format!("{reason}; `cargo fmt --all` sets it right"))
}

fn tree(checks: &mut Checks) -> Result<(), String> {
    let problems = tree::problems(&checks.root)?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err("1 problem".to_string()),
        n => Err(format!("{n} problems")),
    }
}

fn clippy(checks: &mut Checks) -> Result<(), String> {
    stream(&mut checks.cargo("clippy --workspace --all-targets -- -D warnings"))
}

/// All tests, the examples built, and the tests in the documentation.
fn tests(checks: &mut Checks) -> Result<(), String> {
    let commands: &[&str] = if checks.has("nextest") {
        &["nextest run --workspace --no-fail-fast", "test --workspace --doc --no-fail-fast"]
    } else {
        eprintln!("cargo-nextest is not installed: the tests run with plain `cargo test`");
        &["test --workspace --no-fail-fast"]
    };
    for arguments in commands {
        let mut command = checks.cargo(arguments);
        if matches!(checks.tools, Tools::AllThere) {
            // From here on a test that cannot find its tool has failed.
            command.env(needs::REQUIRE_TOOLS, "1");
        }
        stream(&mut command)?;
    }
    Ok(())
}

/// The bundle against its source, then a play in a real browser.
fn page(checks: &mut Checks) -> Result<(), String> {
    // These are for the whole machine: any folder does to ask for them.
    let anywhere = checks.root.clone();
    if let Some(need) = [&needs::NODE, &needs::NPM].into_iter().find(|need| !need.is_met(&anywhere)) {
        return checks.leave_out(need.left_out());
    }
    if page::check(&checks.root)? == page::Outcome::NoPackages {
        return checks.leave_out("left out, as npm reaches no packages: all checks of viewer".to_string());
    }
    if !needs::CHROMIUM.is_met(&anywhere) {
        return checks.leave_out(needs::CHROMIUM.left_out());
    }
    // With the features of the tests, so that after them there is nothing left to compile.
    stream(&mut checks.cargo("test --workspace --no-run"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(checks.root.join("target"), PathBuf::from);
    page::play(&checks.root, &target.join("debug").join("barchan"))
}

fn rustdoc(checks: &mut Checks) -> Result<(), String> {
    stream(checks.cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs a command with its output going straight through to the reader.
pub fn stream(command: &mut Command) -> Result<(), String> {
    let line = shown(command);
    eprintln!("$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` ended with {status}")),
        Err(error) => Err(format!("`{line}` could not be started: {error}")),
    }
}

/// Whether a command can be started and ends well, without showing what it prints.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as one would type it: programs by name, whatever folder they were found in.
fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_named_in_the_error() {
        // `cargo` is the one program that is sure to be where these tests run.
        let checks = Checks::new(std::env::temp_dir());
        assert!(succeeds(&mut checks.cargo("--version")));
        assert_eq!(stream(checks.cargo("--version").stdout(Stdio::null())), Ok(()));
        let error = stream(checks.cargo("--no-such-flag").stderr(Stdio::null())).unwrap_err();
        assert!(error.starts_with("`cargo --no-such-flag` ended with "), "{error}");
    }

    #[test]
    fn a_command_that_does_not_exist_is_an_error_and_not_a_success() {
        let mut command = Command::new("no-such-program-anywhere");
        assert!(!succeeds(&mut command));
        assert!(stream(&mut command).unwrap_err().contains("could not be started"));
    }

    #[test]
    fn only_missing_tools_are_left_out() {
        let mut checks = Checks::new(PathBuf::new());
        assert!(checks.left_out().is_empty());
        checks.tools = Tools::AllThere;
        assert!(checks.left_out().is_empty());
        checks.tools = Tools::Missing(needs::NEEDS.iter().collect());
        assert_eq!(checks.left_out().len(), needs::NEEDS.len());
    }
}
