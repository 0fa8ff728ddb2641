//! All bodies of a world.

use std::collections::BTreeMap;
use std::fmt;

use barchan_volume::Pose;
use glam::{DMat3, Mat3, Quat, Vec3};
use rapier3d::prelude::RigidBodyHandle;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::body::Problems;
use super::collider::{self, Mass};
use super::coupling::Coupling;
use super::rapier_world::{Kinematics, RapierWorld};
use super::{Body, BodyError, BodyId, BodySpec, Motion, Received, Track};

/// All bodies of a world. Cloning copies the state; both go on in the same way.
#[derive(Clone)]
pub struct Bodies {
    pub(super) entries: BTreeMap<BodyId, Entry>,
    pub(super) next_id: u32,
    /// Time at the end of the last step (s).
    pub(super) time_s: f64,
    pub(super) rapier: RapierWorld,
}

/// A body, and what it is in rapier. The state is kept here too: it is what others see, it is always finite, and
/// rapier's can be made anew from it.
#[derive(Clone)]
pub(super) struct Entry {
    pub spec: BodySpec,
    /// Of the whole spec.
    pub spec_hash: u64,
    pub mass: Mass,
    pub handle: RigidBodyHandle,
    pub state: State,
    pub coupling: Coupling,
    pub received: Received,
}

/// What changes about a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub now: Kinematics,
    pub previous_pose: Pose,
    /// Through the centre of mass, for the next step (N).
    pub force: Vec3,
    /// For the next step (N m).
    pub torque: Vec3,
    pub sleeping: bool,
    pub frozen: bool,
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new()
    }
}

impl Bodies {
    /// No bodies.
    pub fn new() -> Self {
        Self { entries: BTreeMap::new(), next_id: 0, time_s: 0.0, rapier: RapierWorld::new() }
    }

    /// Adds a body. Rotations are scaled to unit length.
    ///
    /// # Errors
    /// The first of [`BodySpec::problems`], or that no collider can be made of the shape.
    pub fn insert(&mut self, mut spec: BodySpec) -> Result<BodyId, BodyError> {
        if let Some(problem) = spec.problems().into_iter().next() {
            return Err(problem);
        }
        spec.normalise();
        let (collider, mass) = collider::collider(&spec)?;
        let now = match &spec.motion {
            Motion::Dynamic => Kinematics {
                pose: spec.pose,
                linear: spec.linear_velocity_m_s,
                angular: spec.angular_velocity_rad_s,
            },
            Motion::Scripted(track) => Kinematics::resting_at(track.pose(self.time_s)),
            Motion::Fixed => Kinematics::resting_at(spec.pose),
        };
        let handle = self.rapier.insert(&spec, collider, &now);
        let id = BodyId(self.next_id);
        self.next_id += 1;
        let entry = Entry::new(spec, mass, handle, State::at(now), Coupling::default());
        self.entries.insert(id, entry);
        Ok(id)
    }

    /// Takes a body away. False when there is none of this id.
    pub fn remove(&mut self, id: BodyId) -> bool {
        let Some(entry) = self.entries.remove(&id) else { return false };
        self.rapier.remove(entry.handle);
        true
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The body `id` as it is now.
    pub fn get(&self, id: BodyId) -> Option<Body<'_>> {
        self.entries.get(&id).map(|entry| entry.view(id))
    }

    /// `body` with the velocities with which it goes on for `dt_s` (s) from `time_s` (s): those of its track, if it follows one.
    pub(crate) fn ahead<'a>(&'a self, body: Body<'a>, time_s: f64, dt_s: f64) -> Body<'a> {
        let Some(entry) = self.entries.get(&body.id) else { return body };
        let (linear_velocity_m_s, angular_velocity_rad_s) = match body.spec.motion {
            Motion::Scripted(_) => entry.rate_ahead(time_s, dt_s),
            _ => (body.linear_velocity_m_s, body.angular_velocity_rad_s),
        };
        Body { linear_velocity_m_s, angular_velocity_rad_s, ..body }
    }

