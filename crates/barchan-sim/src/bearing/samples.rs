//! Points on the surface of a shape, each with the outward normal and the area it stands for.

use std::f32::consts::{PI, TAU};

use barchan_volume::Shape;
use glam::{Vec2, Vec3};

use super::triangle_samples::of_triangles;

/// Fewest rows of points along a side: one point per face would let a box rock about it.
const MIN_ROWS: usize = 2;

/// A point on a surface. Corners stand for no area: soil gives way to them, rock does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Where, in the frame of the shape (m).
    pub point: Vec3,
    /// Unit vector out of the shape.
    pub normal: Vec3,
    /// The part of the surface it stands for (m²).
    pub area_m2: f32,
}

/// Points on the whole surface of `shape`, `spacing_m` (m) apart, or further if they would be many more than `most`. Their
/// areas add up to that of the shape. The same shape gives the same points.
pub(super) fn surface_samples(shape: &Shape, spacing_m: f32, most: usize) -> Vec<Sample> {
    let step = |area: f32| spacing_m.max((area / most as f32).sqrt());
    match shape {
        Shape::Box { half_extents: h } => cuboid(*h, step(8.0 * (h.x * h.y + h.y * h.z + h.z * h.x))),
        Shape::Ball { radius } => ball(*radius, step(4.0 * PI * radius * radius)),
        Shape::Cylinder { radius, half_height } => {
            let side = Vec2::new(*radius, -half_height);
            let step = step(TAU * radius * (radius + 2.0 * half_height));
            let mut samples = Vec::new();
            of_disc(*radius, -half_height, -1.0, step, &mut samples);
            of_band(side, Vec2::new(*radius, *half_height), step, &mut samples);
            of_disc(*radius, *half_height, 1.0, step, &mut samples);
            samples
        }
        Shape::Cone { radius, half_height } => {
            let slant = radius.hypot(2.0 * half_height);
            let step = step(PI * radius * (radius + slant));
            let mut samples = Vec::new();
            of_disc(*radius, -half_height, -1.0, step, &mut samples);
            of_band(Vec2::new(*radius, -half_height), Vec2::new(0.0, *half_height), step, &mut samples);
            samples.push(Sample { point: Vec3::Z * *half_height, normal: Vec3::Z, area_m2: 0.0 });
            samples
        }
        Shape::Capsule { radius, half_height } => {
            capsule(*radius, *half_height, step(4.0 * PI * radius * (radius + half_height)))
        }
        Shape::Hull(hull) => of_triangles(hull.mesh(), step),
        Shape::Mesh(mesh) => of_triangles(mesh.mesh(), step),
    }
}

/// How many rows of points fit on `length` (m).
fn rows(length: f32, step: f32) -> usize {
    ((length / step).round() as usize).max(MIN_ROWS)
}

fn cuboid(half: Vec3, step: f32) -> Vec<Sample> {
    let mut samples = Vec::new();
    for axis in 0..3 {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        let (count_a, count_b) = (rows(2.0 * half[a], step), rows(2.0 * half[b], step));
        let area_m2 = 4.0 * half[a] * half[b] / (count_a * count_b) as f32;
        let along = |i: usize, count: usize, half: f32| half * ((2 * i + 1) as f32 / count as f32 - 1.0);
        for sign in [-1.0, 1.0] {
            let normal = Vec3::AXES[axis] * sign;
            for i in 0..count_a {
                for j in 0..count_b {
                    let mut point = normal * half[axis];
                    (point[a], point[b]) = (along(i, count_a, half[a]), along(j, count_b, half[b]));
                    samples.push(Sample { point, normal, area_m2 });
                }
            }
        }
    }
    samples.extend((0..8).map(|corner| {
        let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let signs = Vec3::new(sign(0), sign(1), sign(2));
        Sample { point: half * signs, normal: signs.normalize(), area_m2: 0.0 }
    }));
    samples
}

fn ball(radius: f32, step: f32) -> Vec<Sample> {
    let count = ((4.0 * PI * radius * radius / (step * step)) as usize).max(32);
    let area_m2 = 4.0 * PI * radius * radius / count as f32;
    let on_unit_ball = |i: usize| {
        // Equal steps in height are equal areas; the golden angle spreads them around.
        let z = 1.0 - (2 * i + 1) as f32 / count as f32;
        let turn = i as f32 * (PI * (3.0 - 5.0_f32.sqrt()));
        let ring = (1.0 - z * z).sqrt();
        Vec3::new(ring * turn.cos(), ring * turn.sin(), z)
    };
    let of_normal = |normal: Vec3| Sample { point: normal * radius, normal, area_m2 };
    (0..count).map(|i| of_normal(on_unit_ball(i))).collect()
}

