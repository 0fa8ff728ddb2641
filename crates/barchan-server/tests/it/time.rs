//! Time and state: pause, undo, scenes, soil, saves.

use serde_json::{Value, json};

use crate::visitor::{Yard, soil, stroke};

fn steps(world: &Value) -> u64 {
    world["steps"].as_u64().unwrap()
}

#[test]
fn time_stands_still_steps_and_goes_on() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    let paused = steps(&yard.world());
    yard.does(&mut client, json!({ "do": "step" }));
    yard.does(&mut client, json!({ "do": "step" }));
    assert_eq!(steps(&yard.world()), paused + 2);
    yard.does(&mut client, json!({ "do": "speed", "factor": 4 }));
    yard.does(&mut client, json!({ "do": "play" }));
    yard.until("time passing", |world| steps(world) > paused + 30);
    yard.refuses(&mut client, json!({ "do": "step" }), "pause");
    yard.refuses(&mut client, json!({ "do": "speed", "factor": 0 }), "factor");
    assert_eq!(yard.world()["speed"], 4.0);
}

#[test]
fn strokes_are_undone_and_done_again_exactly() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    yard.refuses(&mut client, json!({ "do": "undo" }), "nothing to undo");
    let mut digests = vec![yard.world()["digest"].clone()];
    for x in [1.0, 2.0, 3.0] {
        yard.does(&mut client, stroke("dig", [x, 3.2, 1.0], 0.4));
        yard.does(&mut client, json!({ "do": "lift" }));
        digests.push(yard.world()["digest"].clone());
    }
    for back in [2, 1, 0] {
        yard.does(&mut client, json!({ "do": "undo" }));
        assert_eq!(yard.world()["digest"], digests[back]);
    }
    for forward in [1, 2, 3] {
        yard.does(&mut client, json!({ "do": "redo" }));
        assert_eq!(yard.world()["digest"], digests[forward]);
    }
    yard.does(&mut client, json!({ "do": "undo" }));
    yard.does(&mut client, stroke("dig", [5.0, 5.0, 1.0], 0.4));
    yard.refuses(&mut client, json!({ "do": "redo" }), "nothing to redo");
    for _ in 0..60 {
        yard.does(&mut client, stroke("dig", [1.0, 1.0, 1.0], 0.2));
    }
    assert_eq!(yard.world()["undo"], 50);
}

#[test]
fn undo_brings_back_what_is_seen() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "body", "shape": "box", "size_m": 0.5, "point_m": [3, 3, 1] }));
    yard.until_frame(&mut client, "the box", |frame| !frame.bodies.is_empty());
    yard.does(&mut client, stroke("dig", [4.5, 4.5, 1.0], 0.5));
    yard.until("a hole", |_| yard.height(4.5, 4.5) < 0.8);
    yard.does(&mut client, json!({ "do": "undo" }));
    let near =
        |p: &[f32; 3]| (p[0] - 4.5).abs() < 0.1 && (p[1] - 4.5).abs() < 0.1 && (p[2] - 1.0).abs() < 0.05;
    yard.until_frame(&mut client, "the filled hole", |frame| {
        frame.blocks.iter().any(|block| block.positions.iter().any(near))
    });
    assert!(yard.height(4.5, 4.5) > 0.95);
    yard.does(&mut client, json!({ "do": "undo" }));
    assert_eq!(yard.world()["bodies"], json!([]));
}

#[test]
fn scenes_change_and_begin_again() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let epoch = yard.world()["epoch"].as_u64().unwrap();
    let before = soil(&yard.world());
    yard.does(&mut client, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    yard.until("a hole", |world| soil(world) < before);
    yard.does(&mut client, json!({ "do": "reset" }));
    let reset = yard.world();
    assert_eq!((soil(&reset), reset["epoch"].as_u64()), (before, Some(epoch + 1)));
    yard.until_frame(&mut client, "the world anew", |frame| frame.anew && frame.epoch == epoch as u32 + 1);

    yard.does(&mut client, json!({ "do": "scene", "name": "column" }));
    assert_eq!(yard.world()["scene"], "column");
    let frame = yard.until_frame(&mut client, "the new scene", |frame| frame.epoch == epoch as u32 + 2);
    assert!(frame.anew);
    yard.refuses(&mut client, json!({ "do": "scene", "name": "../../etc/passwd" }), "no built-in scene");
    let scenes = yard.get_json("/api/scenes");
    assert_eq!(scenes[0]["name"], "sandbox");
    let (status, picture) = yard.get("/scenes/column.png");
    assert!(status == 200 && picture.starts_with(b"\x89PNG"));
    assert_eq!(yard.get("/scenes/nothing.png").0, 404);
}

