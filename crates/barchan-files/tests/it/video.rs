//! Films: what ffprobe and our own decoder find in them, and what is refused.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use barchan_files::video::{VideoFormat, VideoWriter, ffmpeg_is_installed};
use barchan_surface::Image;
use serde_json::Value;

use crate::tools::{left_out, output_of};

const FORMAT: VideoFormat = VideoFormat { width: 64, height: 48, fps: 25, frames: 10 };

/// Grey with a red square of 16 pixels that wanders to the right.
fn frame(number: usize) -> Image {
    let mut rgb = vec![120; 3 * 64 * 48];
    for row in 8..24 {
        for column in 4 * number..4 * number + 16 {
            rgb[3 * (64 * row + column)..][..3].copy_from_slice(&[200, 30, 30]);
        }
    }
    Image { width: 64, height: 48, rgb }
}

fn write(path: &Path) {
    let mut film = VideoWriter::create(path, FORMAT).unwrap();
    (0..10).for_each(|number| film.add(&frame(number)).unwrap());
    film.finish().unwrap();
}

/// The one stream of a film, frames counted, as ffprobe sees it.
fn probe(path: &Path) -> Option<Value> {
    let mut command = Command::new("ffprobe");
    command.args(["-v", "error", "-count_frames", "-show_streams", "-of", "json"]).arg(path);
    let report: Value = serde_json::from_str(&output_of("ffmpeg", &mut command)?).unwrap();
    assert_eq!(report["streams"].as_array().map(Vec::len), Some(1), "{report:#}");
    Some(report["streams"][0].clone())
}

#[test]
fn ffprobe_finds_size_rate_and_frames_of_an_mp4() {
    if !ffmpeg_is_installed() {
        return left_out("ffmpeg", "ffmpeg").unwrap_or_default();
    }
    let folder = tempfile::tempdir().unwrap();
    // ffmpeg would take such a name for a protocol.
    let path = folder.path().join("-http:film %d.mp4");
    write(&path);
    let Some(stream) = probe(&path) else { return };
    for (key, expected) in [("codec_name", "h264"), ("pix_fmt", "yuv420p"), ("r_frame_rate", "25/1")] {
        assert_eq!(stream[key], expected, "{stream:#}");
    }
    assert_eq!((&stream["width"], &stream["height"]), (&64.into(), &48.into()), "{stream:#}");
    assert_eq!((&stream["nb_read_frames"], &stream["color_space"]), (&"10".into(), &"bt709".into()));

    // The colour of the square survives within what the compression leaves.
    let raw = folder.path().join("raw");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-i"]).arg(format!("file:{}", path.display()));
    command.args(["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24"]).arg(&raw);
    let Some(_) = output_of("ffmpeg", &mut command) else { return };
    let decoded = fs::read(raw).unwrap();
    let pixel = &decoded[3 * (64 * 16 + 8)..][..3];
    for (found, expected) in pixel.iter().zip([200, 30, 30]) {
        assert!(found.abs_diff(expected) < 16, "{pixel:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left behind");
}

#[test]
fn an_animated_png_plays_in_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.png");
    write(&path);
    let Some(stream) = probe(&path) else { return };
    assert_eq!(
        (&stream["codec_name"], &stream["nb_read_frames"]),
        (&"apng".into(), &"10".into()),
        "{stream:#}"
    );
    assert_eq!((&stream["width"], &stream["height"]), (&64.into(), &48.into()), "{stream:#}");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-i"]).arg(&path).args(["-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]);
    let output = command.output().unwrap();
    let expected: Vec<u8> = (0..10).flat_map(|number| frame(number).rgb).collect();
    assert!(output.stdout == expected, "every frame is there to the last bit");
}

#[test]
fn an_animated_png_holds_ten_frames_and_shows_the_first_where_nothing_moves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.png");
    write(&path);
    let mut reader = png::Decoder::new(Cursor::new(fs::read(&path).unwrap())).read_info().unwrap();
    assert_eq!(reader.info().animation_control.map(|control| control.num_frames), Some(10));
    let mut pixels = vec![0; 3 * 64 * 48];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, frame(0).rgb);
    for _ in 1..10 {
        reader.next_frame(&mut pixels).unwrap();
        let control = reader.info().frame_control.unwrap();
        // Only what the square covers before and after: 20 of 64 columns, 16 of 48 rows.
        assert_eq!((control.width, control.height, control.delay_num, control.delay_den), (20, 16, 1, 25));
    }
}

#[test]
fn what_is_no_film_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str, format: VideoFormat| {
        VideoWriter::create(&folder.path().join(name), format).map(drop).unwrap_err().to_string()
    };
    assert!(create("film.avi", FORMAT).ends_with("expected a file ending among mp4, png, found `avi`"));
    let odd = create("film.mp4", VideoFormat { width: 63, ..FORMAT });
    assert!(odd.ends_with("video: the width must be an even number, 2 to 4096 pixels, found 63"), "{odd}");
    let none = create("film.png", VideoFormat { frames: 0, ..FORMAT });
    assert!(none.ends_with("video: the number of frames must be 1 or more, found 0"), "{none}");
    assert!(create("film.png", VideoFormat { fps: 0, ..FORMAT }).contains("must be 1 to 240, found 0"));
    assert!(create("no/folder/film.png", FORMAT).starts_with("cannot write "));

    let mut film = VideoWriter::create(&folder.path().join("film.png"), FORMAT).unwrap();
    let other = film.add(&Image { width: 2, height: 2, rgb: vec![0; 12] }).unwrap_err().to_string();
    assert!(other.ends_with("expected frames of 64 x 48 pixels, found 2 x 2"), "{other}");
    let short = film.finish().unwrap_err().to_string();
    assert!(short.ends_with("video: expected 10 frames, found 0"), "{short}");
    let mut film = VideoWriter::create(&folder.path().join("film.png"), FORMAT).unwrap();
    (0..10).for_each(|number| film.add(&frame(number)).unwrap());
    assert!(film.add(&frame(0)).unwrap_err().to_string().ends_with("video: expected 10 frames, found 11"));
    drop(film);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}
