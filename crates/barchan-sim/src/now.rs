//! What every process may read while it works.

use glam::Vec3;

use crate::bodies::{Bodies, BodyFill};
use crate::material::Materials;

/// The moment in which a process works, and what it finds there. Processes change nothing of it.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// Time that passes (s).
    pub dt_s: f64,
    /// When it began (s).
    pub time_s: f64,
    /// Gravity (m/s²).
    pub gravity_m_s2: Vec3,
    /// The materials.
    pub materials: &'a Materials,
    /// The bodies.
    pub bodies: &'a Bodies,
    /// The share of each voxel that they take.
    pub body_fill: &'a BodyFill,
}

/// Lets a process of `$world` work for `$dt_s` from `$time_s` on: it reads `$now` and changes members of `$state` that are not
/// in there.
macro_rules! now {
    ($world:ident, $dt_s:expr, $time_s:expr, |$now:ident, $state:ident| $work:expr) => {{
        let $state = &mut $world.state;
        let $now = $crate::now::Now {
            dt_s: $dt_s,
            time_s: $time_s,
            gravity_m_s2: $state.gravity_m_s2,
            materials: &$state.materials,
            bodies: &$state.bodies,
            body_fill: &$world.body_fill,
        };
        $work
    }};
}

pub(crate) use now;
