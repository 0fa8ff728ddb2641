//! What a body received in the last step, kept by cause.

use glam::Vec3;

use super::{Cause, Impulse};

/// What acted on a body in the last step of the world, by cause. A report: nothing depends on it, so it is neither saved nor
/// part of the digest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Received {
    by_cause: [Impulse; Cause::COUNT],
    /// Forces that act until the end of the part that comes, as impulses in a second.
    acting: [Impulse; Cause::COUNT],
    /// How long the step is so far (s).
    pub dt_s: f64,
}

impl Received {
    /// What came by `cause`.
    pub fn by(&self, cause: Cause) -> Impulse {
        self.by_cause[cause as usize]
    }

    /// All of it.
    pub fn total(&self) -> Impulse {
        self.by_cause.iter().fold(Impulse::ZERO, |sum, part| sum + *part)
    }

    /// The mean force (N) by `cause`, and the mean torque (N m) about the centre of mass. Zero where no time passed.
    pub fn mean_force_n(&self, cause: Cause) -> (Vec3, Vec3) {
        if self.dt_s > 0.0 { self.by(cause).over(self.dt_s) } else { (Vec3::ZERO, Vec3::ZERO) }
    }

    /// Mean force (N) and torque (N m) about the centre of mass by every cause that acted, in the order of causes.
    pub fn mean_forces(&self) -> Vec<(Cause, Vec3, Vec3)> {
        let acted = Cause::ALL.into_iter().filter(|cause| self.by(*cause) != Impulse::ZERO);
        acted
            .map(|cause| {
                let (force, torque) = self.mean_force_n(cause);
                (cause, force, torque)
            })
            .collect()
    }

    /// Notes an impulse.
    pub(super) fn note(&mut self, cause: Cause, impulse: Impulse) {
        self.by_cause[cause as usize] += impulse;
    }

    /// Notes a force that acts until [`Received::pass`]: so much in a second.
    pub(super) fn note_force(&mut self, cause: Cause, each_second: Impulse) {
        self.acting[cause as usize] += each_second;
    }

    /// Lets `dt_s` (s) pass.
    pub(super) fn pass(&mut self, dt_s: f64) {
        for (sum, acting) in self.by_cause.iter_mut().zip(&mut self.acting) {
            *sum += std::mem::take(acting) * dt_s;
        }
        self.dt_s += dt_s;
    }
}
