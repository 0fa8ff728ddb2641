//! One connection: commands in, replies and frames out. One frame is under way at a time; nothing piles up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::Response;
use glam::Vec3;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::rate::Bucket;
use super::routes::error;
use super::server::{Seat, Shared};
use crate::command::{Call, Command};
use crate::frame::{Outbox, VERSION};
use crate::message;
use crate::view::View;

/// Most clients at once.
const MOST_CLIENTS: usize = 64;
/// Longest message of a client (bytes).
const LONGEST_MESSAGE: usize = 16 << 10;
/// Messages of a client in a second, and at once.
const MESSAGES_PER_S: f64 = 240.0;
const MESSAGES_AT_ONCE: f64 = 480.0;
/// Replies that may wait to be sent.
const MOST_REPLIES: usize = 512;
/// A client that only floods for this long is sent away.
const LONGEST_FLOOD: Duration = Duration::from_secs(10);
/// Time between two pings, and the silence after which a client counts as gone.
const PING: Duration = Duration::from_secs(10);
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
/// Time that a client has to take a message off the wire.
const SENDING: Duration = Duration::from_secs(10);
/// Numbers come this often, even when nothing moves.
const NUMBERS: Duration = Duration::from_millis(250);
/// Time between two looks whether a frame is due.
const TICK: Duration = Duration::from_millis(50);

/// `GET /socket`.
pub async fn open(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(seat) = shared.enter(MOST_CLIENTS) else {
        return error(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{MOST_CLIENTS} clients are connected already"),
        );
    };
    upgrade
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .on_upgrade(move |socket| serve(socket, seat))
}

async fn serve(socket: WebSocket, seat: Seat) {
    let (engine, client) = (seat.shared.engine.clone(), seat.client);
    let (sender, replies) = mpsc::channel(MOST_REPLIES);
    if engine.join(client, sender).is_err() {
        return;
    }
    let mut connection = Connection::new(socket, &seat, replies);
    let why = connection.run().await;
    connection.close(why).await;
    engine.leave(client).await;
}

/// Why a connection ends: a close code and a word for the client; none when it is gone already.
type End = Option<(u16, &'static str)>;

struct Connection<'a> {
    socket: WebSocket,
    seat: &'a Seat,
    replies: mpsc::Receiver<String>,
    views: watch::Receiver<Option<Arc<View>>>,
    states: watch::Receiver<Arc<str>>,
    outbox: Outbox,
    /// The client has said that it wants frames.
    started: bool,
    /// The frame that the client has not acknowledged yet.
    under_way: Option<u32>,
    framed: Instant,
    eye_m: Option<Vec3>,
    bucket: Bucket,
    heard: Instant,
    /// When the last message was let through.
    welcome: Instant,
    scolded: Option<Instant>,
}

impl<'a> Connection<'a> {
    fn new(socket: WebSocket, seat: &'a Seat, replies: mpsc::Receiver<String>) -> Self {
        let (engine, now) = (&seat.shared.engine, Instant::now());
        Self {
            socket,
            seat,
            replies,
            views: engine.views(),
            states: engine.states(),
            outbox: Outbox::default(),
            started: false,
            under_way: None,
            framed: now,
            eye_m: None,
            bucket: Bucket::new(MESSAGES_PER_S, MESSAGES_AT_ONCE, now),
            heard: now,
            welcome: now,
            scolded: None,
        }
    }

    /// Talks until either side has had enough.
    async fn run(&mut self) -> End {
        match self.talk().await {
            Ok(never) => match never {},
            Err(why) => why,
        }
    }

