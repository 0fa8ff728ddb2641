//! One body: what it is made of ([`BodySpec`]), and how it is right now ([`Body`]).

use std::fmt;

use barchan_volume::{Pose, Shape, Solid};
use glam::{Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::track::is_within_reach;
use super::{BodyError, Edge, LockedAxes, Received, Track};

/// No body may be further than this from the origin along any axis (m): f32 no longer tells a decimetre there.
pub const MAX_DISTANCE_M: f32 = 1.0e6;
/// Fastest start of a body (m/s), which is also the speed that rapier holds bodies to.
pub const MAX_SPEED_M_S: f32 = 400.0;
/// Fastest spin at the start of a body (rad/s).
pub const MAX_SPIN_RAD_S: f32 = 1000.0;
/// Smallest and largest extent of a body (m), so that its moment of inertia stays within f32.
const EXTENT_M: [f32; 2] = [1.0e-4, 1.0e4];
/// Lightest and heaviest matter (kg/m³); air has 1.2, osmium 22,600.
const DENSITY_KG_M3: [f32; 2] = [1.0e-3, 1.0e5];
/// Largest coefficient of friction. Rubber on rubber reaches 2.
const MAX_FRICTION: f32 = 10.0;
/// Most edges and teeth of a body.
const MOST_EDGES: usize = 256;
/// A quaternion shorter than this has lost its direction.
const MIN_QUATERNION_LENGTH: f32 = 1.0e-3;

/// Names a body for as long as its [`Bodies`](super::Bodies) live; never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub u32);

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What moves a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motion {
    /// Nothing does.
    Fixed,
    /// A plan does: the body follows the track, pushes dynamic bodies, and is held back by nothing.
    Scripted(Track),
    /// Forces and contacts do.
    Dynamic,
}

/// What a body is made of and how it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodySpec {
    /// For people and messages; need not be unique.
    pub name: String,
    /// Its geometry, in its own frame.
    pub shape: Shape,
    /// Where it starts. A scripted body starts where its track is instead.
    pub pose: Pose,
    /// What moves it.
    pub motion: Motion,
    /// Mass per volume of the shape (kg/m³).
    pub density_kg_m3: f32,
    /// Coefficient of friction (-). Between two bodies the mean of both counts.
    pub friction: f32,
    /// Share of the speed of impact that is left after it (-). Between two bodies the mean of both counts.
    pub restitution: f32,
    /// Velocity of the centre of mass at the start (m/s); only dynamic bodies use it.
    pub linear_velocity_m_s: Vec3,
    /// Rate of rotation at the start (rad/s); only dynamic bodies use it.
    pub angular_velocity_rad_s: Vec3,
    /// Axes of the world along which no force moves it and about which none turns it; only dynamic bodies use it. Along them it
    /// keeps the speed with which it starts, as on a rail or by a motor. Saved beside the rest, which older files have without it.
    #[serde(skip)]
    pub locked: LockedAxes,
    /// Share of the cohesion of soil that holds along its surface (-): 0 smooth and clean, 1 where lugs shear soil on soil. Saved
    /// beside the rest.
    #[serde(skip)]
    pub adhesion: f32,
    /// Thickness of the sharp edges that are found on a hull or a mesh (m): soil resists them point first. 0: they cut freely.
    /// Saved beside the rest.
    #[serde(skip)]
    pub edge_thickness_m: f32,
    /// Edges and teeth, in place of those that would be found. Saved beside the rest.
    #[serde(skip)]
    pub edges: Vec<Edge>,
}

impl BodySpec {
    /// A body at rest of ordinary rock: 2700 kg/m³, friction 0.6, restitution 0.1.
    pub fn new(name: impl Into<String>, shape: Shape, pose: Pose, motion: Motion) -> Self {
        Self {
            name: name.into(),
            shape,
            pose,
            motion,
            density_kg_m3: 2700.0,
            friction: 0.6,
            restitution: 0.1,
            linear_velocity_m_s: Vec3::ZERO,
            angular_velocity_rad_s: Vec3::ZERO,
            locked: LockedAxes::NONE,
            adhesion: 0.0,
            edge_thickness_m: 0.0,
            edges: Vec::new(),
        }
    }

