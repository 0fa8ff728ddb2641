//! A film in the format that its name says.

use std::io;
use std::path::{Path, PathBuf};

use barchan_surface::Image;

use super::animated_png::AnimatedPng;
use super::ffmpeg::Ffmpeg;
use crate::error::{FileError, FormatError, file_ending};

const FORMAT: &str = "video";
/// Longest side of a film (pixels): what video players and H.264 go along with.
const MAX_SIDE: usize = 4096;
const MAX_FPS: u32 = 240;

/// What a film measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VideoFormat {
    /// Pixels in a row; even for `.mp4`.
    pub width: usize,
    /// Rows; even for `.mp4`.
    pub height: usize,
    /// Frames a second.
    pub fps: u32,
    /// How many frames there will be.
    pub frames: u32,
}

/// Writes a film.
pub struct VideoWriter {
    path: PathBuf,
    format: VideoFormat,
    written: u32,
    encoder: Encoder,
}

enum Encoder {
    Mp4(Ffmpeg),
    AnimatedPng(AnimatedPng),
}

impl VideoWriter {
    /// Begins the film `path`, an `.mp4` or a `.png`.
    pub fn create(path: &Path, format: VideoFormat) -> Result<Self, FileError> {
        let ending = file_ending(path);
        let evenness = if ending == "mp4" { 2 } else { 1 };
        check(format, evenness).map_err(FileError::in_file(path))?;
        let encoder = match ending.as_str() {
            "mp4" => Ffmpeg::start(path, format).map(Encoder::Mp4),
            "png" => AnimatedPng::start(path, format).map(Encoder::AnimatedPng),
            _ => return Err(FileError::ending(path, "mp4, png")),
        };
        let encoder = encoder.map_err(unwritable(path))?;
        Ok(Self { path: path.to_owned(), format, written: 0, encoder })
    }

    /// Adds `image`, which measures what the film does.
    pub fn add(&mut self, image: &Image) -> Result<(), FileError> {
        let VideoFormat { width, height, frames, .. } = self.format;
        if (image.width, image.height, image.rgb.len()) != (width, height, 3 * width * height) {
            let (expected, found) = (
                format!("frames of {width} x {height} pixels"),
                format!("{} x {}", image.width, image.height),
            );
            return Err(self.wrong(FormatError::Unsupported { format: FORMAT, expected, found }));
        }
        if self.written == frames {
            return Err(self.wrong_count(u64::from(frames) + 1));
        }
        self.written += 1;
        match &mut self.encoder {
            Encoder::Mp4(ffmpeg) => ffmpeg.add(&image.rgb),
            Encoder::AnimatedPng(png) => png.add(&image.rgb),
        }
        .map_err(unwritable(&self.path))
    }

    /// Closes the film, which has all its frames, and gives it its name.
    pub fn finish(self) -> Result<(), FileError> {
        if self.written != self.format.frames {
            return Err(self.wrong_count(self.written.into()));
        }
        match self.encoder {
            Encoder::Mp4(ffmpeg) => ffmpeg.finish(),
            Encoder::AnimatedPng(png) => png.finish(),
        }
        .map_err(unwritable(&self.path))
    }

    fn wrong_count(&self, found: u64) -> FileError {
        let expected = self.format.frames.into();
        self.wrong(FormatError::Count { format: FORMAT, what: "frames", expected, found })
    }

    fn wrong(&self, cause: FormatError) -> FileError {
        FileError::in_file(&self.path)(cause)
    }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> FileError + '_ {
    move |cause| FileError::Write { path: path.to_owned(), cause }
}

fn check(format: VideoFormat, evenness: usize) -> Result<(), FormatError> {
    let wrong = |what, allowed: String, found: usize| {
        Err(FormatError::OutOfRange { format: FORMAT, what, allowed, found: found.to_string() })
    };
    for (what, side) in [("the width", format.width), ("the height", format.height)] {
        if !(2..=MAX_SIDE).contains(&side) || !side.is_multiple_of(evenness) {
            let even = if evenness == 2 { "an even number, " } else { "" };
            return wrong(what, format!("{even}2 to {MAX_SIDE} pixels"), side);
        }
    }
    if !(1..=MAX_FPS).contains(&format.fps) {
        return wrong("the number of frames a second", format!("1 to {MAX_FPS}"), format.fps as usize);
    }
    if format.frames == 0 {
        return wrong("the number of frames", "1 or more".into(), 0);
    }
    Ok(())
}
