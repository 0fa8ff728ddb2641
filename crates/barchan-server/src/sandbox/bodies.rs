//! Bodies as clients see them.

use barchan_sim::bodies::{Body, Cause, Motion};
use barchan_volume::{Pose, Shape};
use glam::Vec3;

/// What a body is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// Forces move it.
    Free = 0,
    /// Nothing moves it.
    Fixed = 1,
    /// A plan moves it.
    Planned = 2,
    /// The ball of a push stroke.
    PushBall = 3,
    /// Part of an excavator.
    Excavator = 4,
    /// Part of a bulldozer.
    Bulldozer = 5,
}

/// A body at one moment.
#[derive(Clone, Debug)]
pub struct BodyView {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What it is there for.
    pub role: Role,
    /// Its geometry, which never changes.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
    /// Mean force (N) and torque (N m) about its centre of mass in the last step, by cause; those that did not act are left out.
    pub forces: Vec<(Cause, Vec3, Vec3)>,
}

impl BodyView {
    /// The body as it is now.
    pub fn of(body: &Body<'_>, part_of: Option<Role>) -> Self {
        let role = part_of.unwrap_or(match body.spec.motion {
            Motion::Dynamic => Role::Free,
            Motion::Fixed => Role::Fixed,
            Motion::Scripted(_) => Role::Planned,
        });
        let (name, shape) = (body.spec.name.clone(), body.spec.shape.clone());
        Self { id: body.id.0, name, role, shape, pose: body.pose, forces: body.received.mean_forces() }
    }

    /// Red, green and blue (sRGB).
    pub fn color(&self) -> [u8; 3] {
        match self.role {
            Role::Free | Role::Fixed if self.name == "box" => [176, 132, 84],
            Role::Free | Role::Fixed if self.name == "ball" => [188, 72, 58],
            Role::Free | Role::Fixed => [138, 130, 122],
            Role::Planned => [196, 110, 48],
            Role::PushBall => [92, 124, 168],
            Role::Excavator | Role::Bulldozer => machine_color(&self.name),
        }
    }
}

fn machine_color(name: &str) -> [u8; 3] {
    if name.ends_with("track") {
        [52, 50, 48]
    } else if name.ends_with("cab") {
        [70, 86, 98]
    } else if name.contains("bucket") || name.contains("blade") {
        [104, 100, 96]
    } else {
        [236, 170, 32]
    }
}
