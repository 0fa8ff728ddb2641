//! Heightmaps as files: what is written comes back, what is broken is named.

use barchan_files::heightmap::{HeightScale, Heightmap, RawLayout, RawSample};
use barchan_files::{FileError, FormatError};

use crate::largest_allocation::largest_allocation;
use crate::mutate::repair_png_checksums;
use crate::tiff_builder::{Field, TiffBuilder};

/// A map that is not square, has gaps, a cell size and a place.
pub fn hills() -> Heightmap {
    let (width, height) = (37, 23);
    let sample = |i: usize| {
        let (x, y) = ((i % width) as f32, (i / width) as f32);
        if i.is_multiple_of(29) { f32::NAN } else { 120.0 + 35.7 * (x * 0.3).sin() - 80.1 * (y * 0.2).cos() }
    };
    Heightmap {
        width,
        height,
        cell_size_m: Some(2.5),
        origin_m: Some([431_000.25, 5_412_000.5]),
        scale: HeightScale::Metres,
        samples: (0..width * height).map(sample).collect(),
        warnings: Vec::new(),
    }
}

fn without_gaps(mut map: Heightmap) -> Heightmap {
    for height in &mut map.samples {
        if height.is_nan() {
            *height = 100.0;
        }
    }
    map
}

/// Writes `map` under a name with `ending` and reads it again.
fn through_a_file(map: &Heightmap, ending: &str) -> Heightmap {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("map.{ending}"));
    map.write(&path).unwrap();
    Heightmap::read(&path).unwrap()
}

/// The bytes of `map` as a file with `ending`.
pub fn written(map: &Heightmap, ending: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("map.{ending}"));
    map.write(&path).unwrap();
    std::fs::read(&path).unwrap()
}

/// Asserts that two maps agree: samples within `tolerance`, gaps exactly, all else exactly.
#[track_caller]
fn assert_same(found: &Heightmap, expected: &Heightmap, tolerance: f32) {
    let frame = |map: &Heightmap| (map.width, map.height, map.cell_size_m, map.origin_m, map.scale);
    assert_eq!(frame(found), frame(expected));
    assert_eq!(found.samples.len(), expected.samples.len());
    for (index, (found, expected)) in found.samples.iter().zip(&expected.samples).enumerate() {
        let same = found.is_nan() && expected.is_nan() || (found - expected).abs() <= tolerance;
        assert!(same, "sample {index}: {found} instead of {expected}");
    }
}

#[test]
fn tiff_and_esri_ascii_return_every_bit() {
    for ending in ["tif", "tiff", "TIF", "asc"] {
        assert_same(&through_a_file(&hills(), ending), &hills(), 0.0);
    }
}

#[test]
fn png_returns_metres_within_a_65535th_of_the_range() {
    let (low, high) = hills().range().unwrap();
    for map in [hills(), without_gaps(hills())] {
        assert_same(&through_a_file(&map, "png"), &map, (high - low) / 65_535.0);
    }
    let flat = Heightmap { samples: vec![-3.25; 37 * 23], ..hills() };
    assert_same(&through_a_file(&flat, "png"), &flat, 0.0);
    let empty = Heightmap { samples: vec![f32::NAN; 37 * 23], ..hills() };
    assert_same(&through_a_file(&empty, "png"), &empty, 0.0);
}

#[test]
fn fractions_return_as_fractions() {
    let sixteen_bit = |i: usize| (i * 100) as f32 / 65_535.0;
    let map = Heightmap {
        width: 20,
        height: 20,
        cell_size_m: None,
        origin_m: None,
        scale: HeightScale::Unit,
        samples: (0..400).map(sixteen_bit).collect(),
        warnings: Vec::new(),
    };
    for ending in ["png", "tif", "raw", "r16"] {
        assert_same(&through_a_file(&map, ending), &map, 0.0);
    }
    let placed = Heightmap { cell_size_m: Some(4.0), origin_m: Some([1.0, 2.0]), ..map };
    assert_same(&through_a_file(&placed, "png"), &placed, 0.0);
    assert_same(&through_a_file(&placed, "tif"), &placed, 0.0);
}

#[test]
fn a_map_without_place_keeps_what_the_format_can_say() {
    let nowhere = Heightmap { cell_size_m: None, origin_m: None, ..hills() };
    assert_same(&through_a_file(&nowhere, "tif"), &nowhere, 0.0);
    let asc = through_a_file(&nowhere, "asc");
    assert_eq!((asc.cell_size_m, asc.origin_m), (Some(1.0), Some([0.0, 0.0])));
    let unplaced = Heightmap { origin_m: None, ..hills() };
    assert_eq!(through_a_file(&unplaced, "tif").origin_m, Some([0.0, 0.0]));
}

