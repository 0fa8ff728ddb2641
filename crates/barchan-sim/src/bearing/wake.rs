//! Bodies that sleep are left alone, until the ground around them changes.

use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

use crate::bodies::{Bodies, Body, BodyFill, BodyId, Motion};

/// Too slow to matter (m/s).
const NUDGE_M_S: f32 = 1e-6;

/// Wakes the dynamic bodies that sleep in or beside one of `bricks`, whose ground has changed. Returns them in the order
/// of their ids.
pub fn wake_near(
    bricks: impl IntoIterator<Item = IVec3>,
    body_fill: &BodyFill,
    bodies: &mut Bodies,
) -> Vec<BodyId> {
    let sleeps = |body: &Body<'_>| body.sleeping && !body.frozen && body.spec.motion == Motion::Dynamic;
    let mut woken: Vec<BodyId> = bodies.iter().filter(sleeps).map(|body| body.id).collect();
    if woken.is_empty() {
        return woken;
    }
    let bricks: Vec<IVec3> = bricks.into_iter().collect();
    let is_beside = |id: BodyId, brick: IVec3| {
        VoxelBox::cell(brick).grow(1).cells().any(|near| body_fill.bodies_in(near).contains(&id))
    };
    woken.retain(|id| {
        // Most bricks lie far from most bodies.
        let reach = body_fill.bricks_of(*id).map(|bricks| bricks.grow(1));
        reach.is_some_and(|reach| bricks.iter().any(|brick| reach.contains(*brick) && is_beside(*id, *brick)))
    });
    woken.retain(|id| {
        let Some(body) = bodies.get(*id) else { return false };
        let (linear, angular) = (body.linear_velocity_m_s, body.angular_velocity_rad_s);
        // To be given another velocity than it has wakes a body.
        bodies.set_velocity(*id, linear - Vec3::Z * NUDGE_M_S, angular).is_ok()
    });
    woken
}
