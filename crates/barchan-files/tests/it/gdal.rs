//! GDAL, which most terrain passes through sooner or later, reads what we write, and we read what it writes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use barchan_files::heightmap::{HeightScale, Heightmap};
use serde_json::{Value, json};

use crate::tools::output_of;

/// Heights that decimal text of a few digits gives exactly, so that every comparison can be exact.
fn map() -> Heightmap {
    Heightmap {
        width: 3,
        height: 2,
        cell_size_m: Some(2.5),
        origin_m: Some([600_000.0, 5_200_000.0]),
        scale: HeightScale::Metres,
        samples: vec![100.125, 0.0, 3.0, 1.5, -2.25, f32::NAN],
        warnings: Vec::new(),
    }
}

#[test]
fn gdal_finds_size_place_and_missing_data_in_our_files() {
    for (ending, driver, no_data) in [("tif", "GTiff", json!("NaN")), ("asc", "AAIGrid", json!(-9999.0))] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map").with_extension(ending);
        map().write(&path).unwrap();
        let Some(text) = run("gdalinfo", ["-json".as_ref(), path.as_os_str()]) else { return };
        let info: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(info["driverShortName"], driver);
        assert_eq!(info["size"], json!([3, 2]), "{ending}");
        // West edge, step east, 0, north edge, 0, step south (m).
        assert_eq!(info["geoTransform"], json!([600_000.0, 2.5, 0.0, 5_200_005.0, 0.0, -2.5]), "{ending}");
        assert_eq!(info["bands"].as_array().map(Vec::len), Some(1), "{ending}");
        assert_eq!(info["bands"][0]["type"], "Float32", "{ending}");
        assert_eq!(info["bands"][0]["noDataValue"], no_data, "{ending}");
    }
}

#[test]
fn gdal_finds_every_height_where_we_put_it() {
    for (ending, no_data) in [("tif", "nan"), ("asc", "-9999")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map").with_extension(ending);
        map().write(&path).unwrap();
        let Some(table) = translate(&path, Path::new("/vsistdout/"), &["-of", "XYZ"]) else { return };
        // Centre of the cell (m), height (m); the northern row first.
        let expected = format!(
            "600001.25 5200003.75 1.5\n600003.75 5200003.75 -2.25\n600006.25 5200003.75 {no_data}\n\
             600001.25 5200001.25 100.125\n600003.75 5200001.25 0\n600006.25 5200001.25 3\n"
        );
        assert_eq!(table, expected, "{ending}");
    }
}

#[test]
fn we_read_what_gdal_writes() {
    let layouts: [&[&str]; 5] = [
        &[],
        &["-co", "COMPRESS=LZW"],
        &["-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR=3"],
        &["-co", "TILED=YES", "-co", "BLOCKXSIZE=16", "-co", "BLOCKYSIZE=16", "-co", "COMPRESS=DEFLATE"],
        &["-co", "BIGTIFF=YES", "-co", "ENDIANNESS=BIG"],
    ];
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (folder.path().join("ours.asc"), folder.path().join("theirs.tif"));
    map().write(&ours).unwrap();
    for layout in layouts {
        let Some(_) = translate(&ours, &theirs, layout) else { return };
        let read = Heightmap::read(&theirs).unwrap();
        assert_eq!((read.width, read.height, read.scale), (3, 2, HeightScale::Metres), "{layout:?}");
        assert_eq!((read.cell_size_m, read.origin_m), (map().cell_size_m, map().origin_m), "{layout:?}");
        let heights = |map: &Heightmap| [0, 1].map(|y| [0, 1, 2].map(|x| map.get(x, y)));
        assert_eq!(heights(&read), heights(&map()), "{layout:?}");
    }
}

/// Has GDAL copy a raster from one file to another.
fn translate(from: &Path, to: &Path, options: &[&str]) -> Option<String> {
    let options = options.iter().map(OsStr::new);
    run(
        "gdal_translate",
        [OsStr::new("-q")].into_iter().chain(options).chain([from.as_os_str(), to.as_os_str()]),
    )
}

/// What a program of GDAL prints.
fn run<'a>(program: &str, arguments: impl IntoIterator<Item = &'a OsStr>) -> Option<String> {
    output_of("gdal-bin", Command::new(program).args(arguments))
}