/// A PNG whose samples count 0, 1, 2, … row by row, stored in the seven passes of Adam7.
pub fn interlaced_png(width: u32, height: u32) -> Vec<u8> {
    // First column, first row, step along the row, step between rows.
    const PASSES: [[u32; 4]; 7] =
        [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
    let mut passes = Vec::new();
    for [x0, y0, dx, dy] in PASSES {
        for y in (y0..height).step_by(dy as usize).filter(|_| x0 < width) {
            passes.push(0); // no filter
            let row = (x0..width).step_by(dx as usize).map(|x| (y * width + x) as u16);
            passes.extend(row.flat_map(u16::to_be_bytes));
        }
    }
    let (low, high) = passes.iter().fold((1, 0), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    let length = passes.len() as u16;
    let stored_block =
        [&[0x78, 0x01, 0x01], &length.to_le_bytes()[..], &(!length).to_le_bytes(), &passes].concat();
    let image = [&stored_block[..], &(high << 16 | low).to_be_bytes()].concat();

    let mut file = b"\x89PNG\r\n\x1A\n".to_vec();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[16, 0, 0, 0, 1]].concat();
    for (name, content) in [(b"IHDR", header), (b"IDAT", image), (b"IEND", Vec::new())] {
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(name);
        file.extend(content);
        file.extend([0; 4]);
    }
    repair_png_checksums(&mut file);
    file
}

#[test]
fn interlaced_png_reads_too() {
    let map = Heightmap::read_png(&interlaced_png(13, 9)).unwrap();
    for (x, y) in (0..9).flat_map(|y| (0..13).map(move |x| (x, y))) {
        assert_eq!(map.get(x, 8 - y), Some(((y * 13 + x) as f64 / 65_535.0) as f32), "at {x}, {y}");
    }
}

#[test]
fn raw_samples_are_spread_over_the_range() {
    let map = without_gaps(hills());
    let bytes = written(&map, "raw");
    let layout = RawLayout { size: Some([37, 23]), ..RawLayout::default() };
    let (low, high) = map.range().unwrap();
    let read = Heightmap::read_raw(&bytes, layout).unwrap().into_metres(low, high);
    let expected = Heightmap { cell_size_m: None, origin_m: None, ..map };
    assert_same(&read, &expected, (high - low) / 65_535.0);

    let layout = RawLayout { sample: RawSample::F32LittleEndian, size: Some([37, 23]) };
    let read = Heightmap::read_raw(&written(&hills(), "r32"), layout).unwrap();
    assert_same(&read, &Heightmap { cell_size_m: None, origin_m: None, ..hills() }, 0.0);
}

#[test]
fn raw_rows_run_from_the_north_in_either_byte_order() {
    let little = Heightmap::read_raw(&[0, 0, 1, 0, 0, 1, 0xFF, 0xFF], RawLayout::default()).unwrap();
    assert_eq!((little.width, little.height), (2, 2));
    assert_eq!(little.samples, [256.0 / 65_535.0, 1.0, 0.0, 1.0 / 65_535.0]);
    let layout = RawLayout { sample: RawSample::U16BigEndian, size: None };
    let big = Heightmap::read_raw(&[0, 0, 0, 1, 1, 0, 0xFF, 0xFF], layout).unwrap();
    assert_eq!(big, little);
}

#[test]
fn raw_files_of_the_wrong_length_are_named() {
    let error = |bytes: &[u8], layout| Heightmap::read_raw(bytes, layout).unwrap_err().to_string();
    assert_eq!(
        error(&[0; 10], RawLayout::default()),
        "raw heightmap: expected a square map of 2-byte samples, or a size beside the file, found 10 bytes"
    );
    let layout = RawLayout { size: Some([3, 2]), ..RawLayout::default() };
    assert_eq!(error(&[0; 10], layout), "raw heightmap: expected 12 bytes, found 10");
    let layout = RawLayout { size: Some([usize::MAX, 2]), ..RawLayout::default() };
    assert!(error(&[0; 10], layout).contains("width must be 1..=65536 samples"));
    assert!(error(&[], RawLayout::default()).contains("found 0"));
    let infinite = RawLayout { sample: RawSample::F32LittleEndian, size: None };
    assert_eq!(
        error(&f32::INFINITY.to_le_bytes(), infinite),
        "raw heightmap: a height must be finite, found inf"
    );
}

#[test]
fn png_of_any_other_kind_is_refused_by_name() {
    use png::{BitDepth, ColorType};
    let kinds = [
        (ColorType::Grayscale, BitDepth::Eight, 1, "8-bit greyscale"),
        (ColorType::Grayscale, BitDepth::One, 1, "1-bit greyscale"),
        (ColorType::Rgb, BitDepth::Sixteen, 6, "16-bit RGB"),
        (ColorType::Rgba, BitDepth::Eight, 4, "8-bit RGB with alpha"),
        (ColorType::Indexed, BitDepth::Eight, 1, "8-bit palette"),
        (ColorType::GrayscaleAlpha, BitDepth::Sixteen, 4, "16-bit greyscale with alpha"),
    ];
    for (color, depth, bytes, name) in kinds {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 1, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.set_palette(vec![0; 3]);
        encoder.write_header().unwrap().write_image_data(&vec![0; bytes]).unwrap();
        let error = Heightmap::read_png(&file).unwrap_err();
        assert_eq!(error.to_string(), format!("PNG: expected 16-bit greyscale, found {name}"));
    }
}

#[test]
fn png_from_elsewhere_gives_fractions_and_its_transparent_sample_is_no_data() {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 1, 3);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_trns(vec![0x12, 0x34]);
    encoder.write_header().unwrap().write_image_data(&[0xFF, 0xFF, 0x12, 0x34, 0, 0]).unwrap();
    let map = Heightmap::read_png(&file).unwrap();
    assert_eq!((map.scale, map.cell_size_m), (HeightScale::Unit, None));
    assert_eq!((map.samples[0], map.samples[2]), (0.0, 1.0));
    assert!(map.samples[1].is_nan());
}

