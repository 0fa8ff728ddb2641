//! Models on the disk: read again through our own parsers; refusals that leave old files alone.

use std::fs;

use barchan_files::mesh::read_mesh;
use barchan_files::model::{Model, write_model};
use barchan_surface::SurfaceMesh;
use glam::Vec3;

use super::samples::{NASTY, ground, model, world};

#[test]
fn every_format_gives_the_shape_back() {
    let folder = tempfile::tempdir().unwrap();
    let model = model();
    let expected = model.to_mesh();
    // Double cone of 64 sides, box, ball of 48 x 24 sides: all closed, so that their volumes add up.
    let cone = 64.0 / 2.0 * (std::f64::consts::TAU / 64.0).sin() * 9.0 * 4.0 / 3.0;
    let volume = expected.signed_volume_m3();
    assert!((volume - (cone + 1.0 + 4.155)).abs() < 0.03, "{volume} m³");
    for ending in ["glb", "ply", "obj", "stl"] {
        let path = folder.path().join("model").with_extension(ending);
        write_model(&path, &model).unwrap();
        let read = read_mesh(&path).unwrap();
        assert_eq!(read.triangles.len(), model.triangle_count(), "{ending}");
        // In glTF every material has vertices of its own.
        if matches!(ending, "ply" | "obj") {
            assert_eq!(read.vertices.len(), model.vertex_count(), "{ending}");
        }
        assert!((read.signed_volume_m3() - volume).abs() < 1e-4 * volume, "{ending}");
        // Poses go through a matrix in glTF only: a step of f32 at 20 m.
        let (a, b) = (read.bounds().unwrap(), expected.bounds().unwrap());
        assert!(
            (a.min - b.min).abs().max((a.max - b.max).abs()).max_element() < 4e-6,
            "{ending}: {a:?} {b:?}"
        );
    }
}

#[test]
fn only_materials_that_are_there_are_listed_and_bodies_are_parts() {
    let model = model();
    let looks: Vec<_> = model.looks.iter().map(|look| look.name.as_str()).collect();
    assert_eq!(looks, ["dry_sand", "sandy_loam", "body"]);
    let parts: Vec<_> = model.parts.iter().map(|part| (part.name.as_str(), part.triangle_count())).collect();
    assert_eq!(parts[..2], [("ground", 4 * 64), (NASTY, 12)]);
    assert_eq!(model.parts[0].faces.iter().map(|faces| faces.look).collect::<Vec<_>>(), [0, 1]);
    // The tip is dry sand and nothing else, the lower tip is wet and darker than its material.
    assert_eq!(model.parts[0].colors[0], model.looks[0].color);
    assert!(model.parts[0].colors[2] < model.looks[1].color);
}

#[test]
fn glb_holds_what_the_format_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.glb");
    write_model(&path, &model()).unwrap();
    let bytes = fs::read(&path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    assert!(word(12).is_multiple_of(4));
    // y is up: the sandy half of the double cone reaches from its rim to 2 m, the loamy one from -2 m beyond the rim.
    let range = |primitive: usize| {
        let primitive = &json["meshes"][0]["primitives"][primitive];
        let accessor = &json["accessors"][primitive["attributes"]["POSITION"].as_u64().unwrap() as usize];
        (accessor["min"].clone(), accessor["max"].clone())
    };
    assert_eq!(range(0), (serde_json::json!([-3.0, 0.0, -3.0]), serde_json::json!([3.0, 2.0, 3.0])));
    assert_eq!(range(1), (serde_json::json!([-3.0, -2.0, -3.0]), serde_json::json!([3.0, 1.0, 3.0])));
    assert_eq!(json["nodes"][1]["name"], NASTY);
    assert_eq!(json["nodes"][1]["translation"], serde_json::json!([10.0, 5.0, -20.0]));
    let names: Vec<_> = json["materials"].as_array().unwrap().iter().map(|m| m["name"].clone()).collect();
    assert_eq!(names, ["dry_sand", "sandy_loam", "body"]);
    for view in json["bufferViews"].as_array().unwrap() {
        assert!(view["byteOffset"].as_u64().unwrap().is_multiple_of(4), "{view}");
    }
}

#[test]
fn ply_and_obj_carry_colours_and_names_break_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let (ply, obj) = (folder.path().join("model.ply"), folder.path().join("model.obj"));
    write_model(&ply, &model()).unwrap();
    write_model(&obj, &model()).unwrap();
    let ply = fs::read(&ply).unwrap();
    let header = String::from_utf8_lossy(&ply[..600]).into_owned();
    for line in ["comment material 1 sandy_loam\n", "property uchar red\n", "property float nx\n"] {
        assert!(header.contains(line), "{header}");
    }
    let obj = fs::read_to_string(&obj).unwrap();
    assert!(obj.contains("\no bl\u{e4}de_\"1\"___v_0_0_0_\n"), "{}", &obj[..200]);
    assert!(obj.contains("\ng sandy_loam\n") && obj.contains("\ng body\n"));
    let first = obj.lines().find(|line| line.starts_with("v ")).unwrap();
    assert_eq!(first.split(' ').count(), 7, "{first}");
}

#[test]
fn what_cannot_be_written_is_said_and_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.glb");
    fs::write(&path, "old").unwrap();
    let refused = |path: &std::path::Path, model: &Model| write_model(path, model).unwrap_err().to_string();

    let empty = barchan_sim::World::new(Default::default()).unwrap();
    let error = refused(&path, &Model::of_world(&empty, SurfaceMesh::default()));
    assert!(error.ends_with("model.glb: glTF: expected ground or bodies to show, found none"), "{error}");

    let mut broken = model();
    broken.parts[0].positions[5] = [0.0, f32::NAN, 0.0];
    assert!(refused(&path, &broken).contains("part `ground`: vertex 5 is at [0.0, NaN, 0.0]"));
    let mut broken = model();
    broken.parts[0].faces[0].triangles[3][1] = 9_999;
    assert!(refused(&path, &broken).contains("part `ground`: a triangle has vertex 9999 of 131"));
    assert_eq!(fs::read(&path).unwrap(), b"old");

    let error = refused(&folder.path().join("model.fbx"), &model());
    assert!(error.ends_with("expected a file ending among glb, ply, obj, stl, found `fbx`"), "{error}");
    let error = refused(&folder.path().join("no/such/folder/model.stl"), &model());
    assert!(error.starts_with("cannot write ") && error.contains("No such file"), "{error}");
    let error = refused(&folder.path().join("nul\0.ply"), &model());
    assert!(error.starts_with("cannot write "), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn normals_without_a_direction_become_unit_vectors() {
    let mut mesh = ground();
    mesh.normals[7] = [0.0; 3];
    mesh.normals[8] = [0.0, 3.0, 4.0];
    let model = Model::of_world(&world(), mesh);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.obj");
    write_model(&path, &model).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let normals: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("vn ")).collect();
    assert_eq!(normals[7..9], ["0.00000 0.00000 1.00000", "0.00000 0.60000 0.80000"]);
    for line in normals {
        let numbers: Vec<f32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        assert!((Vec3::from_slice(&numbers).length() - 1.0).abs() < 1e-4, "{line}");
    }
}