    /// Everything that is wrong with this body; nothing when it can be inserted.
    pub fn problems(&self) -> Vec<BodyError> {
        let mut problems = Problems::of(&self.name);
        self.find_shape_problems(&mut problems);
        problems.check_pose("pose", &self.pose);
        if let Motion::Scripted(track) = &self.motion {
            track.find_problems(&mut problems);
        }
        if !(DENSITY_KG_M3[0]..=DENSITY_KG_M3[1]).contains(&self.density_kg_m3) {
            problems.add("density_kg_m3", self.density_kg_m3, "between 0.001 and 1e5 kg/m³");
        }
        problems.check_friction(self.friction);
        if !(0.0..=1.0).contains(&self.restitution) {
            problems.add("restitution", self.restitution, "between 0 and 1");
        }
        if !(0.0..=1.0).contains(&self.adhesion) {
            problems.add("adhesion", self.adhesion, "between 0 and 1");
        }
        if !(0.0..=1.0).contains(&self.edge_thickness_m) {
            problems.add("edge_thickness_m", self.edge_thickness_m, "between 0 and 1 m");
        }
        if self.edges.len() > MOST_EDGES || !self.edges.iter().all(Edge::is_sound) {
            let range = "at most 256, each within 1e4 m, of a unit direction, 0 to 1 m thick";
            problems.add("edges", self.edges.len(), range);
        }
        problems.check_velocities(self.linear_velocity_m_s, self.angular_velocity_rad_s);
        if self.motion != Motion::Dynamic && !self.locked.is_none() {
            problems.add("locked", format!("{:?}", self.locked), "empty for what forces do not move");
        }
        problems.found
    }

    fn find_shape_problems(&self, problems: &mut Problems) {
        if let Err(source) = self.shape.check() {
            problems.found.push(BodyError::Shape { body: self.name.clone(), source });
            return;
        }
        let bounds = Solid { shape: self.shape.clone(), pose: Pose::IDENTITY }.bounds();
        let extent = (bounds.max - bounds.min).max_element();
        let offset = bounds.min.abs().max(bounds.max.abs()).max_element();
        if !(EXTENT_M[0]..=EXTENT_M[1]).contains(&extent) {
            problems.add("shape extent", extent, "between 1e-4 and 1e4 m");
        } else if !(0.0..=EXTENT_M[1]).contains(&offset) {
            problems.add("shape distance from its origin", offset, "at most 1e4 m");
        }
    }

    /// Scales all rotations to unit length. The spec has no problems.
    pub(super) fn normalise(&mut self) {
        self.pose.rotation = self.pose.rotation.normalize();
        if let Motion::Scripted(track) = &mut self.motion {
            track.normalise();
        }
    }
}

/// A body as it is right now.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its name in [`Bodies`](super::Bodies).
    pub id: BodyId,
    /// What it is made of.
    pub spec: &'a BodySpec,
    /// Where it is.
    pub pose: Pose,
    /// Where it was before the last step; the same as `pose` when it was placed by hand since.
    pub previous_pose: Pose,
    /// Velocity of the centre of mass (m/s); of a scripted body: its mean over the last step.
    pub linear_velocity_m_s: Vec3,
    /// Rate of rotation (rad/s); of a scripted body: its mean over the last step.
    pub angular_velocity_rad_s: Vec3,
    /// Mass (kg).
    pub mass_kg: f32,
    /// Centre of mass in the world (m).
    pub centre_of_mass_m: Vec3,
    /// At rest for a while and left alone until something touches or pushes it.
    pub sleeping: bool,
    /// Taken out of all motion because its state became impossible (see [`StepMotion`](super::StepMotion)).
    /// [`Bodies::set_pose`](super::Bodies::set_pose) brings it back.
    pub frozen: bool,
    /// What acted on it in the last step of the world, by cause.
    pub received: &'a Received,
    /// In the world (1/(kg m²)); zero for what forces do not turn.
    pub(crate) inverse_inertia: Mat3,
    /// Force (N) and torque about the centre of mass (N m) that wait to act in the next part of a step.
    pub(crate) waiting: (Vec3, Vec3),
}

