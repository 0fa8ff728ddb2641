//! The tools of a terrain artist: every edit of the ground, each exact on the books per kind.
//!
//! A tool chooses voxels, rewrites them on all threads, and says what came, went and turned; the books are closed over it in one
//! place, and everything an edit changed is undone in one go.

mod copy;
mod edit_world;
mod flood;
mod grow;
mod paint;
mod reshape;
mod watch;

pub use copy::Copying;
pub use flood::{Flood, FloodWork};
pub use grow::Growing;
pub use paint::Pigment;
pub use reshape::{Reshaping, Surface};
pub use watch::Stage;

pub(crate) use watch::Watch;
