//! Hands on water and grains: what they bring is booked, and everybody sees it.

use barchan_server::client::Client;
use serde_json::{Value, json};

use crate::visitor::{Yard, stroke};

#[test]
fn a_shower_brings_water_that_is_seen_and_ends_with_the_stroke() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let mut rain = stroke("rain", [3.2, 3.2, 1.0], 0.8);
    rain["strength"] = json!(1.0);
    yard.does(&mut client, rain);
    yard.until("water", |world| world["counted"]["free_water"].as_i64().unwrap_or(0) > 0);
    yard.until_frame(&mut client, "particles of water", |_| true);
    for _ in 0..400 {
        if !client.particles()[0].shown().is_empty() {
            break;
        }
        yard.run(client.frame()).unwrap();
    }
    let shown = client.particles()[0].shown();
    assert!(!shown.is_empty(), "nobody sees the water");
    let is_inside = |x: f32| (-0.2..6.6).contains(&x);
    assert!(shown.iter().all(|one| one.centre_m.iter().copied().all(is_inside)), "{shown:?}");
    yard.does(&mut client, json!({ "do": "lift" }));
    until_state(&yard, &mut client, |state| state["sources"] == json!([]));
    let world = yard.until("the books", |world| world["ledger"]["balance"] == 0);
    assert!(world["counted"]["free_water"].as_i64().unwrap() >= 0);
    // What was rained can be taken back.
    yard.does(&mut client, json!({ "do": "undo" }));
    yard.until("dry sand", |world| world["counted"]["free_water"] == 0);
}

#[test]
fn grains_pour_out_of_the_hand_and_are_seen() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let mut pour = stroke("grains", [3.2, 3.2, 1.0], 0.4);
    pour["material"] = json!("dry_sand");
    yard.does(&mut client, pour);
    yard.until("grains", |world| world["counted"]["grains"].as_i64().unwrap_or(0) > 0);
    yard.does(&mut client, json!({ "do": "lift" }));
    for _ in 0..400 {
        if client.particles()[1].shown().len() >= 4 {
            break;
        }
        yard.run(client.frame()).unwrap();
    }
    assert!(client.particles()[1].shown().len() >= 4, "nobody sees the grains");
    yard.until("the books", |world| world["ledger"]["balance"] == 0);
}

#[test]
fn springs_and_rain_are_put_changed_and_taken_away() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let spring = json!({ "do": "source", "point_m": [2, 2, 1.6], "radius_m": 0.3, "rate_m3_s": 0.05 });
    let reply = yard.run(client.call(spring)).unwrap();
    assert_eq!((&reply["ok"], &reply["source"]), (&json!(true), &json!(0)));
    yard.until("water", |world| world["counted"]["free_water"].as_i64().unwrap_or(0) > 0);
    yard.does(&mut client, json!({ "do": "change_source", "source": 0, "rate_m3_s": 0.0, "sediment": 0.1 }));
    yard.does(&mut client, json!({ "do": "rain", "rate_mm_h": 5000 }));
    until_state(&yard, &mut client, |state| {
        state["rain_mm_h"] == json!(5000.0) && state["sources"][0]["rate_m3_s"] == json!(0.0)
    });
    yard.does(&mut client, json!({ "do": "rain", "rate_mm_h": 0 }));
    yard.does(&mut client, json!({ "do": "remove_source", "source": 0 }));
    for wrong in [
        json!({ "do": "remove_source", "source": 0 }),
        json!({ "do": "change_source", "source": 9 }),
        json!({ "do": "rain", "rate_mm_h": -1 }),
        json!({ "do": "source", "point_m": [2, 2, 2], "radius_m": 0.3, "rate_m3_s": 1e9 }),
    ] {
        let reply = yard.run(client.call(wrong.clone())).unwrap();
        assert_eq!(reply["ok"], json!(false), "{wrong}");
    }
    yard.until("the books", |world| world["ledger"]["balance"] == 0);
}

/// Waits until the client was told such a state.
fn until_state(yard: &Yard, client: &mut Client, is_so: impl Fn(&Value) -> bool) {
    for _ in 0..400 {
        if is_so(&client.state) {
            return;
        }
        yard.run(client.frame()).unwrap();
    }
    panic!("the state is {}", client.state);
}
