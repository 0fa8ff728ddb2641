//! The parts of a vehicle.

use std::sync::Arc;

use barchan_volume::{Hull, Pose, Shape};
use glam::{Quat, Vec2, Vec3};

/// One body of a vehicle, in the frame of the joint that carries it.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name, after that of the vehicle.
    pub name: &'static str,
    /// Its geometry.
    pub shape: Shape,
    /// Where it sits on its joint.
    pub mount: Pose,
    /// Which frame carries it.
    pub frame: usize,
}

impl Part {
    /// A box of these sides (m) around `centre` (m).
    pub fn cuboid(name: &'static str, frame: usize, size: [f32; 3], centre: [f32; 3]) -> Self {
        let shape = Shape::Box { half_extents: Vec3::from_array(size) / 2.0 };
        Self { name, shape, mount: Pose::at(Vec3::from_array(centre)), frame }
    }

    /// A plate of `width` (m) along y and `thickness` (m) between two points (m) of the xz plane.
    pub fn plate(name: &'static str, frame: usize, from: Vec2, to: Vec2, width: f32, thickness: f32) -> Self {
        let (middle, along) = ((from + to) / 2.0, to - from);
        let shape = Shape::Box { half_extents: Vec3::new(along.length(), width, thickness) / 2.0 };
        let mount = Pose::new(Vec3::new(middle.x, 0.0, middle.y), pitch(along.to_angle()));
        Self { name, shape, mount, frame }
    }

    /// A flat piece of `thickness` (m) at `y` (m), with its corners (m) in the xz plane.
    pub fn cheek(name: &'static str, frame: usize, outline: &[Vec2], y: f32, thickness: f32) -> Self {
        let corner = |p: &Vec2, side: f32| Vec3::new(p.x, y + side * thickness / 2.0, p.y);
        let points = outline.iter().flat_map(|p| [corner(p, -1.0), corner(p, 1.0)]).collect();
        let hull = Hull::new(points).expect("the outlines of the parts are no lines");
        Self { name, shape: Shape::Hull(Arc::new(hull)), mount: Pose::IDENTITY, frame }
    }
}

/// Turns x upwards by `angle` (rad), towards z.
pub fn pitch(angle: f32) -> Quat {
    Quat::from_rotation_y(-angle)
}

/// `inner`, given in the frame of `outer`, in the world.
pub fn within(outer: &Pose, inner: &Pose) -> Pose {
    Pose::new(outer.transform_point(inner.translation), (outer.rotation * inner.rotation).normalize())
}
