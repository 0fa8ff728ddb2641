//! What hands do to the world.

use barchan_server::client::{Client, Frame};
use serde_json::json;

use crate::visitor::{Yard, soil, stroke};

#[test]
fn digging_takes_ground_and_shows_it() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let before = yard.world();
    yard.does(&mut client, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    let frame = yard.until_frame(&mut client, "a hole", |frame| !frame.blocks.is_empty());
    let near = |p: &[f32; 3]| (p[0] - 3.2).abs() < 0.6 && (p[1] - 3.2).abs() < 0.6;
    assert!(frame.blocks.iter().any(|block| block.positions.iter().any(near)), "the hole is elsewhere");
    let after = yard.until("a deep hole", |_| yard.height(3.2, 3.2) < 0.7);
    yard.does(&mut client, json!({ "do": "lift" }));
    assert!(soil(&after) < soil(&before));
    assert!(after["ledger"]["out"].as_i64() > before["ledger"]["out"].as_i64());
    assert!(yard.height(1.0, 1.0) > 0.95, "only the ring is dug");
}

#[test]
fn grass_grows_on_loam_until_it_is_dug() {
    let grass_at = |frame: &Frame, x: f32| -> Option<bool> {
        let mut vertices = frame.blocks.iter().flat_map(|block| block.positions.iter().zip(&block.grass));
        let is_here =
            |p: &[f32; 3]| (p[0] - x).abs() < 0.06 && (p[1] - 3.2).abs() < 0.06 && p[2] > 0.3 && p[2] < 1.1;
        vertices.find(|(place, _)| is_here(place)).map(|(_, grass)| *grass)
    };
    let seen = |yard: &Yard, client: &mut Client, x: f32| {
        let frame = yard.until_frame(client, "the ground", |frame| grass_at(frame, x).is_some());
        grass_at(&frame, x)
    };
    for (soil, grows) in [("loam", true), ("dry_sand", false)] {
        let yard = Yard::of(soil);
        let mut client = yard.run(Client::connect(yard.address())).unwrap();
        yard.run(client.start()).unwrap();
        assert_eq!(seen(&yard, &mut client, 3.2), Some(grows), "{soil}");
    }
    let yard = Yard::of("loam");
    let mut client = yard.visitor();
    yard.does(&mut client, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    yard.until("a hole", |_| yard.height(3.2, 3.2) < 0.8);
    yard.does(&mut client, json!({ "do": "lift" }));
    let mut late = yard.run(Client::connect(yard.address())).unwrap();
    yard.run(late.start()).unwrap();
    assert_eq!(seen(&yard, &mut late, 3.2), Some(false), "in the hole");
}

#[test]
fn a_fast_stroke_leaves_no_gaps() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    yard.does(&mut client, stroke("dig", [1.0, 3.2, 1.0], 0.4));
    yard.does(&mut client, json!({ "do": "move", "point_m": [4.0, 3.2, 1.0] }));
    for x in [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0] {
        assert!(yard.height(x, 3.2) < 0.99, "nothing was dug at {x}");
    }
}

#[test]
fn pouring_brings_any_material() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let before = yard.world();
    let mut pour = stroke("pour", [2.0, 2.0, 1.0], 0.4);
    yard.refuses(&mut client, pour.clone(), "material is missing");
    pour["material"] = json!("unheard_of");
    yard.refuses(&mut client, pour.clone(), "unheard_of");
    for (at, material) in [(2.0_f32, "gravel"), (4.5, "granite")] {
        pour["material"] = json!(material);
        pour["point_m"] = json!([at, 2.0, 1.0]);
        yard.does(&mut client, pour.clone());
        yard.until("a heap", |_| yard.height(at, 2.0) > 1.15);
        yard.does(&mut client, json!({ "do": "lift" }));
        let top = yard.get_json(&format!("/api/height?x={at}&y=2.0"));
        assert_eq!(top["material"], material);
    }
    let after = yard.world();
    assert!(soil(&after) > soil(&before));
    assert!(after["ledger"]["rock"].as_i64() > Some(0));
}

