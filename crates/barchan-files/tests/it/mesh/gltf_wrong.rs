//! What is said about glTF documents that are wrong, need too much or cannot be understood.

use super::samples::{cube_gltf, data_uri_buffer, read_alone, read_nodes};

/// Reads a document in which `from` was replaced, and expects it to fail.
#[track_caller]
fn gltf_error(from: &str, to: &str) -> String {
    let good = cube_gltf(&data_uri_buffer(), r#"{ "mesh": 0 }"#);
    assert!(good.contains(from), "{from} is not in the document");
    read_alone(good.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn errors_name_the_entry() {
    let rows = [
        (r#""2.0""#, r#""1.0""#, "glTF: asset.version: glTF version \"1.0\" is not supported, only 2.x"),
        (r#""mesh": 0"#, r#""mesh": 1"#, "glTF: meshes[1]: it is used but does not exist"),
        (
            r#""mesh": 0"#,
            r#""children": [0]"#,
            "glTF: nodes[0]: it stands in more than one place of the node tree",
        ),
        (r#""scene": 0"#, r#""scene": 1"#, "glTF: scenes[1]: it is used but does not exist"),
        (r#""indices": 1"#, r#""indices": 7"#, "glTF: accessors[7]: it is used but does not exist"),
        (r#""indices": 1"#, r#""indices": 0"#, "glTF: accessors[0]: type is \"VEC3\", not \"SCALAR\""),
        (r#""indices": 1"#, r#""mode": 9"#, "glTF: meshes[0].primitives[0]: mode 9 does not exist"),
        (r#""indices": 1"#, r#""mode": 1"#, "glTF: expected at least one triangle, found none"),
        (r#"5126"#, r#"5127"#, "glTF: accessors[0]: componentType 5127 does not exist"),
        (r#"5123"#, r#"5122"#, "glTF: accessors[1]: indices must be unsigned integers"),
        (
            r#""count": 36"#,
            r#""count": 37"#,
            "glTF: accessors[1]: 37 elements from byte 0 reach beyond the end of bufferViews[1]",
        ),
        (
            r#""count": 8"#,
            r#""count": 7"#,
            "glTF: meshes[0].primitives[0]: it uses vertex 7 of 7 (counted from 0)",
        ),
        (
            r#""byteOffset": 96"#,
            r#""byteOffset": 18446744073709551615"#,
            "glTF: bufferViews[1]: it reaches beyond the 168 bytes of its buffer",
        ),
        (
            r#""byteLength": 96"#,
            r#""byteLength": 96, "byteStride": 8"#,
            "glTF: bufferViews[0]: byteStride is 8, but elements have 12 bytes",
        ),
        (
            r#""byteLength": 168"#,
            r#""byteLength": 169"#,
            "glTF: buffers[0]: byteLength is 169, but there are only 168 bytes",
        ),
        (
            r#""scene": 0"#,
            r#""scene": 0, "extensionsRequired": [ "KHR_texture_transform", "KHR_draco_mesh_compression" ]"#,
            "glTF: expected no required extension that changes shapes, found KHR_draco_mesh_compression",
        ),
        (
            r#""scene": 0"#,
            r#""scene": 0, "extensionsRequired": [ "EXT_meshopt_compression" ]"#,
            "glTF: expected no required extension that changes shapes, found EXT_meshopt_compression",
        ),
    ];
    for (from, to, expected) in rows {
        assert_eq!(gltf_error(from, to), expected);
    }
    let no_view = gltf_error(r#""bufferView": 0, "componentType""#, r#""componentType""#);
    assert_eq!(no_view, "glTF: accessors[0]: it has no bufferView");
    let not_finite = gltf_error(r#""mesh": 0"#, r#""mesh": 0, "rotation": [0, 0, 0, 0]"#);
    assert!(not_finite.starts_with("glTF: vertex 0 is at (NaN, NaN, NaN)"), "{not_finite}");
    let no_json = read_alone(b"{ \"asset\": ").unwrap_err();
    assert!(no_json.starts_with("glTF: not a glTF document: EOF while parsing"), "{no_json}");
}

#[test]
fn draco_without_plain_data_names_the_extension() {
    let good = cube_gltf(&data_uri_buffer(), r#"{ "mesh": 0 }"#);
    let packed = good.replacen(
        r#""indices": 1"#,
        r#""indices": 1, "extensions": { "KHR_draco_mesh_compression": {} }"#,
        1,
    );
    assert!(read_alone(&packed).is_ok(), "the plain accessors are there for those who cannot unpack");
    let only_packed = packed.replacen(r#""bufferView": 0, "componentType""#, r#""componentType""#, 1);
    assert!(read_alone(only_packed).unwrap_err().ends_with("found KHR_draco_mesh_compression"));
}

#[test]
fn instances_cannot_multiply_without_limit() {
    // 2,000 nodes of the 12 triangles are fine; the counts are compared before anything is copied.
    let children: Vec<String> = (1..=2000).map(|child| child.to_string()).collect();
    let root = format!(r#"{{ "children": [{}] }}"#, children.join(","));
    let many = root + &r#", { "mesh": 0 }"#.repeat(2000);
    assert_eq!(read_nodes(&many).unwrap().triangles.len(), 24_000);
    let values = format!("{}]", "[0,".repeat(10) + &"0,".repeat(4_000_000));
    assert!(read_alone(values).unwrap_err().contains("at most 4000000 are allowed"));
}
