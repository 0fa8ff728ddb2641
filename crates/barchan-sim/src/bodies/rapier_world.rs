//! The one place that talks to rapier.
//!
//! All of rapier's state is kept from step to step and saved with the bodies, so that contacts, islands and sleep go on
//! exactly where they were. Only its scratch is left out; rapier does not let results depend on it.

use barchan_volume::{Aabb, Pose};
use glam::Vec3;
use rapier3d::prelude::{
    CCDSolver, CoefficientCombineRule, Collider, ColliderBuilder, ColliderHandle, CollisionPipeline,
    IntegrationParameters, LockedAxes as RapierAxes, PhysicsPipeline, PhysicsWorld, Pose as RapierPose,
    RigidBody, RigidBodyBuilder, RigidBodyHandle, RigidBodyType, SharedShape,
};
use serde::{Deserialize, Serialize};

use super::{BodySpec, LockedAxes, MAX_SPEED_M_S, Motion};

/// A body that is slower than this (m/s) for half a second falls asleep. Bodies sink into ground at a few
/// centimetres a second; rapier's own 0.05 m/s would stop them.
const SLEEP_SPEED_M_S: f32 = 0.01;

/// Everything rapier knows.
#[derive(Serialize, Deserialize)]
pub(super) struct RapierWorld {
    world: PhysicsWorld,
    walls: Option<Walls>,
}

/// The half-spaces around the world.
#[derive(Clone, Serialize, Deserialize)]
struct Walls {
    bounds: Aabb,
    colliders: Vec<ColliderHandle>,
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kinematics {
    pub pose: Pose,
    /// Of the centre of mass (m/s).
    pub linear: Vec3,
    /// (rad/s)
    pub angular: Vec3,
}

impl RapierWorld {
    pub(super) fn new() -> Self {
        let world = PhysicsWorld { integration_parameters: parameters(), ..PhysicsWorld::default() };
        Self { world, walls: None }
    }

    pub(super) fn insert(
        &mut self,
        spec: &BodySpec,
        collider: Collider,
        start: &Kinematics,
    ) -> RigidBodyHandle {
        let mut body = RigidBodyBuilder::new(body_type(&spec.motion)).pose(to_rapier(&start.pose)).build();
        body.activation_mut().normalized_linear_threshold = SLEEP_SPEED_M_S;
        if spec.motion == Motion::Dynamic {
            body.set_locked_axes(axes_of(&spec.locked), false);
            body.set_linvel(start.linear, true);
            body.set_angvel(start.angular, true);
            // Thin blades and plates are common here: sweep against all bodies, not only fixed ones.
            body.enable_ccd(true);
        }
        self.world.insert(body, collider).0
    }

    pub(super) fn remove(&mut self, handle: RigidBodyHandle) {
        self.world.remove_body(handle);
    }

    /// Puts half-spaces around `bounds`; a side that is not finite gets none. Nothing happens when they are there.
    pub(super) fn set_walls(&mut self, bounds: Option<Aabb>) {
        // By bits, so that a side that is not a number is the same as itself.
        let bits = |b: &Aabb| [b.min, b.max].map(|corner| corner.to_array().map(f32::to_bits));
        if self.walls.as_ref().map(|walls| bits(&walls.bounds)) == bounds.as_ref().map(bits) {
            return;
        }
        for handle in self.walls.take().into_iter().flat_map(|walls| walls.colliders) {
            self.world.remove_collider(handle);
        }
        if let Some(bounds) = bounds {
            let colliders = sides(&bounds).map(|side| self.world.insert_collider(side, None)).collect();
            self.walls = Some(Walls { bounds, colliders });
        }
    }

    /// Moves everything by `duration_s` (s).
    pub(super) fn step(&mut self, duration_s: f32, gravity_m_s2: Vec3) {
        self.world.gravity = gravity_m_s2;
        self.world.integration_parameters.dt = duration_s;
        self.world.step();
    }

    /// Forgets all scratch.
    pub(super) fn drop_scratch(&mut self) {
        self.world.physics_pipeline = PhysicsPipeline::new();
        self.world.collision_pipeline = CollisionPipeline::new();
        self.world.ccd_solver = CCDSolver::new();
    }

    /// How a body moves; `None` when rapier has taken it out because its state was not finite.
    pub(super) fn kinematics(&self, handle: RigidBodyHandle) -> Option<Kinematics> {
        let body = self.world.bodies.get(handle).filter(|body| body.is_enabled())?;
        let pose = Pose { translation: body.translation(), rotation: *body.rotation() };
        Some(Kinematics { pose, linear: body.linvel(), angular: body.angvel() })
    }