#[test]
fn smoothing_neither_adds_nor_takes() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    yard.does(&mut client, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    for _ in 0..20 {
        yard.does(&mut client, json!({ "do": "move", "point_m": [3.2, 3.2, 1.0] }));
    }
    let (before, deep) = (yard.world(), yard.height(3.2, 3.2));
    let mut smooth = stroke("smooth", [3.2, 3.2, 0.8], 1.5);
    smooth["strength"] = json!(1.0);
    yard.does(&mut client, smooth);
    for _ in 0..60 {
        yard.does(&mut client, json!({ "do": "move", "point_m": [3.2, 3.2, 0.8] }));
    }
    assert_eq!(soil(&yard.world()), soil(&before));
    assert!(yard.height(3.2, 3.2) > deep + 0.05, "the hole is as deep as before");
}

#[test]
fn a_ball_pushes_soil_aside_and_goes_with_the_stroke() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let before = yard.world();
    yard.does(&mut client, stroke("push", [2.0, 3.2, 1.0], 0.4));
    yard.does(&mut client, json!({ "do": "move", "point_m": [4.0, 3.2, 0.8] }));
    let x = |world: &serde_json::Value| world["bodies"][0]["position_m"][0].as_f64().unwrap_or(0.0);
    let there = yard.until("the ball's arrival", |world| x(world) > 3.9);
    assert_eq!(there["bodies"][0]["role"], 3);
    assert_eq!(soil(&there), soil(&before));
    // What rode on the ball may still be falling from it, and lies in the furrow in heaps.
    let furrow_m = || (0..12).map(|k| yard.height(2.45 + 0.1 * k as f32, 3.2)).sum::<f64>() / 12.0;
    yard.until("a furrow", |_| furrow_m() < 0.93);
    yard.does(&mut client, json!({ "do": "lift" }));
    assert_eq!(yard.world()["bodies"], json!([]));
}

#[test]
fn bodies_are_placed_thrown_and_taken_away() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let body = json!({ "do": "body", "shape": "box", "size_m": 0.5, "point_m": [3.0, 3.0, 1.0] });
    let rests = yard.does(&mut client, body)["body"].clone();
    // It settles for a while, and is in every frame until it lies still.
    yard.until_frame(&mut client, "the box", |frame| frame.bodies.iter().any(|(_, name)| name == "box"));
    let mut thrown = json!({ "do": "body", "shape": "ball", "size_m": 0.4, "point_m": [1.0, 1.0, 2.0] });
    thrown["velocity_m_s"] = json!([3.0, 0.0, 1.0]);
    let flies = yard.does(&mut client, thrown)["body"].clone();
    let x_of = |world: &serde_json::Value, id: &serde_json::Value| {
        let bodies = world["bodies"].as_array().unwrap();
        bodies.iter().find(|body| body["body"] == *id).map(|body| body["position_m"][0].as_f64().unwrap())
    };
    yard.until("flight", |world| x_of(world, &flies).unwrap() > 2.0);
    yard.does(&mut client, json!({ "do": "remove_body", "body": rests }));
    assert_eq!(x_of(&yard.world(), &rests), None);
    yard.until_frame(&mut client, "that it is gone", |frame| frame.gone == [rests.as_u64().unwrap() as u32]);
    yard.refuses(&mut client, json!({ "do": "remove_body", "body": rests }), "no body");
    yard.refuses(
        &mut client,
        json!({ "do": "body", "shape": "box", "size_m": 9, "point_m": [0, 0, 0] }),
        "size_m",
    );
}

#[test]
fn the_ring_finds_the_ground() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let pick = json!({ "do": "pick", "origin_m": [3.0, 3.0, 3.0], "direction": [0.0, 0.1, -1.0] });
    let hit = yard.does(&mut client, pick)["hit"].clone();
    let z = hit["point_m"][2].as_f64().unwrap();
    assert!((z - 1.0).abs() < 0.02, "{hit}");
    assert_eq!(hit["material"], "dry_sand");
    let away = json!({ "do": "pick", "origin_m": [3.0, 3.0, 3.0], "direction": [0.0, 0.0, 1.0] });
    assert_eq!(yard.does(&mut client, away)["hit"], json!(null));
}
