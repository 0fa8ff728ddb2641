//! TIFF and GeoTIFF: every layout reads alike, and tags say where the ground lies.

use std::io::Cursor;

use barchan_files::heightmap::{HeightScale, Heightmap};
use tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder, colortype};
use tiff::tags::Tag;

use crate::heightmap::{hills, written};
use crate::tiff_builder::{Field, TiffBuilder};

/// `values` as samples of `kind`: signed kinds count downwards, floating point by halves.
fn counting_bytes(values: impl Iterator<Item = u32>, kind: &str, big_endian: bool) -> Vec<u8> {
    let bytes = |value: u32| match kind {
        "u16" => (value as u16).to_le_bytes().to_vec(),
        "i16" => (-(value as i16)).to_le_bytes().to_vec(),
        "u32" => value.to_le_bytes().to_vec(),
        "i32" => (-(value as i32)).to_le_bytes().to_vec(),
        "f32" => (value as f32 * 0.5).to_le_bytes().to_vec(),
        _ => (f64::from(value) * 0.5).to_le_bytes().to_vec(),
    };
    let in_order = |mut bytes: Vec<u8>| {
        if big_endian {
            bytes.reverse();
        }
        bytes
    };
    values.flat_map(|value| in_order(bytes(value))).collect()
}

#[test]
fn tiff_kinds_byte_orders_strips_and_tiles_all_read_alike() {
    let kinds =
        [("u16", 16, 1), ("i16", 16, 2), ("u32", 32, 1), ("i32", 32, 2), ("f32", 32, 3), ("f64", 64, 3)];
    let (width, height) = (21_u32, 18_u32);
    let scale = Field::Double(vec![10.0, 10.0, 0.0]);
    for (kind, bits, format) in kinds {
        for (tiled, big_endian) in [(false, false), (false, true), (true, false), (true, true)] {
            let file = TiffBuilder::new(width, height, bits, format)
                .big_endian(big_endian)
                .field(33550, scale.clone());
            let file = if tiled {
                let tile = |tx: u32, ty: u32| {
                    let cells = (0..16 * 16).map(move |i| (tx * 16 + i % 16, ty * 16 + i / 16));
                    let values =
                        cells.map(move |(x, y)| if x < width && y < height { y * width + x } else { 9999 });
                    counting_bytes(values, kind, big_endian)
                };
                file.tiles(16, 16, vec![tile(0, 0), tile(1, 0), tile(0, 1), tile(1, 1)])
            } else {
                let strip = |from: u32, to: u32| counting_bytes(from * width..to * width, kind, big_endian);
                file.strips(7, vec![strip(0, 7), strip(7, 14), strip(14, 18)])
            };
            let map = Heightmap::read_tiff(&file.build()).unwrap();
            assert_eq!((map.width, map.height, map.scale), (21, 18, HeightScale::Metres));
            for y in 0..height {
                for x in 0..width {
                    let value = (y * width + x) as f32;
                    let expected = match kind {
                        "u16" | "u32" => value,
                        "i16" | "i32" => -value,
                        _ => value * 0.5,
                    };
                    let found = map.get(x as usize, (height - 1 - y) as usize);
                    assert_eq!(
                        found,
                        Some(expected),
                        "{kind}, tiled {tiled}, big endian {big_endian}, at {x}, {y}"
                    );
                }
            }
        }
    }
}

#[test]
fn compressed_tiff_reads_like_plain_tiff() {
    let heights: Vec<u16> = (0..60 * 40).map(|i: u32| (i * i / 77) as u16).collect();
    let compressions = [
        Compression::Uncompressed,
        Compression::Lzw,
        Compression::Deflate(DeflateLevel::Fast),
        Compression::Packbits,
    ];
    for compression in compressions {
        for predictor in [Predictor::None, Predictor::Horizontal] {
            let mut file = Cursor::new(Vec::new());
            let encoder = TiffEncoder::new(&mut file).unwrap();
            let mut encoder = encoder.with_compression(compression).with_predictor(predictor);
            encoder.write_image::<colortype::Gray16>(60, 40, &heights).unwrap();
            let map = Heightmap::read_tiff(&file.into_inner()).unwrap();
            assert_eq!(map.scale, HeightScale::Unit, "unsigned and without georeference");
            for (i, &height) in heights.iter().enumerate() {
                assert_eq!(map.get(i % 60, 39 - i / 60), Some((f64::from(height) / 65_535.0) as f32));
            }
        }
    }
}

#[test]
fn big_tiff_reads_too() {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new_big(&mut file).unwrap();
    encoder.write_image::<colortype::Gray32Float>(2, 1, &[1.5, -2.0]).unwrap();
    assert_eq!(Heightmap::read_tiff(&file.into_inner()).unwrap().samples, [1.5, -2.0]);
}

/// A GeoTIFF of 2 x 3 floating point heights with the given GeoKeys.
fn small_geotiff(keys: &[(u16, u16)]) -> TiffBuilder {
    let mut directory = vec![1, 1, 0, keys.len() as u16];
    directory.extend(keys.iter().flat_map(|&(key, value)| [key, 0, 1, value]));
    let heights = [10.0_f32, 20.0, 30.0, -9999.0, 50.0, 60.0];
    TiffBuilder::new(2, 3, 32, 3)
        .strips(3, vec![heights.iter().flat_map(|height| height.to_le_bytes()).collect()])
        .field(33550, Field::Double(vec![100.0, 100.0, 0.0]))
        .field(33922, Field::Double(vec![1.0, 1.0, 0.0, 5000.0, 9000.0, 0.0]))
        .field(34735, Field::Short(directory))
        .field(42113, Field::Ascii("-9999"))
}