    /// Every body as it is now, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = Body<'_>> {
        self.entries.iter().map(|(id, entry)| entry.view(*id))
    }

    /// Gives a dynamic body a velocity of its centre of mass (m/s) and a rate of rotation (rad/s).
    ///
    /// # Errors
    /// When there is no such body, or it would be too fast to be true.
    pub fn set_velocity(
        &mut self,
        id: BodyId,
        linear_m_s: Vec3,
        angular_rad_s: Vec3,
    ) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        let mut problems = Problems::of(&entry.spec.name);
        problems.check_velocities(linear_m_s, angular_rad_s);
        problems.first()?;
        if entry.feels_forces() {
            entry.set_velocity(&mut self.rapier, linear_m_s, angular_rad_s);
        }
        Ok(())
    }

    /// Puts a body somewhere else without moving it there: nothing on the way is pushed. A dynamic body keeps its
    /// velocity, a frozen one comes back to life at rest.
    ///
    /// # Errors
    /// When there is no such body, it follows a track, or the pose is impossible.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        if matches!(entry.spec.motion, Motion::Scripted(_)) {
            return Err(BodyError::Scripted(id));
        }
        let mut problems = Problems::of(&entry.spec.name);
        problems.check_pose("pose", &pose);
        problems.first()?;
        let pose = Pose { translation: pose.translation, rotation: pose.rotation.normalize() };
        entry.place(&mut self.rapier, pose);
        Ok(())
    }

    /// Gives a scripted body another track. It is led there in the next step.
    ///
    /// # Errors
    /// When there is no such body, it follows no track, or the track is impossible.
    pub fn set_track(&mut self, id: BodyId, mut track: Track) -> Result<(), BodyError> {
        let entry = self.entries.get_mut(&id).ok_or(BodyError::Unknown(id))?;
        let Motion::Scripted(now) = &mut entry.spec.motion else { return Err(BodyError::NotScripted(id)) };
        let mut problems = Problems::of(&entry.spec.name);
        track.find_problems(&mut problems);
        problems.first()?;
        track.normalise();
        *now = track;
        entry.spec_hash = hash_of(&entry.spec);
        Ok(())
    }

    /// Gives every body this coefficient of friction (-).
    ///
    /// # Errors
    /// When it is not allowed; then nothing changes.
    pub fn set_friction(&mut self, friction: f32) -> Result<(), BodyError> {
        let mut problems = Problems::of("all");
        problems.check_friction(friction);
        problems.first()?;
        for entry in self.entries.values_mut() {
            entry.spec.friction = friction;
            entry.spec_hash = hash_of(&entry.spec);
            self.rapier.set_friction(entry.handle, friction);
        }
        Ok(())
    }

    /// Forgets all scratch. Nothing depends on it: the next step is the same, only a little slower.
    pub fn drop_scratch(&mut self) {
        self.rapier.drop_scratch();
    }

    /// Feeds everything that decides how the bodies go on to `hasher`, in the order of ids.
    pub fn digest(&self, hasher: &mut Xxh3) {
        hasher.update(&self.next_id.to_le_bytes());
        hasher.update(&self.time_s.to_bits().to_le_bytes());
        for (id, entry) in &self.entries {
            hasher.update(&id.0.to_le_bytes());
            hasher.update(&entry.spec_hash.to_le_bytes());
            entry.state.digest(hasher);
            entry.digest_more(hasher);
        }
    }
}

impl Entry {
    pub(super) fn new(
        spec: BodySpec,
        mass: Mass,
        handle: RigidBodyHandle,
        state: State,
        coupling: Coupling,
    ) -> Self {
        let spec_hash = hash_of(&spec);
        Self { spec, spec_hash, mass, handle, state, coupling, received: Received::default() }
    }

