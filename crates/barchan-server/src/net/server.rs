//! The server: bound to this machine alone, with threads that end when it does.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::serve::ListenerExt;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, watch};

use super::routes::router;
use crate::engine::{Engine, Threads};
use crate::message;
use crate::sandbox::{ClientId, Sandbox, SandboxOptions};

/// Threads that talk to clients.
const TALKING_THREADS: usize = 2;
/// Threads for what holds a talking one up: large frames, and the downloads and pictures of scenes, each one at a time.
const BLOCKING_THREADS: usize = 4;
/// Time that open connections get to end (s).
const FAREWELL: Duration = Duration::from_millis(200);

/// How to serve a sandbox.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The sandbox.
    pub sandbox: SandboxOptions,
    /// The port; a free one unless given.
    pub port: Option<u16>,
}

/// Why a sandbox cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The scene cannot be opened.
    #[error("{0}")]
    Scene(String),
    /// The port is taken, or not ours to take.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port that was asked for; 0 for any.
        port: u16,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}

/// What all connections share.
pub struct Shared {
    /// The running sandbox.
    pub engine: Engine,
    /// Pictures of scenes made so far.
    pub scene_pictures: Mutex<HashMap<&'static str, Bytes>>,
    /// Held by the download that is being made.
    pub downloads: Mutex<()>,
    /// Turns true when the server ends.
    pub ending: watch::Receiver<bool>,
    viewers: AtomicUsize,
    last_client: AtomicU64,
}

impl Shared {
    /// How many clients are connected.
    pub fn viewers(&self) -> usize {
        self.viewers.load(Ordering::Relaxed)
    }

    /// Makes room for one more client, if there is room for it among `most`.
    pub fn enter(self: &Arc<Self>, most: usize) -> Option<Seat> {
        let one_more = |viewers: usize| (viewers < most).then_some(viewers + 1);
        self.viewers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        let client = self.last_client.fetch_add(1, Ordering::Relaxed) + 1;
        Some(Seat { shared: self.clone(), client })
    }
}

/// A place among the clients, given back when dropped.
pub struct Seat {
    /// What all connections share.
    pub shared: Arc<Shared>,
    /// Whose place it is.
    pub client: ClientId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.viewers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A running sandbox.
pub struct Server {
    address: SocketAddr,
    runtime: Runtime,
    threads: Threads,
    shared: Arc<Shared>,
    end: watch::Sender<bool>,
}

impl Server {
    /// Opens the scene and serves it from now on.
    pub fn start(options: ServerOptions) -> Result<Self, ServerError> {
        let port = options.port.unwrap_or(0);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(TALKING_THREADS)
            .max_blocking_threads(BLOCKING_THREADS)
            .thread_name("talk")
            .enable_all()
            .build()
            .map_err(ServerError::Threads)?;
        let listen = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let listener = runtime.block_on(listen).map_err(|source| ServerError::Listen { port, source })?;
        let address = listener.local_addr().map_err(|source| ServerError::Listen { port, source })?;
        let sandbox = Sandbox::open(options.sandbox).map_err(ServerError::Scene)?;
        let (engine, threads) = Engine::start(sandbox).map_err(ServerError::Threads)?;
        let (end, ending) = watch::channel(false);
        let shared = Arc::new(Shared {
            engine,
            scene_pictures: Mutex::default(),
            downloads: Mutex::default(),
            ending: ending.clone(),
            viewers: AtomicUsize::new(0),
            last_client: AtomicU64::new(0),
        });
        let router = router(shared.clone(), address.port());
        // Frames are written when they are there: to collect bytes would cost 40 ms. Who refuses is slower, no more.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let mut ended = ending;
        runtime.spawn(async move {
            let until = async move {
                // An error means that the server itself is gone.
                let _ = ended.wait_for(|end| *end).await;
            };
            // Accepting fails only for single connections, which axum passes over.
            let _ = axum::serve(listener, router).with_graceful_shutdown(until).await;
        });
        Ok(Self { address, runtime, threads, shared, end })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// How many clients are connected.
    pub fn viewers(&self) -> usize {
        self.shared.viewers()
    }

    /// The world as `GET /api/world` tells it; none when the sandbox has ended.
    pub(crate) async fn world(&self) -> Option<Value> {
        let viewers = self.viewers();
        self.shared.engine.ask(move |sandbox| message::world(sandbox, viewers)).await.ok()
    }

    /// Waits until somebody presses ctrl-C.
    pub fn wait_for_interrupt(&self) -> std::io::Result<()> {
        self.runtime.block_on(tokio::signal::ctrl_c())
    }

    /// Says good-bye to all clients and ends all threads, in less than a second.
    pub fn stop(self) {
        self.end.send_replace(true);
        self.threads.stop();
        self.runtime.shutdown_timeout(FAREWELL);
    }
}
