//! Broken mesh files by the thousand: no parser may panic, claim much memory or hand out a mesh that is wrong.

use barchan_files::mesh::{read_gltf, read_obj, read_ply, read_stl};
use barchan_volume::TriMesh;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::samples::{
    CUBE_OBJ, CUBE_PLY, cube, cube_gltf, glb, ply_bytes, read_alone, sparse_cube_buffer, stl_bytes, stl_text,
    with_sparse_corner,
};
use crate::largest_allocation::largest_allocation;
use crate::mutate::{Rng, mutate};

/// Largest single allocation that a broken file of a few kilobytes may cause (bytes).
const MAX_ALLOCATION: usize = 1 << 20;

/// Reads 10,000 damaged copies of `good`: each gives a mesh that holds its own check, or an error that says something.
#[track_caller]
fn check_broken(
    seed: u64,
    good: &[u8],
    damage: fn(&mut Rng, &[u8]) -> Vec<u8>,
    read: impl Fn(&[u8]) -> Result<TriMesh, String>,
) {
    let mut rng = Rng::new(seed);
    let (mut meshes, mut errors) = (0, 0);
    for round in 0..10_000 {
        let bytes = damage(&mut rng, good);
        let (result, largest) = largest_allocation(|| read(&bytes));
        assert!(largest <= MAX_ALLOCATION, "round {round} allocated {largest} bytes at once");
        match result {
            Ok(mesh) => {
                meshes += 1;
                assert_eq!(mesh.check(), Ok(()), "round {round}");
                assert!(!mesh.triangles.is_empty(), "round {round}");
                // No more than the bytes can hold: a triangle takes at least one of them.
                assert!(mesh.triangles.len() <= bytes.len(), "round {round}");
                assert!(mesh.signed_volume_m3().is_finite() && mesh.area_m2().is_finite(), "round {round}");
            }
            Err(error) => {
                errors += 1;
                assert!(error.len() > 10 && error.len() < 400, "round {round}: {error}");
            }
        }
    }
    // Both must occur, or the parser was never really tried. JSON survives little, so few meshes are enough.
    assert!(meshes > 10 && errors > 10, "{meshes} meshes, {errors} errors");
}

/// Exchanges one to three numbers of a text, so that it stays well-formed and the damage gets past the JSON parser.
fn exchange_numbers(rng: &mut Rng, input: &[u8]) -> Vec<u8> {
    const NUMBERS: [&str; 20] = [
        "0",
        "1",
        "2",
        "3",
        "4",
        "6",
        "7",
        "13",
        "35",
        "168",
        "255",
        "5121",
        "5125",
        "-1",
        "0.5",
        "1e300",
        "65536",
        "4294967295",
        "9223372036854775807",
        "18446744073709551615",
    ];
    let mut bytes = input.to_vec();
    for _ in 0..1 + rng.below(3) {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let from = rng.below(bytes.len());
        let Some(start) = bytes[from..].iter().position(is_digit).map(|digit| from + digit) else { continue };
        let end =
            bytes[start..].iter().position(|byte| !is_digit(byte)).map_or(bytes.len(), |end| start + end);
        bytes.splice(start..end, NUMBERS[rng.below(NUMBERS.len())].bytes());
    }
    bytes
}

fn text<E: std::fmt::Display>(error: E) -> String {
    error.to_string()
}

#[test]
fn broken_obj() {
    check_broken(1, CUBE_OBJ.as_bytes(), mutate, |bytes| read_obj(bytes).map_err(text));
    check_broken(2, CUBE_OBJ.as_bytes(), exchange_numbers, |bytes| read_obj(bytes).map_err(text));
}

#[test]
fn broken_stl_text() {
    check_broken(3, stl_text(&cube()).as_bytes(), mutate, |bytes| read_stl(bytes).map_err(text));
}

#[test]
fn broken_stl_binary() {
    check_broken(4, &stl_bytes(&cube()), mutate, |bytes| read_stl(bytes).map_err(text));
}

#[test]
fn broken_ply() {
    check_broken(10, CUBE_PLY.as_bytes(), mutate, |bytes| read_ply(bytes).map_err(text));
    check_broken(11, CUBE_PLY.as_bytes(), exchange_numbers, |bytes| read_ply(bytes).map_err(text));
    check_broken(12, &ply_bytes(true), mutate, |bytes| read_ply(bytes).map_err(text));
    check_broken(13, &ply_bytes(false), mutate, |bytes| read_ply(bytes).map_err(text));
}

/// A document of two cubes and a sparse accessor, over 184 bytes.
fn rich_gltf(buffer: &str) -> String {
    let nodes = r#"{ "children": [1, 2] }, { "mesh": 0 }, { "mesh": 0, "scale": [2, 2, 2], "translation": [5, 5, 5] }"#;
    with_sparse_corner(cube_gltf(buffer, nodes))
}

#[test]
fn broken_gltf() {
    let data = STANDARD.encode(sparse_cube_buffer());
    let good = rich_gltf(&format!(r#"{{ "byteLength": 184, "uri": "data:;base64,{data}" }}"#));
    check_broken(5, good.as_bytes(), mutate, |bytes| read_alone(bytes));
    // With its buffer beside it, damage goes to the structure of the document and not to base64.
    let good = rich_gltf(r#"{ "byteLength": 184, "uri": "cube.bin" }"#);
    for (seed, damage) in [(6, mutate as fn(&mut Rng, &[u8]) -> Vec<u8>), (7, exchange_numbers)] {
        check_broken(seed, good.as_bytes(), damage, |bytes| {
            read_gltf(bytes, &mut |_, _| Ok(sparse_cube_buffer())).map_err(text)
        });
    }
}

#[test]
fn broken_glb() {
    let good = glb(&rich_gltf(r#"{ "byteLength": 184 }"#), &sparse_cube_buffer());
    check_broken(8, &good, mutate, |bytes| read_alone(bytes));
    check_broken(9, &good, damage_one_chunk, |bytes| read_alone(bytes));
}

/// Damages the JSON or the binary chunk of [`rich_gltf`] and puts both together again with the right lengths.
fn damage_one_chunk(rng: &mut Rng, _input: &[u8]) -> Vec<u8> {
    let json = rich_gltf(r#"{ "byteLength": 184 }"#);
    if rng.below(2) == 0 {
        return glb(&json, &mutate(rng, &sparse_cube_buffer()));
    }
    let json = String::from_utf8(exchange_numbers(rng, json.as_bytes())).unwrap_or_default();
    glb(&json, &sparse_cube_buffer())
}
