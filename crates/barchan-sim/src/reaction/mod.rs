//! Reaction: what the ground does to a body, by cause, for whoever drives the tool.
//!
//! [`Wedge`] is the force on a flat face that is driven into soil: a wedge in front of it fails (McKyes1985), with wedges beside
//! it where its ends are free (McKyesAli1977), under the weight of the heap in front and with the inertia of soil that is thrown up.
//! Bearing asks it for the yield limit of such faces, so that it resists and never pushes. [`Reaction`] is the sum of all that a
//! body received in a step.
//!
//! Checked by the experiment `blade`.

mod reaction;
mod wedge;

pub use reaction::Reaction;
pub use wedge::{CutSoil, Wedge, WedgeForce};
