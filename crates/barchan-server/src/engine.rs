//! The threads behind the server: one steps the world ([`crate::stepper`]), one meshes it, one does what takes long. None
//! ever waits for a client.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use glam::Vec3;
use tokio::sync::{mpsc, oneshot, watch};

use crate::command::Call;
use crate::mesher::Mesher;
use crate::message;
use crate::sandbox::{ClientId, Errand, Report, Sandbox};
use crate::slot::Slot;
use crate::stepper::{Asked, IDLE, Request, Stepper};
use crate::view::{Moment, View};

/// Requests that may wait for the next step.
const MOST_REQUESTS: usize = 1024;
/// Errands that may wait for the one before.
const MOST_ERRANDS: usize = 8;
/// How long the threads are waited for when all ends.
const LONGEST_FAREWELL: Duration = Duration::from_millis(500);

/// Where each client looks from (m).
type Eyes = BTreeMap<ClientId, Vec3>;

/// A handle on the running sandbox. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    requests: SyncSender<Request>,
    eyes_m: Arc<Mutex<Eyes>>,
    views: watch::Receiver<Option<Arc<View>>>,
    states: watch::Receiver<Arc<str>>,
    stop: Arc<AtomicBool>,
}

/// The running threads.
pub struct Threads {
    stop: Arc<AtomicBool>,
    slot: Arc<Slot<Moment>>,
    handles: Vec<JoinHandle<()>>,
}

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// Too much is waiting.
    #[error("the sandbox is busy: too many commands wait for the next step")]
    Busy,
    /// It has ended.
    #[error("the sandbox has ended")]
    Ended,
}

impl Engine {
    /// Starts the threads of a sandbox.
    pub fn start(mut sandbox: Sandbox) -> std::io::Result<(Self, Threads)> {
        let (requests, inbox) = sync_channel(MOST_REQUESTS);
        let (view_sender, views) = watch::channel(None);
        let (state_sender, states) = watch::channel(message::state(&sandbox).into());
        let (slot, eyes_m, stop) =
            (Arc::new(Slot::new()), Arc::new(Mutex::default()), Arc::new(AtomicBool::new(false)));
        slot.put(Moment::of(&mut sandbox));

        let meshing = {
            let (slot, eyes_m) = (slot.clone(), eyes_m.clone());
            std::thread::Builder::new().name("mesh".to_owned()).spawn(move || {
                mesh(&slot, &eyes_m, &view_sender);
            })?
        };
        let (errands, to_do) = sync_channel(MOST_ERRANDS);
        let running = {
            let requests = requests.clone();
            let run = move || run_errands(&to_do, &requests);
            std::thread::Builder::new().name("errand".to_owned()).spawn(run)?
        };
        let mut stepper = Stepper::new(sandbox, inbox, errands, slot.clone(), state_sender, stop.clone());
        // Steps have workers of their own: in a common pool they would wait behind blocks that are being meshed.
        let pool = rayon::ThreadPoolBuilder::new().thread_name(|i| format!("step {i}")).build();
        let pool = pool.map_err(std::io::Error::other)?;
        let stepping = std::thread::Builder::new()
            .name("step".to_owned())
            .spawn(move || pool.install(move || stepper.run()))?;
        let engine = Self { requests, eyes_m, views, states, stop: stop.clone() };
        Ok((engine, Threads { stop, slot, handles: vec![stepping, meshing, running] }))
    }

    /// A client has come; replies go to `replies`.
    pub fn join(&self, client: ClientId, replies: mpsc::Sender<String>) -> Result<(), EngineError> {
        self.send(Request::Join(client, replies))
    }

    /// Has `client`'s command done before the next step.
    pub fn call(&self, client: ClientId, call: Call) -> Result<(), EngineError> {
        self.send(Request::Call(client, call))
    }

    /// A client is gone. Waits for room rather than forget that.
    pub async fn leave(&self, client: ClientId) {
        lock(&self.eyes_m).remove(&client);
        while self.send(Request::Leave(client)) == Err(EngineError::Busy) {
            tokio::time::sleep(IDLE).await;
        }
    }

    /// Asks the stepping thread, between two steps.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Sandbox) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let (answer, answered) = oneshot::channel();
        self.send(Request::Ask(Box::new(move |sandbox| {
            // Whoever asked may be gone.
            let _ = answer.send(question(sandbox));
        })))?;
        answered.await.map_err(|_| EngineError::Ended)
    }

    /// Moves the viewpoint of a client, one of those that levels of detail are made for.
    pub fn look_from(&self, client: ClientId, eye_m: Vec3) {
        lock(&self.eyes_m).insert(client, eye_m);
    }

    /// The newest view, as it comes.
    pub fn views(&self) -> watch::Receiver<Option<Arc<View>>> {
        self.views.clone()
    }

    /// The newest `state` message, as it comes.
    pub fn states(&self) -> watch::Receiver<Arc<str>> {
        self.states.clone()
    }

    fn send(&self, request: Request) -> Result<(), EngineError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(EngineError::Ended);
        }
        self.requests.try_send(request).map_err(|error| match error {
            TrySendError::Full(_) => EngineError::Busy,
            TrySendError::Disconnected(_) => EngineError::Ended,
        })
    }
}

impl Threads {
    /// Ends all threads. One that builds a large scene just now is not waited for.
    pub fn stop(self) {
        self.end();
        let began = Instant::now();
        while began.elapsed() < LONGEST_FAREWELL && !self.handles.iter().all(JoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.slot.close();
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.end();
    }
}

/// The thread for what takes long.
fn run_errands(to_do: &Receiver<(Asked, Errand)>, requests: &SyncSender<Request>) {
    while let Ok((asked, errand)) = to_do.recv() {
        let work = errand.work();
        let report = catch_unwind(AssertUnwindSafe(|| errand.run())).unwrap_or_else(|_| Report {
            saved: None,
            work,
            done: Err("the sandbox failed at this command".to_owned()),
        });
        if requests.send(Request::Receive(asked, report)).is_err() {
            return;
        }
    }
}

/// The meshing thread.
fn mesh(slot: &Slot<Moment>, eyes_m: &Mutex<Eyes>, views: &watch::Sender<Option<Arc<View>>>) {
    let mut mesher: Option<Mesher> = None;
    while let Some(moment) = slot.take() {
        let eyes_m: Vec<Vec3> = lock(eyes_m).values().copied().collect();
        let mesher = mesher.get_or_insert_with(|| Mesher::new(&moment, &eyes_m));
        views.send_replace(Some(Arc::new(mesher.show(&moment, &eyes_m))));
    }
}

fn lock(eyes_m: &Mutex<Eyes>) -> MutexGuard<'_, Eyes> {
    eyes_m.lock().unwrap_or_else(PoisonError::into_inner)
}
