//! Vehicles.

use serde_json::{Value, json};

use crate::visitor::{Yard, soil_and_grains};

fn joint(world: &Value, joint: usize) -> f64 {
    world["machines"][0]["joints"][joint].as_f64().unwrap()
}

#[test]
fn an_excavator_digs_swings_and_drives() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let before = yard.world();
    let place = json!({ "do": "machine", "kind": "excavator", "point_m": [2.0, 3.2, 1.0], "heading": 0.0 });
    let machine = yard.does(&mut client, place)["machine"].clone();
    let drive = |controls: Value| json!({ "do": "drive", "machine": machine, "controls": controls });
    yard.state(&mut client, |state| state["machines"][0]["kind"] == "excavator");

    yard.does(&mut client, drive(json!({ "boom": -1.0, "bucket": 0.5 })));
    yard.until("boom down", |world| joint(world, 1) < -0.35);
    yard.does(&mut client, drive(json!({ "stick": -1.0, "bucket": -1.0 })));
    yard.until("bucket curled", |world| joint(world, 3) < -1.8);
    yard.does(&mut client, drive(json!({ "boom": 1.0 })));
    yard.until("boom up", |world| joint(world, 1) > 0.5);
    yard.does(&mut client, drive(json!({ "swing": 1.0 })));
    yard.until("swing", |world| joint(world, 0) > 0.4);
    let after = yard.world();
    assert_eq!(soil_and_grains(&after), soil_and_grains(&before), "an excavator moves soil, it makes none");
    let dug = (20..50).map(|x| yard.height(x as f32 / 10.0, 3.2)).fold(f64::MAX, f64::min);
    assert!(dug < 0.95, "it dug no hole: {dug}");

    yard.does(&mut client, drive(json!({ "left_track": -0.5, "right_track": -0.5 })));
    let x = |world: &Value| world["machines"][0]["position_m"][0].as_f64().unwrap();
    yard.until("driving back", |world| x(world) < 1.8);
    yard.refuses(&mut client, drive(json!({ "wings": 1.0 })), "wings");
    yard.refuses(&mut client, drive(json!({ "boom": 1.5 })), "boom");
    yard.does(&mut client, json!({ "do": "remove_machine", "machine": machine }));
    assert_eq!(yard.world()["bodies"], json!([]));
    yard.refuses(&mut client, drive(json!({})), "no machine");
}

#[test]
fn a_bulldozer_pushes_sand_along() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let before = yard.world();
    let place = json!({ "do": "machine", "kind": "bulldozer", "point_m": [1.6, 3.2, 1.0] });
    let machine = yard.does(&mut client, place)["machine"].clone();
    let drive = |controls: Value| json!({ "do": "drive", "machine": machine, "controls": controls });
    yard.does(&mut client, json!({ "do": "carve", "on": false }));
    yard.does(&mut client, drive(json!({ "blade": -1.0 })));
    yard.until("blade down", |world| joint(world, 0) < -0.15);
    yard.does(&mut client, drive(json!({ "left_track": 0.5, "right_track": 0.5 })));
    yard.until("the way", |world| world["machines"][0]["position_m"][0].as_f64().unwrap() > 2.6);
    assert!((38..60).any(|x| yard.height(x as f32 / 10.0, 3.2) > 1.1), "no sand before the blade");
    assert_eq!(soil_and_grains(&yard.world()), soil_and_grains(&before));
    assert_eq!(yard.world()["machines"][0]["carves"], false);
}

#[test]
fn a_bulldozer_carves_particles_and_tells_what_its_blade_holds() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let before = yard.world();
    let place = json!({ "do": "machine", "kind": "bulldozer", "point_m": [1.6, 3.2, 1.0] });
    let machine = yard.does(&mut client, place)["machine"].clone();
    let drive = |controls: Value| json!({ "do": "drive", "machine": machine, "controls": controls });
    yard.does(&mut client, drive(json!({ "blade": -1.0 })));
    yard.until("blade down", |world| joint(world, 0) < -0.15);
    yard.does(&mut client, drive(json!({ "left_track": 0.5, "right_track": 0.5 })));
    let carved = yard.until("particles", |world| world["counted"]["grains"].as_i64() > Some(0));
    assert_eq!(soil_and_grains(&carved), soil_and_grains(&before));
    yard.until("a load", |world| world["machines"][0]["payload_kg"].as_f64() > Some(1.0));
    yard.refuses(&mut client, json!({ "do": "carve", "on": 1 }), "bool");
}

#[test]
fn levers_go_back_when_their_driver_leaves() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let place = json!({ "do": "machine", "kind": "excavator", "point_m": [3.2, 3.2, 1.0] });
    let machine = yard.does(&mut client, place)["machine"].clone();
    yard.does(&mut client, json!({ "do": "drive", "machine": machine, "controls": { "swing": 1.0 } }));
    yard.until("swing", |world| joint(world, 0) > 0.1);
    drop(client);
    yard.until("an empty yard", |world| world["viewers"] == 0);
    let steps = |world: &Value| world["steps"].as_u64().unwrap();
    let left = yard.world();
    let later = yard.until("some steps", |world| steps(world) > steps(&left) + 20);
    let last = yard.until("some more", |world| steps(world) > steps(&later) + 20);
    assert_eq!(joint(&last, 0), joint(&later, 0));
}

#[test]
fn machines_of_a_loaded_world_are_driven_on() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    for (kind, x) in [("excavator", 1.8), ("bulldozer", 4.6)] {
        yard.does(&mut client, json!({ "do": "machine", "kind": kind, "point_m": [x, 3.2, 1.0] }));
    }
    yard.does(
        &mut client,
        json!({ "do": "drive", "machine": 1, "controls": { "swing": 1.0, "boom": -0.2 } }),
    );
    yard.until("swing", |world| joint(world, 0) > 0.3);
    yard.does(&mut client, json!({ "do": "pause" }));
    yard.does(&mut client, json!({ "do": "save", "name": "parked" }));
    let saved = yard.world();
    yard.does(&mut client, json!({ "do": "reset" }));
    assert_eq!(yard.world()["machines"], json!([]));
    yard.does(&mut client, json!({ "do": "load", "name": "parked" }));
    let loaded = yard.world();
    assert_eq!(loaded["digest"], saved["digest"]);
    for machine in 0..2 {
        let [was, is] = [&saved, &loaded].map(|world| &world["machines"][machine]);
        assert_eq!(was["kind"], is["kind"]);
        for (a, b) in was["joints"].as_array().unwrap().iter().zip(is["joints"].as_array().unwrap()) {
            assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-3, "{was} {is}");
        }
    }
    yard.does(&mut client, json!({ "do": "play" }));
    let swung = joint(&loaded, 0);
    yard.does(&mut client, json!({ "do": "drive", "machine": 1, "controls": { "swing": 1.0 } }));
    let house = |world: &Value| world["bodies"][2]["rotation"].clone();
    let after = yard.until("the swing going on", |world| joint(world, 0) > swung + 0.3);
    assert_ne!(house(&after), house(&loaded), "the house does not follow its joint");
}
