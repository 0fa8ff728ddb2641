//! Small pictures compared with those kept in `tests/golden`, tolerant of noise.
//!
//! Where a picture has changed on purpose, look at it and renew it:
//! `BARCHAN_RENEW_GOLDEN=1 cargo nextest run --workspace -E 'package(barchan-surface) & test(golden)'`

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use barchan_sim::{SeenParticles, World};
use barchan_surface::{Image, PictureOptions, View, render_particles};

use crate::worlds;

const SIZE: [usize; 2] = [160, 90];
/// Edge of the squares whose mean colours are compared (pixels).
const SQUARE: usize = 10;
/// Largest mean difference of all bytes: other machines round otherwise, which moves a sample here and there.
const MEAN: f64 = 1.0;
/// Largest difference of the mean colour of a square.
const WORST: f64 = 5.0;

#[test]
fn heaps() {
    compare("heaps", &worlds::heaps());
}

#[test]
fn tunnel() {
    compare("tunnel", &worlds::tunnel());
}

#[test]
fn bodies() {
    compare("bodies", &worlds::bodies());
}

#[test]
fn pond() {
    let (world, particles) = worlds::pond();
    compare_with("pond", &world, &particles);
}

fn compare(name: &str, world: &World) {
    compare_with(name, world, &world.particles());
}

fn compare_with(name: &str, world: &World, particles: &SeenParticles) {
    let options = PictureOptions { samples: 8, ..PictureOptions::fine(SIZE) };
    let image = render_particles(world, particles, &View::whole(world), &options);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("png");
    if std::env::var_os("BARCHAN_RENEW_GOLDEN").is_some() {
        write(&path, &image);
        return;
    }
    let golden = read(&path);
    assert_eq!((golden.width, golden.height), (image.width, image.height), "{name}");
    let (mean, worst) = (mean_difference(&golden, &image), worst_square(&golden, &image));
    if mean > MEAN || worst > WORST {
        let now = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("png");
        write(&now, &image);
        panic!("{name} differs: mean {mean:.2}, worst square {worst:.2}; it is now {}", now.display());
    }
}

fn mean_difference(a: &Image, b: &Image) -> f64 {
    let differences = a.rgb.iter().zip(&b.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)));
    differences.sum::<f64>() / a.rgb.len() as f64
}

/// The largest difference of mean colours over all squares.
fn worst_square(a: &Image, b: &Image) -> f64 {
    let squares = |image: &Image| {
        let (across, down) = (image.width / SQUARE, image.height / SQUARE);
        let mut means = vec![[0.0; 3]; across * down];
        for (at, pixel) in image.rgb.chunks_exact(3).enumerate() {
            let (x, y) = (at % image.width / SQUARE, at / image.width / SQUARE);
            for channel in 0..3 {
                means[y * across + x][channel] += f64::from(pixel[channel]) / (SQUARE * SQUARE) as f64;
            }
        }
        means
    };
    let pairs = squares(a).into_iter().flatten().zip(squares(b).into_iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn read(path: &Path) -> Image {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut rgb).expect("a picture");
    rgb.truncate(info.buffer_size());
    Image { width: info.width as usize, height: info.height as usize, rgb }
}

fn write(path: &Path, image: &Image) {
    let file = BufWriter::new(File::create(path).expect("a file"));
    let mut encoder = png::Encoder::new(file, image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&image.rgb)).expect("a PNG");
}
