//! Bearing: the ground carries bodies, holds them back and lies on them.
//!
//! Model: rigid bodies on rigid-plastic ground. Soil yields to a face that is pressed into it at p = (kc/b + kphi) z^n
//! (Bekker1969), to a flat one that is driven ahead when a wedge in front of it fails (`reaction`), to others that are driven sideways
//! at Kp gamma z + 2 c sqrt(Kp) (Rankine1857); below that pressure it does
//! not give at all, and it never pushes back. So unloading is rigid, and the rut in the ground is the only memory.
//! Rock does not yield. Along faces of driven bodies that press, soil holds as far as it was sheared (JanosiHanamoto1961); all other
//! friction follows Coulomb; soil on top of a body adds its weight.
//!
//! Reads the ground (units, m), the materials and gravity (m/s²); writes forces (N) on dynamic bodies, and their velocity
//! (m/s) where they hit rock, and both pose (m) and velocity where the last step has to be put right. Of bodies that follow a
//! track it only tells what soil does to them. The contacts are kept for others. Moves no ground.
//!
//! Stable at any step length: the forces of one step are the solution of one convex problem in the body's velocity at the
//! end of the step, in which all contacts only dissipate. What other bodies press on a body is not known beforehand;
//! it is taken to be what it was in the two steps before, and where that was wrong the step is solved again.
//!
//! Checked by the static sinkage of plates on four soils, slopes at which blocks hold and slide, and drops on sand and
//! rock (`tests/it/bearing.rs`).

mod bearing;
mod contacts;
mod correction;
mod cutting;
mod hessian;
mod law;
mod led;
mod motion;
mod overburden;
mod patch;
mod penetration;
mod plan;
mod record;
mod rock;
mod samples;
mod shear;
mod solve;
mod surroundings;
mod triangle_samples;
mod wake;

pub use bearing::{Bearing, BearingReport, BodyLoad, Hold};
pub use patch::Patch;
pub use wake::wake_near;
