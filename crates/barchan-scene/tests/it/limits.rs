//! Scenes that ask for too much: refused at once, in words, never by running out of memory, time or stack.

use std::path::Path;

use barchan_scene::{BuildOptions, Scene, SceneError, load};

fn build(text: &str, memory_limit_bytes: u64) -> Result<(), SceneError> {
    let scene = Scene::from_text("large.toml", text, Path::new(""))?;
    scene.build(&BuildOptions { memory_limit_bytes }).map(drop)
}

fn bounded(side_m: f32, ground: &str) -> String {
    format!(
        "voxel_size_m = 0.1\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [{side_m}, {side_m}, {side_m}]\n[[ground]]\n{ground}"
    )
}

#[test]
fn a_surface_too_large_for_the_memory_is_refused_before_it_is_made() {
    // 6,000 x 6,000 columns: a few gigabytes of bricks along the surface.
    for ground in [
        "kind = 'terrain'\nmaterial = 'clay'\nbase_m = 2\nrelief_m = 1\nfeature_size_m = 50",
        "kind = 'layer'\nmaterial = 'clay'\nbottom_m = 0\ntop_m = 0.35",
        "kind = 'dunes'\nmaterial = 'dry_sand'\nbase_m = 2\nheight_m = 2\nwavelength_m = 20",
    ] {
        let text = bounded(600.0, ground).replace("600, 600, 600]", "600, 600, 10]");
        let error = build(&text, 1 << 30).expect_err(ground);
        let SceneError::TooLarge { needed_bytes, limit_bytes, .. } = error else { panic!("{error}") };
        assert_eq!(limit_bytes, 1 << 30);
        // 750 x 750 bricks of 512 voxels on the surface, 16 bytes each.
        let surface = 750 * 750 * 512 * 16;
        assert!((surface * 9 / 10..surface * 3 / 2).contains(&needed_bytes), "{needed_bytes} for {ground}");
        let text = error.to_string();
        assert!(
            text.starts_with("large.toml: needs at least ") && text.ends_with("; the limit is 1.0 GiB"),
            "{text}"
        );
    }
}

#[test]
fn what_only_the_build_finds_out_is_refused_too() {
    // Each ball fits, all of them do not.
    let ball = |i: usize| {
        format!(
            "[[ground]]\nkind = 'ball'\nmaterial = 'clay'\ncenter_m = [{}, 5, 5]\nradius_m = 4.5\n",
            5 + 10 * i
        )
    };
    let text = format!("voxel_size_m = 0.1\n{}", (0..20).map(ball).collect::<String>());
    let error = build(&text, 16 << 20).expect_err("too large");
    assert!(matches!(error, SceneError::TooLarge { .. }), "{error}");
    build(&text, 1 << 30).expect("it fits");
}

#[test]
fn more_voxels_than_anybody_can_wait_for_are_a_problem() {
    let text = "voxel_size_m = 0.001\n[[ground]]\nop = 'remove'\nkind = 'ball'\ncenter_m = [0, 0, 0]\nradius_m = 1000";
    let error = build(text, u64::MAX).expect_err("too large").to_string();
    assert!(error.starts_with("large.toml:2: ground[0]: covers 8"), "{error}");
    assert!(error.ends_with("make voxel_size_m larger or the ground smaller"), "{error}");
    // Bounds make the same ball a small matter.
    let text = text.replace("[[ground]]", "[bounds]\nmin_m = [0, 0, 0]\nmax_m = [0.1, 0.1, 0.1]\n[[ground]]");
    build(&text, u64::MAX).expect("it is small");
}

#[test]
fn the_largest_bounds_are_allowed_and_empty_ones_cost_nothing() {
    let text = "voxel_size_m = 0.1\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [100000, 100000, 100000]";
    build(text, 1 << 20).expect("there is no ground in it");
    let text = format!("{text}\n[[ground]]\nkind = 'layer'\nmaterial = 'clay'\nbottom_m = 0\ntop_m = 1");
    assert!(build(&text, u64::MAX).expect_err("too large").to_string().contains("covers"));
}

#[test]
fn deep_nesting_is_refused_without_harm() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let text = format!("voxel_size_m = 1\nx = {}1{}", open.repeat(100_000), close.repeat(100_000));
        let error = build(&text, 1).expect_err("too deep").to_string();
        assert!(error.starts_with("large.toml:2:"), "{error}");
    }
    let text = format!("voxel_size_m = 1\n{} = 1", vec!["a"; 100_000].join("."));
    assert!(build(&text, 1).is_err());
    let text = format!("voxel_size_m = 1\n[{}]", vec!["a"; 100_000].join("."));
    assert!(build(&text, 1).is_err());
}

#[test]
fn long_files_and_files_that_are_not_text_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, vec![b'#'; Scene::MAX_BYTES + 1]).expect("written");
    let error = load(&path).expect_err("too long").to_string();
    assert!(error.ends_with("scene.toml: has 4194305 bytes; at most 4194304 are read"), "{error}");
    std::fs::write(&path, b"voxel_size_m = 1\n# \xff\n").expect("written");
    let error = load(&path).expect_err("not text").to_string();
    assert!(error.ends_with("scene.toml: line 2 is not UTF-8 text"), "{error}");
    let error = load(folder.path()).expect_err("a folder").to_string();
    assert!(error.ends_with("is not a file"), "{error}");
    std::fs::write(&path, "voxel_size_m = 1").expect("written");
    assert_eq!(load(&path).expect("a scene").voxel_size_m, 1.0);
}
