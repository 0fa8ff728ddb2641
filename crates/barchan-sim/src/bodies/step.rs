//! Moving bodies through time.
//!
//! Free motion, contact between bodies and with the walls of the world, by rapier: semi-implicit Euler with Coulomb
//! friction and Newton restitution. Reads gravity (m/s²), the clock (s) and the forces applied since the last step (N);
//! writes poses (m), velocities (m/s, rad/s) and sleep. Momentum is conserved in contacts between dynamic bodies. A step
//! is cut into sub-steps of at most [`MAX_SUBSTEP_S`], which keeps stacks of bodies steady at any step length.
//!
//! What cannot be is contained: a body whose state stops being finite, or that leaves the reach of f32, is frozen where
//! it was and reported. Should rapier itself fail, its world is built anew from the poses before the step.

use std::panic::{AssertUnwindSafe, catch_unwind};

use barchan_volume::Aabb;
use glam::Vec3;
use rapier3d::prelude::RigidBodyHandle;

use super::collection::{Bodies, Entry};
use super::impulse::Impulse;
use super::rapier_world::{Kinematics, RapierWorld};
use super::track::{is_within_reach, rate_between};
use super::{BodyId, Motion, collider};

/// Longest sub-step (s).
pub const MAX_SUBSTEP_S: f64 = 1.0 / 120.0;

/// Most sub-steps in one step: two seconds of motion.
pub const MAX_SUBSTEPS: u32 = 240;

/// What happened in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMotion {
    /// How many bodies changed their pose.
    pub moved: usize,
    /// Into how many parts the step was cut.
    pub substeps: u32,
    /// Part of the step for which dynamic bodies did not move because it would have taken more than [`MAX_SUBSTEPS`]
    /// (s). Scripted bodies went all the way.
    pub missed_s: f64,
    /// Bodies that were frozen in this step: their state was no longer finite, or they were further than
    /// [`MAX_DISTANCE_M`](super::MAX_DISTANCE_M) away. In the order of their ids.
    pub frozen: Vec<BodyId>,
    /// Rapier failed. Dynamic bodies stayed where they were, and contacts start from nothing in the next step.
    pub restarted: bool,
}

impl StepMotion {
    /// What went wrong and was contained, in words.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.missed_s > 0.0 {
            let limit = f64::from(MAX_SUBSTEPS) * MAX_SUBSTEP_S;
            let missed = self.missed_s;
            warnings.push(format!(
                "dynamic bodies stood still for {missed} s: a step moves them for {limit} s at most"
            ));
        }
        for id in &self.frozen {
            warnings
                .push(format!("body {id} was frozen: its motion was no longer finite, or led out of reach"));
        }
        if self.restarted {
            warnings.push(
                "the solver of rigid bodies failed and was started anew; bodies stood still".to_owned(),
            );
        }
        warnings
    }
}

