//! Bodies that sleep are left alone, until the ground around them changes.

use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

use crate::bodies::{Bodies, BodyFill, BodyId, Motion};

/// Too slow to matter (m/s).
const NUDGE_M_S: f32 = 1e-6;

/// Wakes the dynamic bodies that sleep in or beside one of `bricks`, whose ground has changed. Returns them in the order
/// of their ids.
pub fn wake_near(
    bricks: impl IntoIterator<Item = IVec3>,
    body_fill: &BodyFill,
    bodies: &mut Bodies,
) -> Vec<BodyId> {
    let around = bricks.into_iter().flat_map(|brick| VoxelBox::cell(brick).grow(1).cells());
    let mut near: Vec<BodyId> = around.flat_map(|brick| body_fill.bodies_in(brick)).copied().collect();
    near.sort_unstable();
    near.dedup();
    near.retain(|id| {
        let Some(body) = bodies.get(*id) else { return false };
        let sleeps = body.sleeping && !body.frozen && body.spec.motion == Motion::Dynamic;
        let (linear, angular) = (body.linear_velocity_m_s, body.angular_velocity_rad_s);
        // To be given another velocity than it has wakes a body.
        sleeps && bodies.set_velocity(*id, linear - Vec3::Z * NUDGE_M_S, angular).is_ok()
    });
    near
}
