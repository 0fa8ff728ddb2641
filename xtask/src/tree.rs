//! Rules about our own tree that no other tool knows. Each returns its problems, one line per problem.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::{documents, layers, sources};

/// All problems of the tree at once.
pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = documents::problems(root)?;
    problems.extend(sources::problems(root)?);
    problems.extend(layers::problems(root)?);
    Ok(problems)
}

/// The text of a file given by its path from the root.
pub fn read(root: &Path, path: &Path) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files below `folder` with this ending, as sorted paths from the root. A folder that is not there is empty.
pub fn files_below(root: &Path, folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for (path, is_folder) in entries(root, &folder)? {
            if is_folder {
                if !is_built_or_fetched(&path) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// All files below a folder, as sorted paths in it.
pub fn all_files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        for (path, is_folder) in entries(folder, &inner)? {
            if is_folder { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// The folders directly in `folder`, as sorted paths from the root.
pub fn folders_in(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found: Vec<_> = entries(root, folder)?
        .into_iter()
        .filter(|(_, is_folder)| *is_folder)
        .map(|(path, _)| path)
        .collect();
    found.sort();
    Ok(found)
}

/// What a folder holds: the path from the root, and whether it is a folder itself.
fn entries(root: &Path, folder: &Path) -> Result<Vec<(PathBuf, bool)>, String> {
    let listing = match fs::read_dir(root.join(folder)) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    listing
        .map(|entry| {
            let entry = entry?;
            Ok((folder.join(entry.file_name()), entry.file_type()?.is_dir()))
        })
        .collect::<io::Result<_>>()
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// Folders whose content is not ours to judge.
fn is_built_or_fetched(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| {
        name == "target"
            || name == "out"
            || name == "node_modules"
            || name.as_encoded_bytes().starts_with(b".")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_into_folders_but_not_into_what_was_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = files_below(root, Path::new(""), "rs").unwrap();
        assert!(files.contains(&PathBuf::from("src/tree.rs")), "{files:?}");
        assert!(files.iter().all(|path| path.extension().is_some_and(|extension| extension == "rs")));
        assert!(files.is_sorted());
        assert!(is_built_or_fetched(Path::new("viewer/node_modules")));
        assert!(is_built_or_fetched(Path::new(".git")));
        assert!(!is_built_or_fetched(Path::new("crates/barchan")));
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty_and_a_file_that_is_not_there_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(files_below(root, Path::new("nowhere"), "rs"), Ok(Vec::new()));
        assert!(read(root, Path::new("nowhere.md")).unwrap_err().starts_with("nowhere.md: "));
    }
}