    pub(super) fn is_sleeping(&self, handle: RigidBodyHandle) -> bool {
        self.world.bodies.get(handle).is_some_and(RigidBody::is_sleeping)
    }

    /// Puts a body somewhere at once, with this motion, awake and in play.
    pub(super) fn place(&mut self, handle: RigidBodyHandle, state: &Kinematics) {
        if let Some(body) = self.world.bodies.get_mut(handle) {
            body.set_enabled(true);
            body.set_position(to_rapier(&state.pose), true);
            body.set_linvel(state.linear, true);
            body.set_angvel(state.angular, true);
        }
    }

    /// Sets where a scripted body goes in the next step.
    pub(super) fn lead_to(&mut self, handle: RigidBodyHandle, pose: &Pose) {
        let pose = to_rapier(pose);
        let Some(body) = self.world.bodies.get(handle) else { return };
        let (moves, sleeps) = (*body.position() != pose, body.is_sleeping());
        // To change a body that does not change would wake it.
        if let Some(body) = (moves || !sleeps).then(|| self.world.bodies.get_mut(handle)).flatten() {
            body.set_next_kinematic_position(pose);
            if !moves {
                // Left to itself it never would: rapier takes the rounding of a turn by nothing for a motion.
                body.sleep();
            }
        }
    }

    pub(super) fn set_velocity(&mut self, handle: RigidBodyHandle, linear: Vec3, angular: Vec3) {
        if let Some(body) = self.world.bodies.get_mut(handle) {
            body.set_linvel(linear, true);
            body.set_angvel(angular, true);
        }
    }

    pub(super) fn set_friction(&mut self, handle: RigidBodyHandle, friction: f32) {
        let colliders = self.world.bodies.get(handle).map(RigidBody::colliders).unwrap_or_default();
        for &collider in colliders {
            if let Some(collider) = self.world.colliders.get_mut(collider) {
                collider.set_friction(friction);
            }
        }
    }

    /// Pushes a body with a force (N) through its centre of mass and a torque (N m) until [`RapierWorld::release`].
    /// A sleeping body wakes; one that is about to fall asleep is not kept awake, or none that ground carries ever would.
    pub(super) fn push(&mut self, handle: RigidBodyHandle, force: Vec3, torque: Vec3) {
        if let Some(body) = self.world.bodies.get_mut(handle) {
            if body.is_sleeping() {
                body.wake_up(true);
            }
            body.add_force(force, false);
            body.add_torque(torque, false);
        }
    }

    pub(super) fn release(&mut self, handle: RigidBodyHandle) {
        if let Some(body) = self.world.bodies.get_mut(handle) {
            body.reset_forces(false);
            body.reset_torques(false);
        }
    }

    /// Takes a body out of all motion and contact and leaves it standing at `pose`.
    pub(super) fn freeze(&mut self, handle: RigidBodyHandle, pose: &Pose) {
        self.place(handle, &Kinematics { pose: *pose, linear: Vec3::ZERO, angular: Vec3::ZERO });
        if let Some(body) = self.world.bodies.get_mut(handle) {
            body.set_enabled(false);
        }
    }

    /// What a body collides as, in its own frame.
    pub(super) fn shape(&self, handle: RigidBodyHandle) -> Option<SharedShape> {
        let [collider] = self.world.bodies.get(handle).map(RigidBody::colliders)? else { return None };
        self.world.colliders.get(*collider).map(|collider| collider.shared_shape().clone())
    }

    /// True when the body has exactly one collider, and that is its own.
    pub(super) fn has_collider(&self, handle: RigidBodyHandle) -> bool {
        let Some([collider]) = self.world.bodies.get(handle).map(RigidBody::colliders) else { return false };
        self.world.colliders.get(*collider).is_some_and(|collider| collider.parent() == Some(handle))
    }

