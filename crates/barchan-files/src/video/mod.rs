//! Films, written frame by frame: `.mp4` through ffmpeg where it is installed, `.png` (animated) without any help.
//!
//! Only the frame that is being written is held in memory. A film takes its name when it is finished; one that is
//! dropped before leaves nothing behind.

mod animated_png;
mod ffmpeg;
mod writer;

pub use ffmpeg::ffmpeg_is_installed;
pub use writer::{VideoFormat, VideoWriter};
