//! Reading a whole file into memory, but never more of it than its format may hold.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::FileError;

/// The bytes of the file at `path`, or an error when there are more than `max_bytes` of them.
pub(crate) fn read_file(path: &Path, max_bytes: u64) -> Result<Vec<u8>, FileError> {
    let unreadable = |cause: io::Error| FileError::Read { path: path.to_owned(), cause };
    let too_large = |found| FileError::TooLarge { path: path.to_owned(), found, allowed: max_bytes };

    // Looked at before it is opened: opening a pipe waits for a writer.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")));
    }
    let file = File::open(path).map_err(unreadable)?;
    let announced = file.metadata().map_err(unreadable)?.len();
    if announced > max_bytes {
        return Err(too_large(announced));
    }
    let mut bytes = Vec::with_capacity(announced as usize);
    // A file may grow while it is read: the limit holds for what comes.
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_exactly_the_limit_is_read_and_one_more_byte_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("four.bin");
        std::fs::write(&path, [1, 2, 3, 4]).unwrap();
        assert_eq!(read_file(&path, 4).unwrap(), [1, 2, 3, 4]);
        match read_file(&path, 3) {
            Err(FileError::TooLarge { found: 4, allowed: 3, .. }) => {}
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_missing_file_and_a_folder_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing.png");
        assert!(read_file(&missing, 10).unwrap_err().to_string().contains("missing.png"));
        assert!(read_file(folder.path(), u64::MAX).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_not_read() {
        let message = read_file(Path::new("/dev/zero"), 1000).unwrap_err().to_string();
        assert!(message.contains("not a file"), "{message}");
    }
}
