//! The sandbox as its clients see it: over HTTP and the socket of a running server.

mod artist;
mod course;
mod crowd;
mod hands;
mod hostile;
mod machines;
mod particles;
mod time;
mod visitor;