impl Body<'_> {
    /// Its geometry where it is now.
    pub fn solid(&self) -> Solid {
        Solid { shape: self.spec.shape.clone(), pose: self.pose }
    }

    /// True for what a motor moves: it follows a track, or keeps its speed along locked axes.
    pub fn is_driven(&self) -> bool {
        matches!(self.spec.motion, Motion::Scripted(_)) || !self.spec.locked.is_none()
    }

    /// Velocity (m/s) of the point of the body that is at `point_m` (m).
    pub fn velocity_at(&self, point_m: Vec3) -> Vec3 {
        self.linear_velocity_m_s + self.angular_velocity_rad_s.cross(point_m - self.centre_of_mass_m)
    }

    /// How much velocity (m/s) along the unit vector `direction` an impulse of 1 N s along it gives to the point of the
    /// body at `point_m` (m): one over the mass that is felt there (1/kg). Zero for what forces do not move.
    pub fn inverse_mass_at(&self, point_m: Vec3, direction: Vec3) -> f32 {
        if self.frozen || self.spec.motion != Motion::Dynamic {
            return 0.0;
        }
        let lever = (point_m - self.centre_of_mass_m).cross(direction);
        let linear = match self.spec.locked.is_none() {
            true => 1.0 / self.mass_kg,
            false => direction.dot(self.spec.locked.may_move() * direction) / self.mass_kg,
        };
        linear + lever.dot(self.inverse_inertia * lever)
    }
}

/// Collects what is wrong with one body.
pub(super) struct Problems {
    body: String,
    pub(super) found: Vec<BodyError>,
}

impl Problems {
    pub(super) fn of(body: &str) -> Self {
        Self { body: body.to_owned(), found: Vec::new() }
    }

    pub(super) fn add(&mut self, field: impl Into<String>, value: impl fmt::Display, range: &'static str) {
        let (field, value) = (field.into(), value.to_string());
        self.found.push(BodyError::OutOfRange { body: self.body.clone(), field, value, range });
    }

    pub(super) fn check_pose(&mut self, field: &str, pose: &Pose) {
        if !is_within_reach(pose.translation) {
            self.add(format!("{field}.translation"), pose.translation, "numbers between -1e6 and 1e6 m");
        }
        if !has_direction(pose.rotation) {
            self.add(format!("{field}.rotation"), pose.rotation, "a quaternion of length 0.001 to 1000");
        }
    }

    pub(super) fn check_velocities(&mut self, linear: Vec3, angular: Vec3) {
        if !(0.0..=MAX_SPEED_M_S).contains(&linear.length()) {
            self.add("linear_velocity_m_s", linear, "numbers, together no faster than 400 m/s");
        }
        if !(0.0..=MAX_SPIN_RAD_S).contains(&angular.length()) {
            self.add("angular_velocity_rad_s", angular, "numbers, together no faster than 1000 rad/s");
        }
    }

    pub(super) fn check_friction(&mut self, friction: f32) {
        if !(0.0..=MAX_FRICTION).contains(&friction) {
            self.add("friction", friction, "between 0 and 10");
        }
    }

    pub(super) fn check_finite(&mut self, field: &str, value: Vec3) {
        if !value.is_finite() {
            self.add(field, value, "finite numbers");
        }
    }

    /// The first problem as an error.
    pub(super) fn first(self) -> Result<(), BodyError> {
        self.found.into_iter().next().map_or(Ok(()), Err)
    }
}

fn has_direction(rotation: Quat) -> bool {
    (MIN_QUATERNION_LENGTH..=1.0 / MIN_QUATERNION_LENGTH).contains(&rotation.length())
}
