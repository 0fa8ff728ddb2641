//! A server on a small yard of sand, and somebody who visits it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;

use barchan_server::client::{Client, Frame};
use barchan_server::{SandboxOptions, Server, ServerOptions};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Sand of 1 m depth in 6.4 x 6.4 x 3.2 m.
const YARD: &str = r#"
title = "Yard"
voxel_size_m = 0.1

[bounds]
min_m = [0, 0, 0]
max_m = [6.4, 6.4, 3.2]

[[ground]]
kind = "layer"
material = "dry_sand"
bottom_m = 0
top_m = 1
"#;

/// Steps in which whatever a test waits for must have happened.
const PATIENCE_STEPS: u64 = 1200;

/// A running server with a folder of its own.
pub struct Yard {
    pub server: Server,
    pub folder: TempDir,
    pub runtime: Runtime,
}

impl Yard {
    pub fn open() -> Self {
        Self::of("dry_sand")
    }

    /// A yard of another soil.
    pub fn of(material: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("yard.toml");
        std::fs::write(&scene, YARD.replace("dry_sand", material)).unwrap();
        let server = serve(scene.to_str().unwrap().to_owned(), folder.path().join("files"), None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { server, folder, runtime }
    }

    pub fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// A client that has seen everything.
    pub fn visitor(&self) -> Client {
        self.run(async {
            let mut client = Client::connect(self.address()).await.unwrap();
            client.start().await.unwrap();
            while !client.frame().await.unwrap().whole {}
            client
        })
    }

    /// Has a command done and gives its reply.
    pub fn call(&self, client: &mut Client, command: Value) -> Value {
        self.run(client.call(command)).unwrap()
    }

    /// Has a command done that must not fail.
    pub fn does(&self, client: &mut Client, command: Value) -> Value {
        let reply = self.call(client, command.clone());
        assert_eq!(reply["ok"], true, "{command}: {reply}");
        reply
    }

    /// Has a command refused, with `part` in the error.
    pub fn refuses(&self, client: &mut Client, command: Value, part: &str) {
        let reply = self.call(client, command.clone());
        assert_eq!(reply["ok"], false, "{command}: {reply}");
        assert!(reply["error"].as_str().unwrap().contains(part), "{command}: {reply}");
    }

    /// Waits until the server has told a state that is as it should be: it may do so before it replies to a command.
    pub fn state(&self, client: &mut Client, is_so: impl Fn(&Value) -> bool) -> Value {
        while !is_so(&client.state) {
            self.run(client.hear()).unwrap();
        }
        client.state.clone()
    }

    /// The world as the server tells it; its books must balance.
    pub fn world(&self) -> Value {
        let world = self.get_json("/api/world");
        assert_eq!(world["ledger"]["balance"], 0, "{world}");
        assert_eq!(world["ledger"]["rock"], world["counted"]["rock"]);
        assert_eq!(world["ledger"]["soil"], world["counted"]["soil"]);
        assert_eq!(world["ledger"]["water"], world["counted"]["water"]);
        world
    }

    /// Waits, for some steps, until the world is as it should be.
    pub fn until(&self, what: &str, mut is_so: impl FnMut(&Value) -> bool) -> Value {
        let first = self.world()["steps"].as_u64().unwrap();
        loop {
            let world = self.world();
            if is_so(&world) {
                return world;
            }
            let passed = world["steps"].as_u64().unwrap().saturating_sub(first);
            assert!(passed < PATIENCE_STEPS, "{what} did not happen in {passed} steps: {world}");
        }
    }

    /// Reads frames until one is as it should be.
    pub fn until_frame(
        &self,
        client: &mut Client,
        what: &str,
        mut is_so: impl FnMut(&Frame) -> bool,
    ) -> Frame {
        self.run(async {
            let mut first = None;
            loop {
                let frame = client.frame().await.unwrap();
                if is_so(&frame) {
                    return frame;
                }
                let first = *first.get_or_insert(frame.steps);
                assert!(frame.steps.saturating_sub(first) < PATIENCE_STEPS, "no frame showed {what}");
            }
        })
    }

    pub fn height(&self, x: f32, y: f32) -> f64 {
        self.get_json(&format!("/api/height?x={x}&y={y}"))["height_m"].as_f64().unwrap()
    }

    pub fn get_json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    /// Status and body of a request as the own page makes it.
    pub fn get(&self, path: &str) -> (u16, Vec<u8>) {
        request(
            self.address(),
            &format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address()),
        )
    }
}

pub fn serve(scene: String, files: PathBuf, port: Option<u16>) -> Server {
    let sandbox = SandboxOptions { scene, files, memory_limit_bytes: 1 << 30 };
    Server::start(ServerOptions { sandbox, port }).unwrap()
}

/// Sends bytes and reads the answer to its end: its status and its body.
pub fn request(address: SocketAddr, text: &str) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n").expect("an answer has a head");
    let status = String::from_utf8_lossy(&answer[9..12]).parse().unwrap();
    let body = answer.split_off(head + 4);
    (status, if String::from_utf8_lossy(&answer).contains("chunked") { unchunk(&body) } else { body })
}

fn unchunk(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(line) = body.windows(2).position(|end| end == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..line]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[line + 2..line + 2 + size]);
        body = &body[line + 2 + size + 2..];
    }
    whole
}

pub fn soil(world: &Value) -> i64 {
    world["ledger"]["soil"].as_i64().unwrap()
}

/// Soil as ground and as grains (units).
pub fn soil_and_grains(world: &Value) -> i64 {
    soil(world) + world["ledger"]["grains"].as_i64().unwrap()
}

pub fn stroke(tool: &str, point: [f32; 3], radius: f32) -> Value {
    json!({ "do": "stroke", "tool": tool, "point_m": point, "radius_m": radius })
}
