//! Points that push each other apart on a mesh until they lie evenly.

use glam::Vec3;

use super::by_cells;
use super::distance_grid::DistanceGrid;
use crate::mesh::TriMesh;

/// Rounds of pushing apart and drawing back.
const ROUNDS: usize = 60;

/// How far points push each other (diameters).
const REACH: f32 = 1.3;

/// Share of the way by which two that are too close move apart in a round.
const PUSH: f32 = 0.3;

/// About `count` points on the zero level of `distances`, as evenly as they get; none closer to another than needed.
pub(super) fn spread(mesh: &TriMesh, distances: &DistanceGrid, radius: f32, count: usize) -> Vec<Vec3> {
    let mut points = start(mesh, count);
    let reach = REACH * 2.0 * radius;
    for round in 0..ROUNDS {
        let cells = by_cells(&points, reach);
        let step = PUSH * (1.0 - 0.7 * round as f32 / ROUNDS as f32);
        let moved = points.iter().enumerate().map(|(index, &p)| {
            let home = super::cell_of(p, reach);
            let mut push = Vec3::ZERO;
            for k in 0..27 {
                let cell = home + glam::IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
                for &other in cells.get(&cell).into_iter().flatten() {
                    let way = p - points[other as usize];
                    let far = way.length();
                    if other as usize != index && far < reach {
                        // Two in one place part along some axis, the one this way, the other that way.
                        let apart = if far > 0.0 {
                            way / far
                        } else if (other as usize) < index {
                            Vec3::X
                        } else {
                            Vec3::NEG_X
                        };
                        push += apart * ((reach - far) * step);
                    }
                }
            }
            drawn_back(p, p + push.clamp_length_max(radius), distances)
        });
        points = moved.collect();
    }
    points
}

/// Where a point that was pushed comes to lie on the zero level; it stays where it was when it was pushed out of the shell.
fn drawn_back(from: Vec3, to: Vec3, distances: &DistanceGrid) -> Vec3 {
    let mut p = to;
    for _ in 0..3 {
        match distances.at(p) {
            Some((far, way)) => p -= way * far,
            None => return from,
        }
    }
    p
}

/// Points all over the triangles, by their area: so many for a triangle as it has a share, what is left of one goes to the next.
fn start(mesh: &TriMesh, count: usize) -> Vec<Vec3> {
    let each = mesh.area_m2() / count as f64;
    let mut due = 0.5;
    let mut points = Vec::with_capacity(count + 1);
    let mut drawn = 0u32;
    for index in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(index);
        due += f64::from((b - a).cross(c - a).length() * 0.5) / each;
        while due >= 1.0 {
            due -= 1.0;
            drawn += 1;
            // A sequence that fills a square evenly (Roberts 2018), folded into the triangle.
            let u = (f64::from(drawn) * 0.754_877_666_246_693) % 1.0;
            let v = (f64::from(drawn) * 0.569_840_290_998_053) % 1.0;
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            points.push(a + (b - a) * u as f32 + (c - a) * v as f32);
        }
    }
    points
}

/// Calls `visit` with points of a triangle no further apart than `pitch` (m).
pub(super) fn each_point([a, b, c]: &[Vec3; 3], pitch: f32, mut visit: impl FnMut(Vec3)) {
    let longest = a.distance(*b).max(b.distance(*c)).max(c.distance(*a));
    let steps = (longest / pitch).ceil().clamp(1.0, 512.0) as u32;
    for i in 0..=steps {
        for j in 0..=steps - i {
            let (u, v) = (i as f32 / steps as f32, j as f32 / steps as f32);
            visit(*a + (*b - *a) * u + (*c - *a) * v);
        }
    }
}
