//! glTF and glb: axes, nodes, ways to store triangles, buffers beside the document.

use std::fs;

use barchan_files::mesh::read_mesh;
use barchan_volume::TriMesh;
use glam::Vec3;

use super::samples::{
    bounds, check_unit_cube, cube_buffer, cube_glb, cube_gltf, data_uri_buffer, glb, read_alone, read_nodes,
    sparse_cube_buffer, with_sparse_corner, write_into,
};

#[test]
fn is_turned_from_y_up_to_z_up() {
    let mesh = read_nodes(r#"{ "mesh": 0 }"#).unwrap();
    check_unit_cube(&mesh);
    assert_eq!(bounds(&mesh), (Vec3::new(0.0, -1.0, 0.0), Vec3::new(1.0, 0.0, 1.0)));
    assert_eq!(read_alone(cube_glb()), Ok(mesh));
}

#[test]
fn nodes_place_their_meshes() {
    // Scaled to 1 x 2 x 3, turned by a quarter about y (x -> -z, z -> x), moved, below a node that is moved too.
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let nodes = format!(
        r#"{{ "translation": [10, 0, 0], "children": [1] }},
           {{ "mesh": 0, "scale": [1, 2, 3], "rotation": [0, {h}, 0, {h}], "translation": [0, 5, 0] }}"#
    );
    let mesh = read_nodes(&nodes).unwrap();
    let (low, high) = bounds(&mesh);
    // In glTF's axes the box is [10, 13] x [5, 7] x [-1, 0].
    assert!(low.distance(Vec3::new(10.0, 0.0, 5.0)) < 1.0e-5, "{low}");
    assert!(high.distance(Vec3::new(13.0, 1.0, 7.0)) < 1.0e-5, "{high}");
    assert!((mesh.signed_volume_m3() - 6.0).abs() < 1.0e-5);

    let matrix = r#"{ "mesh": 0, "matrix": [2,0,0,0, 0,1,0,0, 0,0,1,0, 4,5,6,1] }"#;
    let mesh = read_nodes(matrix).unwrap();
    assert_eq!(bounds(&mesh), (Vec3::new(4.0, -7.0, 5.0), Vec3::new(6.0, -6.0, 6.0)));
}

#[test]
fn instances_and_mirrors() {
    let nodes = r#"{ "children": [1, 2] }, { "mesh": 0 }, { "mesh": 0, "scale": [-1, 1, 1], "translation": [-3, 0, 0] }"#;
    let mesh = read_nodes(nodes).unwrap();
    assert_eq!((mesh.topology().components, mesh.signed_volume_m3()), (2, 2.0));
    assert_eq!(bounds(&mesh).0.x, -4.0);
}

#[test]
fn without_scenes_takes_all_roots() {
    let good = cube_gltf(&data_uri_buffer(), r#"{ "children": [1] }, { "mesh": 0 }"#);
    let without = good.replacen(r#""scene": 0, "scenes": [ { "nodes": [ 0 ] } ],"#, "", 1);
    assert_ne!(good, without);
    assert_eq!(read_alone(without), read_alone(good));
}

/// A document of one primitive over bytes: 6 positions as quantized i16, `mode` and no indices.
fn quantized(mode: u32, points: &[[i16; 3]]) -> TriMesh {
    // Four bytes apart would be out of step: elements of 6 bytes are aligned to 8.
    let bytes: Vec<u8> =
        points.iter().flat_map(|&[x, y, z]| [x, y, z, 0]).flat_map(i16::to_le_bytes).collect();
    let json = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "extensionsRequired": [ "KHR_mesh_quantization" ],
  "nodes": [ {{ "mesh": 0, "scale": [32767, 32767, 32767] }} ],
  "meshes": [ {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 }}, "mode": {mode} }} ] }} ],
  "accessors": [ {{ "bufferView": 0, "componentType": 5122, "normalized": true, "count": {count}, "type": "VEC3" }} ],
  "bufferViews": [ {{ "buffer": 0, "byteLength": {length}, "byteStride": 8 }} ],
  "buffers": [ {{ "byteLength": {length} }} ] }}"#,
        count = points.len(),
        length = bytes.len(),
    );
    read_alone(glb(&json, &bytes)).unwrap()
}

