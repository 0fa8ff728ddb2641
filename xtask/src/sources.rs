//! No source is left unfinished, and the simulation touches nothing of the machine it runs on.

use std::path::Path;

use crate::tree;

/// Marks of work left undone. This crate has to spell them out, so it is not searched.
const UNFINISHED: [&str; 4] = ["todo!(", "unimplemented!(", "#[ignore", "FIXME"];

/// The sources that may not reach the machine.
const PURE: &str = "crates/barchan-sim/src";

/// What of the standard library reaches the machine. Of `std::time` only `Duration` is mere arithmetic.
const MACHINE: [&str; 4] = ["std::fs", "std::net", "std::env", "std::time"];
const HARMLESS: &str = "std::time::Duration";

pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for path in tree::files_below(root, Path::new(""), "rs")? {
        if path.starts_with("xtask") {
            continue;
        }
        let text = tree::read(root, &path)?;
        for (line, mark) in unfinished(&text) {
            problems.push(format!("{}:{line}: `{mark}` leaves work undone", path.display()));
        }
        if path.starts_with(PURE) {
            for (line, name) in machine_paths(&text) {
                problems.push(format!("{}:{line}: `{name}` reaches the machine", path.display()));
            }
        }
    }
    Ok(problems)
}

fn unfinished(text: &str) -> Vec<(usize, &'static str)> {
    let lines = text.lines().zip(1..);
    lines
        .flat_map(|(line, n)| UNFINISHED.into_iter().filter(|mark| line.contains(mark)).map(move |m| (n, m)))
        .collect()
}

/// Paths of the standard library that reach the machine, with their line numbers.
fn machine_paths(text: &str) -> Vec<(usize, String)> {
    let mut found = std_paths(text);
    found.retain(|(_, path)| {
        MACHINE.iter().any(|module| is_within(path, module)) && !is_within(path, HARMLESS)
    });
    found
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Every path that begins with `std::`, groups written out: `std::{fs, io::Read}` is two paths.
fn std_paths(text: &str) -> Vec<(usize, String)> {
    let code = without_line_comments(text);
    let mut found = Vec::new();
    for (start, _) in code.match_indices("std::") {
        let is_whole_word = !code[..start].ends_with(is_of_name);
        if is_whole_word {
            let line = code[..start].matches('\n').count() + 1;
            let mut paths = Vec::new();
            read_path(&code[start..], String::new(), &mut paths);
            found.extend(paths.into_iter().map(|path| (line, path)));
        }
    }
    found
}

/// Line breaks stay, so that line numbers do. A `//` inside a string is cut too: no path is lost by that
/// which a compiler would see.
fn without_line_comments(text: &str) -> String {
    text.lines().flat_map(|line| [line.split("//").next().unwrap_or_default(), "\n"]).collect()
}

/// Reads one path (`a::b`, `a::{b, c::d}`) and returns what follows it.
fn read_path<'a>(code: &'a str, prefix: String, found: &mut Vec<String>) -> &'a str {
    let code = code.trim_start();
    if let Some(mut rest) = code.strip_prefix('{') {
        loop {
            rest = read_path(rest, prefix.clone(), found);
            // Skips an `as name` as well.
            match rest.find([',', '}']) {
                Some(end) if rest[end..].starts_with(',') => rest = &rest[end + 1..],
                Some(end) => return &rest[end + 1..],
                None => return "",
            }
        }
    }
    let end = code.find(|c| !is_of_name(c)).unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    let path = match (prefix.is_empty(), name.is_empty()) {
        (true, _) => name.to_string(),
        (false, true) => return rest,
        (false, false) => format!("{prefix}::{name}"),
    };
    match rest.strip_prefix("::") {
        Some(rest) => read_path(rest, path, found),
        None => {
            found.push(path);
            rest
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_of_unfinished_work_is_found_with_its_line() {
        let text = "fn a() { todo!() }\nfn b() {}\n#[ignore = \"slow\"] // FIXME\nfn c() { unimplemented!(\"x\") }\n";
        assert_eq!(unfinished(text), [(1, "todo!("), (3, "#[ignore"), (3, "FIXME"), (4, "unimplemented!(")]);
    }

    #[test]
    fn machine_paths_are_found_however_they_are_written() {
        let rows = [
            ("use std::fs;", vec!["std::fs"]),
            ("let t = std::time::Instant::now();", vec!["std::time::Instant::now"]),
            ("use std::{env, sync::Arc};", vec!["std::env"]),
            (
                "use std::{\n    net as n,\n    fs::{self, File},\n};",
                vec!["std::net", "std::fs::self", "std::fs::File"],
            ),
            ("use std::time::{Duration, SystemTime};", vec!["std::time::SystemTime"]),
            ("use std::time;", vec!["std::time"]),
            ("::std::env::var(\"X\")", vec!["std::env::var"]),
        ];
        for (code, expected) in rows {
            let found: Vec<_> = machine_paths(code).into_iter().map(|(_, path)| path).collect();
            assert_eq!(found, expected, "{code:?}");
        }
    }

    #[test]
    fn harmless_paths_and_comments_are_left_alone() {
        for code in [
            "use std::time::Duration;",
            "use std::{fmt, collections::BTreeMap};",
            "// no std::fs here",
            "let x = 1; // std::time::Instant",
            "use my_std::fs;",
            "use std::envelope;",
            "use std::fmt::{",
            "std::",
        ] {
            assert_eq!(machine_paths(code), [], "{code:?}");
        }
    }

    #[test]
    fn lines_are_counted_through_comments() {
        assert_eq!(machine_paths("// one\n\nuse std::fs;\n"), [(3, "std::fs".to_string())]);
    }
}
