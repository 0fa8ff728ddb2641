//! `cargo xtask`: the checks of this repository, in Rust, so that they run the same everywhere.
//!
//! [`checks`] lists the stages in their order, [`stages`] runs and times them, [`needs`] provides the tools
//! that are not Rust's, and [`tree`] holds the rules of our own that no other tool knows.

mod checks;
mod documents;
mod gallery;
mod layers;
mod needs;
mod page;
mod sources;
mod stages;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use checks::Checks;

const USAGE: &str = "\
Usage: cargo xtask <TASK>

  test          every check, as on a fresh machine: needs, format, tree, clippy, tests, page, rustdoc
  test --quick  format, clippy and tests only; installs nothing
  needs         only provide the tools that the checks need beyond Rust
  page          only the page: its bundle is what viewer/ builds, and a browser plays with it
  tree          only our own rules: paths in documents, unfinished code, who depends on whom
  gallery [SCENE…]  a picture of every scene, or of these, into docs/, and the page that shows all
  help          this text

Stops at the first stage that fails, and says where the time went.
Exit codes: 0 all passed, 1 a check failed, 2 bad usage.
";

#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    /// Pictures of these scenes; none named: of all.
    Gallery(Vec<String>),
    Check(&'static [checks::Stage]),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match parse(&words) {
        Some(Task::Help) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(Task::Gallery(scenes)) => make_gallery(&scenes),
        Some(Task::Check(stages)) => check(stages),
        None => {
            if !words.is_empty() {
                eprintln!("xtask: cannot read `{}`\n", words.join(" "));
            }
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn parse(words: &[String]) -> Option<Task> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["help" | "--help" | "-h"] => Some(Task::Help),
        ["gallery", ref scenes @ ..] => Some(Task::Gallery(scenes.iter().map(ToString::to_string).collect())),
        ["test"] => Some(Task::Check(checks::ALL)),
        ["test", "--quick"] => Some(Task::Check(checks::QUICK)),
        ["needs"] => Some(Task::Check(&[checks::NEEDS])),
        ["page"] => Some(Task::Check(&[checks::PAGE])),
        ["tree"] => Some(Task::Check(&[checks::TREE])),
        _ => None,
    }
}

fn make_gallery(scenes: &[String]) -> ExitCode {
    let Some(root) = root() else { return ExitCode::from(2) };
    match gallery::make(&root, scenes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("gallery: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace; says so where it is not known.
fn root() -> Option<PathBuf> {
    // Cargo names the package's folder to what it runs; the workspace is the folder above.
    let root = std::env::var_os("CARGO_MANIFEST_DIR")
        .and_then(|dir| Some(PathBuf::from(dir).parent()?.to_path_buf()));
    if root.is_none() {
        eprintln!("xtask: CARGO_MANIFEST_DIR is not set; start me with `cargo xtask`");
    }
    root
}

fn check(stages: &[checks::Stage]) -> ExitCode {
    let Some(root) = root() else { return ExitCode::from(2) };
    let mut checks = Checks::new(root);
    let timings = stages::run(stages, &mut checks);
    eprint!("\n{}", stages::table(&timings));
    for line in checks.left_out() {
        eprintln!("{line}");
    }
    if stages::all_passed(&timings) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<Task> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn every_task_of_the_usage_is_read() {
        assert_eq!(parsed("help"), Some(Task::Help));
        assert_eq!(parsed("gallery"), Some(Task::Gallery(vec![])));
        assert_eq!(parsed("gallery silo drum"), Some(Task::Gallery(vec!["silo".into(), "drum".into()])));
        assert_eq!(parsed("test"), Some(Task::Check(checks::ALL)));
        assert_eq!(parsed("test --quick"), Some(Task::Check(checks::QUICK)));
        assert_eq!(parsed("needs"), Some(Task::Check(&[checks::NEEDS])));
        assert_eq!(parsed("page"), Some(Task::Check(&[checks::PAGE])));
        assert_eq!(parsed("tree"), Some(Task::Check(&[checks::TREE])));
    }

    #[test]
    fn unknown_words_are_refused() {
        for line in ["", "tests", "test --fast", "test --quick --quick", "tree crates", "--quick test"] {
            assert_eq!(parsed(line), None, "{line:?}");
        }
    }
}