#[test]
fn geotiff_tags_give_cell_size_place_and_gaps() {
    let map = Heightmap::read_tiff(&small_geotiff(&[(1024, 1), (1025, 1)]).build()).unwrap();
    assert_eq!((map.cell_size_m, map.origin_m), (Some(100.0), Some([4900.0, 8800.0])));
    assert_eq!((map.get(0, 0), map.get(1, 1), map.get(1, 2)), (Some(50.0), None, Some(20.0)));
    assert!(map.warnings.is_empty());

    let points = Heightmap::read_tiff(&small_geotiff(&[(1024, 1), (1025, 2)]).build()).unwrap();
    assert_eq!(
        points.origin_m,
        Some([4850.0, 8850.0]),
        "a tie point on a centre is half a cell from the corner"
    );
}

#[test]
fn geotiff_in_feet_becomes_metres() {
    let map = Heightmap::read_tiff(&small_geotiff(&[(1024, 1), (3076, 9002), (4099, 9002)]).build()).unwrap();
    assert_eq!(map.cell_size_m, Some(100.0 * 0.3048));
    assert_eq!(map.origin_m, Some([4900.0 * 0.3048, 8800.0 * 0.3048]));
    assert_eq!((map.get(0, 2), map.get(1, 1)), (Some(3.048), None));
}

#[test]
fn what_a_geotiff_leaves_open_becomes_a_warning() {
    let warning = |keys: &[(u16, u16)]| {
        let map = Heightmap::read_tiff(&small_geotiff(keys).build()).unwrap();
        assert_eq!((map.cell_size_m, map.origin_m), (None, None));
        map.warnings.join("; ")
    };
    assert!(warning(&[(1024, 2)]).contains("degrees"));
    assert!(warning(&[(1024, 1), (3076, 9999)]).contains("EPSG 9999"));
}

#[test]
fn our_geotiff_carries_the_tags_that_others_look_for() {
    let file = written(&hills(), "tif");
    let mut decoder = tiff::decoder::Decoder::new(Cursor::new(&file)).unwrap();
    assert_eq!(decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap(), [2.5, 2.5, 0.0]);
    let north = 5_412_000.5 + 23.0 * 2.5;
    let tiepoint = decoder.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap();
    assert_eq!(tiepoint, [0.0, 0.0, 0.0, 431_000.25, north, 0.0]);
    assert_eq!(decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap(), "nan");
    let keys = decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap();
    assert_eq!(keys[..8], [1, 1, 0, 5, 1024, 0, 1, 1]);
}

#[test]
fn tiff_that_cannot_be_heights_is_refused_by_name() {
    let strip = |bytes: usize| vec![vec![0; bytes]];
    let plain = |bits, format| TiffBuilder::new(2, 2, bits, format);
    let f32_map = || plain(32, 3).strips(2, strip(16));
    let needed = "TIFF: expected greyscale of 16- or 32-bit integers or 32- or 64-bit floating point, found ";
    let cases = [
        (plain(8, 1).strips(2, strip(4)), format!("{needed}8-bit unsigned integer, greyscale")),
        (plain(16, 3).strips(2, strip(8)), format!("{needed}16-bit floating point, greyscale")),
        (
            plain(16, 1).strips(2, strip(8)).field(262, Field::Short(vec![0])),
            format!("{needed}16-bit unsigned integer, inverted greyscale"),
        ),
        (
            f32_map().field(277, Field::Short(vec![3])),
            "TIFF: expected a single band of heights, found 3 bands".into(),
        ),
        (
            f32_map().field(259, Field::Short(vec![7])),
            "TIFF: expected compression none (1), LZW (5), deflate (8, 32946) or PackBits (32773), found compression 7"
                .into(),
        ),
        (
            plain(32, 3).strips(2, strip(15)),
            "TIFF: expected 16 bytes in a strip or tile (at the best compression there is), found 15".into(),
        ),
        (
            f32_map().field(33550, Field::Double(vec![1.0, 2.0, 0.0])),
            "TIFF: expected square cells, found cells of 1 x 2".into(),
        ),
        (
            f32_map().field(33550, Field::Double(vec![-1.0, 1.0, 0.0])),
            "TIFF: the cell size must be a positive number, found -1".into(),
        ),
        (
            f32_map().field(42113, Field::Ascii("none at all")),
            "TIFF: expected a number in GDAL_NODATA, found `none at all`".into(),
        ),
        (
            f32_map().field(34735, Field::Short(vec![1, 1, 0, 9, 1024, 0, 1, 1])),
            "TIFF: expected 9 GeoKeys, found 1".into(),
        ),
        (
            TiffBuilder::new(70_000, 1, 32, 3).strips(1, strip(280_000)),
            "TIFF: width must be 1..=65536 samples, found 70000".into(),
        ),
    ];
    for (file, expected) in cases {
        assert_eq!(Heightmap::read_tiff(&file.build()).unwrap_err().to_string(), expected);
    }
    let infinite = plain(32, 3).strips(2, vec![f32::INFINITY.to_le_bytes().repeat(4)]).build();
    assert!(Heightmap::read_tiff(&infinite).unwrap_err().to_string().ends_with("found inf"));
    assert_eq!(
        Heightmap::read_tiff(b"PK..").unwrap_err().to_string(),
        "TIFF: the file does not begin with II or MM"
    );
}
