//! The experiment `sandbox-latency`: how long a stroke takes to change what a viewer sees.
//!
//! A client without a screen digs in the sandbox, stroke after stroke at new places, and takes the time from sending a
//! stroke until the changed mesh around its point has come over the wire.

use std::time::Duration;

use barchan_lab::{Experiment, Outcome, Row, Settings};
use glam::{Vec2, Vec3};
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use super::stage::{ground_at, number, on_stage, place, row};
use crate::client::{Client, ClientError, Frame, Heard};
use crate::net::Server;

/// Time between two inputs of a hand (s).
const INPUT_S: f64 = 1.0 / 60.0;
/// A stroke that shows nothing for this long counts as this slow.
const SLOWEST: Duration = Duration::from_secs(2);

/// Stroke to changed mesh on the wire.
pub const EXPERIMENT: Experiment = Experiment {
    name: "sandbox-latency",
    about: "time from a stroke to the changed mesh on the wire, bytes and steps while digging",
    parameters: &[
        number("strokes", "strokes dug", &[60.0], (1.0, 10_000.0), true),
        number("stroke_s", "time of a stroke (s)", &[0.5], (0.0, 60.0), false),
        number("radius_m", "radius of the shovel (m)", &[0.5], (0.1, 5.0), false),
    ],
    run,
};

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    on_stage(async |server| dig(server, settings, progress).await)
}

async fn dig(server: &Server, settings: &Settings, progress: &dyn Fn(f64)) -> Result<Outcome, ClientError> {
    let [strokes, stroke_s, radius_m] = ["strokes", "stroke_s", "radius_m"].map(|key| settings.number(key));
    let mut client = Client::connect(server.address()).await?;
    client.start().await?;
    while !client.frame().await?.whole {}

    let (began, bytes) = (Instant::now(), client.bytes);
    let first = client.frame().await?;
    let (mut rows, mut last) = (Vec::new(), first.clone());
    for stroke in 0..strokes as u32 {
        let from = place(stroke);
        let point_m = ground_at(&mut client, from).await?;
        let sent = Instant::now();
        client
            .send(&json!({ "do": "stroke", "tool": "dig", "point_m": point_m.to_array(), "radius_m": radius_m }))
            .await?;
        let seen = timeout(SLOWEST, until_changed(&mut client, point_m)).await;
        let latency = sent.elapsed().min(SLOWEST).as_secs_f64() * 1e3;
        if let Ok(frame) = seen {
            last = frame?;
        }
        drag(&mut client, point_m, stroke_s, &mut last).await?;
        client.send(&json!({ "do": "lift" })).await?;
        rows.push(row([("stroke", stroke.into()), ("latency_ms", latency.into())]));
        progress(f64::from(stroke + 1) / strokes);
    }
    let seconds = began.elapsed().as_secs_f64();
    let rate = (last.steps - first.steps) as f64 / seconds;
    Ok(summarise(rows, (client.bytes - bytes) as f64 / 1e3 / seconds, rate, &last))
}

/// Waits for a frame with a changed block around `point_m`.
async fn until_changed(client: &mut Client, point_m: Vec3) -> Result<Frame, ClientError> {
    loop {
        let frame = client.frame().await?;
        let near = |p: &[f32; 3]| Vec3::from_array(*p).truncate().distance(point_m.truncate()) < 0.5;
        if frame.blocks.iter().any(|block| block.positions.iter().any(near)) {
            return Ok(frame);
        }
    }
}

/// Goes on with the stroke along an arc, sixty inputs a second.
async fn drag(client: &mut Client, from: Vec3, seconds: f64, last: &mut Frame) -> Result<(), ClientError> {
    let began = Instant::now();
    for input in 1..=(seconds / INPUT_S) as u32 {
        let due = began + Duration::from_secs_f64(f64::from(input) * INPUT_S);
        let turn = Vec2::from_angle(input as f32 * 0.05) - Vec2::X;
        let point_m = from + turn.extend(0.0);
        client.send(&json!({ "do": "move", "point_m": point_m.to_array() })).await?;
        loop {
            tokio::select! {
                () = sleep_until(due) => break,
                heard = client.hear() => if let Heard::Frame(frame, _) = heard? {
                    *last = *frame;
                }
            }
        }
    }
    Ok(())
}

fn summarise(rows: Vec<Row>, kilobytes_per_s: f64, steps_per_second: f64, last: &Frame) -> Outcome {
    let mut latencies: Vec<f64> = rows.iter().filter_map(|row| row["latency_ms"].as_f64()).collect();
    latencies.sort_by(f64::total_cmp);
    let share = |share: f64| latencies[((latencies.len() - 1) as f64 * share).round() as usize];
    let (median_ms, p99_ms) = (share(0.5), share(0.99));
    let summary = row([
        ("median_ms", median_ms.into()),
        ("p99_ms", p99_ms.into()),
        ("kilobytes_per_s", kilobytes_per_s.into()),
        ("steps_per_second", steps_per_second.into()),
        ("triangles", last.triangles.into()),
    ]);
    let fast = median_ms < 50.0 && p99_ms < 120.0;
    let slim = kilobytes_per_s < 300.0 && last.triangles < 150_000;
    // A step more or less lies between the first and the last frame.
    Outcome {
        rows,
        summary,
        plots: Vec::new(),
        pass: fast && slim && steps_per_second > 59.0 && last.off_by == 0.0,
    }
}