    /// Tells what does not fit after loading: there must be exactly `bodies` bodies and the walls, and nothing else.
    /// What is not state but setting is set anew.
    pub(super) fn check_loaded(&mut self, bodies: usize) -> Result<(), &'static str> {
        let walls = self.walls.as_ref().map_or(&[][..], |walls| &walls.colliders);
        let world = &self.world;
        if world.bodies.len() != bodies || world.colliders.len() != bodies + walls.len() {
            return Err("the number of colliders is wrong");
        }
        if walls.iter().any(|wall| world.colliders.get(*wall).is_none_or(|wall| wall.parent().is_some())) {
            return Err("a wall is missing");
        }
        if !world.impulse_joints.is_empty() || world.multibody_joints.iter().next().is_some() {
            return Err("there are joints");
        }
        if world.soft_bodies.iter().next().is_some() {
            return Err("there are soft bodies");
        }
        self.world.integration_parameters = parameters();
        Ok(())
    }

    /// Breaks what rapier relies on.
    #[cfg(test)]
    pub(super) fn lose_colliders(&mut self) {
        self.world.colliders = Default::default();
    }

    /// True when rapier moves the body as `spec` says.
    pub(super) fn moves_as(&self, handle: RigidBodyHandle, spec: &BodySpec) -> bool {
        self.world.bodies.get(handle).is_some_and(|body| {
            body.body_type() == body_type(&spec.motion) && body.locked_axes() == axes_of(&spec.locked)
        })
    }
}

impl Clone for RapierWorld {
    /// The same state with scratch of its own.
    fn clone(&self) -> Self {
        let world = PhysicsWorld {
            gravity: self.world.gravity,
            integration_parameters: self.world.integration_parameters,
            physics_pipeline: PhysicsPipeline::new(),
            collision_pipeline: CollisionPipeline::new(),
            islands: self.world.islands.clone(),
            broad_phase: self.world.broad_phase.clone(),
            narrow_phase: self.world.narrow_phase.clone(),
            bodies: self.world.bodies.clone(),
            colliders: self.world.colliders.clone(),
            impulse_joints: self.world.impulse_joints.clone(),
            multibody_joints: self.world.multibody_joints.clone(),
            soft_bodies: self.world.soft_bodies.clone(),
            ccd_solver: CCDSolver::new(),
        };
        Self { world, walls: self.walls.clone() }
    }
}

fn parameters() -> IntegrationParameters {
    IntegrationParameters {
        normalized_max_linear_velocity: MAX_SPEED_M_S,
        // Contacts are kept while bodies move by less than 5 cm against each other: too much for pebbles.
        contact_recycling: false,
        ..IntegrationParameters::default()
    }
}

fn body_type(motion: &Motion) -> RigidBodyType {
    match motion {
        Motion::Fixed => RigidBodyType::Fixed,
        Motion::Scripted(_) => RigidBodyType::KinematicPositionBased,
        Motion::Dynamic => RigidBodyType::Dynamic,
    }
}

fn axes_of(locked: &LockedAxes) -> RapierAxes {
    let along = [
        RapierAxes::TRANSLATION_LOCKED_X,
        RapierAxes::TRANSLATION_LOCKED_Y,
        RapierAxes::TRANSLATION_LOCKED_Z,
    ];
    let about = [RapierAxes::ROTATION_LOCKED_X, RapierAxes::ROTATION_LOCKED_Y, RapierAxes::ROTATION_LOCKED_Z];
    let pairs = along.into_iter().zip(locked.translation).chain(about.into_iter().zip(locked.rotation));
    pairs.filter(|(_, is_locked)| *is_locked).fold(RapierAxes::empty(), |all, (axis, _)| all | axis)
}

fn to_rapier(pose: &Pose) -> RapierPose {
    RapierPose::from_parts(pose.translation, pose.rotation)
}

/// One half-space for every finite side of `bounds`, its surface facing inwards. Friction and restitution of a contact
/// with it are those of the body.
fn sides(bounds: &Aabb) -> impl Iterator<Item = Collider> + use<> {
    let Aabb { min, max } = *bounds;
    let planes = [
        (Vec3::X, min.x),
        (Vec3::NEG_X, max.x),
        (Vec3::Y, min.y),
        (Vec3::NEG_Y, max.y),
        (Vec3::Z, min.z),
        (Vec3::NEG_Z, max.z),
    ];
    planes.into_iter().filter(|(_, offset)| offset.is_finite()).map(|(inward, offset)| {
        ColliderBuilder::new(SharedShape::halfspace(inward))
            .translation(inward.abs() * offset)
            .friction(1.0)
            .friction_combine_rule(CoefficientCombineRule::Multiply)
            .restitution(1.0)
            .restitution_combine_rule(CoefficientCombineRule::Multiply)
            .build()
    })
}
