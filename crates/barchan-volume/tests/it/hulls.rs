//! Convex hulls against exact ones, found by trying every plane and every edge.

use std::collections::BTreeSet;

use barchan_volume::{Hull, ShapeError, TriMesh};
use glam::{I64Vec3, Quat, Vec3};
use proptest::prelude::*;

use crate::solids::rotations;

/// The hull of points of a lattice, in whole numbers and therefore exact.
#[derive(Debug, Default, PartialEq)]
struct Exact {
    /// Six times the volume (steps³).
    six_fold_volume: i64,
    corners: BTreeSet<[i64; 3]>,
}

impl Exact {
    /// By trying the planes through all triples of points for those with no point beyond.
    fn around(points: &[I64Vec3]) -> Self {
        let mut exact = Self::default();
        let mut planes = BTreeSet::new();
        for &a in points {
            for &b in points {
                for &c in points {
                    let normal = (b - a).cross(c - a);
                    let shared = gcd(gcd(normal.x, normal.y), normal.z);
                    if shared == 0 || points.iter().any(|&p| normal.dot(p - a) > 0) {
                        continue;
                    }
                    let normal = normal / shared;
                    if planes.insert((normal.to_array(), normal.dot(a))) {
                        let side: Vec<_> =
                            points.iter().copied().filter(|&p| normal.dot(p - a) == 0).collect();
                        exact.add_side(&side, normal);
                    }
                }
            }
        }
        exact
    }

    /// Adds the pyramid from the origin to the polygon around the points of one side.
    fn add_side(&mut self, side: &[I64Vec3], normal: I64Vec3) {
        let mut edges = BTreeSet::new();
        for &p in side {
            for &q in side {
                let along = q - p;
                let within = |&r: &I64Vec3| {
                    let turn = normal.dot(along.cross(r - p));
                    turn > 0 || turn == 0 && along.dot(r - p) >= 0 && along.dot(r - q) <= 0
                };
                if p != q && side.iter().all(within) {
                    edges.insert((p.to_array(), q.to_array()));
                }
            }
        }
        for (p, q) in edges {
            self.six_fold_volume += side[0].dot(I64Vec3::from(p).cross(I64Vec3::from(q)));
            self.corners.extend([p, q]);
        }
    }

    /// What a mesh on the lattice encloses.
    fn of_mesh(mesh: &TriMesh) -> Self {
        let whole = |v: Vec3| v.as_i64vec3();
        let volumes = (0..mesh.triangles.len()).map(|index| {
            let [a, b, c] = mesh.corners(index).map(whole);
            a.dot(b.cross(c))
        });
        Self {
            six_fold_volume: volumes.sum(),
            corners: mesh.vertices.iter().map(|&v| whole(v).to_array()).collect(),
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Fails unless every edge is passed once in either direction, and the surface has no handles and no second part.
fn check_closed(mesh: &TriMesh) -> Result<(), TestCaseError> {
    let directed = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let edges: BTreeSet<_> = directed.collect();
    prop_assert_eq!(edges.len(), 3 * mesh.triangles.len(), "an edge is passed twice in one direction");
    prop_assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "an edge has one triangle only");
    prop_assert_eq!(mesh.vertices.len() + mesh.triangles.len(), edges.len() / 2 + 2, "not a sphere");
    Ok(())
}

/// Points of a small lattice are coplanar and collinear as often as not.
fn lattice(most: usize) -> impl Strategy<Value = Vec<[i8; 3]>> {
    prop::collection::vec(prop::array::uniform3(-4_i8..4), 4..most)
}

proptest! {
    #[test]
    fn no_point_is_outside_its_hull(
        points in lattice(60),
        rotation in rotations(),
        step in 0.01_f32..100.0,
        offset in prop_oneof![Just(0.0_f32), -1000.0_f32..1000.0],
    ) {
        let place = |p: &[i8; 3]| (rotation * Vec3::from(p.map(f32::from)) + offset) * step;
        let points: Vec<Vec3> = points.iter().map(place).collect();
        let Ok(hull) = Hull::new(points.clone()) else { return Ok(()) };
        let step = f64::from(step);
        check_closed(hull.mesh())?;
        for index in 0..hull.mesh().triangles.len() {
            let [a, b, c] = hull.mesh().corners(index).map(|corner| corner.as_dvec3());
            let normal = (b - a).cross(c - a) / (step * step);
            for &p in &points {
                // A millionth of the extent, which is up to 14 steps, is rounding. What f64 adds to that is so little
                // that slivers need no exception.
                let within = 1.5e-5 * normal.length() + 1e-12;
                let outside = normal.dot((p.as_dvec3() - a) / step);
                prop_assert!(outside < within, "a point is {} steps outside", outside / normal.length());
            }
        }
    }

    #[test]
    fn hulls_on_a_lattice_are_exact(points in lattice(12)) {
        let exact = Exact::around(&points.iter().map(|&p| I64Vec3::from(p.map(i64::from))).collect::<Vec<_>>());
        match Hull::new(points.iter().map(|&p| Vec3::from(p.map(f32::from))).collect()) {
            Ok(hull) => {
                check_closed(hull.mesh())?;
                prop_assert_eq!(Exact::of_mesh(hull.mesh()), exact);
            }
            Err(error) => {
                prop_assert!(matches!(error, ShapeError::NoVolume { what: "hull", .. }), "{}", error);
                prop_assert_eq!(exact.six_fold_volume, 0);
            }
        }
    }

    #[test]
    fn planes_lines_and_spots_have_no_volume(
        points in lattice(60),
        flat_axes in 1_usize..=3,
        rotation in rotations(),
        step in 0.01_f32..100.0,
    ) {
        let flatten = |p: &[i8; 3]| {
            let mut p = p.map(f32::from);
            p[..flat_axes].fill(1.0);
            rotation * Vec3::from(p) * step
        };
        let error = Hull::new(points.iter().map(flatten).collect()).expect_err("all in one plane");
        prop_assert!(matches!(error, ShapeError::NoVolume { what: "hull", .. }), "{}", error);
    }
}

#[test]
fn points_on_edges_and_sides_are_no_corners() {
    // Every side of the cube has 441 points, of which four are corners.
    let along = || (0..=20).map(|i| i as f32 * 0.5);
    let grid: Vec<Vec3> =
        along().flat_map(|x| along().flat_map(move |y| along().map(move |z| Vec3::new(x, y, z)))).collect();
    let hull = Hull::new(grid).expect("a good hull");
    assert_eq!(hull.vertices().len(), 8);
    assert_eq!(hull.mesh().triangles.len(), 12);
    assert_eq!(hull.volume_m3(), 1000.0);
}

#[test]
fn a_needle_keeps_its_volume() {
    // Rounding counts in fractions of its length, and its width is what makes the volume.
    let ring = |i: u8| Quat::from_rotation_x(f32::from(i) * 0.1) * Vec3::Y;
    let points: Vec<Vec3> = (0..63).map(ring).chain([Vec3::X * 100.0, Vec3::X * 50.0]).collect();
    let hull = Hull::new(points).expect("a good hull");
    let exact = std::f32::consts::PI * 100.0 / 3.0;
    assert!((hull.volume_m3() / exact - 1.0).abs() < 5e-3, "{} instead of {exact}", hull.volume_m3());
}
