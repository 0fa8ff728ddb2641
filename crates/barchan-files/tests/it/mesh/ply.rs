//! PLY files: text and both byte orders, polygons, whatever else stands in them, and what is wrong with them.

use barchan_files::mesh::read_ply;

use super::samples::{CUBE_PLY, check_unit_cube, ply_bytes};

#[test]
fn the_cube_in_text_and_both_byte_orders() {
    check_unit_cube(&read_ply(CUBE_PLY.as_bytes()).unwrap());
    check_unit_cube(&read_ply(CUBE_PLY.replace('\n', "\r\n").as_bytes()).unwrap());
    check_unit_cube(&read_ply(&ply_bytes(true)).unwrap());
    check_unit_cube(&read_ply(&ply_bytes(false)).unwrap());
}

#[test]
fn what_is_wrong_is_named() {
    let rows = [
        ("plyx\n", "PLY, line 1: expected \"ply\""),
        ("ply\nformat ascii 1.0\nelement vertex 1", "no end_header"),
        ("ply\nformat ascii 2.0\nend_header\n", "PLY, line 2: expected format, element"),
        ("ply\nelement vertex 0\nend_header\n", "does not say format"),
        ("ply\nproperty float x\nend_header\n", "line 2: expected an element first"),
        ("ply\nelement vertex -1\nend_header\n", "line 2: expected a number of rows"),
        (
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n",
            "line 4: expected a property",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
            "vertices with x, y and z",
        ),
        (
            "ply\nformat ascii 1.0\nelement face 1\nproperty int a\nend_header\n0\n",
            "faces with a list vertex_indices",
        ),
    ];
    for (text, expected) in rows {
        let error = read_ply(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let rows = [
        ("0 0 0 7 7 7", "0 0 x 7 7 7", "row 0 of the 8 rows of \"vertex\" is cut short or holds no number"),
        ("0 0 0 7 7 7", "0 0 inf 7 7 7", "vertex 0 is at [0, 0, inf]"),
        ("4 0 3 2 1", "4 0 3 2 -1", "face 0: -1 is not the number of a vertex"),
        ("4 0 3 2 1", "4 0 3 2 1.5", "face 0: 1.5 is not the number of a vertex"),
        ("4 0 3 2 1", "4 0 3 2 8", "vertex 8"),
        ("element face 6", "element face 7", "row 6 of the 7 rows of \"face\""),
    ];
    for (good, bad, expected) in rows {
        let error = read_ply(CUBE_PLY.replacen(good, bad, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{bad:?}: {error}");
    }
}

#[test]
fn rows_of_nothing_are_not_counted() {
    let empty = format!("element nothing {}\nelement vertex 8", u64::MAX);
    check_unit_cube(&read_ply(CUBE_PLY.replacen("element vertex 8", &empty, 1).as_bytes()).unwrap());
}
