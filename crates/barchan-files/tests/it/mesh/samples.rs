//! The unit cube in every format, made by hand.

use std::fs;
use std::path::{Path, PathBuf};

use barchan_files::mesh::{read_gltf, read_obj, write_stl};
use barchan_volume::TriMesh;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;

/// The unit cube as six quads, with everything else that an OBJ file may hold around it.
pub const CUBE_OBJ: &str = "\
# a cube \u{e9}
mtllib cube.mtl
o lower
v 0 0 0
v 1 0 0 1.0
v 1 1 0 0.5 0.5 0.5
v 0 1 0
vt 0 0
vn 0 0 -1
usemtl stone
s off
f 1/1/1 4/1/1 3/1/1 2/1/1
o upper
v 0 0 1
v 1.0e0 0 1
v +1 1 1
v 0 1 1
f -4 -3 -2 -1
f 1//1 2//1 6//1 5//1
f 2 3 7 6
f 3 4 \\
  8 7
f 4/1 1/1 5/1 8/1 # the last one
l 1 2
";

pub fn cube() -> TriMesh {
    read_obj(CUBE_OBJ.as_bytes()).unwrap()
}

pub fn stl_bytes(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_stl(mesh, &mut bytes).unwrap();
    bytes
}

pub fn stl_text(mesh: &TriMesh) -> String {
    let mut text = String::from("solid a cube\n");
    for index in 0..mesh.triangles.len() {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for corner in mesh.corners(index) {
            text += &format!("      vertex {:e} {:e} {:e}\n", corner.x, corner.y, corner.z);
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid a cube\n"
}

/// The bytes of a cube for glTF: 8 positions (f32), then 36 indices (u16).
pub fn cube_buffer() -> Vec<u8> {
    let cube = cube();
    let positions = cube.vertices.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes);
    let indices = cube.triangles.iter().flatten().flat_map(|&index| (index as u16).to_le_bytes());
    positions.chain(indices).collect()
}

/// A glTF document with that cube. `buffer` is the JSON of its buffer, `nodes` of its nodes; node 0 is the scene.
pub fn cube_gltf(buffer: &str, nodes: &str) -> String {
    format!(
        r#"{{
  "asset": {{ "version": "2.0" }},
  "scene": 0, "scenes": [ {{ "nodes": [ 0 ] }} ],
  "nodes": [ {nodes} ],
  "meshes": [ {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 }}, "indices": 1 }} ] }} ],
  "accessors": [
    {{ "bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3" }},
    {{ "bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR" }} ],
  "bufferViews": [
    {{ "buffer": 0, "byteLength": 96 }},
    {{ "buffer": 0, "byteOffset": 96, "byteLength": 72 }} ],
  "buffers": [ {buffer} ]
}}"#
    )
}

pub fn data_uri_buffer() -> String {
    let data = STANDARD.encode(cube_buffer());
    format!(r#"{{ "byteLength": 168, "uri": "data:application/octet-stream;base64,{data}" }}"#)
}

pub fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((length as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

pub fn cube_glb() -> Vec<u8> {
    glb(&cube_gltf(r#"{ "byteLength": 168 }"#, r#"{ "mesh": 0 }"#), &cube_buffer())
}

/// Reads a document that must not ask for other files.
pub fn read_alone(bytes: impl AsRef<[u8]>) -> Result<TriMesh, String> {
    let mut beside = |name: &str, _| Err(format!("asked for {name}"));
    read_gltf(bytes.as_ref(), &mut beside).map_err(|error| error.to_string())
}

/// Reads a document with a cube in `nodes`.
pub fn read_nodes(nodes: &str) -> Result<TriMesh, String> {
    read_alone(cube_gltf(&data_uri_buffer(), nodes))
}

pub fn bounds(mesh: &TriMesh) -> (Vec3, Vec3) {
    let bounds = mesh.bounds().unwrap();
    (bounds.min, bounds.max)
}

pub fn write_into(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[track_caller]
pub fn check_unit_cube(mesh: &TriMesh) {
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12));
    assert!(mesh.is_closed());
    assert_eq!((mesh.signed_volume_m3(), mesh.area_m2()), (1.0, 6.0));
}

/// [`cube_buffer`] and behind it one sparse index and the position for it: vertex 6 moves from (1, 1, 1) to (2, 1, 1).
pub fn sparse_cube_buffer() -> Vec<u8> {
    let mut bytes = cube_buffer();
    bytes.extend([6, 0, 0, 0]);
    bytes.extend([2.0f32, 1.0, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// Lets a document of [`cube_gltf`] use all of [`sparse_cube_buffer`].
pub fn with_sparse_corner(document: String) -> String {
    let sparse = r#""count": 8, "sparse": { "count": 1,
      "indices": { "bufferView": 2, "componentType": 5121 }, "values": { "bufferView": 3 } },"#;
    let views = r#""byteLength": 72 },
    { "buffer": 0, "byteOffset": 168, "byteLength": 1 },
    { "buffer": 0, "byteOffset": 172, "byteLength": 12 } ],"#;
    document.replacen(r#""count": 8,"#, sparse, 1).replacen(r#""byteLength": 72 } ],"#, views, 1)
}

/// The unit cube as six quads in PLY text, with colours and an element that nobody asks for.
pub const CUBE_PLY: &str = "\
ply
format ascii 1.0
comment a cube
element vertex 8
property float x
property float y
property double z
property uchar red
property uchar green
property uchar blue
element tag 2
property list uchar short words
element face 6
property list uchar int vertex_indices
end_header
0 0 0 7 7 7
1 0 0 7 7 7
1 1 0 7 7 7
0 1 0 7 7 7
0 0 1 7 7 7
1 0 1 7 7 7
1 1 1 7 7 7
0 1 1 7 7 7
3 -1 -2 -3
0
4 0 3 2 1
4 4 5 6 7
4 0 1 5 4
4 1 2 6 5
4 2 3 7 6
4 3 0 4 7
";

/// [`CUBE_PLY`] in binary, little or big endian.
pub fn ply_bytes(little: bool) -> Vec<u8> {
    let order = if little { "binary_little_endian" } else { "binary_big_endian" };
    let (header, rows) = CUBE_PLY.split_once("end_header\n").unwrap();
    let mut bytes = header.replace("ascii", order).into_bytes();
    bytes.extend(b"end_header\n");
    let mut put = |big: &[u8]| match little {
        true => bytes.extend(big.iter().rev()),
        false => bytes.extend(big),
    };
    for (row, line) in rows.lines().enumerate() {
        let numbers: Vec<i16> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        for (place, &number) in numbers.iter().enumerate() {
            match (row, place) {
                (0..8, 0 | 1) => put(&f32::from(number).to_be_bytes()),
                (0..8, 2) => put(&f64::from(number).to_be_bytes()),
                (8..10, 1..) => put(&number.to_be_bytes()),
                (10.., 1..) => put(&i32::from(number).to_be_bytes()),
                _ => put(&[number as u8]),
            }
        }
    }
    bytes
}
