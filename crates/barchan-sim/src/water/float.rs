//! Bodies in water: what particles press on them, they press back.

use barchan_particles::Place;
use barchan_volume::brick::brick_of;
use barchan_volume::{Pose, Solid, VoxelBox};
use glam::{DVec3, Vec3};

use super::flow::{Flow, NO_BODY, Wall};
use super::particles::Particles;
use super::scale::Scale;
use crate::bodies::{BodyId, Coupled, CoupledBody, Impulse};
use crate::now::Now;

/// The bodies as water meets them in a part of a step.
pub(super) struct Bathers<'a> {
    now: &'a Now<'a>,
    /// Edge of a voxel, and how far a body is felt (m).
    voxel_m: f64,
    reach_m: f32,
    bodies: Vec<Bather>,
}

struct Bather {
    id: BodyId,
    pose: Pose,
    /// Its bounds in its own frame (m).
    low: Vec3,
    high: Vec3,
    centre_m: DVec3,
    velocity_m_s: DVec3,
    spin_rad_s: DVec3,
}

impl<'a> Bathers<'a> {
    pub fn new(now: &'a Now<'a>, coupled: &Coupled, scale: &Scale) -> Self {
        let bather = |body: &CoupledBody| {
            let bounds = Solid::new(body.shape.clone(), Pose::at(Vec3::ZERO)).bounds();
            Bather {
                id: body.id,
                // Where its share of the voxels is: it moves when the part is over.
                pose: now.bodies.get(body.id).map_or_else(|| body.pose(), |body| body.pose),
                low: bounds.min,
                high: bounds.max,
                centre_m: body.centre_m,
                velocity_m_s: body.velocity_m_s,
                spin_rad_s: body.spin_rad_s,
            }
        };
        let bodies = coupled.bodies.iter().map(bather).collect();
        Self { now, voxel_m: scale.voxel_m, reach_m: scale.support_m, bodies }
    }

    /// The body nearest to a point (m) and how fast it moves there (m/s); none where none is near.
    pub fn nearest(&self, point_m: DVec3) -> Option<(u32, Vec3)> {
        let voxel = (point_m / self.voxel_m).floor().as_ivec3();
        let reach = (self.reach_m / self.voxel_m as f32).ceil() as i32;
        let near = VoxelBox::new(brick_of(voxel - reach), brick_of(voxel + reach) + 1);
        let mut nearest = (f32::INFINITY, NO_BODY);
        for id in near.cells().flat_map(|brick| self.now.body_fill.bodies_in(brick)) {
            let Some(at) = self.bodies.iter().position(|body| body.id == *id) else { continue };
            let body = &self.bodies[at];
            let local = body.pose.inverse_transform_point(point_m.as_vec3());
            let distance = local.distance(local.clamp(body.low, body.high));
            if distance < nearest.0 {
                nearest = (distance, at as u32);
            }
        }
        let body = self.bodies.get(nearest.1 as usize)?;
        let velocity = body.velocity_m_s + body.spin_rad_s.cross(point_m - body.centre_m);
        Some((nearest.1, velocity.as_vec3()))
    }
}

/// Gives the bodies what particles pressed on them in a substep: `pushed` is how each particle's velocity changed where it met a wall
/// (m/s), `before` is where they were. The order is that of the slots.
pub(super) fn press(
    coupled: &mut Coupled,
    particles: &Particles,
    flow: &Flow,
    scale: &Scale,
    before: &[Place],
    pushed: &[Vec3],
) {
    let mut sums = vec![Impulse::ZERO; coupled.bodies.len()];
    for (slot, wall) in flow.walls.iter().enumerate() {
        let Wall { body, body_share, slope, .. } = *wall;
        let Some(sum) = sums.get_mut(body as usize) else { continue };
        let (water, sediment) = (particles.water[slot], particles.sediment_of(slot));
        let mass_kg = scale.mass_kg(water, sediment);
        let pressed = slope.as_dvec3() * f64::from(flow.drives[slot] * flow.lightness[slot]);
        let impulse = (pressed - pushed[slot].as_dvec3()) * (mass_kg * f64::from(body_share));
        let arm = scale.lattice.point(before[slot]) - coupled.bodies[body as usize].centre_m;
        *sum += Impulse::at(impulse, arm);
    }
    for (body, sum) in coupled.bodies.iter_mut().zip(sums) {
        if sum != Impulse::ZERO && sum.is_finite() {
            body.take(sum);
        }
    }
}
