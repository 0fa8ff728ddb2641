//! `[[body]]`: rigid bodies.

use barchan_sim::bodies::{BodySpec, Key, LockedAxes, Motion, Track};
use barchan_volume::Pose;
use glam::Vec3;

use super::angles::turned;
use super::files::Files;
use super::ranges::{POINT, SHARE, TURN};
use super::shapes::{ShapeKind, read_shape};
use crate::reader::{Flag, List, Number, OneOf, Seconds, TableReader, Text, Vector};
use crate::scene::PlacedBody;

/// Bodies that a scene may have, and keys that one path may have.
const MOST: usize = 4_096;
const MOST_KEYS: usize = 10_000;

/// A length of a body (m).
const LENGTH: Number = Number { min: 0.001, max: 10_000.0 };
const DENSITY: Number = Number { min: 0.1, max: 100_000.0 };
/// Steeper would be a friction of more than 10.
const FRICTION: Number = Number { min: 0.0, max: 84.0 };
const VELOCITY: Vector = Vector(Number { min: -400.0, max: 400.0 });
const SPIN: Vector = Vector(Number { min: -30_000.0, max: 30_000.0 });
const TIME: Seconds = Seconds(Number { min: 0.0, max: 1e6 });

const SHAPES: OneOf<'static, (ShapeKind, &'static str)> = OneOf(&[
    ("box", (ShapeKind::Box, "box")),
    ("ball", (ShapeKind::Ball, "ball")),
    ("ellipsoid", (ShapeKind::Ellipsoid, "ellipsoid")),
    ("cylinder", (ShapeKind::Cylinder, "cylinder")),
    ("cone", (ShapeKind::Cone, "cone")),
    ("capsule", (ShapeKind::Capsule, "capsule")),
    ("hull", (ShapeKind::Hull, "hull")),
    ("mesh", (ShapeKind::Mesh, "mesh")),
    ("compound", (ShapeKind::Compound, "compound")),
]);

/// What moves a body, before its path is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MotionKind {
    Fixed,
    Scripted,
    Dynamic,
}

const MOTIONS: OneOf<'static, MotionKind> = OneOf(&[
    ("fixed", MotionKind::Fixed),
    ("scripted", MotionKind::Scripted),
    ("dynamic", MotionKind::Dynamic),
]);

/// All bodies, as far as they are right.
pub fn read(scene: &mut TableReader<'_>, files: &mut Files<'_>) -> Vec<PlacedBody> {
    let tables = scene.tables("body", MOST);
    tables.into_iter().filter_map(|table| read_body(table, files)).collect()
}

fn read_body(mut table: TableReader<'_>, files: &mut Files<'_>) -> Option<PlacedBody> {
    // Without its shape and its motion, nothing can be said about the other keys.
    let shape_kind = table.required("shape", &SHAPES);
    let motion_kind = table.or("motion", &MOTIONS, MotionKind::Dynamic);
    let (shape_kind, shape_name) = shape_kind?;
    let motion_kind = motion_kind?;

    let known_before = table.problem_count();
    let name = table.or("name", &Text { longest: 100 }, shape_name.to_owned());
    let shape = read_shape(&mut table, shape_kind, LENGTH, files);
    let density_kg_m3 = table.or("density_kg_m3", &DENSITY, 2_500.0);
    let friction_deg = table.or("friction_angle_deg", &FRICTION, 30.0);
    let restitution = table.or("restitution", &SHARE, 0.1);
    let placing = read_motion(&mut table, motion_kind);
    let velocities = read_velocities(&mut table, motion_kind);
    let locked = read_locked(&mut table, motion_kind);
    let carves = table.optional("carve", &Flag);
    let (line, is_right) = (table.line(), table.problem_count() == known_before);
    let spec = (|| {
        let (pose, motion) = placing?;
        let (linear_velocity_m_s, angular_velocity_rad_s) = velocities?;
        Some(BodySpec {
            density_kg_m3: density_kg_m3?,
            friction: friction_deg?.to_radians().tan(),
            restitution: restitution?,
            linear_velocity_m_s,
            angular_velocity_rad_s,
            locked: locked?,
            ..BodySpec::new(name?, shape?, pose, motion)
        })
    })();
    // The body's own checks come last: they find what follows from several keys together.
    for problem in spec.iter().filter(|_| is_right).flat_map(BodySpec::problems) {
        table.wrong_here(problem.to_string());
    }
    table.finish();
    Some(PlacedBody { line, spec: spec?, carves: carves? })
}

