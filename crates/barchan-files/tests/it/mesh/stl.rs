//! STL, text and binary, right and wrong.

use barchan_files::mesh::read_stl;
use barchan_volume::Pose;
use glam::Vec3;

use super::samples::{check_unit_cube, cube, stl_bytes, stl_text};

#[test]
fn text_and_binary_are_welded() {
    check_unit_cube(&read_stl(stl_text(&cube()).as_bytes()).unwrap());
    check_unit_cube(&read_stl(&stl_bytes(&cube())).unwrap());
}

#[test]
fn binary_that_begins_like_text() {
    let mut bytes = stl_bytes(&cube());
    bytes[..12].copy_from_slice(b"solid facet ");
    check_unit_cube(&read_stl(&bytes).unwrap());
}

#[test]
fn text_of_two_solids_in_capitals() {
    let mut apart = cube();
    apart.transform(1.0, &Pose::at(Vec3::splat(5.0)));
    let text = (stl_text(&cube()) + &stl_text(&apart)).to_uppercase();
    let mesh = read_stl(text.as_bytes()).unwrap();
    assert_eq!((mesh.topology().components, mesh.signed_volume_m3()), (2, 2.0));
}

#[test]
fn errors_name_what_is_wrong() {
    let text = |lines: &str| read_stl(format!("solid\n{lines}").as_bytes()).unwrap_err().to_string();
    assert_eq!(text("endsolid\n"), "STL: expected at least one triangle, found none");
    assert_eq!(
        text("facet\nvertex 0 0 0\nendfacet\n"),
        "STL, line 4: expected 3 vertices in each facet, found \"endfacet\" after 1"
    );
    assert_eq!(
        text("facet\nvertex 0 0 inf\n"),
        "STL, line 3: expected three finite coordinates, found \"inf\""
    );
    assert_eq!(text("vertex 0 0 0\n"), "STL, line 2: expected \"facet\" or \"endsolid\", found \"vertex\"");
    assert_eq!(text("facet\nvertex 0 0 0\n"), "STL: the file ends inside a facet");

    let mut bytes = stl_bytes(&cube());
    let corner_of_triangle_2 = 84 + 2 * 50 + 12;
    bytes[corner_of_triangle_2..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = read_stl(&bytes).unwrap_err().to_string();
    assert!(error.starts_with("STL: triangle 2: its corner [NaN, "), "{error}");

    bytes.truncate(200);
    assert_eq!(
        read_stl(&bytes).unwrap_err().to_string(),
        "STL: expected text that begins with \"solid\" or 684 bytes of binary data, \
         found 200 bytes that begin with \"Trian\""
    );
}

#[test]
fn normals_point_outwards() {
    let bytes = stl_bytes(&cube());
    let number = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    // The first triangle lies on the lower side.
    assert_eq!([number(84), number(88), number(92)], [0.0, 0.0, -1.0]);
}
