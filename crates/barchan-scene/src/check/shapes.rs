//! Shapes: boxes, balls, cylinders, cones, capsules, hulls and meshes, of ground and of bodies.

use std::sync::Arc;

use barchan_volume::{Hull, Pose, Shape};

use super::angles::turned;
use super::files::Files;
use super::ranges::{SCALE, TURN};
use crate::reader::{List, Number, TableReader, Text, Vector};

/// Name of a file.
pub const FILE: Text = Text { longest: 1_000 };

/// Which shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    Box,
    Ball,
    Cylinder,
    Cone,
    Capsule,
    Hull,
    Mesh,
}

/// Reads the sizes of a shape, each within `length` (m).
pub fn read_shape(
    table: &mut TableReader<'_>,
    kind: ShapeKind,
    length: Number,
    files: &mut Files<'_>,
) -> Option<Shape> {
    let radius_and_half_height = |table: &mut TableReader<'_>| {
        let radius = table.required("radius_m", &length);
        let height = table.required("height_m", &length);
        Some((radius?, 0.5 * height?))
    };
    let shape = match kind {
        ShapeKind::Box => Shape::Box { half_extents: table.required("size_m", &Vector(length))? * 0.5 },
        ShapeKind::Ball => Shape::Ball { radius: table.required("radius_m", &length)? },
        ShapeKind::Cylinder => {
            let (radius, half_height) = radius_and_half_height(table)?;
            Shape::Cylinder { radius, half_height }
        }
        ShapeKind::Cone => {
            let (radius, half_height) = radius_and_half_height(table)?;
            Shape::Cone { radius, half_height }
        }
        ShapeKind::Capsule => {
            let (radius, half_height) = radius_and_half_height(table)?;
            Shape::Capsule { radius, half_height }
        }
        ShapeKind::Hull => read_hull(table, length)?,
        ShapeKind::Mesh => read_mesh(table, files)?,
    };
    if let Err(error) = shape.check() {
        table.wrong_here(error.to_string());
        return None;
    }
    Some(shape)
}

/// Reads where a shape is: `place` is the key of its position.
pub fn read_pose(table: &mut TableReader<'_>, place: &'static str, range: &Vector) -> Option<Pose> {
    let translation = table.required(place, range);
    let rotation_deg = table.or("rotation_deg", &Vector(TURN), glam::Vec3::ZERO);
    Some(Pose::new(translation?, turned(rotation_deg?)))
}

fn read_hull(table: &mut TableReader<'_>, length: Number) -> Option<Shape> {
    let point = Vector(Number { min: -length.max, max: length.max });
    let points = table.required("points_m", &List { each: point, min: 4, max: Hull::MAX_POINTS })?;
    match Hull::new(points) {
        Ok(hull) => Some(Shape::Hull(Arc::new(hull))),
        Err(error) => {
            table.wrong("points_m", error.to_string());
            None
        }
    }
}

fn read_mesh(table: &mut TableReader<'_>, files: &mut Files<'_>) -> Option<Shape> {
    let file = table.required("file", &FILE);
    let scale = table.or("scale", &SCALE, 1.0);
    match files.mesh(&file?, scale?) {
        Ok(mesh) => Some(Shape::Mesh(mesh)),
        Err(error) => {
            table.wrong("file", error);
            None
        }
    }
}
