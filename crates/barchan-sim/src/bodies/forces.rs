//! What acts on bodies from outside: forces for a step, impulses, blows, by cause; and hands.

use glam::Vec3;

use super::collection::Bodies;
use super::{BodyError, BodyId, Cause, Impulse, Received};

impl Bodies {
    /// Pushes a dynamic body by `cause` with `force_n` (N) through its centre of mass and `torque_n_m` (N m) during the whole
    /// next step. Pushes add up, and a sleeping body wakes. What is not dynamic, or frozen, does not move by it; that it was
    /// pushed is kept all the same.
    ///
    /// # Errors
    /// When there is no such body, or a number is not finite.
    pub fn apply_force(
        &mut self,
        id: BodyId,
        cause: Cause,
        force_n: Vec3,
        torque_n_m: Vec3,
    ) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        entry.check_push([("force_n", force_n), ("torque_n_m", torque_n_m)])?;
        entry.push(force_n, torque_n_m);
        let each_second = Impulse { linear: force_n.as_dvec3(), angular: torque_n_m.as_dvec3() };
        entry.received.note_force(cause, each_second);
        Ok(())
    }

    /// As [`Bodies::apply_force`], by hands or machines: no cause receives it.
    ///
    /// # Errors
    /// When there is no such body, or a number is not finite.
    pub fn haul(&mut self, id: BodyId, force_n: Vec3, torque_n_m: Vec3) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        entry.check_push([("force_n", force_n), ("torque_n_m", torque_n_m)])?;
        entry.push(force_n, torque_n_m);
        Ok(())
    }

    /// What waits to act on bodies in the next part of a step (N, N m), where anything does.
    pub(crate) fn waiting(&self) -> Vec<(BodyId, Vec3, Vec3)> {
        let entries = self.entries.iter().filter(|(_, entry)| entry.is_pushed());
        entries.map(|(id, entry)| (*id, entry.state.force, entry.state.torque)).collect()
    }

    /// As [`Bodies::apply_force`], with a force at the point of the body that is at `point_m` (m).
    ///
    /// # Errors
    /// When there is no such body, or a number is not finite.
    pub fn apply_force_at(
        &mut self,
        id: BodyId,
        cause: Cause,
        force_n: Vec3,
        point_m: Vec3,
    ) -> Result<(), BodyError> {
        let entry = self.entries.get(&id).ok_or(BodyError::Unknown(id))?;
        entry.check_push([("force_n", force_n), ("point_m", point_m)])?;
        let lever = point_m - entry.centre_of_mass_m();
        let torque_n_m = lever.cross(force_n);
        if torque_n_m.is_finite() { self.apply_force(id, cause, force_n, torque_n_m) } else { Ok(()) }
    }

    /// Gives a dynamic body an impulse by `cause`, evenly over the next step, which is `dt_s` (s) long. A sleeping body saves
    /// up what it is given beyond what it was given as it fell asleep, and wakes when that would move it. What is not
    /// dynamic, or frozen, does not move by it; that it was given is kept all the same.
    ///
    /// # Errors
    /// When there is no such body, or a number is not finite.
    pub fn give(&mut self, id: BodyId, cause: Cause, impulse: Impulse, dt_s: f64) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        let (force, torque) = impulse.over(dt_s);
        entry.check_push([("impulse over time (N)", force), ("impulse over time (N m)", torque)])?;
        entry.received.note(cause, impulse);
        entry.coupling.note(cause, impulse);
        if !entry.state.sleeping {
            entry.push(force, torque);
        }
        Ok(())
    }

    /// Kicks a dynamic body by `cause`: its velocity changes at once. What is not dynamic, or frozen, does not move by it;
    /// that it was kicked is kept all the same.
    ///
    /// # Errors
    /// When there is no such body, or a number is not finite.
    pub fn kick(&mut self, id: BodyId, cause: Cause, impulse: Impulse) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        let (linear, angular) = (impulse.linear.as_vec3(), impulse.angular.as_vec3());
        entry.check_push([("impulse_n_s", linear), ("angular impulse", angular)])?;
        entry.received.note(cause, impulse);
        entry.kick(&mut self.rapier, linear, angular);
        Ok(())
    }

    /// As [`Bodies::kick`], with an impulse (N s) at the point of the body that is at `point_m` (m).
    ///
    /// # Errors
    /// When there is no such body, or a number is not finite.
    pub fn apply_impulse_at(
        &mut self,
        id: BodyId,
        cause: Cause,
        impulse_n_s: Vec3,
        point_m: Vec3,
    ) -> Result<(), BodyError> {
        let entry = self.entries.get(&id).ok_or(BodyError::Unknown(id))?;
        entry.check_push([("impulse_n_s", impulse_n_s), ("point_m", point_m)])?;
        let arm_m = (point_m - entry.centre_of_mass_m()).as_dvec3();
        self.kick(id, cause, Impulse::at(impulse_n_s.as_dvec3(), arm_m))
    }

    /// What a body received in the last step of the world, by cause.
    pub fn received(&self, id: BodyId) -> Option<&Received> {
        self.entries.get(&id).map(|entry| &entry.received)
    }

    /// Begins a step of the world: what was received before is forgotten.
    pub fn begin_step(&mut self) {
        self.entries.values_mut().for_each(|entry| entry.received = Received::default());
    }

    /// Gives a dynamic body another motion by `cause`, as [`Bodies::set_velocity`] does, and keeps the impulse that this takes.
    pub(crate) fn strike(
        &mut self,
        id: BodyId,
        cause: Cause,
        linear_m_s: Vec3,
        angular_rad_s: Vec3,
    ) -> Result<(), BodyError> {
        let before = self.entries.get(&id).map(|entry| entry.state.now);
        self.set_velocity(id, linear_m_s, angular_rad_s)?;
        if let (Some(before), Some(entry)) = (before, self.entries.get_mut(&id)) {
            let gained = (entry.state.now.linear - before.linear).as_dvec3();
            let turned = (entry.state.now.angular - before.angular).as_dvec3();
            let linear = gained * f64::from(entry.mass.mass_kg);
            let impulse = Impulse { linear, angular: entry.inertia() * turned };
            if entry.feels_forces() && impulse.is_finite() {
                entry.received.note(cause, impulse);
            }
        }
        Ok(())
    }
}
