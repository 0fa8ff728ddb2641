//! The documents name only paths that exist, and the architecture stays short enough to be read.

use std::path::{Path, PathBuf};

use crate::tree;

/// Documents that must be there; those in `docs/` are checked as they come.
const DOCUMENTS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Paths that begin like this are promises about the tree.
const OURS: [&str; 5] = ["crates/", "viewer/", "xtask/", "scenes/", "docs/"];

/// ARCHITECTURE.md has fewer lines than this: a longer one is not read, and so not kept true.
const ARCHITECTURE_LINES: usize = 150;

pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut documents: Vec<PathBuf> = DOCUMENTS.iter().map(PathBuf::from).collect();
    documents.extend(tree::files_below(root, Path::new("docs"), "md")?);
    let mut problems = Vec::new();
    for document in documents {
        if !root.join(&document).is_file() {
            problems.push(format!("{}: is missing", document.display()));
            continue;
        }
        let text = tree::read(root, &document)?;
        for (line, path) in named_paths(&text) {
            if !root.join(path).exists() {
                problems.push(format!("{}:{line}: `{path}` does not exist", document.display()));
            }
        }
        let lines = text.lines().count();
        if document.as_os_str() == "ARCHITECTURE.md" && lines >= ARCHITECTURE_LINES {
            problems
                .push(format!("ARCHITECTURE.md: has {lines} lines, must stay under {ARCHITECTURE_LINES}"));
        }
    }
    Ok(problems)
}

/// The paths of ours in backticks, with their line numbers. Fenced blocks are code, not prose: left aside.
fn named_paths(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every second piece lies between two backticks.
            let spans = line.split('`').skip(1).step_by(2);
            found.extend(spans.filter_map(promised_path).map(|path| (index + 1, path)));
        }
    }
    found
}

/// The part of a code span that must exist: its first word, up to the folder before a `<name>` or `*`.
fn promised_path(span: &str) -> Option<&str> {
    let word = span.split_whitespace().next()?;
    if !OURS.iter().any(|start| word.starts_with(start)) {
        return None;
    }
    match word.find(['<', '*', '{', '…']) {
        Some(blank) => word[..blank].rfind('/').map(|slash| &word[..slash]),
        None => Some(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_our_paths_in_backticks_with_their_lines() {
        let text = "See `crates/barchan-sim/src/step.rs` and `scenes/heap.toml`.\n\nNot `cargo test`; `docs/a.md`.\n";
        let expected = [(1, "crates/barchan-sim/src/step.rs"), (1, "scenes/heap.toml"), (3, "docs/a.md")];
        assert_eq!(named_paths(text), expected);
    }

    #[test]
    fn prose_and_fenced_code_promise_nothing() {
        let text = "crates/nothing\n```sh\n`crates/none`\n```\n`crates/one`\n    ```\n`docs/none`\n";
        assert_eq!(named_paths(text), [(5, "crates/one")]);
    }

    #[test]
    fn placeholders_promise_the_folder_before_them() {
        let rows = [
            ("crates/barchan-sim/src/<process>/", Some("crates/barchan-sim/src")),
            ("crates/barchan-lab/src/experiments/<name>.rs", Some("crates/barchan-lab/src/experiments")),
            ("docs/*.md", Some("docs")),
            ("crates/barchan-{sim,lab}/src", Some("crates")),
            ("scenes/heap.toml --seconds 2", Some("scenes/heap.toml")),
            ("viewer/", Some("viewer/")),
            ("../docs/a.md", None),
            ("", None),
        ];
        for (span, expected) in rows {
            assert_eq!(promised_path(span), expected, "{span:?}");
        }
    }
}
