//! Where rays meet shapes, in the shape's own frame.

use std::sync::Arc;

use barchan_volume::{Aabb, Shape, TriMesh};
use glam::Vec3;

use super::boxes::{BoxRay, BoxTree};

/// Distance and outward normal of a meeting.
pub(super) type Meeting = (f32, Vec3);

/// A shape made ready for rays.
pub(super) enum Traced {
    /// By formula.
    Plain(Shape),
    /// By triangles.
    Triangles(Triangles),
}

/// Triangles in a tree.
pub(super) struct Triangles {
    corners: Vec<[Vec3; 3]>,
    tree: BoxTree,
}

impl Traced {
    pub fn new(shape: &Shape) -> Self {
        match shape {
            Shape::Hull(hull) => Self::Triangles(Triangles::new(hull.mesh())),
            Shape::Mesh(mesh) => Self::Triangles(Triangles::new(Arc::as_ref(mesh).mesh())),
            plain => Self::Plain(plain.clone()),
        }
    }

    /// The first meeting from outside no further than `reach`.
    pub fn cast(&self, ray: &BoxRay, reach: f32) -> Option<Meeting> {
        let BoxRay { origin, direction } = *ray;
        let meeting = match self {
            Self::Triangles(triangles) => return triangles.cast(ray, reach),
            Self::Plain(Shape::Box { half_extents }) => meet_box(origin, direction, *half_extents),
            Self::Plain(Shape::Ball { radius }) => meet_ball(origin, direction, Vec3::ZERO, *radius),
            Self::Plain(Shape::Cylinder { radius, half_height }) => nearer(
                meet_side(origin, direction, *radius, *radius, *half_height),
                meet_ends(origin, direction, *radius, *radius, *half_height),
            ),
            Self::Plain(Shape::Cone { radius, half_height }) => nearer(
                meet_side(origin, direction, *radius, 0.0, *half_height),
                meet_ends(origin, direction, *radius, 0.0, *half_height),
            ),
            Self::Plain(Shape::Capsule { radius, half_height }) => {
                let end = Vec3::Z * *half_height;
                let side = meet_side(origin, direction, *radius, *radius, *half_height);
                let balls = [end, -end].map(|centre| meet_ball(origin, direction, centre, *radius));
                nearer(side, nearer(balls[0], balls[1]))
            }
            Self::Plain(Shape::Hull(_) | Shape::Mesh(_)) => None,
        };
        meeting.filter(|(t, _)| *t < reach)
    }
}

impl Triangles {
    fn new(mesh: &TriMesh) -> Self {
        let corners: Vec<_> = (0..mesh.triangles.len()).map(|index| mesh.corners(index)).collect();
        let boxes: Vec<_> = corners.iter().map(|c| Aabb::around(c.iter().copied())).collect();
        let tree = BoxTree::new(&boxes);
        Self { corners, tree }
    }

    fn cast(&self, ray: &BoxRay, reach: f32) -> Option<Meeting> {
        let hit = |number: u32, near: f32| {
            meet_triangle(ray, &self.corners[number as usize]).filter(|(t, _)| *t < near)
        };
        self.tree.nearest(ray, reach, hit)
    }
}

