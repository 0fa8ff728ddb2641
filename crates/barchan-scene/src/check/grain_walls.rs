//! `[[grain_wall]]`: walls that only grains feel.

use barchan_sim::grains::{MOST_POINTS, Wall, WallForm, WallMotion};
use barchan_volume::Shape;
use glam::{DQuat, DVec2, Vec3};

use super::angles::turned;
use super::ranges::{PLACE, POINT, TURN};
use crate::reader::{Exact, Flag, List, Number, OneOf, Seconds, TableReader, Text, Vector, Vector2};

/// Walls that a scene may have.
const MOST: usize = 256;
/// A length of a wall (m).
const LENGTH: Number = Number { min: 1e-4, max: 1e4 };
const TIME: Seconds = Seconds(Number { min: 0.0, max: 1e6 });
const VELOCITY: Vector = Vector(Number { min: -100.0, max: 100.0 });

#[derive(Clone, Copy, PartialEq)]
enum FormKind {
    Plane,
    Turned,
    Box,
    Ball,
    Cylinder,
    Cone,
}

const FORMS: OneOf<'static, FormKind> = OneOf(&[
    ("plane", FormKind::Plane),
    ("turned", FormKind::Turned),
    ("box", FormKind::Box),
    ("ball", FormKind::Ball),
    ("cylinder", FormKind::Cylinder),
    ("cone", FormKind::Cone),
]);

#[derive(Clone, Copy, PartialEq)]
enum MotionKind {
    Still,
    Drive,
    Vibrate,
    Spin,
    Press,
}

const MOTIONS: OneOf<'static, MotionKind> = OneOf(&[
    ("still", MotionKind::Still),
    ("drive", MotionKind::Drive),
    ("vibrate", MotionKind::Vibrate),
    ("spin", MotionKind::Spin),
    ("press", MotionKind::Press),
]);

/// All walls; none where one is wrong.
pub fn read(scene: &mut TableReader<'_>) -> Option<Vec<Wall>> {
    let walls: Vec<_> = scene.tables("grain_wall", MOST).into_iter().map(read_wall).collect();
    walls.into_iter().collect()
}

fn read_wall(mut table: TableReader<'_>) -> Option<Wall> {
    let name = table.or("name", &Text { longest: 64 }, "wall".to_owned());
    let form = read_form(&mut table);
    let origin = table.or("position_m", &POINT, Vec3::ZERO);
    let rotation = table.or("rotation_deg", &Vector(TURN), Vec3::ZERO);
    let rough = table.optional("rough_m", &Exact(Number { min: 1e-6, max: 100.0 }));
    let friction = table.optional("friction", &Exact(Number { min: 0.0, max: 10.0 }));
    let restitution = table.optional("restitution", &Exact(Number { min: 0.05, max: 1.0 }));
    let until = table.optional("until_s", &TIME);
    let motion = read_motion(&mut table);
    let wall = (|| {
        let turn: DQuat = turned(rotation?).as_dquat().normalize();
        Some(Wall {
            name: name?,
            form: form?,
            origin_m: origin?.as_dvec3(),
            turn,
            rough_m: rough?,
            friction: friction?,
            restitution: restitution?,
            motion: motion?,
            until_s: until?,
        })
    })();
    if let Some(Err(error)) = wall.as_ref().map(Wall::check) {
        table.wrong_here(error.problem);
    }
    table.finish();
    wall
}

fn read_form(table: &mut TableReader<'_>) -> Option<WallForm> {
    let kind = table.required("shape", &FORMS)?;
    let is_solid = !matches!(kind, FormKind::Plane | FormKind::Turned);
    let is_room = if is_solid { table.or("inside", &Flag, false) } else { Some(false) };
    let shape = match kind {
        FormKind::Plane => return Some(WallForm::Plane),
        FormKind::Turned => {
            let points = List { each: Vector2(PLACE), min: 2, max: MOST_POINTS };
            let profile = table.required("profile_m", &points)?;
            let profile = profile.into_iter().map(|p| DVec2::new(p.x.into(), p.y.into())).collect();
            return Some(WallForm::Turned { profile });
        }
        FormKind::Box => Shape::Box { half_extents: table.required("size_m", &Vector(LENGTH))? * 0.5 },
        FormKind::Ball => Shape::Ball { radius: table.required("radius_m", &LENGTH)? },
        FormKind::Cylinder | FormKind::Cone => {
            let radius = table.required("radius_m", &LENGTH);
            let height = table.required("height_m", &LENGTH);
            let (radius, half_height) = (radius?, 0.5 * height?);
            if kind == FormKind::Cone {
                Shape::Cone { radius, half_height }
            } else {
                Shape::Cylinder { radius, half_height }
            }
        }
    };
    Some(if is_room? { WallForm::Room { shape } } else { WallForm::Solid { shape } })
}

fn read_motion(table: &mut TableReader<'_>) -> Option<WallMotion> {
    let motion = match table.or("motion", &MOTIONS, MotionKind::Still)? {
        MotionKind::Still => WallMotion::Still,
        MotionKind::Drive => {
            let velocity = table.required("velocity_m_s", &VELOCITY);
            let from = table.or("from_s", &TIME, 0.0);
            let stop = table.or("stop_s", &TIME, 1e6);
            WallMotion::Drive { velocity_m_s: velocity?.as_dvec3(), from_s: from?, until_s: stop? }
        }
        MotionKind::Vibrate => {
            let amplitude = table.required("amplitude_m", &Vector(Number { min: -10.0, max: 10.0 }));
            let frequency = table.required("frequency_hz", &Exact(Number { min: 0.0, max: 1e5 }));
            WallMotion::Vibrate { amplitude_m: amplitude?.as_dvec3(), frequency_hz: frequency? }
        }
        MotionKind::Spin => {
            let rate = table.required("spin_deg_s", &Vector(Number { min: -30_000.0, max: 30_000.0 }));
            WallMotion::Spin { rate_rad_s: rate?.as_dvec3() * (std::f64::consts::PI / 180.0) }
        }
        MotionKind::Press => {
            let force = table.required("force_n", &Vector(Number { min: -1e9, max: 1e9 }));
            let mass = table.required("mass_kg", &Exact(Number { min: 1e-12, max: 1e9 }));
            WallMotion::Press { force_n: force?.as_dvec3(), mass_kg: mass? }
        }
    };
    Some(motion)
}
