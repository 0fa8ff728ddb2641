//! The connection of a client without a screen.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::ORIGIN;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use super::decode::{Decoder, Frame, FrameError};
use super::particles::HeardParticles;
use crate::frame::VERSION;

/// Why a client cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The socket failed, or was never opened.
    #[error("{0}")]
    Socket(#[from] Box<tungstenite::Error>),
    /// The server has closed the connection.
    #[error("the server has closed the connection")]
    Closed,
    /// The server sent something that is no frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The server sent text that is no JSON.
    #[error("the server sent text that is no JSON: {0}")]
    Text(#[from] serde_json::Error),
}

/// What came over the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// A frame, and the bytes it took.
    Frame(Box<Frame>, usize),
    /// A text message.
    Text(Value),
}

/// A connection to a sandbox. Frames are acknowledged as they come.
pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    decoder: Decoder,
    calls: u32,
    /// Bytes of all messages heard.
    pub bytes: u64,
    /// What the server told last of its state; null before it did.
    pub state: Value,
}

impl Client {
    /// Connects as a page of the server itself would.
    pub async fn connect(address: SocketAddr) -> Result<Self, ClientError> {
        Self::connect_as(address, &format!("http://{address}")).await
    }

    /// Connects as a page of `origin` would.
    pub async fn connect_as(address: SocketAddr, origin: &str) -> Result<Self, ClientError> {
        let request = format!("ws://{address}/socket").into_client_request();
        let mut request = request.map_err(Box::new)?;
        let origin = HeaderValue::from_str(origin).map_err(|error| Box::new(error.into()))?;
        request.headers_mut().insert(ORIGIN, origin);
        let (socket, _) = connect_async_with_config(request, None, true).await.map_err(Box::new)?;
        Ok(Self { socket, decoder: Decoder::default(), calls: 0, bytes: 0, state: Value::Null })
    }

    /// Asks for frames.
    pub async fn start(&mut self) -> Result<(), ClientError> {
        self.send(&json!({ "do": "start", "version": VERSION })).await
    }

    /// Sends a command and does not wait for anything.
    pub async fn send(&mut self, command: &Value) -> Result<(), ClientError> {
        self.send_raw(Message::text(command.to_string())).await
    }

    /// Sends anything at all.
    pub async fn send_raw(&mut self, message: Message) -> Result<(), ClientError> {
        self.socket.send(message).await.map_err(Box::new)?;
        Ok(())
    }

    /// Sends a command and waits for its reply. What else comes in between is passed over.
    pub async fn call(&mut self, mut command: Value) -> Result<Value, ClientError> {
        self.calls += 1;
        let id = self.calls;
        command["id"] = id.into();
        self.send(&command).await?;
        loop {
            if let Heard::Text(text) = self.hear().await?
                && text.get("reply") == Some(&id.into())
            {
                return Ok(text);
            }
        }
    }

    /// The next frame. Text that comes before it is passed over.
    pub async fn frame(&mut self) -> Result<Frame, ClientError> {
        loop {
            if let Heard::Frame(frame, _) = self.hear().await? {
                return Ok(*frame);
            }
        }
    }

    /// The next text message with `key` at its top level. Frames that come before it are passed over.
    pub async fn text(&mut self, key: &str) -> Result<Value, ClientError> {
        loop {
            if let Heard::Text(text) = self.hear().await?
                && text.get(key).is_some()
            {
                return Ok(text);
            }
        }
    }

    /// Water, and grains, as frames have told of them.
    pub fn particles(&self) -> &[HeardParticles; 2] {
        self.decoder.particles()
    }

    /// Whatever comes next.
    pub async fn hear(&mut self) -> Result<Heard, ClientError> {
        loop {
            let message = self.socket.next().await.ok_or(ClientError::Closed)?.map_err(Box::new)?;
            self.bytes += message.len() as u64;
            match message {
                Message::Binary(bytes) => {
                    let frame = self.decoder.read(&bytes)?;
                    self.send(&json!({ "do": "ack", "frame": frame.number })).await?;
                    return Ok(Heard::Frame(Box::new(frame), bytes.len()));
                }
                Message::Text(text) => {
                    let text: Value = serde_json::from_str(&text)?;
                    if let Some(state) = text.get("state") {
                        self.state.clone_from(state);
                    }
                    return Ok(Heard::Text(text));
                }
                Message::Close(_) => return Err(ClientError::Closed),
                _ => {}
            }
        }
    }
}
