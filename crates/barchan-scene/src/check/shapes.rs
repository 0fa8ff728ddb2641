//! Shapes: boxes, balls, ellipsoids, cylinders, cones, capsules, hulls, meshes and what is put together of them, of ground and of
//! bodies.

use std::sync::Arc;

use barchan_files::model::shape_mesh;
use barchan_volume::{Hull, MeshSolid, Pose, Shape, TriMesh};

use super::angles::turned;
use super::files::Files;
use super::ranges::{POINT, SCALE, TURN};
use crate::reader::{List, Number, OneOf, TableReader, Text, Vector};

/// Name of a file.
pub const FILE: Text = Text { longest: 1_000 };

/// Which shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    Box,
    Ball,
    Ellipsoid,
    Cylinder,
    Cone,
    Capsule,
    Hull,
    Mesh,
    Compound,
}

/// Shapes that others are put together of.
const PARTS: OneOf<'static, ShapeKind> = OneOf(&[
    ("box", ShapeKind::Box),
    ("ball", ShapeKind::Ball),
    ("ellipsoid", ShapeKind::Ellipsoid),
    ("cylinder", ShapeKind::Cylinder),
    ("cone", ShapeKind::Cone),
    ("capsule", ShapeKind::Capsule),
    ("hull", ShapeKind::Hull),
    ("mesh", ShapeKind::Mesh),
]);

/// Parts that one shape may have.
const MOST_PARTS: usize = 256;

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
        ShapeKind::Ellipsoid => read_ellipsoid(table, length)?,
        ShapeKind::Compound => read_compound(table, length, files)?,
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

/// An ellipsoid of exactly its volume, as a mesh.
fn read_ellipsoid(table: &mut TableReader<'_>, length: Number) -> Option<Shape> {
    let half = table.required("size_m", &Vector(length))? * 0.5;
    let ball = Shape::Ball { radius: 1.0 };
    let mut mesh = shape_mesh(&ball);
    let flat = MeshSolid::new(mesh.clone()).ok()?.volume_m3();
    let scale = half * (ball.volume_m3() / flat).cbrt();
    mesh.vertices.iter_mut().for_each(|vertex| *vertex *= scale);
    mesh_shape(table, "size_m", mesh)
}

/// Several shapes that hold together. Where they overlap their mass counts twice.
fn read_compound(table: &mut TableReader<'_>, length: Number, files: &mut Files<'_>) -> Option<Shape> {
    if !table.has("parts") {
        table.wrong("parts", "is missing; must be a list of { shape, sizes, position_m, rotation_deg }");
        return None;
    }
    let mut all = Some(TriMesh::default());
    let parts = table.tables("parts", MOST_PARTS);
    if parts.is_empty() {
        table.wrong("parts", "must have at least one entry");
    }
    for mut part in parts {
        let mesh = read_part(&mut part, length, files);
        part.finish();
        all = all.zip(mesh).map(|(mut all, mesh)| {
            let first = all.vertices.len() as u32;
            all.vertices.extend(mesh.vertices);
            all.triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
            all
        });
    }
    mesh_shape(table, "parts", all.filter(|mesh| !mesh.vertices.is_empty())?)
}

/// The surface of one part where it belongs.
fn read_part(part: &mut TableReader<'_>, length: Number, files: &mut Files<'_>) -> Option<TriMesh> {
    let kind = part.required("shape", &PARTS);
    let position = part.or("position_m", &POINT, glam::Vec3::ZERO);
    let rotation_deg = part.or("rotation_deg", &Vector(TURN), glam::Vec3::ZERO);
    let shape = read_shape(part, kind?, length, files);
    let pose = Pose::new(position?, turned(rotation_deg?));
    let mut mesh = shape_mesh(&shape?);
    mesh.vertices.iter_mut().for_each(|vertex| *vertex = pose.transform_point(*vertex));
    Some(mesh)
}

fn mesh_shape(table: &TableReader<'_>, key: &'static str, mesh: TriMesh) -> Option<Shape> {
    match MeshSolid::new(mesh) {
        Ok(solid) => Some(Shape::Mesh(Arc::new(solid))),
        Err(error) => {
            table.wrong(key, error.to_string());
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
