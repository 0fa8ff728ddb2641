//! Dependencies between our crates point one way: towards `barchan-sim` and `barchan-volume`.

use std::path::Path;

use crate::tree;

/// Which of our crates each crate may depend on.
const LAYERS: &[(&str, &[&str])] = &[
    ("barchan-particles", &[]),
    ("barchan-volume", &[]),
    ("barchan-sim", &["barchan-volume", "barchan-particles"]),
    ("barchan-surface", &["barchan-volume", "barchan-sim"]),
    ("barchan-files", &["barchan-volume", "barchan-sim", "barchan-surface"]),
    ("barchan-scene", &["barchan-volume", "barchan-sim", "barchan-files"]),
    (
        "barchan-lab",
        &[
            "barchan-volume",
            "barchan-particles",
            "barchan-sim",
            "barchan-surface",
            "barchan-files",
            "barchan-scene",
        ],
    ),
    (
        "barchan",
        &[
            "barchan-volume",
            "barchan-sim",
            "barchan-surface",
            "barchan-files",
            "barchan-scene",
            "barchan-lab",
        ],
    ),
    (
        "barchan-server",
        &[
            "barchan-volume",
            "barchan-sim",
            "barchan-surface",
            "barchan-files",
            "barchan-scene",
            "barchan-lab",
        ],
    ),
    (
        "barchan-cli",
        &[
            "barchan-volume",
            "barchan-sim",
            "barchan-surface",
            "barchan-files",
            "barchan-scene",
            "barchan-lab",
            "barchan-server",
            "barchan",
        ],
    ),
];

pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for folder in tree::folders_in(root, Path::new("crates"))? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let manifest = tree::read(root, &folder.join("Cargo.toml"))?;
        problems.extend(problems_of(&name, &manifest));
    }
    Ok(problems)
}

fn problems_of(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
        return vec![format!(
            "crates/{name}: say in xtask/src/layers.rs which of our crates it may depend on"
        )];
    };
    own_dependencies(manifest)
        .into_iter()
        .filter(|(_, dependency)| !allowed.contains(dependency))
        .map(|(line, dependency)| {
            format!("crates/{name}/Cargo.toml:{line}: {name} may not depend on {dependency}")
        })
        .collect()
}

/// Those of our crates that a manifest depends on, with their line numbers.
/// Dependencies of the tests alone bind nobody and are left aside.
fn own_dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_dependencies = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        let name = if let Some(header) = line.strip_prefix('[') {
            let header = header.split(']').next().unwrap_or_default();
            in_dependencies = is_dependencies(header);
            // The long form: `[dependencies.barchan-sim]`.
            header.rsplit_once('.').filter(|(table, _)| is_dependencies(table)).map(|(_, name)| name)
        } else if in_dependencies {
            line.split(['.', '=', ' ']).next()
        } else {
            None
        };
        let name = name.map(|name| name.trim_matches('"'));
        found.extend(name.filter(|name| is_ours(name)).map(|name| (index + 1, name)));
    }
    found
}

/// `dependencies`, `build-dependencies`, and the same below a `target.…`.
fn is_dependencies(header: &str) -> bool {
    let table = header.strip_prefix("target.").and_then(|rest| rest.rsplit('.').next()).unwrap_or(header);
    matches!(table, "dependencies" | "build-dependencies")
}

fn is_ours(name: &str) -> bool {
    name == "barchan" || name.starts_with("barchan-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
name = \"barchan-sim\"

[dependencies]
# barchan-cli.workspace = true
barchan-volume.workspace = true
glam.workspace = true
barchan-files = { path = \"../barchan-files\" }

[dev-dependencies]
barchan-lab.workspace = true

[target.'cfg(unix)'.dependencies]
barchan.workspace = true

[build-dependencies.barchan-scene]
workspace = true
";

    #[test]
    fn reads_our_dependencies_in_all_their_forms() {
        let expected = [(6, "barchan-volume"), (8, "barchan-files"), (14, "barchan"), (16, "barchan-scene")];
        assert_eq!(own_dependencies(MANIFEST), expected);
    }

    #[test]
    fn names_each_dependency_that_points_the_wrong_way() {
        let problems = problems_of("barchan-sim", MANIFEST);
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert_eq!(
            problems[0],
            "crates/barchan-sim/Cargo.toml:8: barchan-sim may not depend on barchan-files"
        );
        assert_eq!(problems_of("barchan-cli", MANIFEST), [""; 0]);
    }

    #[test]
    fn a_crate_without_a_row_is_a_problem() {
        assert_eq!(problems_of("barchan-unheard-of", "[dependencies]\n").len(), 1);
    }

    #[test]
    fn the_table_itself_has_no_cycle() {
        // Each row may name only rows above it.
        for (index, (name, allowed)) in LAYERS.iter().enumerate() {
            for dependency in *allowed {
                assert!(
                    LAYERS[..index].iter().any(|(above, _)| above == dependency),
                    "{name} -> {dependency}"
                );
            }
        }
    }
}
