//! The course of a connection: welcome, frames, coming back.

use barchan_server::client::Client;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::visitor::{Yard, request, serve, stroke};

#[test]
fn a_client_is_welcomed_and_shown_everything() {
    let yard = Yard::open();
    let mut client = yard.run(Client::connect(yard.address())).unwrap();
    let welcome = yard.run(client.text("welcome")).unwrap();
    assert_eq!(welcome["welcome"]["version"], 5);
    let state = yard.run(client.text("state")).unwrap();
    assert_eq!(state["state"]["bounds_m"]["max"][2], 3.2_f32);
    yard.run(client.start()).unwrap();
    let first = yard.run(client.frame()).unwrap();
    assert!(first.anew && first.whole);
    assert!(first.triangles > 1000 && first.off_by == 0.0);
    let shown: usize = first.blocks.iter().map(|block| block.triangles.len()).sum();
    assert_eq!(shown, first.triangles as usize);
    let top = first.blocks.iter().flat_map(|block| &block.positions).map(|p| p[2]).fold(0.0, f32::max);
    assert!((top - 1.0).abs() < 0.05, "the sand ends at {top} m");
}

#[test]
fn only_what_changes_is_sent_and_only_after_the_last_frame_was_taken() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    let still = yard.run(client.frame()).unwrap();
    assert!(still.blocks.is_empty() && still.poses.is_empty(), "nothing moves");
    // A client that does not acknowledge is left alone, however much happens.
    let mut silent = yard.run(Client::connect(yard.address())).unwrap();
    yard.run(silent.send(&json!({ "do": "start", "version": 6 }))).unwrap();
    yard.does(&mut client, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    let frame = yard.until_frame(&mut client, "a hole", |frame| !frame.blocks.is_empty());
    assert!(frame.blocks.len() < 10, "{} blocks for one hole", frame.blocks.len());
    yard.until("a deep hole", |_| yard.height(3.2, 3.2) < 0.7);
    let first = yard.run(silent.frame()).unwrap();
    assert!(first.anew, "the first frame waits, with no others behind it");
    let next = yard.run(silent.frame()).unwrap();
    assert_eq!(next.number, first.number + 1);
}

#[test]
fn another_version_is_turned_away() {
    let yard = Yard::open();
    let mut client = yard.run(Client::connect(yard.address())).unwrap();
    let reply = yard.call(&mut client, json!({ "do": "start", "version": 99 }));
    assert_eq!(reply["ok"], false);
    assert!(yard.run(client.hear()).is_err(), "the connection goes on");
}

#[test]
fn two_viewers_see_the_same() {
    let yard = Yard::open();
    let (mut digger, mut watcher) = (yard.visitor(), yard.visitor());
    yard.does(&mut digger, stroke("dig", [3.2, 3.2, 1.0], 0.5));
    let low = |p: &[f32; 3]| (p[0] - 3.2).abs() < 0.2 && (p[1] - 3.2).abs() < 0.2 && p[2] < 0.9 && p[2] > 0.1;
    yard.until_frame(&mut watcher, "the other's hole", |frame| {
        frame.blocks.iter().any(|block| block.positions.iter().any(low))
    });
    assert_eq!(yard.world()["viewers"], 2);
}

#[test]
fn a_client_that_comes_back_gets_everything_anew() {
    let yard = Yard::open();
    let mut client = yard.visitor();
    yard.does(&mut client, stroke("push", [3.2, 3.2, 1.0], 0.5));
    drop(client);
    yard.until("that its ball is gone", |world| world["bodies"] == json!([]));
    let mut client = yard.run(Client::connect(yard.address())).unwrap();
    yard.run(client.start()).unwrap();
    assert!(yard.run(client.frame()).unwrap().anew);

    let (address, scene) = (yard.address(), yard.folder.path().join("yard.toml"));
    let Yard { server, folder, runtime } = yard;
    server.stop();
    let files = folder.path().join("files");
    let again = serve(scene.to_str().unwrap().to_owned(), files, Some(address.port()));
    assert_eq!(again.address(), address);
    runtime.block_on(async {
        // A frame may have been under way.
        while client.frame().await.is_ok() {}
        let mut client = Client::connect(address).await.unwrap();
        client.start().await.unwrap();
        assert!(client.frame().await.unwrap().anew);
    });
    again.stop();
}

#[test]
fn foreign_pages_are_turned_away() {
    let yard = Yard::open();
    let (address, port) = (yard.address(), yard.address().port());
    for origin in
        ["http://evil.example", "null", "https://127.0.0.1", &format!("http://127.0.0.1:{}", port ^ 1)]
    {
        assert!(yard.run(Client::connect_as(address, origin)).is_err(), "{origin}");
        let text = format!(
            "GET /api/world HTTP/1.1\r\nHost: {address}\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(request(address, &text).0, 403, "{origin}");
    }
    for host in ["evil.example", "127.0.0.1", "0.0.0.0"] {
        let text = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(request(address, &text).0, 403, "{host}");
    }
    assert!(yard.run(Client::connect_as(address, &format!("http://localhost:{port}"))).is_err());
    assert_eq!(yard.get("/").0, 200);
    assert_eq!(yard.get("/../Cargo.toml").0, 404);
    assert_eq!(yard.get("/..%2fCargo.toml").0, 404);
}

#[test]
fn the_server_listens_on_this_machine_alone_and_ends_at_once() {
    let yard = Yard::open();
    assert!(yard.address().ip().is_loopback());
    let mut client = yard.visitor();
    yard.run(client.send_raw(Message::text("{"))).unwrap();
    let address = yard.address();
    yard.server.stop();
    assert!(std::net::TcpStream::connect(address).is_err(), "somebody still listens");
}