impl Bodies {
    /// Moves all bodies by `dt_s` (s) from the time `time_s` (s), under `gravity_m_s2` (m/s²). Bodies inside `walls`
    /// stay inside; a side of it that is not finite is open.
    ///
    /// A `dt_s` that is not a positive number moves nothing; gravity that is not finite counts as none.
    pub fn step(&mut self, dt_s: f64, gravity_m_s2: Vec3, time_s: f64, walls: Option<Aabb>) -> StepMotion {
        for entry in self.entries.values_mut() {
            entry.state.previous_pose = entry.state.now.pose;
        }
        let Some(plan) = Plan::new(time_s, dt_s) else { return StepMotion::default() };
        self.follow_clock(&plan);
        let gravity = if gravity_m_s2.is_finite() { gravity_m_s2 } else { Vec3::ZERO };
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            self.rapier.set_walls(walls);
            self.run(&plan, gravity);
        }));
        if attempt.is_err() {
            self.restart(plan.end_s());
        }
        self.finish(&plan, gravity, attempt.is_err())
    }

    /// Puts scripted bodies where they are at the start of the step, should the clock have been set since the last one.
    fn follow_clock(&mut self, plan: &Plan) {
        if (plan.start_s - self.time_s).abs() <= 0.5 * plan.dt_s {
            return;
        }
        for entry in self.entries.values_mut() {
            if let Motion::Scripted(track) = &entry.spec.motion {
                let pose = track.pose(plan.start_s);
                entry.place(&mut self.rapier, pose);
            }
        }
    }

    fn run(&mut self, plan: &Plan, gravity: Vec3) {
        for entry in self.entries.values().filter(|entry| entry.is_pushed()) {
            self.rapier.push(entry.handle, entry.state.force, entry.state.torque);
        }
        for part in 0..plan.parts {
            for entry in self.entries.values() {
                if let Motion::Scripted(track) = &entry.spec.motion {
                    let (from, to) = (plan.time_s(part), plan.time_s(part + 1));
                    if track.jumps_between(from, to) {
                        self.rapier.place(entry.handle, &Kinematics::resting_at(track.pose(to)));
                    } else {
                        self.rapier.lead_to(entry.handle, &track.pose(to));
                    }
                }
            }
            self.rapier.step(plan.part_s as f32, gravity);
        }
        for entry in self.entries.values().filter(|entry| entry.is_pushed()) {
            self.rapier.release(entry.handle);
        }
    }

    /// Brings the outcome back from rapier.
    fn finish(&mut self, plan: &Plan, gravity: Vec3, restarted: bool) -> StepMotion {
        let mut motion =
            StepMotion { substeps: plan.parts, missed_s: plan.missed_s, restarted, ..Default::default() };
        for (id, entry) in &mut self.entries {
            let (before, slept) = (entry.state.now, entry.state.sleeping);
            let force =
                Impulse { linear: entry.state.force.as_dvec3(), angular: entry.state.torque.as_dvec3() };
            (entry.state.force, entry.state.torque) = (Vec3::ZERO, Vec3::ZERO);
            match &entry.spec.motion {
                Motion::Fixed => {}
                Motion::Scripted(_) => entry.follow(plan),
                Motion::Dynamic if entry.state.frozen => {}
                Motion::Dynamic => {
                    if !entry.read_back(&self.rapier) {
                        entry.freeze(&mut self.rapier);
                        motion.frozen.push(*id);
                    }
                }
            }
            entry.state.sleeping = self.rapier.is_sleeping(entry.handle);
            entry.received.pass(plan.dt_s);
            let gravity = gravity.as_dvec3();
            if let Some(owed) = entry.pass_coupling(&before, slept, gravity, force, plan.moved_s()) {
                entry.kick(&mut self.rapier, owed.linear.as_vec3(), owed.angular.as_vec3());
            }
            motion.moved += usize::from(entry.state.now.pose != entry.state.previous_pose);
        }
        self.time_s = plan.end_s();
        motion
    }

    /// Builds rapier's world anew: dynamic bodies as they were, scripted ones where they are at `time_s`.
    fn restart(&mut self, time_s: f64) {
        self.rapier = RapierWorld::new();
        for entry in self.entries.values_mut() {
            let start = match &entry.spec.motion {
                Motion::Scripted(track) => Kinematics::resting_at(track.pose(time_s)),
                _ => entry.state.now,
            };
            match collider::collider(&entry.spec) {
                Ok((collider, _)) => entry.handle = self.rapier.insert(&entry.spec, collider, &start),
                // The same spec had a collider before, unless it was forged. Without one nothing moves it.
                Err(_) => entry.handle = RigidBodyHandle::invalid(),
            }
            if entry.state.frozen {
                self.rapier.freeze(entry.handle, &start.pose);
            }
        }
    }
}

impl Entry {
    pub(super) fn is_pushed(&self) -> bool {
        self.state.force != Vec3::ZERO || self.state.torque != Vec3::ZERO
    }

    /// A scripted body is exactly where its track is. Its velocity is the mean over the step.
    fn follow(&mut self, plan: &Plan) {
        let Motion::Scripted(track) = &self.spec.motion else { return };
        let state = &mut self.state;
        state.now.pose = track.pose(plan.end_s());
        if track.jumps_between(plan.start_s, plan.end_s()) {
            state.previous_pose = state.now.pose;
        }
        let (_, angular) = rate_between(&state.previous_pose, &state.now.pose, plan.dt_s as f32);
        let centre = self.mass.centre_m;
        let path = state.now.pose.transform_point(centre) - state.previous_pose.transform_point(centre);
        (state.now.linear, state.now.angular) = (path / plan.dt_s as f32, angular);
    }

    /// Takes over what rapier says about a dynamic body; false when that cannot be.
    fn read_back(&mut self, rapier: &RapierWorld) -> bool {
        let Some(now) = rapier.kinematics(self.handle) else { return false };
        let finite = now.pose.rotation.is_finite() && now.linear.is_finite() && now.angular.is_finite();
        if !finite || !is_within_reach(now.pose.translation) {
            return false;
        }
        self.state.now = now;
        true
    }

