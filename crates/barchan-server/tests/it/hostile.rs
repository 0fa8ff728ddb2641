//! Whatever clients send, the server lives and the books balance.

use barchan_server::client::{Client, ClientError};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::visitor::Yard;

/// Random and mutated messages.
const MESSAGES: u32 = 10_000;

/// A small generator: the messages are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn commands() -> Vec<Value> {
    let point = json!([3.0, 3.0, 1.0]);
    vec![
        json!({ "do": "start", "version": 6 }),
        json!({ "do": "ack", "frame": 1 }),
        json!({ "do": "eye", "eye_m": point }),
        json!({ "do": "pick", "origin_m": point, "direction": [0, 0, -1], "id": 1 }),
        json!({ "do": "stroke", "tool": "dig", "point_m": point, "radius_m": 0.4, "id": 2 }),
        json!({ "do": "stroke", "tool": "pour", "point_m": point, "radius_m": 0.4, "material": "gravel" }),
        json!({ "do": "stroke", "tool": "smooth", "point_m": point, "radius_m": 0.4 }),
        json!({ "do": "stroke", "tool": "push", "point_m": point, "radius_m": 0.4 }),
        json!({ "do": "move", "point_m": [4.0, 2.0, 1.0] }),
        json!({ "do": "lift" }),
        json!({ "do": "body", "shape": "box", "size_m": 0.4, "point_m": point, "velocity_m_s": [1, 2, 3] }),
        json!({ "do": "remove_body", "body": 3 }),
        json!({ "do": "machine", "kind": "excavator", "point_m": point, "heading": 1.0 }),
        json!({ "do": "drive", "machine": 1, "controls": { "boom": 0.5, "swing": -1.0 } }),
        json!({ "do": "remove_machine", "machine": 1 }),
        json!({ "do": "play" }),
        json!({ "do": "pause" }),
        json!({ "do": "step" }),
        json!({ "do": "speed", "factor": 2.0 }),
        json!({ "do": "reset" }),
        json!({ "do": "soil", "material": "dry_sand", "friction_angle_deg": 30.0 }),
        json!({ "do": "body_friction", "friction": 0.5 }),
        json!({ "do": "save", "name": "x" }),
        json!({ "do": "load", "name": "x" }),
        json!({ "do": "undo" }),
        json!({ "do": "redo" }),
    ]
}

fn random_value(dice: &mut Dice) -> Value {
    match dice.roll(9) {
        0 => json!(null),
        1 => json!(-1),
        2 => json!(1e38),
        3 => json!([1, 2]),
        4 => json!([1e30, -1e30, 0]),
        5 => json!("../../x"),
        6 => json!({ "do": "reset" }),
        7 => json!(u64::MAX),
        _ => json!(true),
    }
}

/// A message that is right, or a little or entirely wrong.
fn message(dice: &mut Dice, commands: &[Value]) -> Message {
    let mut command = commands[dice.roll(commands.len())].clone();
    match dice.roll(7) {
        0 => {
            let keys: Vec<String> = command.as_object().unwrap().keys().cloned().collect();
            let key = &keys[dice.roll(keys.len())];
            command[key] = random_value(dice);
            Message::text(command.to_string())
        }
        1 => {
            let mut text = command.to_string().into_bytes();
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(text.len());
                text[at] = dice.roll(128) as u8;
            }
            Message::text(String::from_utf8(text).unwrap())
        }
        2 => {
            let text = command.to_string();
            Message::text(text[..dice.roll(text.len())].to_owned())
        }
        3 => {
            let length = dice.roll(200);
            Message::text((0..length).map(|_| char::from(dice.roll(128) as u8)).collect::<String>())
        }
        4 => {
            let length = dice.roll(200);
            Message::binary((0..length).map(|_| dice.roll(256) as u8).collect::<Vec<_>>())
        }
        5 => Message::text(command.to_string()),
        _ => Message::text(format!("{}{command}", "[".repeat(dice.roll(2000)))),
    }
}

/// Says so many messages that none is dropped for coming too soon, and reads every answer.
async fn say(client: &mut Client, messages: &[Message]) -> Result<(), ClientError> {
    for message in messages {
        client.send_raw(message.clone()).await?;
    }
    client.call(json!({ "do": "pick", "origin_m": [3, 3, 3], "direction": [0, 0, -1] })).await.map(drop)
}

#[test]
fn ten_thousand_broken_messages() {
    let yard = Yard::open();
    let (mut dice, commands) = (Dice(0x5eed), commands());
    let mut sent = 0;
    while sent < MESSAGES {
        // A new client now and then: each may send some hundred messages at once.
        let mut client = yard.run(Client::connect(yard.address())).unwrap();
        let messages: Vec<_> = (0..400).map(|_| message(&mut dice, &commands)).collect();
        // A client that asks for an unknown version is sent away, the others stay.
        let _ = yard.run(say(&mut client, &messages));
        sent += messages.len() as u32;
    }
    let mut client = yard.visitor();
    // What was asked for before may still be under way; the server says so.
    loop {
        let reply = yard.call(&mut client, json!({ "do": "reset" }));
        if reply["ok"] == true {
            break;
        }
        assert!(reply["error"].as_str().unwrap().contains("try again later"), "{reply}");
    }
    yard.does(&mut client, json!({ "do": "play" }));
    let steps = yard.world()["steps"].as_u64().unwrap();
    yard.until("time passing", |world| world["steps"].as_u64().unwrap() > steps + 10);
    assert_eq!(
        yard.folder.path().read_dir().unwrap().count(),
        2,
        "something was written outside of the folder"
    );
}

#[test]
fn garbage_gets_an_answer() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    for garbage in
        [Message::text("{"), Message::text("\u{0}"), Message::binary(vec![1, 2, 3]), Message::text("[]")]
    {
        yard.run(client.send_raw(garbage)).unwrap();
        let reply = yard.run(client.text("reply")).unwrap();
        assert_eq!((&reply["reply"], &reply["ok"]), (&json!(null), &json!(false)));
        assert!(reply["error"].is_string());
    }
}

#[test]
fn messages_that_are_too_long_end_the_connection() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let _ = yard.run(client.send_raw(Message::text("x".repeat(17 << 10))));
    yard.run(async { while client.hear().await.is_ok() {} });
    yard.until("that it is gone", |world| world["viewers"] == 0);
    yard.visitor();
}

#[test]
fn a_flood_is_dropped_with_a_word() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let told = yard.run(async {
        for _ in 0..2000 {
            client.send(&json!({ "do": "lift" })).await.unwrap();
        }
        client.text("reply").await.unwrap()
    });
    assert!(told["error"].as_str().unwrap().contains("messages a second"), "{told}");
}