#[test]
fn soil_and_friction_change_while_time_passes() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let soil = json!({ "do": "soil", "material": "dry_sand", "friction_angle_deg": 20, "cohesion_kpa": 3 });
    yard.does(&mut client, soil);
    let is_weak = |state: &Value| state["materials"][0]["friction_angle_deg"] == 20.0;
    let state = yard.state(&mut client, is_weak);
    let sand = &state["materials"][0];
    assert_eq!((&sand["cohesion_kpa"], &sand["unit_weight_kn_m3"]), (&json!(3.0), &json!(15.7)));
    yard.does(&mut client, json!({ "do": "body_friction", "friction": 0.1 }));
    let state = yard.state(&mut client, |state| !state["body_friction"].is_null());
    let friction = state["body_friction"].as_f64().unwrap();
    assert!((friction - 0.1).abs() < 1e-6);
    yard.refuses(
        &mut client,
        json!({ "do": "soil", "material": "dry_sand", "friction_angle_deg": 80 }),
        "80",
    );
    yard.refuses(&mut client, json!({ "do": "soil", "material": "cheese" }), "cheese");
    yard.does(&mut client, json!({ "do": "undo" }));
    yard.does(&mut client, json!({ "do": "undo" }));
    yard.state(&mut client, |state| state["body_friction"].is_null() && !is_weak(state));
}

#[test]
fn worlds_are_saved_loaded_and_downloaded() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    yard.does(&mut client, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    yard.does(&mut client, json!({ "do": "lift" }));
    let digest = yard.world()["digest"].clone();
    yard.does(&mut client, json!({ "do": "save", "name": "hole" }));
    assert!(yard.files().join("hole.barchan").is_file());
    let (status, file) = yard.get("/download/world.barchan");
    assert!(status == 200 && file.starts_with(b"BARCHAN\n"));
    let (status, model) = yard.get("/download/mesh.glb");
    assert!(status == 200 && model.starts_with(b"glTF"));
    yard.does(&mut client, json!({ "do": "reset" }));
    assert_ne!(yard.world()["digest"], digest);
    yard.does(&mut client, json!({ "do": "load", "name": "hole" }));
    assert_eq!(yard.world()["digest"], digest);
    for name in ["../hole", "..", "/etc/passwd", "hole.barchan", "", "no\u{0}"] {
        yard.refuses(&mut client, json!({ "do": "save", "name": name }), "name");
        yard.refuses(&mut client, json!({ "do": "load", "name": name }), "name");
    }
    yard.refuses(&mut client, json!({ "do": "load", "name": "nothing" }), "no saved world");
    let (status, picture) = yard.get("/download/picture.png?width=64&height=48&eye=8,-4,5");
    assert!(status == 200 && picture.starts_with(b"\x89PNG"));
    assert_eq!(yard.get("/download/picture.png?width=99999").0, 400);
    assert_eq!(yard.get("/download/picture.png?eye=1,2").0, 400);
}

#[test]
fn hands_go_on_while_a_scene_is_built() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let first_reply = yard.run(async {
        client.send(&json!({ "do": "scene", "name": "sandbox", "id": 1 })).await.unwrap();
        client
            .send(&json!({ "do": "soil", "material": "dry_sand", "cohesion_kpa": 1, "id": 2 }))
            .await
            .unwrap();
        client.text("reply").await.unwrap()
    });
    assert_eq!((&first_reply["reply"], &first_reply["ok"]), (&json!(2), &json!(true)));
    assert_eq!(yard.run(client.text("reply")).unwrap()["reply"], 1);
    assert_eq!(yard.world()["scene"], "sandbox");
}

#[test]
fn a_save_that_fails_says_so_and_leaves_the_old_one() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "save", "name": "kept" }));
    let kept = std::fs::read(yard.files().join("kept.barchan")).unwrap();
    // A folder stands where the file is to go.
    std::fs::create_dir(yard.files().join("taken.barchan")).unwrap();
    yard.refuses(&mut client, json!({ "do": "save", "name": "taken" }), "taken");
    assert_eq!(std::fs::read(yard.files().join("kept.barchan")).unwrap(), kept);
    yard.run(client.send(&json!({ "do": "save", "name": "more" }))).unwrap();
    let state = yard.state(&mut client, |state| state["saves"] == json!(["kept", "more"]));
    assert_eq!(state["scene"], yard.world()["scene"]);
}
