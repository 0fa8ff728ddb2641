//! The experiment `sandbox-soak`: long play with everything that hands can do, after which the books must balance.
//!
//! A client plays by a script that never repeats itself: strokes of all tools, bodies placed, thrown and taken away, both
//! machines driven, soil changed, undo and redo, saves, loads and resets. At the end every unit of the ground is counted.

use std::time::{Duration, Instant};

use barchan_lab::{Experiment, Outcome, Settings};
use barchan_sim::Account;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::process::{resident_bytes, threads};
use super::stage::{ground_at, number, on_stage, place, row};
use crate::client::{Client, ClientError, Heard};
use crate::net::Server;

/// Time between two inputs of a hand.
const INPUT: Duration = Duration::from_micros(16_667);
/// How many times the books are looked at on the way.
const LOOKS: f64 = 20.0;

/// Long play.
pub const EXPERIMENT: Experiment = Experiment {
    name: "sandbox-soak",
    about: "long play with everything that hands can do, after which the books balance",
    parameters: &[number("seconds", "how long it is played (s)", &[20.0], (1.0, 36_000.0), false)],
    run,
};

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let seconds = settings.number("seconds");
    on_stage(async |server| soak(server, seconds, progress).await)
}

async fn soak(server: &Server, seconds: f64, progress: &dyn Fn(f64)) -> Result<Outcome, ClientError> {
    let mut client = Client::connect(server.address()).await?;
    client.start().await?;
    let mut player = Player { client, acts: 0, refused: 0, notices: Vec::new(), unbalanced: 0 };
    let (began, mut rows) = (Instant::now(), Vec::new());
    while began.elapsed().as_secs_f64() < seconds {
        player.act().await?;
        let share = began.elapsed().as_secs_f64() / seconds;
        progress(share);
        if share * LOOKS > rows.len() as f64 {
            let world = server.world().await.unwrap_or_default();
            rows.push(row([
                ("seconds", began.elapsed().as_secs_f64().into()),
                ("acts", player.acts.into()),
                ("steps", world["steps"].clone()),
                ("step_ms", world["step_ms"].clone()),
                ("balance", world["ledger"]["balance"].clone()),
                ("bodies", world["bodies"].as_array().map_or(0, Vec::len).into()),
                ("megabytes", (resident_bytes().unwrap_or(0) as f64 / 1e6).into()),
                ("threads", threads().unwrap_or(0).into()),
            ]));
        }
    }
    let world = server.world().await.unwrap_or_default();
    let (ledger, counted) = (&world["ledger"], &world["counted"]);
    let agree =
        Account::ALL.iter().all(|of| !ledger[of.name()].is_null() && ledger[of.name()] == counted[of.name()]);
    let off = player.notices.iter().any(|notice| notice.contains("books"));
    let pass = agree && ledger["balance"] == 0 && player.unbalanced == 0 && !off;
    let summary = row([
        ("seconds", began.elapsed().as_secs_f64().into()),
        ("acts", player.acts.into()),
        ("refused", player.refused.into()),
        ("balance", ledger["balance"].clone()),
        ("counted_as_booked", agree.into()),
        ("frames_out_of_balance", player.unbalanced.into()),
        ("notices", player.notices.clone().into()),
        ("megabytes", (resident_bytes().unwrap_or(0) as f64 / 1e6).into()),
        ("threads", threads().unwrap_or(0).into()),
    ]);
    Ok(Outcome { rows, summary, pass, plots: Vec::new() })
}

/// Somebody who plays by the script.
struct Player {
    client: Client,
    acts: u32,
    refused: u32,
    notices: Vec<String>,
    /// Frames that told of books which do not balance.
    unbalanced: u32,
}

