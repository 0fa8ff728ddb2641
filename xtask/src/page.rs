//! The stage `page`: the bundle in the server crate is the one that `viewer/` builds, and a real browser plays with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::checks::{stream, succeeds};
use crate::tree;

const SOURCE: &str = "viewer";
const BUNDLE: &str = "crates/barchan-server/page";
/// Where the bundle is built anew, to be compared.
const REBUILT: &str = "target/page";

/// What became of the stage when nothing failed.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Checked,
    /// The packages of npm could not be had: nothing was checked.
    NoPackages,
}

/// Checks the types, the decoding of the wire, and that the committed bundle is what its source builds.
pub fn check(root: &Path) -> Result<Outcome, String> {
    if let Err(reason) = stream(&mut npm(root, "ci --no-audit --no-fund")) {
        // A lock file that does not fit fails wherever it is read; without a network nothing can be said.
        let is_online = succeeds(&mut npm(root, "ping --fetch-retries=0 --fetch-timeout=5000"));
        return if is_online { Err(reason) } else { Ok(Outcome::NoPackages) };
    }
    stream(&mut npm(root, "run check"))?;
    stream(&mut npm(root, "run unit"))?;
    let rebuilt = root.join(REBUILT);
    let mut build = npm(root, "run build -- --logLevel warn --outDir");
    stream(build.arg(&rebuilt))?;
    let problems = differences(&files(&root.join(BUNDLE))?, &files(&rebuilt)?);
    for problem in &problems {
        eprintln!("{BUNDLE}/{problem}");
    }
    if problems.is_empty() {
        Ok(Outcome::Checked)
    } else {
        Err(format!("the bundle is not what {SOURCE}/ builds; `npm run build` in {SOURCE}/ sets it right"))
    }
}

/// Plays in a real browser against `program`.
pub fn play(root: &Path, program: &Path) -> Result<(), String> {
    stream(npm(root, "run browser").env("BARCHAN_PROGRAM", program))
}

fn npm(root: &Path, arguments: &str) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root.join(SOURCE)).args(arguments.split_whitespace());
    command
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// All files of a folder, by their paths in it.
fn files(folder: &Path) -> Result<Files, String> {
    let mut found = Files::new();
    for path in tree::all_files_below(folder)? {
        let content = fs::read(folder.join(&path)).map_err(|error| format!("{}: {error}", path.display()))?;
        found.insert(path, content);
    }
    Ok(found)
}

fn differences(committed: &Files, built: &Files) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, content) in built {
        match committed.get(path) {
            None => problems.push(format!("{}: is missing", path.display())),
            Some(other) if other != content => problems.push(format!("{}: differs", path.display())),
            Some(_) => {}
        }
    }
    let unknown = committed.keys().filter(|path| !built.contains_key(*path));
    problems.extend(unknown.map(|path| format!("{}: is not built from anything", path.display())));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> Files {
        files.iter().map(|(path, content)| (PathBuf::from(path), content.as_bytes().to_vec())).collect()
    }

    #[test]
    fn every_way_to_differ_is_named() {
        let committed = folder(&[("page.js", "old"), ("same.css", "a"), ("left.svg", "x")]);
        let built = folder(&[("page.js", "new"), ("same.css", "a"), ("index.html", "y")]);
        let expected = ["index.html: is missing", "page.js: differs", "left.svg: is not built from anything"];
        assert_eq!(differences(&committed, &built), expected);
        assert_eq!(differences(&built, &built), [""; 0]);
    }

    #[test]
    fn the_bundle_is_read_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let bundle = files(&root.join(BUNDLE)).unwrap();
        assert!(bundle.contains_key(Path::new("index.html")), "{:?}", bundle.keys());
    }
}
