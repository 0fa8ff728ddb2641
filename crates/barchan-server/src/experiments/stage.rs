//! What every experiment with a sandbox begins with: a server on the default scene, and a client's runtime.

use barchan_lab::{Outcome, Parameter, Row};
use barchan_sim::DEFAULT_MEMORY_LIMIT_BYTES;
use glam::{Vec2, Vec3};
use serde_json::{Value, json};

use crate::client::{Client, ClientError};
use crate::net::{Server, ServerOptions};
use crate::sandbox::SandboxOptions;
use crate::scenes::SANDBOX;

/// Half of the area that hands are at work in (m), and its middle.
const AREA_M: Vec2 = Vec2::new(8.0, 5.0);
const MIDDLE_M: Vec2 = Vec2::new(12.0, 8.8);

/// A parameter that takes one number.
pub const fn number(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
    whole: bool,
) -> Parameter {
    Parameter { key, about, default, range, whole, list: false }
}

/// Plays on a server of its own. What goes wrong is the summary of an experiment that did not pass.
pub fn on_stage(play: impl AsyncFnOnce(&Server) -> Result<Outcome, ClientError>) -> Outcome {
    served(play).unwrap_or_else(|problem| {
        let summary = Row::from_iter([("problem".to_owned(), Value::from(problem))]);
        Outcome { rows: Vec::new(), summary, pass: false, plots: Vec::new() }
    })
}

fn served(play: impl AsyncFnOnce(&Server) -> Result<Outcome, ClientError>) -> Result<Outcome, String> {
    let files = std::env::temp_dir().join(format!("barchan-experiment-{}", std::process::id()));
    let sandbox = SandboxOptions {
        scene: SANDBOX.to_owned(),
        files: files.clone(),
        memory_limit_bytes: DEFAULT_MEMORY_LIMIT_BYTES,
    };
    let server = Server::start(ServerOptions { sandbox, port: None }).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let played = runtime.block_on(play(&server));
    server.stop();
    // Nothing may have been saved; then there is no folder.
    let _ = std::fs::remove_dir_all(files);
    played.map_err(|error| error.to_string())
}

/// Places all over the area, far from one another.
pub fn place(number: u32) -> Vec2 {
    let golden = [0.754_877_7, 0.569_840_3].map(|step: f64| (step * f64::from(number + 1)).fract() as f32);
    MIDDLE_M + (Vec2::from_array(golden) * 2.0 - 1.0) * AREA_M
}

/// The ground at a place.
pub async fn ground_at(client: &mut Client, at: Vec2) -> Result<Vec3, ClientError> {
    let origin = at.extend(20.0).to_array();
    let reply = client.call(json!({ "do": "pick", "origin_m": origin, "direction": [0, 0, -1] })).await?;
    let height = reply["hit"]["point_m"][2].as_f64().unwrap_or(0.0);
    Ok(at.extend(height as f32))
}

/// Entries of a row or a summary.
pub fn row<const N: usize>(entries: [(&str, Value); N]) -> Row {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
