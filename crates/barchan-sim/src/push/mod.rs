//! Push: where a body moves into soil, the soil makes room.
//!
//! Model: what no longer fits beside a body is handed on from voxel to voxel until it finds room (Geiger2015, section
//! 3.2.4), along the plane on which soil fails in front of a wall: rising at 45° - phi/2 from the direction of motion
//! (Rankine1857), around rock, walls and bodies, through none of them. So it heaps in front of a blade and beside what sinks.
//!
//! Reads bodies and the share they take of each voxel (1/32,768), and the materials; moves soil (units) within the ground.
//!
//! Conserves every unit. Runs to completion: no voxel holds more than fits beside a body. Only where soil has no way
//! out at all does the body's share yield; that soil stays and is reported. Moved soil is loose.
//!
//! Checked by `tests/it/push.rs` and the experiment `books`.

mod cursor;
mod heap;
mod path;
mod push;
mod site;

pub use push::{Push, PushReport};
