//! Every scene that comes with the program: it loads, it builds, its books balance, and it is the same every time.

use std::path::Path;

use barchan_scene::{BuildOptions, DEFAULT_SCENE, builtin_names, builtin_text, load};

const DOCUMENT: &str = include_str!("../../../../docs/scenes.md");

#[test]
fn the_scenes_are_those_that_the_documentation_lists() {
    let (_, list) =
        DOCUMENT.split_once("## The scenes that come with the program").expect("a list of scenes");
    let rows = list.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    let listed: Vec<_> = rows.map(|(name, _)| name).filter(|name| !["scene", "---"].contains(name)).collect();
    let names = builtin_names();
    assert_eq!(listed, names);
    assert!(names.contains(&DEFAULT_SCENE));
}

#[test]
fn every_scene_begins_with_three_lines_on_what_it_shows() {
    for name in builtin_names() {
        let text = builtin_text(name).expect("a built-in scene");
        let comments = text.lines().take_while(|line| line.starts_with("# ")).count();
        assert_eq!(comments, 3, "{name}");
        assert_eq!(text.lines().nth(3), Some(""), "{name}");
    }
}

#[test]
fn every_scene_builds_with_balanced_books() {
    for name in builtin_names() {
        let scene = load(name).unwrap_or_else(|error| panic!("{error}"));
        let (world, plan) = scene.build(&BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let (held, counted) = (&world.ledger().held, world.count());
        assert_eq!(*held, counted, "{name}");
        assert!(world.ledger().balances(), "{name}");
        assert!(held.total() > 0, "{name} has no ground");
        assert!(world.ground().bounds().is_some(), "{name} has no bounds");
        assert_eq!(world.bodies().len(), scene.bodies.len(), "{name}");
        assert!(plan.steps() > 0, "{name} does not run");
    }
}

#[test]
fn the_same_scene_gives_the_same_world() {
    for name in builtin_names() {
        let digest = || {
            let scene = load(name).expect("a built-in scene");
            scene.build(&BuildOptions::default()).expect("it builds").0.digest()
        };
        assert_eq!(digest(), digest(), "{name}");
    }
}

#[test]
fn another_seed_gives_another_world() {
    let mut scene = load("dunes").expect("a scene");
    let digest =
        |scene: &barchan_scene::Scene| scene.build(&BuildOptions::default()).expect("it builds").0.digest();
    let before = digest(&scene);
    let text = scene.source.replace("seed = 11", "seed = 12");
    scene = barchan_scene::Scene::from_text("other", &text, Path::new("")).expect("it is right");
    assert_ne!(digest(&scene), before);
}

#[test]
fn a_built_in_scene_is_the_same_from_its_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/island.toml");
    let (from_file, builtin) = (load(&path).expect("a scene"), load("island").expect("a scene"));
    assert_eq!(builtin.name, "scenes/island.toml");
    assert_eq!(from_file.source, builtin.source);
    assert_eq!(from_file.ground, builtin.ground);
}

#[test]
fn unknown_names_suggest_a_scene() {
    let error = load("dune").expect_err("no such scene").to_string();
    let start =
        "dune: no such file, and no built-in scene of that name (did you mean dunes?); built-in: avalanche, ";
    assert!(error.starts_with(start), "{error}");
}
