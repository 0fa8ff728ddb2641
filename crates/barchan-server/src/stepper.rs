//! The stepping thread: owns the sandbox, takes commands between two steps, and steps in time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::command::Call;
use crate::message;
use crate::sandbox::{Answer, ClientId, Errand, Report, Sandbox};
use crate::slot::Slot;
use crate::view::Moment;

/// Requests that are served between two steps, so that a flood of them does not stop time.
const REQUESTS_PER_STEP: usize = 512;
/// A world that steps too slowly is not made to catch up by more than this.
const LONGEST_DEBT: Duration = Duration::from_millis(250);
/// Least time between two views, and the time after which there is one even though nothing moves.
const VIEW_PAUSE: Duration = Duration::from_millis(24);
const LONGEST_VIEW_PAUSE: Duration = Duration::from_millis(200);
/// Time between two looks at what was asked while the world stands still.
pub const IDLE: Duration = Duration::from_millis(8);

/// What the stepping thread is asked.
pub enum Request {
    /// A client has come; its replies go here.
    Join(ClientId, mpsc::Sender<String>),
    /// A client wants something done.
    Call(ClientId, Call),
    /// A client is gone.
    Leave(ClientId),
    /// What came of something that took long.
    Receive(Asked, Report),
    /// A question about the sandbox.
    Ask(Box<dyn FnOnce(&mut Sandbox) + Send>),
}

/// Who asked for something, and the number that the reply is to carry.
pub type Asked = Option<(ClientId, Option<u32>)>;

/// The stepping thread.
pub struct Stepper {
    sandbox: Sandbox,
    inbox: Receiver<Request>,
    errands: SyncSender<(Asked, Errand)>,
    clients: BTreeMap<ClientId, mpsc::Sender<String>>,
    moments: Arc<Slot<Moment>>,
    states: watch::Sender<Arc<str>>,
    /// The revision of the state that clients were told.
    told: u64,
    stop: Arc<AtomicBool>,
}

impl Stepper {
    /// Owns `sandbox`, serves `inbox`, and hands on errands, moments and states.
    pub fn new(
        sandbox: Sandbox,
        inbox: Receiver<Request>,
        errands: SyncSender<(Asked, Errand)>,
        moments: Arc<Slot<Moment>>,
        states: watch::Sender<Arc<str>>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        Self { sandbox, inbox, errands, clients: BTreeMap::new(), moments, states, told: 0, stop }
    }

    /// Steps in time, until told to stop or nobody can ask any more.
    pub fn run(&mut self) {
        let (mut due, mut shown, mut moved) = (Instant::now(), Instant::now(), true);
        while !self.stop.load(Ordering::Relaxed) {
            if !self.serve(due) {
                return;
            }
            let (playing, speed) = self.sandbox.pace();
            // While an edit is carried out on a copy of the world, time stands still.
            let playing = playing && !self.sandbox.is_at_work();
            self.sandbox.follow_work();
            if playing {
                self.sandbox.step();
            }
            self.tell();
            moved |= self.sandbox.take_moved();
            let pause = if moved { VIEW_PAUSE } else { LONGEST_VIEW_PAUSE };
            if shown.elapsed() >= pause && self.moments.is_wanted() {
                (shown, moved) = (Instant::now(), false);
                self.moments.put(Moment::of(&mut self.sandbox));
            }
            let pause = Duration::from_secs_f64(self.sandbox.step_s() / f64::from(speed));
            let pause = if playing { pause } else { IDLE };
            due = (due + pause).max(Instant::now() - LONGEST_DEBT);
        }
    }

    /// Serves requests until `due`; at least those that wait. False when nobody can ask any more.
    fn serve(&mut self, due: Instant) -> bool {
        for _ in 0..REQUESTS_PER_STEP {
            let left = due.saturating_duration_since(Instant::now());
            match self.inbox.recv_timeout(left) {
                Ok(request) => {
                    self.answer(request);
                    if self.sandbox.take_urgent() {
                        self.moments.put(Moment::of(&mut self.sandbox));
                    }
                }
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    fn answer(&mut self, request: Request) {
        match request {
            Request::Join(client, replies) => {
                self.clients.insert(client, replies);
                // Who comes may have put a file there. When much is to be done the list comes later.
                let _ = self.errands.try_send((None, self.sandbox.list_saves()));
            }
            Request::Leave(client) => {
                self.clients.remove(&client);
                self.sandbox.leave(client);
            }
            Request::Ask(question) => question(&mut self.sandbox),
            Request::Receive(asked, report) => {
                let done = self.sandbox.receive(report);
                if let Some((client, id)) = asked {
                    self.reply(client, id, done);
                }
            }
            Request::Call(client, Call { id, command }) => {
                let done = catch_unwind(AssertUnwindSafe(|| self.sandbox.apply(client, command)));
                match done.unwrap_or_else(|_| Err("the sandbox failed at this command".to_owned())) {
                    Ok(Answer::Done(told)) => self.reply(client, id, Ok(told)),
                    Ok(Answer::Takes(errand)) => {
                        let work = errand.work();
                        if self.errands.try_send((Some((client, id)), errand)).is_err() {
                            work.into_iter().for_each(|number| self.sandbox.end_work(number));
                            let busy = "too much is being saved and opened; try again later";
                            self.reply(client, id, Err(busy.to_owned()));
                        }
                    }
                    Err(problem) => self.reply(client, id, Err(problem)),
                }
            }
        }
    }

    /// Replies to a command that has a number, and to one that was refused.
    fn reply(&mut self, client: ClientId, id: Option<u32>, done: Result<Value, String>) {
        if id.is_none() && done.is_ok() {
            return;
        }
        let Some(replies) = self.clients.get(&client) else { return };
        // A client that does not read its replies gets none: its connection closes when it sees that.
        if replies.try_send(message::reply(id, done)).is_err() {
            self.clients.remove(&client);
        }
    }

    /// Tells clients the state, if it changed, and what they should know.
    fn tell(&mut self) {
        for notice in self.sandbox.take_notices() {
            let text = message::notice(&notice);
            self.clients.retain(|_, replies| replies.try_send(text.clone()).is_ok());
        }
        let revision = self.sandbox.revision();
        if self.told != revision {
            self.told = revision;
            self.states.send_replace(message::state(&self.sandbox).into());
        }
    }
}
