//! Animated PNG: the first frame whole, of each further one only the rectangle that changed.

use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::Range;
use std::path::Path;

use png::{BitDepth, ColorType, Compression, Encoder, Writer};

use super::writer::VideoFormat;
use crate::atomic_write::NewFile;

pub(super) struct AnimatedPng {
    file: NewFile,
    writer: Writer<BufWriter<File>>,
    /// The frame before (RGB), empty before the first.
    before: Vec<u8>,
    width: usize,
}

impl AnimatedPng {
    pub fn start(path: &Path, format: VideoFormat) -> io::Result<Self> {
        let (file, handle) = NewFile::create(path)?;
        let mut encoder = Encoder::new(BufWriter::new(handle), format.width as u32, format.height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_animated(format.frames, 0).map_err(io::Error::other)?;
        encoder.set_frame_delay(1, format.fps as u16).map_err(io::Error::other)?;
        encoder.validate_sequence(true);
        let writer = encoder.write_header().map_err(io::Error::other)?;
        Ok(Self { file, writer, before: Vec::new(), width: format.width })
    }

    pub fn add(&mut self, rgb: &[u8]) -> io::Result<()> {
        let done = if self.before.is_empty() {
            self.before = rgb.to_vec();
            self.writer.write_image_data(rgb)
        } else {
            let (columns, rows) = changed(&self.before, rgb, self.width);
            self.before.copy_from_slice(rgb);
            self.write_part(columns, rows)
        };
        done.map_err(io::Error::other)
    }

    pub fn finish(self) -> io::Result<()> {
        self.writer.finish().map_err(io::Error::other)?;
        self.file.take_its_name()
    }

    fn write_part(&mut self, columns: Range<usize>, rows: Range<usize>) -> Result<(), png::EncodingError> {
        // First to the corner: a rectangle may nowhere reach outside, not even between two calls.
        self.writer.set_frame_position(0, 0)?;
        self.writer.set_frame_dimension(columns.len() as u32, rows.len() as u32)?;
        self.writer.set_frame_position(columns.start as u32, rows.start as u32)?;
        let lines = self.before.chunks_exact(3 * self.width).skip(rows.start).take(rows.len());
        let part: Vec<u8> =
            lines.flat_map(|line| &line[3 * columns.start..3 * columns.end]).copied().collect();
        self.writer.write_image_data(&part)
    }
}

/// The columns and rows that hold every pixel in which two frames differ; a single pixel where they do not.
fn changed(before: &[u8], after: &[u8], width: usize) -> (Range<usize>, Range<usize>) {
    let mut found: Option<(Range<usize>, Range<usize>)> = None;
    let lines = before.chunks_exact(3 * width).zip(after.chunks_exact(3 * width)).enumerate();
    for (row, (old, new)) in lines.filter(|(_, (old, new))| old != new) {
        let differ = |(old, new): (&u8, &u8)| old != new;
        let first = old.iter().zip(new).position(differ).unwrap_or(0) / 3;
        let last = old.iter().zip(new).rposition(differ).unwrap_or(0) / 3;
        let (columns, rows) = found.unwrap_or((first..last + 1, row..row + 1));
        found = Some((columns.start.min(first)..columns.end.max(last + 1), rows.start..row + 1));
    }
    found.unwrap_or((0..1, 0..1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_holds_all_that_changed_and_no_more() {
        let before = vec![0; 3 * 5 * 4];
        assert_eq!(changed(&before, &before, 5), (0..1, 0..1));
        let mut after = before.clone();
        after[3 * (5 + 3) + 2] = 9;
        assert_eq!(changed(&before, &after, 5), (3..4, 1..2));
        after[3 * (3 * 5 + 1)] = 9;
        assert_eq!(changed(&before, &after, 5), (1..4, 1..4));
        assert_eq!(changed(&before, &[1; 60], 5), (0..5, 0..4));
    }
}
