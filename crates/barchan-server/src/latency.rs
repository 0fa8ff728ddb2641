//! The experiment `sandbox-latency`: how long a stroke takes to change what a viewer sees.
//!
//! A client without a screen digs in the sandbox, stroke after stroke at new places, and takes the time from sending a
//! stroke until the changed mesh around its point has come over the wire.

use std::time::Duration;

use barchan_lab::{Experiment, Outcome, Parameter, Row, Settings};
use barchan_sim::DEFAULT_MEMORY_LIMIT_BYTES;
use glam::{Vec2, Vec3};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};

use crate::client::{Client, ClientError, Frame, Heard};
use crate::net::{Server, ServerOptions};
use crate::sandbox::SandboxOptions;
use crate::scenes::SANDBOX;

/// Time between two inputs of a hand (s).
const INPUT_S: f64 = 1.0 / 60.0;
/// A stroke that shows nothing for this long counts as this slow.
const SLOWEST: Duration = Duration::from_secs(2);
/// Half of the area that is dug in (m), and its middle.
const AREA_M: Vec2 = Vec2::new(8.0, 5.0);
const MIDDLE_M: Vec2 = Vec2::new(12.0, 8.8);

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

const fn number(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
    whole: bool,
) -> Parameter {
    Parameter { key, about, default, range, whole, list: false }
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    match measure(settings, progress) {
        Ok(outcome) => outcome,
        Err(problem) => {
            let summary = Row::from_iter([("problem".to_owned(), Value::from(problem))]);
            Outcome { rows: Vec::new(), summary, pass: false, plots: Vec::new() }
        }
    }
}

fn measure(settings: &Settings, progress: &dyn Fn(f64)) -> Result<Outcome, String> {
    let sandbox = SandboxOptions {
        scene: SANDBOX.to_owned(),
        files: std::env::temp_dir().join("barchan-sandbox-latency"),
        memory_limit_bytes: DEFAULT_MEMORY_LIMIT_BYTES,
    };
    let server = Server::start(ServerOptions { sandbox, port: None }).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let dug = runtime.block_on(dig(&server, settings, progress));
    server.stop();
    dug.map_err(|error| error.to_string())
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
        rows.push(Row::from_iter([
            ("stroke".to_owned(), stroke.into()),
            ("latency_ms".to_owned(), latency.into()),
        ]));
        progress(f64::from(stroke + 1) / strokes);
    }
    let seconds = began.elapsed().as_secs_f64();
    let rate = (last.steps - first.steps) as f64 / seconds;
    Ok(summarise(rows, (client.bytes - bytes) as f64 / 1e3 / seconds, rate, &last))
}

/// Places all over the area, far from one another.
fn place(stroke: u32) -> Vec2 {
    let golden = [0.754_877_7, 0.569_840_3].map(|step: f64| (step * f64::from(stroke + 1)).fract() as f32);
    MIDDLE_M + (Vec2::from_array(golden) * 2.0 - 1.0) * AREA_M
}

async fn ground_at(client: &mut Client, at: Vec2) -> Result<Vec3, ClientError> {
    let origin = at.extend(20.0).to_array();
    let reply = client.call(json!({ "do": "pick", "origin_m": origin, "direction": [0, 0, -1] })).await?;
    let height = reply["hit"]["point_m"][2].as_f64().unwrap_or(0.0);
    Ok(at.extend(height as f32))
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
    let figures = [
        ("median_ms", median_ms),
        ("p99_ms", p99_ms),
        ("kilobytes_per_s", kilobytes_per_s),
        ("steps_per_second", steps_per_second),
        ("triangles", f64::from(last.triangles)),
    ];
    let summary = figures.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
    let fast = median_ms < 50.0 && p99_ms < 120.0;
    let slim = kilobytes_per_s < 300.0 && last.triangles < 150_000;
    // A step more or less lies between the first and the last frame.
    Outcome {
        rows,
        summary,
        plots: Vec::new(),
        pass: fast && slim && steps_per_second > 59.0 && last.balance == 0,
    }
}
