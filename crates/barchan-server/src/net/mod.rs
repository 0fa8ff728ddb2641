//! HTTP and WebSocket around the engine.

mod downloads;
mod guard;
mod page;
mod rate;
mod routes;
mod server;
mod socket;

pub use server::{Server, ServerError, ServerOptions};
