//! Writing a file so that its name always stands for a whole file: the old one or the new one, never a part.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::FileError;

/// Writes `path` through `write`: into a temporary file beside it, flushed to the disk, then renamed over it.
///
/// When anything fails on the way, the old file stays as it was and the temporary one is removed. A symbolic link
/// is followed, so that the file it points to is replaced and not the link.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), FileError> {
    replace(path, write).map_err(|cause| FileError::Write { path: path.to_owned(), cause })
}

fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let (temporary, file) = NewFile::create(path)?;
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.take_its_name()
}

/// A file that is written bit by bit, beside the one that it is to replace; it takes its name when it is whole, and
/// disappears when dropped before.
pub(crate) struct NewFile {
    temporary: Temporary,
    target: PathBuf,
    permissions: Option<Permissions>,
}

impl NewFile {
    /// Begins a file that is to be `path`.
    pub fn create(path: &Path) -> io::Result<(Self, File)> {
        // The target of a link, or the path itself when there is nothing yet.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            // Renaming over a device would replace the device.
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the name belongs to something that is not a file",
            ));
        }
        let (temporary, file) = Temporary::beside(&target)?;
        Ok((Self { temporary, target, permissions: old.map(|old| old.permissions()) }, file))
    }

    /// Where it is until it is whole.
    pub fn path(&self) -> &Path {
        &self.temporary.path
    }

    /// Flushes what was written to the disk and renames it. Whoever wrote has flushed and closed it.
    pub fn take_its_name(self) -> io::Result<()> {
        let file = OpenOptions::new().append(true).open(self.path())?;
        if let Some(permissions) = self.permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        drop(file);
        self.temporary.rename_to(&self.target)?;
        sync_directory_of(&self.target)
    }
}

/// A file that disappears when dropped, unless it was renamed before.
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn beside(target: &Path) -> io::Result<(Self, File)> {
        // Process and counter make the name unique among running writers; `create_new` guards against leftovers.
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name")
        })?;
        loop {
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let mut temporary_name = OsString::from(".");
            temporary_name.push(name);
            temporary_name.push(format!(".{}-{count}.tmp", std::process::id()));
            let path = target.with_file_name(temporary_name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Self { path, renamed: false }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing more can be done about a temporary file that cannot be removed; the first error is reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Makes the rename itself survive a power cut.
#[cfg(unix)]
fn sync_directory_of(target: &Path) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Other systems do not open folders as files; there the rename is as durable as the system makes it.
#[cfg(not(unix))]
fn sync_directory_of(_target: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_appears_and_an_old_one_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        write_atomically(&path, |file| file.write_all(b"first")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        write_atomically(&path, |file| file.write_all(b"2")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn a_write_that_fails_part_way_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        fs::write(&path, b"old").unwrap();
        let result = write_atomically(&path, |file| {
            // More than the buffer holds, so that bytes have reached the disk before the failure.
            file.write_all(&vec![7; 1 << 20])?;
            Err(io::Error::other("the disk is full"))
        });
        let message = result.unwrap_err().to_string();
        assert!(message.contains("out.txt") && message.contains("the disk is full"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn a_panic_part_way_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        fs::write(&path, b"old").unwrap();
        let outcome = std::panic::catch_unwind(|| write_atomically(&path, |_| panic!("on purpose")));
        assert!(outcome.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn folders_and_missing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomically(folder.path(), |_| Ok(())).is_err());
        assert!(write_atomically(&folder.path().join("missing/out.txt"), |_| Ok(())).is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("out.txt"), folder.path().join("link.txt"));
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_atomically(&link, |file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
