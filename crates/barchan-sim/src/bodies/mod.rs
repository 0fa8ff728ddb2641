//! Rigid bodies: blades, buckets, boulders, walls of a box.
//!
//! [`Bodies`] holds them; one verb, [`Bodies::step`], moves them. The motion of dynamic bodies and the contacts
//! between bodies are solved by rapier, which stays behind these types. Contact with the ground, water and grains is not in
//! here. Whatever else acts on a body comes through one door and says by which [`Cause`]: forces through
//! [`Bodies::apply_force`], impulses through [`Bodies::give`] and [`Bodies::kick`]; what each body [`Received`] is kept.
//! Processes with small steps of their own move copies of the bodies along, see [`Coupled`].
//!
//! [`BodyFill`] tells the ground which share of each voxel the bodies occupy. It is derived from the poses.
//!
//! Everything is the same, bit for bit, run after run, for any number of threads, and after
//! [`Bodies::to_bytes`] and [`Bodies::from_bytes`] in the middle.

mod body;
mod cause;
mod collection;
mod collider;
mod coupled;
mod coupling;
mod edge;
mod error;
mod fill;
mod forces;
mod impulse;
mod locked_axes;
mod rapier_world;
mod received;
mod save;
mod step;
mod surface;
mod thickness;
mod track;

pub use body::{Body, BodyId, BodySpec, MAX_DISTANCE_M, MAX_SPEED_M_S, MAX_SPIN_RAD_S, Motion};
pub use cause::Cause;
pub use collection::Bodies;
pub use coupled::{Coupled, CoupledBody};
pub use edge::Edge;
pub use error::BodyError;
pub use fill::{BODY_FULL, BodyFill, MAX_BRICKS_PER_BODY};
pub use impulse::Impulse;
pub use locked_axes::LockedAxes;
pub use received::Received;
pub use step::{MAX_SUBSTEP_S, MAX_SUBSTEPS, StepMotion};
pub use surface::BodySurface;
pub use thickness::LONGEST_HOP;
pub use track::{Key, Track};