    pub(super) fn view(&self, id: BodyId) -> Body<'_> {
        let now = &self.state.now;
        Body {
            id,
            spec: &self.spec,
            pose: now.pose,
            previous_pose: self.state.previous_pose,
            linear_velocity_m_s: now.linear,
            angular_velocity_rad_s: now.angular,
            mass_kg: self.mass.mass_kg,
            centre_of_mass_m: self.centre_of_mass_m(),
            sleeping: self.state.sleeping,
            frozen: self.state.frozen,
            received: &self.received,
            inverse_inertia: self.inverse_inertia(),
            waiting: (self.state.force, self.state.torque),
        }
    }

    pub(super) fn feels_forces(&self) -> bool {
        self.spec.motion == Motion::Dynamic && !self.state.frozen
    }

    /// In the world (m).
    pub(super) fn centre_of_mass_m(&self) -> Vec3 {
        self.state.now.pose.transform_point(self.mass.centre_m)
    }

    /// Of a dynamic body, in the world (1/(kg m²)); zero along axes about which it cannot turn.
    pub(super) fn inverse_inertia(&self) -> Mat3 {
        if !self.feels_forces() {
            return Mat3::ZERO;
        }
        let turn = Mat3::from_quat(self.state.now.pose.rotation);
        let inverse = turn * self.mass.inverse_inertia * turn.transpose();
        if self.spec.locked.is_none() {
            return inverse;
        }
        let may_turn = Mat3::from_diagonal(self.spec.locked.may_turn());
        may_turn * inverse * may_turn
    }

    /// In the world, as if no axis were locked (kg m²).
    pub(super) fn inertia(&self) -> DMat3 {
        let turn = DMat3::from_quat(self.state.now.pose.rotation.as_dquat());
        turn * self.mass.inverse_inertia.as_dmat3().inverse() * turn.transpose()
    }

    pub(super) fn check_push(&self, numbers: [(&str, Vec3); 2]) -> Result<(), BodyError> {
        let mut problems = Problems::of(&self.spec.name);
        for (field, value) in numbers {
            problems.check_finite(field, value);
        }
        problems.first()
    }

    /// Adds to what acts on the body in the next step (N, N m), if forces move it and the sum is finite.
    pub(super) fn push(&mut self, force: Vec3, torque: Vec3) {
        let (force, torque) = (self.state.force + force, self.state.torque + torque);
        if self.feels_forces() && force.is_finite() && torque.is_finite() {
            (self.state.force, self.state.torque) = (force, torque);
        }
    }

    /// Changes the velocity by an impulse (N s) and its moment about the centre of mass (N m s), if impulses move the body.
    pub(super) fn kick(&mut self, rapier: &mut RapierWorld, impulse: Vec3, moment: Vec3) {
        let way = if self.spec.locked.is_none() { Vec3::ONE } else { self.spec.locked.may_move() };
        let linear = self.state.now.linear + impulse * way / self.mass.mass_kg;
        let angular = self.state.now.angular + self.inverse_inertia() * moment;
        let acts = impulse != Vec3::ZERO || moment != Vec3::ZERO;
        if acts && self.feels_forces() && linear.is_finite() && angular.is_finite() {
            self.set_velocity(rapier, linear, angular);
        }
    }

    /// Feeds what files of the first form do not have, where there is any.
    fn digest_more(&self, hasher: &mut Xxh3) {
        if !self.spec.locked.is_none() {
            let locked = [self.spec.locked.translation, self.spec.locked.rotation];
            locked.into_iter().flatten().for_each(|axis| hasher.update(&[u8::from(axis)]));
        }
        for number in [self.spec.adhesion, self.spec.edge_thickness_m].iter().filter(|x| **x != 0.0) {
            hasher.update(&number.to_bits().to_le_bytes());
        }
        for edge in &self.spec.edges {
            let vectors = [edge.ends_m[0], edge.ends_m[1], edge.into];
            let numbers = vectors.into_iter().flat_map(|v| v.to_array()).chain([edge.thickness_m]);
            numbers.for_each(|number| hasher.update(&number.to_bits().to_le_bytes()));
        }
        if !self.coupling.is_nothing() {
            self.coupling.numbers().for_each(|number| hasher.update(&number.to_bits().to_le_bytes()));
        }
    }

    fn set_velocity(&mut self, rapier: &mut RapierWorld, linear: Vec3, angular: Vec3) {
        let locked = self.spec.locked;
        let (linear, angular) = match locked.is_none() {
            true => (linear, angular),
            false => {
                // What is locked keeps the speed with which it started.
                let kept = |free: Vec3, now: Vec3, start: Vec3| now * free + start * (Vec3::ONE - free);
                (
                    kept(locked.may_move(), linear, self.spec.linear_velocity_m_s),
                    kept(locked.may_turn(), angular, self.spec.angular_velocity_rad_s),
                )
            }
        };
        let now = &mut self.state.now;
        (now.linear, now.angular) = (linear, angular);
        self.state.sleeping = false;
        rapier.set_velocity(self.handle, linear, angular);
    }

    /// Puts the body somewhere at once; it has not moved there.
    pub(super) fn place(&mut self, rapier: &mut RapierWorld, pose: Pose) {
        let state = &mut self.state;
        state.now.pose = pose;
        state.previous_pose = pose;
        state.sleeping = false;
        state.frozen = false;
        rapier.place(self.handle, &state.now);
    }
}

impl State {
    fn at(now: Kinematics) -> Self {
        let previous_pose = now.pose;
        Self { now, previous_pose, force: Vec3::ZERO, torque: Vec3::ZERO, sleeping: false, frozen: false }
    }

    /// Every number in it.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f32> {
        let vectors = [
            self.now.pose.translation,
            self.now.linear,
            self.now.angular,
            self.previous_pose.translation,
            self.force,
            self.torque,
        ];
        let turns = [self.now.pose.rotation, self.previous_pose.rotation];
        vectors
            .into_iter()
            .flat_map(|v| v.to_array())
            .chain(turns.into_iter().flat_map(|turn: Quat| turn.to_array()))
    }

    fn digest(&self, hasher: &mut Xxh3) {
        for number in self.numbers() {
            hasher.update(&number.to_bits().to_le_bytes());
        }
        hasher.update(&[u8::from(self.sleeping), u8::from(self.frozen)]);
    }
}

impl Kinematics {
    pub(super) fn resting_at(pose: Pose) -> Self {
        Self { pose, linear: Vec3::ZERO, angular: Vec3::ZERO }
    }
}

/// Hash of everything in a spec.
pub(super) fn hash_of(spec: &BodySpec) -> u64 {
    let bytes = postcard::to_stdvec(spec).expect("a spec always fits into memory twice");
    xxh3_64(&bytes)
}