    fn freeze(&mut self, rapier: &mut RapierWorld) {
        self.state.now = Kinematics::resting_at(self.state.previous_pose);
        self.state.frozen = true;
        rapier.freeze(self.handle, &self.state.previous_pose);
    }
}

/// How a step is cut.
struct Plan {
    start_s: f64,
    dt_s: f64,
    parts: u32,
    part_s: f64,
    missed_s: f64,
}

impl Plan {
    fn new(start_s: f64, dt_s: f64) -> Option<Self> {
        if !(dt_s > 0.0 && (start_s + dt_s).is_finite()) {
            return None;
        }
        // A step of a hundredth of a second is not to be cut once more for the rounding of its last bit.
        let parts = (dt_s / MAX_SUBSTEP_S - 1e-6).ceil().max(1.0);
        let parts = parts.min(f64::from(MAX_SUBSTEPS));
        let part_s = (dt_s / parts).min(MAX_SUBSTEP_S * (1.0 + 1e-6));
        let missed_s = (dt_s - parts * part_s).max(0.0);
        let missed_s = if missed_s > 1e-6 * dt_s { missed_s } else { 0.0 };
        Some(Self { start_s, dt_s, parts: parts as u32, part_s, missed_s })
    }

    /// When part `part` begins (s). Scripted bodies cover the whole step, even if dynamic ones do not.
    fn time_s(&self, part: u32) -> f64 {
        if part == self.parts {
            self.end_s()
        } else {
            self.start_s + self.dt_s * f64::from(part) / f64::from(self.parts)
        }
    }

    /// For how long dynamic bodies move (s).
    fn moved_s(&self) -> f64 {
        self.part_s * f64::from(self.parts)
    }

    fn end_s(&self) -> f64 {
        self.start_s + self.dt_s
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Shape};

    use super::*;
    use crate::bodies::{BodySpec, Key, Track};

    #[test]
    fn a_failing_solver_is_started_anew() {
        let mut bodies = Bodies::new();
        let shape = Shape::Ball { radius: 0.5 };
        let pose = |x: f32| Pose::at(Vec3::new(x, 0.0, 0.4));
        let keys = vec![Key { time_s: 0.0, pose: pose(5.0) }, Key { time_s: 1.0, pose: pose(6.0) }];
        let motions = [Motion::Dynamic, Motion::Fixed, Motion::Scripted(Track { keys, repeat: false })];
        for (i, motion) in motions.into_iter().enumerate() {
            bodies.insert(BodySpec::new("ball", shape.clone(), pose(0.4 * i as f32), motion)).unwrap();
        }
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        let step = |bodies: &mut Bodies, i: u32| bodies.step(0.1, gravity, 0.1 * f64::from(i), None);
        assert!(!step(&mut bodies, 0).restarted);
        let before: Vec<_> = bodies.iter().map(|body| body.pose).collect();

        bodies.rapier.lose_colliders();
        let motion = step(&mut bodies, 1);
        assert!(motion.restarted && motion.warnings().len() == 1);
        let after: Vec<_> = bodies.iter().map(|body| body.pose).collect();
        assert_eq!(after[..2], before[..2], "dynamic and fixed bodies stay");
        assert!((after[2].translation.x - 5.2).abs() < 1e-5, "scripted ones follow their track");

        let motion = step(&mut bodies, 2);
        assert!(!motion.restarted && motion.moved == 2, "and everything goes on");
        assert!(Bodies::from_bytes(&bodies.to_bytes()).is_ok());
    }

    #[test]
    fn steps_are_cut_evenly() {
        // Step (s), sub-steps, time missed (s).
        let rows =
            [(1.0 / 120.0, 1, 0.0), (0.01, 2, 0.0), (1.0 / 60.0, 2, 0.0), (1.0, 120, 0.0), (3.0, 240, 1.0)];
        for (dt_s, parts, missed_s) in rows {
            let plan = Plan::new(7.0, dt_s).unwrap();
            assert_eq!(plan.parts, parts, "{dt_s} s");
            assert!((plan.missed_s - missed_s).abs() < 1e-5, "{dt_s} s: {}", plan.missed_s);
            assert_eq!(plan.time_s(0), 7.0);
            assert_eq!(plan.time_s(parts), 7.0 + dt_s);
        }
    }
}