impl Player {
    /// The next line of the script.
    async fn act(&mut self) -> Result<(), ClientError> {
        let turn = self.acts;
        self.acts += 1;
        let point = ground_at(&mut self.client, place(turn)).await?;
        let [x, y, z] = point.to_array();
        match turn % 23 {
            0 | 6 | 12 => self.stroke("dig", point.to_array(), None).await,
            1 | 9 => self.stroke("pour", point.to_array(), Some("dry_sand")).await,
            2 | 14 => self.stroke("push", point.to_array(), None).await,
            3 | 17 => self.stroke("smooth", point.to_array(), None).await,
            4 => {
                self.does(json!({ "do": "body", "shape": "ball", "size_m": 0.6, "point_m": [x, y, z] })).await
            }
            5 => {
                let thrown = json!({ "do": "body", "shape": "box", "size_m": 0.5,
                    "point_m": [x, y, z + 2.5], "velocity_m_s": [3, -2, 1] });
                self.does(thrown).await
            }
            7 => self.drive(1, json!({ "left_track": 1, "right_track": 0.6, "swing": 0.5 })).await,
            8 => self.drive(1, json!({ "boom": -1, "stick": -0.6, "bucket": -0.8 })).await,
            10 => self.drive(1, json!({ "boom": 1, "bucket": 0.9, "swing": -0.7 })).await,
            11 => self.drive(2, json!({ "left_track": 1, "right_track": 1, "blade": -0.5 })).await,
            13 => self.drive(2, json!({ "left_track": -0.8, "right_track": -1, "blade": 0.7 })).await,
            15 => {
                let soil = json!({ "do": "soil", "material": "wet_sand",
                    "friction_angle_deg": 24 + turn % 12, "cohesion_kpa": turn % 5 });
                self.does(soil).await
            }
            16 => self.does(json!({ "do": "undo" })).await,
            18 => self.does(json!({ "do": "redo" })).await,
            19 => self.stroke("pour", point.to_array(), Some("gravel")).await,
            20 => self.does(json!({ "do": "save", "name": "soak" })).await,
            21 if turn.is_multiple_of(3) => self.does(json!({ "do": "load", "name": "soak" })).await,
            22 if turn.is_multiple_of(7) => self.does(json!({ "do": "reset" })).await,
            _ => self.linger(30).await,
        }
    }

    /// A stroke that is led along an arc for a while.
    async fn stroke(
        &mut self,
        tool: &str,
        from: [f32; 3],
        material: Option<&str>,
    ) -> Result<(), ClientError> {
        let radius_m = 0.3 + 0.1 * (self.acts % 5) as f32;
        let mut stroke = json!({ "do": "stroke", "tool": tool, "point_m": from, "radius_m": radius_m });
        if let Some(material) = material {
            stroke["material"] = material.into();
        }
        self.does(stroke).await?;
        for input in 0..40 {
            let (across, along) = (input as f32 * 0.06).sin_cos();
            let point = [from[0] + along - 1.0, from[1] + across, from[2]];
            self.client.send(&json!({ "do": "move", "point_m": point })).await?;
            self.linger(1).await?;
        }
        self.does(json!({ "do": "lift" })).await
    }

    async fn drive(&mut self, machine: u32, controls: Value) -> Result<(), ClientError> {
        self.does(json!({ "do": "drive", "machine": machine, "controls": controls })).await?;
        self.linger(60).await?;
        self.does(json!({ "do": "drive", "machine": machine, "controls": {} })).await
    }

    /// Has a command done. That one is refused, like undo with nothing to undo, is part of the play.
    async fn does(&mut self, mut command: Value) -> Result<(), ClientError> {
        command["id"] = self.acts.into();
        self.client.send(&command).await?;
        loop {
            let heard = self.client.hear().await?;
            if let Some(reply) = self.take(heard).filter(|text| text["reply"] == self.acts) {
                self.refused += u32::from(reply["ok"] != true);
                return Ok(());
            }
        }
    }

    /// Looks on for as many inputs.
    async fn linger(&mut self, inputs: u32) -> Result<(), ClientError> {
        let until = tokio::time::Instant::now() + INPUT * inputs;
        while let Some(left) = until.checked_duration_since(tokio::time::Instant::now()) {
            match timeout(left, self.client.hear()).await {
                Ok(heard) => drop(self.take(heard?)),
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Notes what frames and notices tell; gives other text back.
    fn take(&mut self, heard: Heard) -> Option<Value> {
        match heard {
            Heard::Frame(frame, _) => {
                self.unbalanced += u32::from(frame.off_by != 0.0);
                None
            }
            Heard::Text(text) => {
                self.notices.extend(text["notice"].as_str().map(str::to_owned));
                Some(text)
            }
        }
    }
}
