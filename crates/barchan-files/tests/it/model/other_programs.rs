//! Khronos' validator and Assimp, which many programs open meshes with, agree with what we wrote.

use std::path::Path;
use std::process::Command;

use barchan_files::mesh::write_mesh;
use barchan_files::model::write_model;
use serde_json::Value;

use super::samples::model;
use crate::tools::{left_out, output_of};

#[test]
fn assimp_counts_what_we_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let model = model();
    for ending in ["glb", "ply", "obj", "stl"] {
        let path = folder.path().join("model").with_extension(ending);
        write_model(&path, &model).unwrap();
        let mut command = Command::new("assimp");
        let Some(text) = output_of("assimp-utils", command.arg("info").arg(&path).arg("--raw")) else {
            return;
        };
        let count = |what: &str| {
            let line = text.lines().find_map(|line| line.trim_start().strip_prefix(what));
            line.and_then(|rest| rest.trim_start_matches([':', ' ']).trim().parse::<usize>().ok())
        };
        assert_eq!(count("Faces"), Some(model.triangle_count()), "{ending}: {text}");
    }
}

#[test]
fn the_validator_of_gltf_has_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let (world, bare) = (folder.path().join("world.glb"), folder.path().join("bare.glb"));
    write_model(&world, &model()).unwrap();
    write_mesh(&bare, &model().to_mesh()).unwrap();
    for path in [world, bare] {
        let Some(report) = validate(&path) else { return };
        let issues = &report["issues"];
        for kind in ["numErrors", "numWarnings", "numInfos"] {
            assert_eq!(issues[kind], 0, "{issues:#}");
        }
        assert_eq!(report["info"]["totalTriangleCount"], model().triangle_count(), "{report:#}");
    }
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.glb");
    write_model(&path, &model()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    // The last index is the last word of the file.
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&99_999u32.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let Some(report) = validate(&path) else { return };
    assert_eq!(report["issues"]["numErrors"], 1, "{report:#}");
}

/// What Khronos' validator reports about `path`.
fn validate(path: &Path) -> Option<Value> {
    const SCRIPT: &str = "const validator = require('gltf-validator');
        const bytes = new Uint8Array(require('fs').readFileSync(process.argv[1]));
        validator.validateBytes(bytes).then(report => console.log(JSON.stringify(report)));";
    // `cargo xtask needs` puts it there.
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tools");
    if !tools.join("node_modules/gltf-validator").exists() {
        return left_out("gltf-validator", "gltf-validator of npm");
    }
    let mut node = Command::new("node");
    let report = output_of("nodejs", node.current_dir(tools).args(["-e", SCRIPT]).arg(path))?;
    Some(serde_json::from_str(&report).unwrap())
}
