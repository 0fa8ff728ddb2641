//! Wavefront OBJ, right and wrong.

use barchan_files::mesh::{read_obj, write_obj};
use barchan_volume::TriMesh;
use glam::Vec3;

use super::samples::{bounds, check_unit_cube, cube};

#[test]
fn quads_and_indices_of_all_kinds() {
    let mesh = cube();
    check_unit_cube(&mesh);
    assert_eq!(bounds(&mesh), (Vec3::ZERO, Vec3::ONE));
}

#[test]
fn faces_may_stand_before_their_vertices() {
    let mesh = read_obj(b"f 1 2 3\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\n").unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
}

#[test]
fn errors_name_the_line() {
    let rows: [(&[u8], &str); 9] = [
        (b"v 0 0\n", "OBJ, line 1: expected three finite coordinates, found the end of the line"),
        (b"\nv 0 x 0\n", "OBJ, line 2: expected three finite coordinates, found \"x\""),
        (b"v 0 0 nan\n", "OBJ, line 1: expected three finite coordinates, found \"nan\""),
        (b"v 0 1e39 0\n", "OBJ, line 1: expected three finite coordinates, found \"1e39\""),
        (b"v 0 0 0\nf 1 1\n", "OBJ, line 2: expected a face of at least 3 corners, found 2"),
        (b"v 0 0 0\nf 1 1 2\n", "OBJ, line 2: expected a vertex of the 1 in the file, found vertex 2"),
        (
            b"v 0 0 0\nf 1 0 1\n",
            "OBJ, line 2: expected a vertex counted from 1, or back from the 1 so far, found \"0\"",
        ),
        (
            b"v 0 0 0\nf 1 1 -2\n",
            "OBJ, line 2: expected a vertex counted from 1, or back from the 1 so far, found \"-2\"",
        ),
        (b"v 0 0 0\nhello\n", "OBJ: expected at least one triangle, found none"),
    ];
    for (text, expected) in rows {
        assert_eq!(read_obj(text).unwrap_err().to_string(), expected);
    }
    let far = read_obj(b"v 2e9 0 0\nf 1 1 1\n").unwrap_err().to_string();
    assert!(far.starts_with("OBJ: vertex 0 is at (2000000000, 0, 0)"), "{far}");
}

#[test]
fn writer_ends_lines_and_counts_from_one() {
    let mut bytes = Vec::new();
    let mesh = TriMesh { vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    write_obj(&mesh, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.ends_with("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "{text}");
}