#[test]
fn esri_ascii_reads_in_any_order_case_and_layout() {
    let plain = b"ncols 2\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 5\n1 2\n3 -9999\n";
    let expected = Heightmap::read_esri_ascii(plain).unwrap();
    assert_eq!((expected.cell_size_m, expected.origin_m), (Some(5.0), Some([10.0, 20.0])));
    assert_eq!((expected.samples[0], expected.samples[2], expected.samples[3]), (3.0, 1.0, 2.0));
    assert!(expected.samples[1].is_nan(), "-9999 is no data unless the header says otherwise");

    let layouts: [&[u8]; 4] = [
        b"NODATA_value 7 CELLSIZE 5 YLLCENTER 22.5 XllCenter 12.5 nRows 2 NCOLS 2 1 2 3 7",
        b"nrows\t2\r\nncols\r\n2\r\n\r\ndx 5\r\ndy 5.0\r\nxllcorner 1e1\r\nyllcorner 20\r\n 1\r\n2 3\r\nnan",
        b"ncols 2.0 nrows 2 xllcorner 10 yllcorner 20 cellsize 5 NODATA_value nan +1 2. 3.0 NaN",
        b"\n\n  ncols 2 nrows 2 xllcenter 12.5 yllcorner 20 cellsize 5\n\n\n1e0\x0C2 3 -9999.0",
    ];
    for layout in layouts {
        let map = Heightmap::read_esri_ascii(layout).unwrap();
        assert_same(&map, &expected, 0.0);
    }
}

