//! Wrong input gets one clear message on stderr and exit code 2, nothing on stdout, and no panic.

use std::fs;
use std::path::Path;

use crate::program::run;

/// Runs `args` and checks the refusal; the message must hold every one of `expected`.
fn refuses(folder: &Path, args: &[&str], expected: &[&str]) {
    let output = run(folder, args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(output.stdout.is_empty(), "{args:?} printed {}", String::from_utf8_lossy(&output.stdout));
    assert!(!message.contains("panicked"), "{args:?}: {message}");
    for words in expected {
        assert!(message.contains(words), "{args:?}: no '{words}' in: {message}");
    }
}

#[test]
fn names_and_usage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    refuses(path, &["run", "no_such_scene"], &["no_such_scene"]);
    refuses(path, &["run", "no/such.toml"], &["no/such.toml"]);
    refuses(path, &["run", "no/such.barchan"], &["no/such.barchan"]);
    refuses(path, &["run", "heaps", "--seconds", "-1"], &["--seconds"]);
    refuses(path, &["run", "heaps", "--seconds", "NaN"], &["--seconds"]);
    refuses(path, &["run", "heaps", "--threads", "0"], &["--threads"]);
    refuses(path, &["run", "heaps", "--max-memory", "lots"], &["--max-memory", "8GiB"]);
    refuses(path, &["lab", "run", "no_such"], &["no_such", "books"]);
    refuses(path, &["lab", "run", "books", "--set", "worlds=0"], &["worlds=0", "1 to 100000"]);
    refuses(path, &["frobnicate"], &["frobnicate"]);
    refuses(path, &["convert", "heaps", "heaps.fbx"], &["heaps.fbx", ".glb", ".barchan", ".tif"]);
    refuses(
        path,
        &["convert", "heaps", "no/such/folder/heaps.glb"],
        &["cannot write no/such/folder/heaps.glb"],
    );
    refuses(path, &["convert", "missing.obj", "x.glb"], &["cannot read missing.obj"]);
    refuses(path, &["convert", "missing.obj", "x.gltf"], &["missing.obj"]);
    refuses(path, &["info", "missing.asc"], &["missing.asc"]);
}

#[test]
fn broken_scenes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let scene = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();

    scene("types.toml", "voxel_size_m = \"small\"\nsead = 3\n");
    refuses(path, &["run", "types.toml"], &["types.toml:1", "voxel_size_m", "types.toml:2", "sead", "seed"]);

    scene("nan.toml", "voxel_size_m = nan\n");
    refuses(path, &["run", "nan.toml"], &["nan.toml:1", "voxel_size_m"]);

    scene("syntax.toml", "voxel_size_m = = 1\n");
    refuses(path, &["run", "syntax.toml"], &["syntax.toml:1"]);

    let huge = "voxel_size_m = 0.01\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [80, 80, 20]\n\
                [[ground]]\nkind = \"terrain\"\nmaterial = \"granite\"\nbase_m = 8\nrelief_m = 6\nfeature_size_m = 20\n";
    scene("huge.toml", huge);
    refuses(path, &["run", "huge.toml"], &["huge.toml", "memory", "the limit is 8.0 GiB"]);

    let holed = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    scene("holed.obj", holed);
    let mesh = "voxel_size_m = 0.1\n[bounds]\nmin_m = [0,0,0]\nmax_m = [2,2,2]\n\
                [[ground]]\nkind = \"mesh\"\nfile = \"holed.obj\"\nmaterial = \"granite\"\n";
    scene("mesh.toml", mesh);
    refuses(path, &["run", "mesh.toml"], &["mesh.toml:7", "holed.obj", "not closed: 3 edges"]);
}

#[test]
fn a_scene_needs_no_more_memory_than_it_may_use() {
    let folder = tempfile::tempdir().unwrap();
    refuses(folder.path(), &["run", "dunes", "--max-memory", "2MB"], &["MiB"]);
}

#[test]
fn broken_worlds_and_maps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(run(path, &["convert", "heaps", "good.barchan"]).status.success());
    let good = fs::read(path.join("good.barchan")).unwrap();
    fs::write(path.join("cut.barchan"), &good[..good.len() / 3]).unwrap();
    refuses(path, &["run", "cut.barchan"], &["cut.barchan"]);
    let mut flipped = good;
    let at = flipped.len() / 2;
    flipped[at] ^= 0x10;
    fs::write(path.join("flipped.barchan"), flipped).unwrap();
    refuses(path, &["info", "flipped.barchan"], &["flipped.barchan", "checksum"]);
    fs::write(path.join("text.png"), "not a picture").unwrap();
    refuses(path, &["info", "text.png"], &["text.png"]);
}