    async fn talk(&mut self) -> Result<std::convert::Infallible, End> {
        self.send(Message::text(message::welcome())).await?;
        self.states.mark_changed();
        let mut ending = self.seat.shared.ending.clone();
        let [mut pings, mut ticks] = [interval(PING), interval(TICK)];
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = async { drop(ending.wait_for(|end| *end).await) } => return Err(Some((close_code::AWAY, "the server ends"))),
                heard = self.socket.recv() => self.hear(heard).await?,
                reply = self.replies.recv() => match reply {
                    Some(reply) => self.send(Message::text(reply)).await?,
                    None => return Err(Some((close_code::POLICY, "replies were not read"))),
                },
                changed = self.states.changed() => {
                    changed.map_err(|_| None)?;
                    let state = self.states.borrow_and_update().clone();
                    self.send(Message::text(&*state)).await?;
                }
                changed = self.views.changed() => {
                    changed.map_err(|_| None)?;
                    self.show().await?;
                }
                _ = ticks.tick() => self.show().await?,
                _ = pings.tick() => {
                    if self.heard.elapsed() > LONGEST_SILENCE {
                        return Err(Some((close_code::AWAY, "nothing was heard for 30 s")));
                    }
                    self.send(Message::Ping(Default::default())).await?;
                }
            }
        }
    }

    async fn hear(&mut self, heard: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        self.heard = Instant::now();
        match heard {
            None | Some(Ok(Message::Close(_))) => Err(None),
            Some(Err(_)) => Err(Some((close_code::SIZE, "a message was too long or broken"))),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Ok(Message::Binary(_))) if self.is_let_through().await? => {
                self.refuse(None, "commands are text".to_owned()).await
            }
            Some(Ok(Message::Text(text))) if self.is_let_through().await? => match Call::parse(&text) {
                Ok(call) => self.obey(call).await,
                Err((id, problem)) => self.refuse(id, problem).await,
            },
            Some(Ok(_)) => Ok(()),
        }
    }

    /// Counts a message. Too many are dropped, with a word about it once a second; who goes on is sent away.
    async fn is_let_through(&mut self) -> Result<bool, End> {
        let now = Instant::now();
        if self.bucket.take(now) {
            self.welcome = now;
            return Ok(true);
        }
        if now - self.welcome > LONGEST_FLOOD {
            return Err(Some((close_code::POLICY, "too many messages")));
        }
        if self.scolded.is_none_or(|then| now - then > Duration::from_secs(1)) {
            self.scolded = Some(now);
            self.refuse(None, format!("more than {MESSAGES_PER_S} messages a second: some were dropped"))
                .await?;
        }
        Ok(false)
    }

    async fn obey(&mut self, call: Call) -> Result<(), End> {
        match call.command {
            Command::Start { version, .. } if version != VERSION => {
                let problem = format!("version {version} is not spoken here, but {VERSION}");
                self.refuse(call.id, problem).await?;
                return Err(Some((close_code::PROTOCOL, "unknown version")));
            }
            Command::Start { eye_m, .. } => {
                self.started = true;
                self.look_from(eye_m);
                self.show().await?;
            }
            Command::Eye { eye_m } => self.look_from(Some(eye_m)),
            Command::Ack { frame } if self.under_way == Some(frame) => {
                self.under_way = None;
                self.show().await?;
            }
            Command::Ack { frame } => {
                return self.refuse(call.id, format!("frame = {frame} is not under way")).await;
            }
            _ => {
                let id = call.id;
                if let Err(problem) = self.seat.shared.engine.call(self.seat.client, call) {
                    self.refuse(id, problem.to_string()).await?;
                }
                return Ok(());
            }
        }
        match call.id {
            Some(_) => self.send(Message::text(message::reply(call.id, Ok(serde_json::json!({}))))).await,
            None => Ok(()),
        }
    }

    fn look_from(&mut self, eye_m: Option<Vec3>) {
        self.eye_m = eye_m.or(self.eye_m);
        if let Some(eye_m) = eye_m {
            self.seat.shared.engine.look_from(self.seat.client, eye_m);
        }
    }

    async fn refuse(&mut self, id: Option<u32>, problem: String) -> Result<(), End> {
        self.send(Message::text(message::reply(id, Err(problem)))).await
    }

    /// Sends a frame, if the client is ready for one and there is anything to tell.
    async fn show(&mut self) -> Result<(), End> {
        if !self.started || self.under_way.is_some() {
            return Ok(());
        }
        let Some(view) = self.views.borrow_and_update().clone() else { return Ok(()) };
        if self.framed.elapsed() < NUMBERS && !self.outbox.lacks(&view) {
            return Ok(());
        }
        let viewers = self.seat.shared.viewers() as u32;
        // Compressing a whole world takes a while, in which other clients are served by another thread.
        let (number, bytes) = tokio::task::block_in_place(|| self.outbox.frame(&view, self.eye_m, viewers));
        (self.under_way, self.framed) = (Some(number), Instant::now());
        self.send(Message::binary(bytes)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(SENDING, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(None),
        }
    }

    async fn close(&mut self, why: End) {
        if let Some((code, reason)) = why {
            let frame = CloseFrame { code, reason: reason.into() };
            // The client may be gone; then there is nobody to tell.
            let _ = timeout(Duration::from_secs(1), self.socket.send(Message::Close(Some(frame)))).await;
        }
    }
}
