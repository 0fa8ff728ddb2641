//! What `convert` and `record` leave: meshes, maps, films, and what is said where they cannot be had.

use std::fs;
use std::path::Path;

use crate::program::{command, run, run_json};

/// A box of sand between walls with a ball on it, in which nothing takes long.
const SCENE: &str = r#"
voxel_size_m = 0.25
duration_s = 0.2
step_s = 0.05
[bounds]
min_m = [0, 0, 0]
max_m = [4, 3, 3]
[[ground]]
kind = "layer"
material = "dry_sand"
bottom_m = 0
top_m = 1
[[body]]
shape = "ball"
radius_m = 0.5
position_m = [2, 1.5, 2]
"#;

fn write_scene(folder: &Path, record: &str) {
    fs::write(folder.join("box.toml"), format!("{SCENE}{record}")).unwrap();
}

#[test]
fn a_scene_becomes_a_closed_mesh_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "");
    for name in ["box.glb", "box.ply", "box.obj", "box.stl"] {
        let output = run(folder.path(), &["convert", "box.toml", name]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let info = run_json(folder.path(), &["info", name, "--json"]);
        assert_eq!(info["closed"], true, "{name}: {info}");
        // 12 m³ of sand and half a cubic metre of ball. The ground ends a sixth of a voxel inside the walls, and its edges
        // are rounded over a voxel: 8 % of a box of 16 x 12 x 4 voxels.
        let volume = info["volume_m3"].as_f64().unwrap();
        assert!((0.9 * 12.52..12.53).contains(&volume), "{name}: {info}");
        let [low, high] = ["min", "max"].map(|end| info["bounds_m"][end][2].as_f64().unwrap());
        assert!(low.abs() < 0.2 && (high - 2.5).abs() < 0.01, "{name}: z up: {info}");
    }
    for (from, to) in [("box.glb", "again.ply"), ("again.ply", "again.stl"), ("again.stl", "again.glb")] {
        assert_eq!(run(folder.path(), &["convert", from, to]).status.code(), Some(0), "{from} -> {to}");
    }
    let [once, again] =
        ["box.glb", "again.glb"].map(|name| run_json(folder.path(), &["info", name, "--json"]));
    assert_eq!(once["triangles"], again["triangles"]);
    let volumes = [once, again].map(|info| info["volume_m3"].as_f64().unwrap());
    assert!((volumes[0] - volumes[1]).abs() < 1e-3, "{volumes:?}");
}

#[test]
fn materials_come_as_a_map_with_a_legend() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "");
    let output = run(folder.path(), &["convert", "box.toml", "map.png", "--materials"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "box.toml -> map.png, map.csv\n");
    let legend = fs::read_to_string(folder.path().join("map.csv")).unwrap();
    assert!(
        legend.lines().any(|line| line.starts_with("0,dry_sand,soil,") && line.ends_with(",192,12")),
        "{legend}"
    );
    assert_eq!(run(folder.path(), &["convert", "map.csv", "x.png", "--materials"]).status.code(), Some(2));
}

#[test]
fn particles_come_as_points() {
    let folder = tempfile::tempdir().unwrap();
    write_scene(folder.path(), "[record]\nparticles = true\nevery_s = 0.1\n");
    for args in
        [vec!["convert", "box.toml", "box.vtk"], vec!["convert", "box.toml", "box.ply", "--particles"]]
    {
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(fs::read(folder.path().join("box.vtk")).unwrap().starts_with(b"# vtk DataFile Version 3.0\n"));
    let ply = fs::read(folder.path().join("box.ply")).unwrap();
    assert!(String::from_utf8_lossy(&ply).contains("property float vx\n"));
    let read = run(folder.path(), &["info", "box.vtk"]);
    assert_eq!(read.status.code(), Some(2));
    assert_eq!(run(folder.path(), &["run", "box.toml", "--out", "out"]).status.code(), Some(0));
    for name in ["particles.vtk", "particles-0000.vtk", "particles-0001.vtk"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}");
    }
}

#[test]
fn a_run_records_what_the_scene_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    let record = "[record]\nevery_s = 0.1\nworld = false\npicture = false\nheightmap_format = 'asc'\nmaterials = true\n\
                  mesh = true\nmesh_format = 'stl'\nmesh_every_s = 0.2\n\
                  video = { name = 'film', format = 'png', fps = 10, size = [64, 48] }\n";
    write_scene(folder.path(), record);
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/surface-0007.glb"), "of an earlier run").unwrap();
    run_json(folder.path(), &["run", "box.toml", "--out", "out", "--json"]);
    let mut names: Vec<_> = fs::read_dir(folder.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    let mut expected = vec!["film.png", "summary.json", "table.csv"];
    expected.extend(["surface-0000.stl", "surface-0001.stl", "surface.stl"]);
    for numbered in [
        ["heights-0000.asc", "heights-0001.asc", "heights-0002.asc", "heights.asc"],
        ["materials-0000.csv", "materials-0001.csv", "materials-0002.csv", "materials.csv"],
        ["materials-0000.png", "materials-0001.png", "materials-0002.png", "materials.png"],
    ] {
        expected.extend(numbered);
    }
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[cfg(unix)]
mod without_a_good_ffmpeg {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Seven frames, together more than a pipe holds: a program that is gone is noticed.
    const FILM: &str = "[record]\nworld = false\npicture = false\nheightmap = false\n\
                        [record.video]\nfps = 20\nsize = [160, 120]\n";

    /// Runs the scene with a film where `ffmpeg` is the shell script given, or nothing at all.
    fn film(folder: &Path, ffmpeg: Option<&str>) -> std::process::Output {
        write_scene(folder, FILM);
        let programs = folder.join("programs");
        fs::create_dir(&programs).unwrap();
        if let Some(script) = ffmpeg {
            let path = programs.join("ffmpeg");
            fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = -version ] && exit 0\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let args = ["run", "box.toml", "--steps", "6", "--out", "out", "--json"];
        command(folder, &args).env("PATH", programs).output().unwrap()
    }

    #[test]
    fn an_animated_png_takes_the_place_of_an_mp4() {
        let folder = tempfile::tempdir().unwrap();
        let output = film(folder.path(), None);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let warning = "ffmpeg is not installed: video.png (animated) is written instead of video.mp4";
        assert_eq!(answer["warnings"][0], warning, "{answer}");
        assert!(
            folder.path().join("out/video.png").exists() && !folder.path().join("out/video.mp4").exists()
        );
    }

    #[test]
    fn one_that_fails_or_is_killed_ends_the_run_with_its_reason() {
        let rows = [
            (
                "echo 'Unknown encoder libx264' >&2; exit 3",
                "ffmpeg failed (exit status: 3): Unknown encoder libx264",
            ),
            ("kill -9 $$", "ffmpeg failed (signal: 9 (SIGKILL))"),
            (
                "/bin/cat >/dev/null; echo 'disk full' >&2; exit 1",
                "ffmpeg failed (exit status: 1): disk full",
            ),
            ("exit 0", "ffmpeg ended before the film did"),
        ];
        for (script, expected) in rows {
            let folder = tempfile::tempdir().unwrap();
            let output = film(folder.path(), Some(script));
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{script}: {message}");
            assert!(message.contains("video.mp4") && message.contains(expected), "{script}: {message}");
            let left: Vec<_> =
                fs::read_dir(folder.path().join("out")).unwrap().map(|e| e.unwrap().path()).collect();
            assert!(left.is_empty(), "{script}: {left:?}");
        }
    }
}