fn nearer(a: Option<Meeting>, b: Option<Meeting>) -> Option<Meeting> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.0 <= b.0 { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// The front of a triangle (Möller and Trumbore 1997).
fn meet_triangle(ray: &BoxRay, [a, b, c]: &[Vec3; 3]) -> Option<Meeting> {
    let (ab, ac) = (*b - *a, *c - *a);
    let normal = ab.cross(ac);
    let facing = -ray.direction.dot(normal);
    if facing <= 0.0 {
        return None;
    }
    let from = ray.origin - *a;
    let t = from.dot(normal) / facing;
    let turned = from.cross(ray.direction);
    let (u, v) = (ac.dot(turned) / facing, -ab.dot(turned) / facing);
    (t > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0).then(|| (t, normal.normalize_or_zero()))
}

fn meet_box(origin: Vec3, direction: Vec3, half: Vec3) -> Option<Meeting> {
    let inverse = direction.recip();
    let (a, b) = ((-half - origin) * inverse, (half - origin) * inverse);
    let near = a.min(b);
    let (enter, leave) = (near.max_element(), a.max(b).min_element());
    let axis = near.max_position();
    let normal = || Vec3::AXES[axis] * -direction[axis].signum();
    (enter <= leave && enter > 0.0).then(|| (enter, normal()))
}

fn meet_ball(origin: Vec3, direction: Vec3, centre: Vec3, radius: f32) -> Option<Meeting> {
    let from = origin - centre;
    let t = first_root(1.0, from.dot(direction), from.length_squared() - radius * radius)?;
    Some((t, (from + direction * t) / radius))
}

/// The side of a cylinder or cone about z, with `base` and `top` the radii at its ends.
fn meet_side(origin: Vec3, direction: Vec3, base: f32, top: f32, half_height: f32) -> Option<Meeting> {
    // At height z the radius is middle + slope z.
    let (middle, slope) = ((base + top) / 2.0, (top - base) / (2.0 * half_height));
    let radius = middle + slope * origin.z;
    let (o, d) = (origin.truncate(), direction.truncate());
    let a = d.length_squared() - slope * slope * direction.z * direction.z;
    let b = o.dot(d) - radius * slope * direction.z;
    let c = o.length_squared() - radius * radius;
    // Of a cone the first root may lie on its mirror image above the apex.
    let on_shape = |t: &f32| {
        let z = origin.z + direction.z * t;
        *t > 0.0 && z.abs() <= half_height && middle + slope * z >= 0.0
    };
    let normal_at = |t: f32| {
        let point = origin + direction * t;
        let outward = point.truncate().extend(-slope * (middle + slope * point.z));
        (t, outward.normalize_or_zero())
    };
    let roots = roots(a, b, c)?;
    let t = roots.into_iter().find(on_shape)?;
    let meeting = normal_at(t);
    (meeting.1.dot(direction) < 0.0).then_some(meeting)
}

/// The flat ends of a cylinder or cone about z.
fn meet_ends(origin: Vec3, direction: Vec3, base: f32, top: f32, half_height: f32) -> Option<Meeting> {
    let (z, radius) = if direction.z < 0.0 { (half_height, top) } else { (-half_height, base) };
    let t = (z - origin.z) / direction.z;
    let point = (origin + direction * t).truncate();
    (t > 0.0 && point.length_squared() <= radius * radius).then(|| (t, Vec3::Z * z.signum()))
}

/// Both roots of a t² + 2 b t + c, in order.
fn roots(a: f32, b: f32, c: f32) -> Option<[f32; 2]> {
    let inside = b * b - a * c;
    if inside < 0.0 || a == 0.0 {
        return None;
    }
    // The form that does not cancel.
    let q = -(b + inside.sqrt().copysign(b));
    let (x, y) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    Some([x.min(y), x.max(y)])
}

fn first_root(a: f32, b: f32, c: f32) -> Option<f32> {
    roots(a, b, c).map(|roots| roots[0]).filter(|t| *t > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(shape: Shape, origin: Vec3, direction: Vec3) -> Option<Meeting> {
        Traced::new(&shape).cast(&BoxRay { origin, direction: direction.normalize() }, 100.0)
    }

    #[test]
    fn rays_meet_shapes_where_they_are() {
        let half_extents = Vec3::new(1.0, 2.0, 3.0);
        let rows = [
            (Shape::Box { half_extents }, Vec3::new(0.5, -9.0, 1.0), Vec3::Y, 7.0, Vec3::NEG_Y),
            (Shape::Ball { radius: 2.0 }, Vec3::new(-5.0, 0.0, 0.0), Vec3::X, 3.0, Vec3::NEG_X),
            (
                Shape::Cylinder { radius: 1.0, half_height: 2.0 },
                Vec3::new(0.5, 0.0, 9.0),
                Vec3::NEG_Z,
                7.0,
                Vec3::Z,
            ),
            (
                Shape::Cylinder { radius: 1.0, half_height: 2.0 },
                Vec3::new(4.0, 0.0, 1.9),
                Vec3::NEG_X,
                3.0,
                Vec3::X,
            ),
            (
                Shape::Capsule { radius: 1.0, half_height: 2.0 },
                Vec3::new(0.0, 0.0, 9.0),
                Vec3::NEG_Z,
                6.0,
                Vec3::Z,
            ),
            (
                Shape::Cone { radius: 2.0, half_height: 2.0 },
                Vec3::new(0.0, 0.0, -9.0),
                Vec3::Z,
                7.0,
                Vec3::NEG_Z,
            ),
        ];
        for (shape, origin, direction, t, normal) in rows {
            let hit = cast(shape.clone(), origin, direction).unwrap_or_else(|| panic!("{shape:?} is missed"));
            assert!((hit.0 - t).abs() < 1e-4 && hit.1.distance(normal) < 1e-4, "{shape:?}: {hit:?}");
        }
    }

    #[test]
    fn a_cone_narrows_to_its_apex() {
        let cone = Shape::Cone { radius: 2.0, half_height: 2.0 };
        let hit = cast(cone.clone(), Vec3::new(-9.0, 0.0, 1.0), Vec3::X).expect("it is met");
        assert!((hit.0 - 8.5).abs() < 1e-4, "{hit:?}");
        assert!(hit.1.distance(Vec3::new(-2.0, 0.0, 1.0).normalize()) < 1e-4, "{hit:?}");
        assert_eq!(cast(cone, Vec3::new(-9.0, 0.0, 2.5), Vec3::X), None);
    }

    #[test]
    fn a_box_of_triangles_is_as_a_box() {
        let corner = |n: u32| Vec3::new((n & 1) as f32, (n >> 1 & 1) as f32, (n >> 2) as f32) * 2.0 - 1.0;
        let hull = barchan_volume::Hull::new((0..8).map(corner).collect()).expect("a hull");
        let (a, b) = (Shape::Hull(Arc::new(hull)), Shape::Box { half_extents: Vec3::ONE });
        for at in 0..200 {
            let turn = at as f32 * 0.7;
            let origin = Vec3::new(turn.sin() * 4.0, turn.cos() * 4.0, (turn * 1.7).sin() * 3.0);
            let direction = Vec3::new((turn * 2.3).sin() * 0.9, (turn * 3.1).cos() * 0.9, 0.3) - origin;
            match (cast(a.clone(), origin, direction), cast(b.clone(), origin, direction)) {
                (Some(a), Some(b)) => assert!((a.0 - b.0).abs() < 1e-3 && a.1.distance(b.1) < 1e-3),
                (None, None) => {}
                other => panic!("{other:?} from {origin} along {direction}"),
            }
        }
    }
}
