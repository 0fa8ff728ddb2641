//! The sandbox: a world that is stepped, shown and dug in from a browser.
//!
//! ```text
//! browser --commands--> socket --> stepping thread (owns the World) --moments--> meshing thread
//!    ^------- frames -------- socket <---------------- views --------------------------+
//! ```
//!
//! [`Server::start`] opens a scene and serves it on 127.0.0.1. The format of what goes over the wire is in
//! `docs/wire.md`. Nothing here waits for a client: the stepping thread takes commands between two steps, the meshing
//! thread takes the newest moment, and each connection sends what its client lacks of the newest view.

pub mod client;
mod command;
mod engine;
mod experiments;
mod frame;
mod machines;
mod mesher;
mod message;
mod net;
mod sandbox;
mod scenes;
mod shown;
mod slot;
mod stepper;
mod turf;
mod view;

pub use experiments::EXPERIMENTS;
pub use net::{Server, ServerError, ServerOptions};
pub use sandbox::SandboxOptions;
