//! Many clients that come and vanish.

use barchan_server::client::Client;
use serde_json::json;

use crate::visitor::{Yard, stroke};

/// Clients at once, and how often they come.
const CLIENTS: usize = 32;
const ROUNDS: usize = 8;

#[test]
fn those_who_vanish_leave_nothing_behind() {
    let yard = Yard::open();
    let mut threads = Vec::new();
    for round in 0..ROUNDS {
        yard.run(async {
            let mut clients = Vec::new();
            for _ in 0..CLIENTS {
                let mut client = Client::connect(yard.address()).await.unwrap();
                client.start().await.unwrap();
                client.send(&stroke("push", [3.0, 3.0, 1.0], 0.2)).await.unwrap();
                clients.push(client);
            }
            for client in &mut clients {
                client.frame().await.unwrap();
            }
            // Some say good-bye, others are cut off in the middle of a frame.
            for client in clients.iter_mut().step_by(2) {
                let _ = client.send_raw(tokio_tungstenite::tungstenite::Message::Close(None)).await;
            }
        });
        let world =
            yard.until("that all are gone", |world| world["viewers"] == 0 && world["bodies"] == json!([]));
        assert!(world["undo"].as_u64().unwrap() <= 50);
        if round > 0 {
            threads.push(thread_count());
        }
    }
    // Workers come when they are first needed and stay; what piles up would go on doing so to the end.
    let (early, late) = threads.split_at(threads.len() / 2);
    assert!(late.iter().max() <= early.iter().max(), "threads pile up: {threads:?}");
}

/// Threads of this process, where the system tells.
fn thread_count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let yard = Yard::open();
    let clients: Vec<_> = (0..64).map(|_| yard.run(Client::connect(yard.address())).unwrap()).collect();
    assert!(yard.run(Client::connect(yard.address())).is_err());
    drop(clients);
    yard.until("an empty yard", |world| world["viewers"] == 0);
    yard.run(Client::connect(yard.address())).unwrap();
}
