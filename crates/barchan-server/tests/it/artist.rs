//! The tools of a terrain artist over the wire: an edit at a click, a look at it before, giving it up.

use serde_json::{Value, json};

use crate::visitor::Yard;

fn weather(more: Value) -> Value {
    let mut keys = json!({
        "kind": "box", "center_m": [3.2, 3.2, 0.8], "size_m": [2, 2, 1],
        "bubble": "ball", "bubble_radius_voxels": [3, 3, 4], "threshold": 0.7,
        "debris": "scree", "debris_share": 0.5,
    });
    for (key, value) in more.as_object().unwrap() {
        keys[key] = value.clone();
    }
    json!({ "do": "edit", "op": "weather", "keys": keys })
}

#[test]
fn one_click_weathers_tells_its_stages_and_is_undone() {
    let yard = Yard::of("granite");
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    let before = yard.world();

    let mut look = weather(json!({}));
    look["do"] = "preview".into();
    let preview = yard.does(&mut client, look)["preview"].clone();
    assert_eq!(yard.world()["digest"], before["digest"], "a look changes nothing");
    let voxels =
        |rows: &Value| rows.as_array().unwrap().iter().map(|row| row[3].as_u64().unwrap()).sum::<u64>();
    assert_eq!(voxels(&preview["gone"]), 400, "{preview}");

    let reply = yard.does(&mut client, weather(json!({})));
    assert_eq!((&reply["voxels"], &reply["balances"]), (&json!(400), &json!(true)), "{reply}");
    assert_eq!(reply["at_rest"], true);
    for stage in ["count", "remove", "commit", "rest"] {
        assert!(reply["stages"][stage].as_f64().unwrap() > 0.0, "{stage}: {reply}");
    }
    let after = yard.world();
    assert!(after["ledger"]["rock"].as_i64() < before["ledger"]["rock"].as_i64());
    assert!(after["ledger"]["soil"].as_i64() > Some(0), "debris lies there");
    assert_eq!(yard.state(&mut client, |state| state["undo"] == 1)["work"], Value::Null);

    yard.does(&mut client, json!({ "do": "undo" }));
    assert_eq!(yard.world()["digest"], before["digest"]);
    yard.does(&mut client, json!({ "do": "redo" }));
    assert_eq!(yard.world()["digest"], after["digest"]);
}

#[test]
fn every_tool_of_the_page_works_over_the_wire() {
    let yard = Yard::of("sandstone");
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    let (at, ball) =
        ([3.2, 3.2, 1.0], json!({ "kind": "ball", "center_m": [3.2, 3.2, 1.0], "radius_m": 0.6 }));
    let with = |more: Value| {
        let mut keys = ball.clone();
        keys.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        keys
    };
    let path = json!([[1, 1, 1], [2, 1.5, 1.2], [3, 1, 1]]);
    let tools = [
        ("add", with(json!({ "material": "granite" }))),
        ("add", json!({ "kind": "path", "points_m": path, "radius_m": 0.3, "material": "gravel" })),
        ("paint", with(json!({ "color": [200, 40, 40] }))),
        ("remove", with(json!({}))),
        ("raise", json!({ "center_m": [5, 5, 1], "radius_m": 0.8, "height_m": 0.4, "material": "loam" })),
        ("flatten", json!({ "center_m": [5, 5, 1.4], "radius_m": 0.9 })),
        ("smooth", json!({ "center_m": at, "radius_m": 1.2, "strength": 0.8 })),
        ("grow", with(json!({ "voxels": 2 }))),
        ("shrink", with(json!({ "voxels": 1 }))),
        (
            "copy",
            json!({ "min_m": [2, 2, 0], "max_m": [4, 4, 1.5], "to_m": [0.2, 4, 0], "turns": 1, "mirror": "x" }),
        ),
        (
            "fill",
            json!({ "from_m": [3.2, 3.2, 1.1], "min_m": [2.4, 2.4, 0.4], "max_m": [4, 4, 1.3], "material": "clay" }),
        ),
        ("color", json!({ "from_m": [0.5, 0.5, 0.5], "color": [90, 90, 120] })),
    ];
    let mut digest = yard.world()["digest"].clone();
    for (count, (op, keys)) in tools.into_iter().enumerate() {
        let preview = yard.does(&mut client, json!({ "do": "preview", "op": op, "keys": keys }));
        assert!(preview["preview"]["voxels"].is_array(), "{op}: {preview}");
        assert_eq!(yard.world()["digest"], digest, "{op}");
        let reply = yard.does(&mut client, json!({ "do": "edit", "op": op, "keys": keys }));
        assert_eq!(reply["balances"], true, "{op}: {reply}");
        let now = yard.world();
        assert!(now["digest"] != digest && now["undo"] == count + 1, "{op}");
        digest = now["digest"].clone();
    }
}

