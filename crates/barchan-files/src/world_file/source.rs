//! Where the bytes of a file come from: memory, or the disk a chunk at a time.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::chunk::{Chunk, FRAME_BYTES, Frame, corrupt};
use crate::error::{FileError, FormatError};

/// The bytes of a file.
pub(super) enum Source<'a> {
    /// All of them.
    Bytes(&'a [u8]),
    /// On the disk, so many of them.
    File(Mutex<File>, u64),
}

impl Source<'_> {
    /// The file at `path`.
    pub fn open(path: &Path) -> Result<Source<'static>, FileError> {
        let unreadable = |cause| FileError::Read { path: path.to_owned(), cause };
        // Looked at before it is opened: opening a pipe waits for a writer.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(unreadable(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "it is not a file",
            )));
        }
        let file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        Ok(Source::File(Mutex::new(file), length))
    }

    /// How many bytes there are.
    pub fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(_, length) => *length,
        }
    }

    /// `length` bytes from `at` on.
    pub fn read(&self, at: u64, length: usize) -> Result<Vec<u8>, FormatError> {
        // Asked first: a file that lies about a length must not make us set aside as much.
        if at.checked_add(length as u64).is_none_or(|end| end > self.length()) {
            return Err(corrupt("the file ends in the middle"));
        }
        match self {
            Self::Bytes(bytes) => Ok(bytes[at as usize..at as usize + length].to_vec()),
            Self::File(file, _) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let mut bytes = vec![0; length];
                let mut read = || {
                    file.seek(SeekFrom::Start(at))?;
                    file.read_exact(&mut bytes)
                };
                read().map_err(|error| corrupt(format!("it cannot be read at byte {at}: {error}")))?;
                Ok(bytes)
            }
        }
    }

    /// What stands before the chunk at `at`.
    pub fn frame(&self, at: u64) -> Result<Frame, FormatError> {
        let bytes = self.read(at, FRAME_BYTES)?;
        let frame = bytes.first_chunk().ok_or_else(|| corrupt("the file ends in the middle"))?;
        Ok(Frame::read(frame))
    }

    /// The chunk at `at` and its checksum.
    pub fn chunk(&self, at: u64) -> Result<(Chunk<'static>, u64), FormatError> {
        let Frame { tag, version, lengths, checksum } = self.frame(at)?;
        let bytes = self.read(at + FRAME_BYTES as u64, lengths.1)?;
        Ok((Chunk::stored(tag, version, lengths, &mut &bytes[..])?.into_owned(), checksum))
    }
}
