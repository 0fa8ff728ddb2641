//! A client without a screen, for experiments and tests.

mod client;
mod decode;
mod particles;

pub use client::{Client, ClientError, Heard};
pub use decode::{BlockHead, Decoder, Frame, FrameError};
pub use particles::{HeardParticles, ShownParticle};