#[test]
fn an_edit_is_given_up_without_a_trace() {
    let yard = Yard::of("granite");
    let mut client = yard.visitor();
    let mut other = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    let before = yard.world();
    // The largest bubble there is takes a second or more.
    let slow = json!({ "kind": "box", "center_m": [3.2, 3.2, 1.6], "size_m": [6.4, 6.4, 3.2],
        "bubble": "falloff", "bubble_radius_voxels": 64, "smooth": true, "threshold": 0.9 });
    yard.run(client.send(&json!({ "do": "edit", "op": "weather", "keys": slow, "id": 999 }))).unwrap();
    yard.state(&mut other, |state| state["work"]["op"] == "weather");
    yard.refuses(&mut other, json!({ "do": "undo" }), "an edit is being carried out");
    yard.does(&mut other, json!({ "do": "cancel" }));
    yard.state(&mut other, |state| state["work"].is_null());
    let reply = yard.run(client.text("reply")).unwrap();
    assert!(reply["ok"] == false && reply["error"] == "cancelled", "{reply}");
    let after = yard.world();
    assert_eq!((&after["digest"], &after["undo"]), (&before["digest"], &before["undo"]));
    yard.refuses(&mut other, json!({ "do": "cancel" }), "no edit");
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let yard = Yard::of("granite");
    let mut client = yard.visitor();
    yard.does(&mut client, json!({ "do": "pause" }));
    let before = yard.world();
    for (keys, part) in [
        (json!({ "threshold": 1.5 }), "threshold"),
        (json!({ "threshold": "much" }), "threshold"),
        (json!({ "bubble_radius_voxels": 0 }), "1 to 64"),
        (json!({ "bubble": "bubble" }), "bubble"),
        (json!({ "debris": "granite" }), "must be a soil"),
        (json!({ "size_m": [1, 1] }), "size_m"),
        (json!({ "typo": 1 }), "unknown key"),
        (json!({ "a b": 1 }), "no key"),
        (json!({ "typo": null }), "must be a number"),
    ] {
        yard.refuses(&mut client, weather(keys), part);
    }
    let edit = |op: &str, keys: Value| json!({ "do": "edit", "op": op, "keys": keys });
    yard.refuses(&mut client, edit("explode", json!({})), "explode");
    yard.refuses(&mut client, edit("fill", json!({ "from_m": [3, 3, 2.5], "material": "clay" })), "open");
    let mesh = json!({ "kind": "mesh", "file": "../yard.toml", "material": "clay" });
    yard.refuses(&mut client, edit("add", mesh), "folder for files");
    yard.refuses(&mut client, json!({ "do": "preview", "op": "rest" }), "comes to rest");
    let after = yard.world();
    assert_eq!((&after["digest"], &after["undo"]), (&before["digest"], &before["undo"]));
    // An edit that is refused is no work any more; that is told a moment after the refusal.
    yard.state(&mut client, |state| state["work"].is_null());
}
