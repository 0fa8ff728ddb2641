//! Rigid bodies: how they move, how they are saved, which voxels they take, and what is refused.

mod contact;
mod coupling;
mod fill;
mod motion;
mod save;
mod specs;

use barchan_sim::bodies::{Bodies, BodySpec, Key, Motion, StepMotion, Track};
use barchan_volume::{Aabb, Pose, Shape};
use glam::{Quat, Vec3};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
const DT_S: f64 = 1.0 / 60.0;

/// A floor at z = 0 and no other walls.
const FLOOR: Aabb = Aabb::new(Vec3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0), Vec3::INFINITY);

fn cube(name: &str, half: f32, at: Vec3, motion: Motion) -> BodySpec {
    BodySpec::new(name, Shape::Box { half_extents: Vec3::splat(half) }, Pose::at(at), motion)
}

fn ball(name: &str, radius: f32, at: Vec3) -> BodySpec {
    BodySpec::new(name, Shape::Ball { radius }, Pose::at(at), Motion::Dynamic)
}

fn key(time_s: f64, at: Vec3, turn_rad: f32) -> Key {
    Key { time_s, pose: Pose::new(at, Quat::from_rotation_z(turn_rad)) }
}

/// Steps from the time `from` steps after the start, over a floor.
fn run(bodies: &mut Bodies, from: usize, steps: usize) -> Vec<StepMotion> {
    (from..from + steps).map(|i| bodies.step(DT_S, GRAVITY, i as f64 * DT_S, Some(FLOOR))).collect()
}

/// A stack of boxes, a blade that sweeps through it and turns, a few round things on top.
fn stack_and_blade() -> Bodies {
    let mut bodies = Bodies::new();
    for level in 0..5 {
        for column in 0..3 {
            let at = Vec3::new(0.02 * level as f32, column as f32 * 0.45, 0.2 + 0.41 * level as f32);
            bodies.insert(cube("box", 0.2, at, Motion::Dynamic)).unwrap();
        }
    }
    bodies.insert(ball("ball", 0.15, Vec3::new(0.0, 0.4, 2.6))).unwrap();
    let shape = Shape::Cylinder { radius: 0.1, half_height: 0.3 };
    let pose = Pose::new(Vec3::new(0.1, 0.1, 2.5), Quat::from_rotation_x(1.0));
    bodies.insert(BodySpec::new("log", shape, pose, Motion::Dynamic)).unwrap();
    let keys = vec![key(0.0, Vec3::new(-1.2, 0.45, 0.4), 0.0), key(1.5, Vec3::new(1.5, 0.45, 0.4), 0.7)];
    let blade = Shape::Box { half_extents: Vec3::new(0.05, 1.0, 0.4) };
    let motion = Motion::Scripted(Track { keys, repeat: false });
    bodies.insert(BodySpec::new("blade", blade, Pose::IDENTITY, motion)).unwrap();
    bodies
}

/// Every bit of every body that can be seen.
fn bits(bodies: &Bodies) -> Vec<u32> {
    let of_body = |body: barchan_sim::bodies::Body<'_>| {
        let pose = body.pose;
        let vectors = [pose.translation, body.linear_velocity_m_s, body.angular_velocity_rad_s];
        let mut bits: Vec<u32> = vectors.iter().flat_map(|v| v.to_array()).map(f32::to_bits).collect();
        bits.extend(pose.rotation.to_array().map(f32::to_bits));
        bits.extend([body.id.0, u32::from(body.sleeping), u32::from(body.frozen)]);
        bits
    };
    bodies.iter().flat_map(of_body).collect()
}

/// A sequence of numbers that is the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|_| self.between(-reach, reach)))
    }

    fn turn(&mut self) -> Quat {
        let axis = self.vector(1.0).try_normalize().unwrap_or(Vec3::X);
        Quat::from_axis_angle(axis, self.between(0.0, 6.0))
    }
}
