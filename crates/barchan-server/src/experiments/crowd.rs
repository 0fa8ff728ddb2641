//! The experiment `sandbox-crowd`: clients come and vanish, and leave nothing behind.
//!
//! Each client connects, looks at some frames, and is gone, mostly without a word, over and over. Memory and threads of the
//! process, which holds server and clients, are taken when the first wave is gone and when the last one is.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use barchan_lab::{Experiment, Outcome, Row, Settings};
use futures_util::future::try_join_all;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::process::{resident_bytes, threads};
use super::stage::{ground_at, number, on_stage, place, row};
use crate::client::{Client, ClientError};
use crate::net::Server;

/// Memory that may be left over (bytes): what allocators keep. A hundred visits that each left what a client is sent would
/// take more.
const MEMORY_LEFT: u64 = 48 << 20;
/// How many times memory and threads are looked at on the way.
const LOOKS: u32 = 10;
/// Time in which those who are gone are noticed.
const FAREWELL: Duration = Duration::from_secs(20);

/// Many clients that come and vanish.
pub const EXPERIMENT: Experiment = Experiment {
    name: "sandbox-crowd",
    about: "clients come and vanish: memory and threads stay where they were",
    parameters: &[
        number("clients", "clients at once", &[32.0], (1.0, 60.0), true),
        number("seconds", "how long they come (s)", &[6.0], (1.0, 36_000.0), false),
    ],
    run,
};

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let [clients, seconds] = ["clients", "seconds"].map(|key| settings.number(key));
    on_stage(async |server| crowd(server, clients as u32, seconds, progress).await)
}

async fn crowd(
    server: &Server,
    clients: u32,
    seconds: f64,
    progress: &dyn Fn(f64),
) -> Result<Outcome, ClientError> {
    wave(server, clients, seconds / f64::from(LOOKS)).await?;
    let (before, began) = (Left::of(server).await, Instant::now());
    let (mut rows, mut visits) = (vec![before.row(0.0, 0)], 0);
    while began.elapsed().as_secs_f64() < seconds {
        visits += wave(server, clients, seconds / f64::from(LOOKS)).await?;
        rows.push(Left::of(server).await.row(began.elapsed().as_secs_f64(), visits));
        progress(began.elapsed().as_secs_f64() / seconds);
    }
    let after = Left::of(server).await;
    let (memory, threads) = (after.memory_above(&before), after.threads.saturating_sub(before.threads));
    let mut summary = after.row(began.elapsed().as_secs_f64(), visits);
    summary.extend(row([("megabytes_more", (memory as f64 / 1e6).into()), ("threads_more", threads.into())]));
    let pass = after.viewers == 0 && threads == 0 && memory <= MEMORY_LEFT;
    Ok(Outcome { rows, summary, pass, plots: Vec::new() })
}

/// All clients come and vanish for some time; returns how many visits that were.
async fn wave(server: &Server, clients: u32, seconds: f64) -> Result<u32, ClientError> {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let guests = (0..clients).map(|number| guest(server.address(), number, until));
    Ok(try_join_all(guests).await?.into_iter().sum())
}

/// One who comes again and again.
async fn guest(address: SocketAddr, number: u32, until: Instant) -> Result<u32, ClientError> {
    let mut visits = 0;
    while Instant::now() < until {
        // Those who have just gone may still hold a place.
        let Ok(mut client) = Client::connect(address).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        client.start().await?;
        let eye_m = place(number + visits).extend(4.0).to_array();
        client.send(&json!({ "do": "eye", "eye_m": eye_m })).await?;
        for _ in 0..=(number + visits) % 4 {
            client.frame().await?;
        }
        if visits.is_multiple_of(3) {
            ground_at(&mut client, place(visits)).await?;
        }
        // One in four says good-bye.
        if (number + visits).is_multiple_of(4) {
            client.send_raw(Message::Close(None)).await?;
        }
        visits += 1;
    }
    Ok(visits)
}

/// What is left when everybody is gone.
struct Left {
    viewers: usize,
    memory: u64,
    threads: usize,
}

impl Left {
    async fn of(server: &Server) -> Self {
        let began = Instant::now();
        while server.viewers() > 0 && began.elapsed() < FAREWELL {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self {
            viewers: server.viewers(),
            memory: resident_bytes().unwrap_or(0),
            threads: threads().unwrap_or(0),
        }
    }

    fn memory_above(&self, other: &Self) -> u64 {
        self.memory.saturating_sub(other.memory)
    }

    fn row(&self, seconds: f64, visits: u32) -> Row {
        row([
            ("seconds", seconds.into()),
            ("visits", visits.into()),
            ("viewers", self.viewers.into()),
            ("megabytes", (self.memory as f64 / 1e6).into()),
            ("threads", self.threads.into()),
        ])
    }
}