/// Axes that are locked: whether along or about, and which.
const LOCKS: OneOf<'static, (bool, usize)> = OneOf(&[
    ("move_x", (false, 0)),
    ("move_y", (false, 1)),
    ("move_z", (false, 2)),
    ("turn_x", (true, 0)),
    ("turn_y", (true, 1)),
    ("turn_z", (true, 2)),
]);

fn read_locked(table: &mut TableReader<'_>, kind: MotionKind) -> Option<LockedAxes> {
    let mut locked = LockedAxes::NONE;
    if kind != MotionKind::Dynamic {
        table.refuse("locked", r#"has a place only with motion = "dynamic""#);
        return Some(locked);
    }
    let list = table.or("locked", &List { each: LOCKS, min: 0, max: 6 }, Vec::new());
    for (turns, axis) in list? {
        if turns {
            locked.rotation[axis] = true;
        } else {
            locked.translation[axis] = true;
        }
    }
    Some(locked)
}

/// Where a body is and what moves it.
fn read_motion(table: &mut TableReader<'_>, kind: MotionKind) -> Option<(Pose, Motion)> {
    let rotation_deg = table.or("rotation_deg", &Vector(TURN), Vec3::ZERO);
    if kind != MotionKind::Scripted {
        for key in ["path", "repeat"] {
            table.refuse(key, r#"has a place only with motion = "scripted""#);
        }
        let position = table.required("position_m", &POINT);
        let pose = Pose::new(position?, turned(rotation_deg?));
        let motion = if kind == MotionKind::Fixed { Motion::Fixed } else { Motion::Dynamic };
        return Some((pose, motion));
    }
    let position = table.optional("position_m", &POINT);
    let repeat = table.or("repeat", &Flag, false);
    if !table.has("path") {
        table.wrong("path", "is missing; must be a list of { time_s, position_m, rotation_deg }");
    }
    let mut last_s = None;
    let read = |key| read_key(key, position.flatten(), rotation_deg, &mut last_s);
    let keys: Vec<_> = table.tables("path", MOST_KEYS).into_iter().map(read).collect();
    let keys = keys.into_iter().collect::<Option<Vec<_>>>()?;
    let Some(first) = keys.first() else {
        if table.has("path") {
            table.wrong("path", "must have at least one entry");
        }
        return None;
    };
    Some((first.pose, Motion::Scripted(Track { repeat: repeat?, keys })))
}

/// One point of a path, later than `last_s` (s). What it leaves out is as the body itself says.
fn read_key(
    mut table: TableReader<'_>,
    position: Option<Vec3>,
    rotation_deg: Option<Vec3>,
    last_s: &mut Option<f64>,
) -> Option<Key> {
    let time_s = table.required("time_s", &TIME);
    if let (Some(last_s), Some(time_s)) = (*last_s, time_s)
        && time_s <= last_s
    {
        table.wrong("time_s", format!("must be later than the entry before, {last_s}"));
    }
    *last_s = time_s.or(*last_s);
    let position = match position {
        Some(position) => table.or("position_m", &POINT, position),
        None => table.required("position_m", &POINT),
    };
    let rotation = table.or("rotation_deg", &Vector(TURN), rotation_deg.unwrap_or_default());
    table.finish();
    Some(Key { time_s: time_s?, pose: Pose::new(position?, turned(rotation?)) })
}

fn read_velocities(table: &mut TableReader<'_>, kind: MotionKind) -> Option<(Vec3, Vec3)> {
    if kind != MotionKind::Dynamic {
        for key in ["velocity_m_s", "spin_deg_s"] {
            table.refuse(key, r#"has a place only with motion = "dynamic""#);
        }
        return Some((Vec3::ZERO, Vec3::ZERO));
    }
    let linear = table.or("velocity_m_s", &VELOCITY, Vec3::ZERO);
    let angular_deg = table.or("spin_deg_s", &SPIN, Vec3::ZERO);
    Some((linear?, angular_deg? * (std::f32::consts::PI / 180.0)))
}
