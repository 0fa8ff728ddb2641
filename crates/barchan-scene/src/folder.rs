//! Where the files that a scene names come from: a folder on the disk, or the tree inside the program.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use include_dir::{Dir, include_dir};

/// Everything under `scenes/`, inside the program.
pub(crate) static BUILTIN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../scenes");

/// The folder that file names in a scene start from.
#[derive(Clone, Debug)]
pub(crate) enum Folder {
    /// A folder on the disk.
    Disk(PathBuf),
    /// A folder of the built-in scenes.
    Builtin(PathBuf),
}

impl Folder {
    /// The bytes of the file `name`, at most `limit` of them.
    pub fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, String> {
        match self {
            Self::Disk(folder) => read_file(&folder.join(name), limit),
            Self::Builtin(folder) => {
                let path = tidy(&folder.join(name));
                let file = path.and_then(|path| BUILTIN.get_file(path));
                file.map(|file| file.contents().to_owned()).ok_or_else(|| "is not a built-in file".to_owned())
            }
        }
    }
}

/// The bytes of a regular file, at most `limit` of them. Pipes and devices are refused: they may never end.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    // Looked at before it is opened: opening a pipe waits for somebody to write.
    let found = std::fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err("is not a file".to_owned());
    }
    if found.len() > limit {
        return Err(format!("has {} bytes; at most {limit} are read", found.len()));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    let file = File::open(path).map_err(failed)?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(format!("has more than {limit} bytes"));
    }
    Ok(bytes)
}

/// `path` without `.` and `..`; none when it leaves the tree.
fn tidy(path: &Path) -> Option<PathBuf> {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => tidied.push(name),
            Component::CurDir => {}
            Component::ParentDir if tidied.pop() => {}
            _ => return None,
        }
    }
    Some(tidied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_not_left() {
        assert_eq!(tidy(Path::new("a/./b/../c")), Some(PathBuf::from("a/c")));
        assert_eq!(tidy(Path::new("../c")), None);
        assert_eq!(tidy(Path::new("/etc/passwd")), None);
    }

    #[test]
    fn only_files_of_a_modest_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("four");
        std::fs::write(&path, "four").expect("written");
        assert_eq!(read_file(&path, 4), Ok(b"four".to_vec()));
        assert_eq!(read_file(&path, 3), Err("has 4 bytes; at most 3 are read".to_owned()));
        assert_eq!(read_file(folder.path(), 100), Err("is not a file".to_owned()));
        assert_eq!(read_file(&folder.path().join("five"), 100), Err("no such file".to_owned()));
    }
}