#[test]
fn esri_ascii_errors_say_the_line() {
    let header = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
    let with = |heights: &str| format!("{header}{heights}");
    let cases = [
        (with("1 2\n3 x4\n"), "ESRI ASCII grid, line 7: expected a height, found `x4`"),
        (with("1,5 2\n3 4"), "line 6: expected a number, ncols, nrows, xllcorner"),
        (
            with("1 2\n3 4\n\n5"),
            "ESRI ASCII grid, line 9: expected the end of the file after 4 heights, found `5`",
        ),
        (with("1 2\n3"), "ESRI ASCII grid: expected 4 heights, found 3"),
        (with(""), "ESRI ASCII grid: expected 4 heights, found 0"),
        (
            with("1 2\n3 inf"),
            "ESRI ASCII grid, line 7: expected a height that a 32-bit number can hold, found `inf`",
        ),
        (with("1 2\n3 1e39"), "found `1e39`"),
        ("ncols two".into(), "ESRI ASCII grid, line 1: expected a number after ncols, found `two`"),
        (
            "ncols 2\nnrows".into(),
            "ESRI ASCII grid, line 2: expected a number after nrows, found the end of the file",
        ),
        ("ncols 2\nncols 2".into(), "ESRI ASCII grid, line 2: expected ncols only once, found `ncols`"),
        ("ncols 2 cellsize 1 5".into(), "ESRI ASCII grid: the header does not say nrows"),
        ("ncols 1 nrows 1 5".into(), "ESRI ASCII grid: the header does not say cellsize"),
        ("ncols 1 nrows 1 dx 1 5".into(), "ESRI ASCII grid: expected either cellsize or both dx and dy"),
        (
            "ncols 1 nrows 1 dx 1 dy 3 5".into(),
            "ESRI ASCII grid: expected square cells, found cells of 1 x 3",
        ),
        (
            "ncols 1 nrows 1 cellsize 0 5".into(),
            "ESRI ASCII grid: the cell size must be a positive number, found 0",
        ),
        ("ncols 1.5 nrows 1 cellsize 1 5".into(), "ESRI ASCII grid: ncols must be a whole number, found 1.5"),
        (
            "ncols 65537 nrows 1 cellsize 1".into(),
            "ESRI ASCII grid: width must be 1..=65536 samples, found 65537",
        ),
        ("ncols inf".into(), "ESRI ASCII grid, line 1: expected a finite number after ncols, found `inf`"),
        ("\u{7f}ELF".into(), "line 1: expected a number, ncols"),
        (String::new(), "ESRI ASCII grid: the header does not say ncols"),
    ];
    for (text, expected) in cases {
        let error = Heightmap::read_esri_ascii(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn a_header_that_claims_more_than_the_file_holds_claims_no_memory() {
    let mut png = written(&without_gaps(hills()), "png");
    png[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 0, 0x10, 0]);
    repair_png_checksums(&mut png);
    let tiny_strip = TiffBuilder::new(65_536, 4096, 32, 3).strips(4096, vec![vec![0; 64]]);
    let deflated = TiffBuilder::new(65_536, 4096, 16, 1).strips(u32::MAX, vec![vec![0; 64]]);
    let shared = TiffBuilder::new(65_536, 3, 16, 1)
        .strips(1, vec![vec![0; 131_072]])
        .field(273, Field::Long(vec![8, 8, 8]))
        .field(279, Field::Long(vec![131_072; 3]));
    let huge_tile = TiffBuilder::new(1, 1, 32, 3).tiles(u32::MAX, 16, vec![vec![0; 64]]);
    let files = [
        ("png", png),
        ("asc", b"ncols 65536 nrows 4096 cellsize 1 0 0 0".to_vec()),
        ("tif", tiny_strip.build()),
        ("tif", deflated.field(259, Field::Short(vec![8])).build()),
        ("tif", shared.build()),
        ("tif", huge_tile.field(317, Field::Short(vec![3])).build()),
    ];
    for (index, (ending, file)) in files.into_iter().enumerate() {
        let (result, largest) = largest_allocation(|| match ending {
            "png" => Heightmap::read_png(&file),
            "asc" => Heightmap::read_esri_ascii(&file),
            _ => Heightmap::read_tiff(&file),
        });
        let error = result.unwrap_err();
        let expected = matches!(error, FormatError::Count { .. } | FormatError::OutOfRange { .. });
        assert!(expected, "file {index}: {error}");
        assert!(largest < 1 << 20, "file {index} ({error}) made the reader allocate {largest} bytes at once");
    }
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.asc");
    std::fs::write(&broken, "ncols 1\nnrows ?").unwrap();
    let message = Heightmap::read(&broken).unwrap_err().to_string();
    assert!(
        message.ends_with("broken.asc: ESRI ASCII grid, line 2: expected a number after nrows, found `?`")
    );

    let unknown = Heightmap::read("hills.jpg").unwrap_err();
    assert!(matches!(&unknown, FileError::Ending { found, .. } if found == "jpg"), "{unknown}");
    assert!(Heightmap::read("no-ending").is_err());
    assert!(matches!(hills().write(folder.path().join("x.bmp")), Err(FileError::Ending { .. })));
    assert!(matches!(Heightmap::read(folder.path().join("missing.png")), Err(FileError::Read { .. })));
}

#[test]
fn a_map_that_cannot_be_written_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = Heightmap { width: 36, ..hills() };
    for ending in ["png", "tif", "asc", "raw", "r32"] {
        let path = folder.path().join(format!("map.{ending}"));
        std::fs::write(&path, "old").unwrap();
        assert!(matches!(wrong.write(&path), Err(FileError::Format { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5);
}
