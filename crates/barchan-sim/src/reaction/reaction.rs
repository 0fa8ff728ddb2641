//! What a body received in the last step.

use glam::{DVec3, Vec3};

use crate::bearing::Patch;
use crate::bodies::{BodyId, Cause};
use crate::world::World;

/// What the ground and all that moves in it did to a body in the last step, as means over the step, in the frame of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// All of it (N).
    pub force_n: Vec3,
    /// Its torque about the centre of mass (N m).
    pub torque_n_m: Vec3,
    /// Where the force acts: the point of its line that is nearest to the centre of mass (m).
    pub point_m: Vec3,
    /// Force (N) and torque (N m) by cause, in the order of [`Cause::ALL`].
    pub by_cause: [(Vec3, Vec3); Cause::COUNT],
    /// Of what bearing gives, the force of soil that is cut in front of driven faces (N).
    pub cutting_n: Vec3,
    /// And that on edges and teeth that are driven in point first (N).
    pub penetration_n: Vec3,
    /// And that of soil and rock that is pressed, at right angles to the surface (N).
    pub pressing_n: Vec3,
    /// And what holds along surfaces that press: friction and adhesion (N). Of a wheel this is traction.
    pub friction_n: Vec3,
    /// And the weight of soil that lies on the body (N).
    pub carried_n: Vec3,
}

impl World {
    /// What the ground did to a body in the last step, scripted bodies too; none where there is no such body.
    pub fn reaction(&self, id: BodyId) -> Option<Reaction> {
        let body = self.bodies().get(id)?;
        let received = self.bodies().received(id)?;
        let by_cause = Cause::ALL.map(|cause| received.mean_force_n(cause));
        let (force_n, torque_n_m) = by_cause
            .iter()
            .fold((Vec3::ZERO, Vec3::ZERO), |(force, torque), (f, t)| (force + *f, torque + *t));
        let parts = f64::from(self.parts_of_step.max(1));
        let sum = |force: &dyn Fn(&Patch) -> Vec3| {
            let patches = self.contacts().iter().filter(|patch| patch.body == id);
            (patches.map(|patch| force(patch).as_dvec3()).sum::<DVec3>() / parts).as_vec3()
        };
        let only = |is_it: bool, force: Vec3| if is_it { force } else { Vec3::ZERO };
        let presses = |patch: &Patch| !patch.cuts && !patch.is_edge;
        let cutting_n = sum(&|patch| only(patch.cuts, patch.force_n));
        let penetration_n = sum(&|patch| only(patch.is_edge, patch.force_n));
        let pressing_n = sum(&|patch| only(presses(patch), patch.force_n - patch.friction_n));
        let friction_n = sum(&|patch| only(presses(patch), patch.friction_n));
        let told_n = cutting_n + penetration_n + pressing_n + friction_n;
        let carried_n = by_cause[Cause::Bearing as usize].0 - told_n;
        let square = force_n.length_squared();
        let arm_m = if square > 0.0 { force_n.cross(torque_n_m) / square } else { Vec3::ZERO };
        let point_m = body.centre_of_mass_m + arm_m;
        Some(Reaction {
            force_n,
            torque_n_m,
            point_m,
            by_cause,
            cutting_n,
            penetration_n,
            pressing_n,
            friction_n,
            carried_n,
        })
    }
}