#[test]
fn strips_and_fans_face_one_way() {
    // Five points of a flat strip in glTF's x, z plane, seen from +y: 0 2 4 at z = 0, 1 3 at z = -1 (further away).
    let strip = quantized(5, &[[0, 0, 0], [1, 0, -1], [2, 0, 0], [3, 0, -1], [4, 0, 0]]);
    let fan = quantized(6, &[[0, 0, 0], [0, 0, -1], [1, 0, -1], [2, 0, -1], [2, 0, 0]]);
    let list =
        quantized(4, &[[0, 0, 0], [1, 0, -1], [2, 0, 0], [2, 0, 0], [1, 0, -1], [3, 0, -1], [9, 9, 9]]);
    for (mesh, triangles, area) in [(strip, 3, 3.0), (fan, 3, 2.0), (list, 2, 2.0)] {
        assert_eq!(mesh.triangles.len(), triangles);
        assert!((mesh.area_m2() - area).abs() < 1.0e-5, "{} of {area}", mesh.area_m2());
        for index in 0..triangles {
            let [a, b, c] = mesh.corners(index);
            assert!((b - a).cross(c - a).z < 0.0, "triangle {index} faces the other way");
        }
    }
}

#[test]
fn sparse_values_replace_positions() {
    let json = with_sparse_corner(cube_gltf(r#"{ "byteLength": 184 }"#, r#"{ "mesh": 0 }"#));
    let mesh = read_alone(glb(&json, &sparse_cube_buffer())).unwrap();
    assert_eq!(mesh.vertices[6], Vec3::new(2.0, -1.0, 1.0));
    assert_eq!(mesh.vertices[5], Vec3::new(1.0, -1.0, 0.0));
    assert_eq!(mesh.vertices.len(), 8);
}

#[test]
fn buffer_beside_the_document() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scene")).unwrap();
    fs::create_dir(folder.path().join("scene/data")).unwrap();
    write_into(folder.path(), "scene/data/a cube.bin", cube_buffer());
    write_into(folder.path(), "outside.bin", cube_buffer());
    let document = |uri: &str| {
        let buffer = format!(r#"{{ "byteLength": 168, "uri": "{uri}" }}"#);
        write_into(folder.path(), "scene/cube.gltf", cube_gltf(&buffer, r#"{ "mesh": 0 }"#))
    };
    check_unit_cube(&read_mesh(document("data/a%20cube.bin")).unwrap());

    let absolute = folder.path().join("outside.bin").display().to_string();
    for uri in
        ["../outside.bin", "data/../../outside.bin", "%2e%2e/outside.bin", "file:outside.bin", "", &absolute]
    {
        let error = read_mesh(document(uri)).unwrap_err().to_string();
        assert!(error.contains("buffers[0]: the uri"), "{error}");
        assert!(error.contains("does not name a file in the folder of the document"), "{error}");
    }
    let missing = read_mesh(document("none.bin")).unwrap_err().to_string();
    assert!(missing.contains("buffers[0]: cannot read") && missing.contains("none.bin"), "{missing}");
}

#[cfg(unix)]
#[test]
fn buffer_behind_a_link_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scene")).unwrap();
    let outside = write_into(folder.path(), "outside.bin", cube_buffer());
    std::os::unix::fs::symlink(outside, folder.path().join("scene/inside.bin")).unwrap();
    let json = cube_gltf(r#"{ "byteLength": 168, "uri": "inside.bin" }"#, r#"{ "mesh": 0 }"#);
    let error = read_mesh(write_into(folder.path(), "scene/cube.gltf", json)).unwrap_err().to_string();
    assert!(error.contains("inside.bin leads out of the folder of the document"), "{error}");
}
