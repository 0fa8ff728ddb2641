//! Where a picture is taken from.

use barchan_sim::World;
use barchan_volume::brick::EDGE;
use barchan_volume::{Aabb, VoxelBox};
use glam::{IVec3, Vec3};

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the eye is (m).
    pub eye_m: Vec3,
    /// What it looks at (m).
    pub target_m: Vec3,
    /// Vertical opening angle (rad).
    pub opening: f32,
}

impl View {
    /// A view from the south-east and above that shows all ground and all bodies.
    pub fn whole(world: &World) -> Self {
        Self::around(&extent(world))
    }

    fn around(extent: &Aabb) -> Self {
        let opening = 32_f32.to_radians();
        let centre = (extent.min + extent.max) / 2.0;
        let direction = Vec3::new(0.55, -1.0, 0.72).normalize();
        let [forward, right, up] = Self { eye_m: centre + direction, target_m: centre, opening }.axes();
        let half = (extent.max - extent.min) / 2.0;
        let corners: [Vec3; 8] = std::array::from_fn(|corner| {
            let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            half * Vec3::new(sign(0), sign(1), sign(2))
        });
        // As near as all corners allow, with a margin, in a picture at least 1.7 times as wide as high.
        // What is near looks larger, so the middle of the box is not the middle of the picture: both are found in turns.
        let slope = (opening / 2.0).tan() * 0.94;
        let (mut middle, mut distance) = (Vec3::ZERO, 1e-3_f32);
        for _ in 0..8 {
            distance = corners.iter().fold(1e-3, |far: f32, corner| {
                let c = *corner - middle;
                let beside = (c.dot(right).abs() / 1.7).max(c.dot(up).abs());
                far.max(beside / slope - c.dot(forward))
            });
            let off = |axis: Vec3| {
                let seen = corners.map(|c| (c - middle).dot(axis) / (distance + (c - middle).dot(forward)));
                let (low, high) = seen.iter().fold((f32::MAX, f32::MIN), |(l, h), s| (l.min(*s), h.max(*s)));
                axis * (low + high) / 2.0 * distance
            };
            middle += off(right) + off(up);
        }
        let target_m = centre + middle;
        Self { eye_m: target_m + direction * distance, target_m, opening }
    }

    /// Directions of view, to the right and up in the picture: unit vectors at right angles.
    pub(crate) fn axes(&self) -> [Vec3; 3] {
        let forward = (self.target_m - self.eye_m).try_normalize().unwrap_or(Vec3::NEG_Z);
        // Looking straight down, north is up.
        let right = forward.cross(Vec3::Z).try_normalize().unwrap_or(Vec3::X);
        [forward, right, right.cross(forward)]
    }
}

/// The box around all ground and bodies (m).
fn extent(world: &World) -> Aabb {
    let ground = world.ground();
    let bricks = ground.voxels().brick_bounds();
    let voxels = ground.clip(VoxelBox::new(bricks.min * EDGE, bricks.max * EDGE));
    let metres = |p: IVec3| p.as_vec3() * ground.voxel_size_m();
    let around = Aabb { min: metres(voxels.min), max: metres(voxels.max) };
    let start = if voxels.is_empty() { Aabb::EMPTY } else { around };
    let extent = world.bodies().iter().fold(start, |extent, body| extent.union(&body.solid().bounds()));
    if !extent.is_empty() {
        return extent;
    }
    let particles = world.particles();
    let particles = particles.forms().into_iter().flat_map(|(_, list)| list);
    let extent =
        Aabb::around(particles.map(|particle| particle.centre_m).filter(|centre| centre.is_finite()));
    if extent.is_empty() { around } else { extent }
}
