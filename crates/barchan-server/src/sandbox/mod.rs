//! The world and the hands on it, without any network: commands in, state out.

mod artist;
mod bodies;
mod errand;
mod history;
mod obey;
mod particles;
mod probe;
mod sandbox;
mod saves;
mod sensors;
mod statistics;
mod strokes;

pub use bodies::BodyView;
pub use errand::{Errand, Report};
pub use obey::Answer;
pub use probe::{ground_under, pick};
pub use sandbox::{ClientId, Sandbox, SandboxOptions};
pub use statistics::{Statistics, timed_names};
