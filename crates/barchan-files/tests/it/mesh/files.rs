//! Mesh files on the disk: endings, writing and reading back, meshes that must be closed.

use std::fs;

use barchan_files::mesh::{read_closed_mesh, read_mesh, write_mesh};
use barchan_volume::{Pose, TriMesh};
use glam::{Quat, Vec3};

use super::samples::{
    CUBE_OBJ, check_unit_cube, cube, cube_glb, cube_gltf, data_uri_buffer, stl_bytes, stl_text, write_into,
};

#[test]
fn files_are_read_by_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, Vec<u8>); 5] = [
        ("cube.obj", CUBE_OBJ.into()),
        ("text.STL", stl_text(&cube()).into()),
        ("binary.stl", stl_bytes(&cube())),
        ("cube.gltf", cube_gltf(&data_uri_buffer(), r#"{ "mesh": 0 }"#).into()),
        ("cube.glb", cube_glb()),
    ];
    for (name, bytes) in files {
        check_unit_cube(&read_mesh(write_into(folder.path(), name, bytes)).unwrap());
    }
    let missing = read_mesh(folder.path().join("missing.obj")).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read ") && missing.contains("missing.obj"), "{missing}");
    let other = read_mesh(folder.path().join("cube.fbx")).unwrap_err().to_string();
    assert!(other.ends_with("expected a file ending among obj, stl, ply, gltf, glb, found `fbx`"), "{other}");
    let broken = read_mesh(write_into(folder.path(), "broken.obj", "v 0")).unwrap_err().to_string();
    assert!(broken.contains("broken.obj: OBJ, line 1: "), "{broken}");
}

#[test]
fn written_files_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut mesh = cube();
    mesh.transform(0.1, &Pose::new(Vec3::new(1.0e-3, -7.7, 1.0e5), Quat::from_rotation_x(0.3)));
    let obj = folder.path().join("out.obj");
    write_mesh(&obj, &mesh).unwrap();
    assert_eq!(read_mesh(&obj).unwrap(), mesh);

    let stl = folder.path().join("out.stl");
    write_mesh(&stl, &mesh).unwrap();
    let read = read_mesh(&stl).unwrap();
    assert_eq!((read.vertices.len(), read.triangles.len()), (8, 12));
    for index in 0..12 {
        assert_eq!(read.corners(index), mesh.corners(index));
    }

    for name in ["out.ply", "out.glb"] {
        let path = folder.path().join(name);
        write_mesh(&path, &mesh).unwrap();
        let mut read = read_mesh(&path).unwrap();
        // A vertex for each side that meets there; on the same spot to the last bit.
        assert_eq!((read.vertices.len(), read.triangles.len()), (24, 12), "{name}");
        read.weld(0.0);
        assert_eq!((read.vertices.len(), read.is_closed()), (8, true), "{name}");
        assert_eq!(read.bounds(), mesh.bounds(), "{name}");
    }

    let other = write_mesh(folder.path().join("out.gltf"), &mesh).unwrap_err().to_string();
    assert!(other.ends_with("expected a file ending among obj, stl, ply, glb, found `gltf`"), "{other}");
    mesh.vertices[2].x = f32::NAN;
    let before = fs::read(&obj).unwrap();
    assert!(write_mesh(&obj, &mesh).unwrap_err().to_string().contains("out.obj: OBJ: vertex 2 is at (NaN"));
    assert_eq!(fs::read(&obj).unwrap(), before);
}

#[test]
fn closed_mesh_needs_no_more_than_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, mesh: &TriMesh| {
        let path = folder.path().join(name);
        write_mesh(&path, mesh).unwrap();
        read_closed_mesh(&path).map_err(|error| error.to_string())
    };
    check_unit_cube(&read("cube.stl", &cube()).unwrap());

    let mut inside_out = cube();
    inside_out.flip();
    assert_eq!(read("inside_out.obj", &inside_out).unwrap().signed_volume_m3(), 1.0);

    // Corners that rounding tore apart.
    let mut torn = TriMesh::default();
    for index in 0..12 {
        torn.vertices.extend(cube().corners(index).map(|corner| corner + index as f32 * 5.0e-8));
        torn.triangles.push([3 * index as u32, 3 * index as u32 + 1, 3 * index as u32 + 2]);
    }
    assert_eq!(read("torn.obj", &torn).unwrap().vertices.len(), 8);

    // Two cubes that touch along an edge stay two, as long as the file keeps them apart.
    let mut touching = cube();
    let mut other = cube();
    other.transform(1.0, &Pose::at(Vec3::new(1.0, 1.0, 0.0)));
    touching.append(&other);
    assert_eq!(read("touching.obj", &touching).unwrap().vertices.len(), 16);
    let joined = read("touching.stl", &touching).unwrap_err();
    assert!(joined.contains("0 open edges, 1 edges of more than two triangles"), "{joined}");
    assert!(joined.ends_with("near (1, 1, 0.5)"), "{joined}");
}

#[test]
fn holes_are_counted_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("open.obj");
    let mut open = cube();
    // The lower side.
    open.triangles.drain(..2);
    write_mesh(&path, &open).unwrap();
    assert!(read_mesh(&path).is_ok());
    let error = read_closed_mesh(&path).unwrap_err().to_string();
    let expected = "open.obj: the mesh does not enclose a volume: 4 open edges, 0 edges of more than two triangles, \
                    0 edges whose triangles disagree about outside; one of them is near (0.5, 0, 0)";
    assert!(error.ends_with(expected), "{error}");

    let mut turned = cube();
    turned.triangles[0].swap(0, 1);
    write_mesh(&path, &turned).unwrap();
    let error = read_closed_mesh(&path).unwrap_err().to_string();
    assert!(error.contains("3 edges whose triangles disagree about outside"), "{error}");
}
