//! Ten thousand and more broken heightmaps per parser: every one gives a map or an error, none a panic, and none
//! gets more memory than its few bytes can stand for.

use std::io::Cursor;

use barchan_files::FormatError;
use barchan_files::heightmap::{HeightScale, Heightmap, RawLayout, RawSample};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype};

use crate::heightmap::{interlaced_png, written};
use crate::largest_allocation::largest_allocation;
use crate::mutate::{Rng, mutate, repair_png_checksums};
use crate::tiff_builder::{Field, TiffBuilder};

const RUNS: usize = 12_000;
/// Largest single allocation that a broken file of a few kilobytes may cause (bytes). The best compression there is
/// makes 16 MiB of samples out of 4 KiB, and those may double as 32-bit heights.
const MAX_ALLOCATION: usize = 64 << 20;

fn ridge(width: usize, height: usize) -> Heightmap {
    let sample = |i: usize| if i % 17 == 3 { f32::NAN } else { 3.0 * (i as f32 * 0.37).sin() };
    Heightmap {
        width,
        height,
        cell_size_m: Some(0.5),
        origin_m: Some([100.0, 200.0]),
        scale: HeightScale::Metres,
        samples: (0..width * height).map(sample).collect(),
        warnings: Vec::new(),
    }
}

/// Feeds damaged copies of `seeds` to `parse`. Some must fail and some must pass, or the test would prove nothing.
fn survive(
    seed: u64,
    seeds: &[Vec<u8>],
    damage: impl Fn(&mut Rng, &[u8]) -> Vec<u8>,
    parse: impl Fn(&[u8]) -> Result<Heightmap, FormatError>,
) {
    for good in seeds {
        assert!(parse(good).is_ok(), "{:?}", parse(good));
    }
    let mut rng = Rng::new(seed);
    let mut passed = 0;
    for run in 0..RUNS {
        let broken = damage(&mut rng, &seeds[run % seeds.len()]);
        let (result, largest) = largest_allocation(|| parse(&broken));
        assert!(largest <= MAX_ALLOCATION, "run {run} allocated {largest} bytes at once: {result:?}");
        if let Ok(map) = result {
            passed += 1;
            assert_eq!(map.check(), Ok(()), "run {run} gave a map that contradicts itself");
        }
    }
    assert!((1..RUNS).contains(&passed), "{passed} of {RUNS} broken files were read");
}

#[test]
fn broken_png() {
    let seeds = [written(&ridge(19, 11), "png"), written(&ridge(1, 1), "png"), interlaced_png(13, 9)];
    let damage = |rng: &mut Rng, good: &[u8]| {
        let mut broken = mutate(rng, good);
        // With true checksums the damage gets past the first check and into the decoder.
        if rng.below(4) != 0 {
            repair_png_checksums(&mut broken);
        }
        broken
    };
    survive(1, &seeds, damage, Heightmap::read_png);
}

#[test]
fn broken_tiff() {
    let mut seeds = vec![written(&ridge(9, 7), "tif")];
    let heights: Vec<u16> = (0..40 * 30).map(|i: u16| i.wrapping_mul(13) / 7).collect();
    for compression in [Compression::Lzw, Compression::Deflate(DeflateLevel::Fast), Compression::Packbits] {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new_big(&mut file).unwrap().with_compression(compression);
        encoder.write_image::<colortype::Gray16>(40, 30, &heights).unwrap();
        seeds.push(file.into_inner());
        let mut file = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap().with_compression(compression);
        encoder.write_image::<colortype::Gray16>(40, 30, &heights).unwrap();
        seeds.push(file.into_inner());
    }
    for predictor in [1, 2, 3] {
        let tiles = TiffBuilder::new(20, 20, 32, 3)
            .big_endian(predictor == 2)
            .tiles(16, 16, vec![vec![0; 1024]; 4])
            .field(284, Field::Short(vec![1]))
            .field(317, Field::Short(vec![predictor]))
            .field(33550, Field::Double(vec![30.0, 30.0, 0.0]))
            .field(33922, Field::Double(vec![0.0, 0.0, 0.0, 1.0, 2.0, 0.0]))
            .field(34735, Field::Short(vec![1, 1, 0, 1, 1024, 0, 1, 1]))
            .field(42113, Field::Ascii("-32768"));
        seeds.push(tiles.build());
    }
    survive(2, &seeds, mutate, Heightmap::read_tiff);
}

#[test]
fn broken_esri_ascii() {
    let seeds = [
        written(&ridge(5, 4), "asc"),
        b"NROWS 2\r\nNCOLS 3\r\nXLLCENTER 1 YLLCENTER 2 DX 1 DY 1\r\nNODATA_VALUE nan\r\n1 2 3\r\n4 5 nan"
            .to_vec(),
    ];
    survive(3, &seeds, mutate, Heightmap::read_esri_ascii);
}

#[test]
fn broken_raw() {
    let kinds = [
        (RawSample::U16LittleEndian, "raw"),
        (RawSample::U16BigEndian, "raw"),
        (RawSample::F32LittleEndian, "r32"),
    ];
    for (seed, (sample, ending)) in (4..).zip(kinds) {
        let seeds = [written(&ridge(8, 8), ending), written(&ridge(1, 1), ending)];
        survive(seed, &seeds, mutate, |bytes| Heightmap::read_raw(bytes, RawLayout { sample, size: None }));
    }
}