fn capsule(radius: f32, half_height: f32, step: f32) -> Vec<Sample> {
    let mut samples = ball(radius, step);
    for sample in &mut samples {
        sample.point.z += half_height * sample.normal.z.signum();
    }
    of_band(Vec2::new(radius, -half_height), Vec2::new(radius, half_height), step, &mut samples);
    samples
}

/// The disc at height `z`, facing up or down, with points on its rim.
fn of_disc(radius: f32, z: f32, up: f32, step: f32, samples: &mut Vec<Sample>) {
    let normal = Vec3::Z * up;
    let rings = ((radius / step).round() as usize).max(1);
    for ring in 0..rings {
        let (inner, outer) = (ring as f32 / rings as f32 * radius, (ring + 1) as f32 / rings as f32 * radius);
        let middle = (0.5 * (inner * inner + outer * outer)).sqrt();
        let count = ((TAU * middle / step).round() as usize).max(4);
        let area_m2 = PI * (outer * outer - inner * inner) / count as f32;
        for around in circle(count) {
            samples.push(Sample { point: (around * middle).extend(z), normal, area_m2 });
        }
    }
    for around in circle(((TAU * radius / step).round() as usize).clamp(8, 24)) {
        let normal = around.extend(up).normalize();
        samples.push(Sample { point: (around * radius).extend(z), normal, area_m2: 0.0 });
    }
}

/// The band that the line between two points (distance from the axis, height) sweeps around the axis.
fn of_band(from: Vec2, to: Vec2, step: f32, samples: &mut Vec<Sample>) {
    let line = to - from;
    let out = Vec2::new(line.y, -line.x).normalize_or_zero();
    let count = rows(line.length(), step);
    for row in 0..count {
        let at = from + line * ((row as f32 + 0.5) / count as f32);
        let around = ((TAU * at.x / step).round() as usize).max(4);
        let area_m2 = TAU * at.x * line.length() / (count * around) as f32;
        for direction in circle(around) {
            let spin = |v: Vec2| (direction * v.x).extend(v.y);
            samples.push(Sample { point: spin(at), normal: spin(out), area_m2 });
        }
    }
}

/// `count` directions around the axis.
fn circle(count: usize) -> impl Iterator<Item = Vec2> {
    (0..count).map(move |i| Vec2::from_angle(TAU * (i as f32 + 0.5) / count as f32))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use barchan_volume::{Hull, MeshSolid};

    use super::*;

    /// The same cube as points and as triangles.
    fn cube_points() -> Vec<Vec3> {
        let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 1 { 0.5 } else { -0.5 };
        (0..8).map(|i| Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect()
    }

    #[test]
    fn areas_add_up_and_normals_close() {
        let hull = Arc::new(Hull::new(cube_points()).unwrap());
        let mesh = Arc::new(MeshSolid::new(hull.mesh().clone()).unwrap());
        // Shape, area (m²).
        let rows = [
            (Shape::Box { half_extents: Vec3::new(0.5, 0.4, 0.3) }, 3.76),
            (Shape::Ball { radius: 0.5 }, PI),
            (Shape::Cylinder { radius: 0.3, half_height: 0.5 }, TAU * 0.3 * 1.3),
            (Shape::Cone { radius: 0.3, half_height: 0.2 }, PI * 0.3 * 0.8),
            (Shape::Capsule { radius: 0.25, half_height: 0.5 }, 4.0 * PI * 0.25 * 0.75),
            (Shape::Hull(hull), 6.0),
            (Shape::Mesh(mesh), 6.0),
        ];
        for (shape, area) in rows {
            for spacing in [0.02, 0.1, 3.0] {
                let samples = surface_samples(&shape, spacing, 256);
                let sum: f32 = samples.iter().map(|s| s.area_m2).sum();
                assert!((sum - area).abs() < 1e-3 * area, "{shape:?} at {spacing}: {sum} for {area}");
                assert!((20..600).contains(&samples.len()), "{shape:?} at {spacing}: {}", samples.len());
                // A closed surface faces all ways alike; its points enclose the volume.
                let facing: Vec3 = samples.iter().map(|s| s.normal * s.area_m2).sum();
                assert!(facing.length() < 0.03 * area, "{shape:?} at {spacing}: {facing}");
                let volume: f32 = samples.iter().map(|s| s.point.dot(s.normal) * s.area_m2 / 3.0).sum();
                let expected = shape.volume_m3();
                assert!((volume - expected).abs() < 0.05 * expected, "{shape:?}: {volume} for {expected}");
                assert!(samples.iter().all(|s| (s.normal.length() - 1.0).abs() < 1e-4));
            }
        }
    }
}
