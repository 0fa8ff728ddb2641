//! Triangle meshes: measures against closed formulas, topology of surfaces whose holes are known, welding, checks.

use std::f64::consts::PI;

use barchan_volume::{Aabb, MeshError, Pose, Topology, TriMesh};
use glam::{Quat, Vec3};

/// The box from `low` to `high`, vertex bits 0, 1, 2 = high in x, y, z.
fn cuboid(low: Vec3, high: Vec3) -> TriMesh {
    let corner = |bits: u32| {
        let pick = |axis: usize| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    TriMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

fn unit_cube() -> TriMesh {
    cuboid(Vec3::ZERO, Vec3::ONE)
}

/// A strip of quads around z, `around` x `along`, whose ends meet with a half turn (`twisted`) or without.
fn ring(around: u32, along: u32, close_along: bool, place: impl Fn(f32, f32) -> Vec3) -> TriMesh {
    let rows = if close_along { along } else { along + 1 };
    let index = |i: u32, j: u32| (i % around) * rows + j % rows;
    let mut mesh = TriMesh::default();
    for i in 0..around {
        for j in 0..rows {
            mesh.vertices.push(place(i as f32 / around as f32, j as f32 / along as f32));
        }
        for j in 0..along {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

fn torus(major: f32, minor: f32, around: u32, along: u32) -> TriMesh {
    ring(around, along, true, |u, v| {
        let (u, v) = (u * std::f32::consts::TAU, v * std::f32::consts::TAU);
        let r = major + minor * v.cos();
        Vec3::new(r * u.cos(), r * u.sin(), minor * v.sin())
    })
}

/// A band of `around` quads whose last one is joined to the first with a half turn.
fn moebius_band(around: u32) -> TriMesh {
    let place = |u: f32, v: f32| {
        let (turn, width) = (u * std::f32::consts::TAU, v - 0.5);
        let r = 2.0 + width * (turn / 2.0).cos();
        Vec3::new(r * turn.cos(), r * turn.sin(), width * (turn / 2.0).sin())
    };
    let mut mesh = ring(around, 1, false, place);
    let seam = mesh.triangles.len() - 2;
    let (last, first) = ((around - 1) * 2, 0);
    // Going round once swaps the two borders.
    mesh.triangles[seam] = [last, first + 1, first];
    mesh.triangles[seam + 1] = [last, first, last + 1];
    mesh
}

/// Every triangle with its own three vertices, as STL stores it.
fn unshared(mesh: &TriMesh) -> TriMesh {
    TriMesh {
        vertices: (0..mesh.triangles.len()).flat_map(|index| mesh.corners(index)).collect(),
        triangles: (0..mesh.triangles.len() as u32).map(|index| [0, 1, 2].map(|k| 3 * index + k)).collect(),
    }
}

#[track_caller]
fn check_near(measured: f64, expected: f64, relative: f64) {
    assert!((measured - expected).abs() <= relative * expected.abs(), "{measured}, expected {expected}");
}

#[test]
fn box_measures() {
    let mut mesh = cuboid(Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 4.0, 6.0));
    assert_eq!(mesh.signed_volume_m3(), 6.0);
    assert_eq!(mesh.area_m2(), 22.0);
    assert_eq!(mesh.bounds(), Some(Aabb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 4.0, 6.0))));
    mesh.flip();
    assert_eq!(mesh.signed_volume_m3(), -6.0);
}

#[test]
fn volume_far_from_the_origin_keeps_its_digits() {
    let far = Vec3::new(1.0e6, -2.0e6, 3.0e6);
    assert_eq!(cuboid(far, far + 1.0).signed_volume_m3(), 1.0);
}

#[test]
fn torus_measures() {
    let mesh = torus(2.0, 0.5, 256, 128);
    // A polygon of n sides falls short of its circle by about (2 pi / n)² / 6: 4e-4 for the coarser of the two.
    check_near(mesh.signed_volume_m3(), 2.0 * PI * PI * 2.0 * 0.25, 1.0e-3);
    check_near(mesh.area_m2(), 4.0 * PI * PI * 2.0 * 0.5, 1.0e-3);
}

#[test]
fn empty_mesh_measures_nothing() {
    let empty = TriMesh::default();
    assert_eq!((empty.signed_volume_m3(), empty.area_m2(), empty.bounds()), (0.0, 0.0, None));
    assert_eq!(empty.check(), Ok(()));
    assert!(!empty.is_closed());
}

#[test]
fn bounds_leave_out_unused_vertices() {
    let mut mesh = unit_cube();
    mesh.vertices.push(Vec3::splat(100.0));
    assert_eq!(mesh.bounds(), Some(Aabb::new(Vec3::ZERO, Vec3::ONE)));
}

#[test]
fn transform_scales_rotates_and_moves() {
    let mut mesh = cuboid(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0));
    let quarter_turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    mesh.transform(2.0, &Pose::new(Vec3::new(10.0, 0.0, 0.0), quarter_turn));
    check_near(mesh.signed_volume_m3(), 48.0, 1.0e-6);
    let Aabb { min: low, max: high } = mesh.bounds().unwrap();
    assert!(low.distance(Vec3::new(6.0, 0.0, 0.0)) < 1.0e-5, "{low}");
    assert!(high.distance(Vec3::new(10.0, 2.0, 6.0)) < 1.0e-5, "{high}");
}

#[test]
fn mirroring_keeps_the_outside_outside() {
    let mut mesh = unit_cube();
    mesh.transform(-1.0, &Pose::IDENTITY);
    assert_eq!(mesh.signed_volume_m3(), 1.0);
}

#[test]
fn cube_and_torus_are_closed() {
    for mesh in [unit_cube(), torus(2.0, 0.5, 8, 5)] {
        assert_eq!(mesh.topology(), Topology { components: 1, ..Topology::default() });
        assert!(mesh.is_closed());
    }
}

#[test]
fn open_box_has_a_square_rim() {
    let mut mesh = unit_cube();
    mesh.triangles.truncate(10);
    let found = mesh.topology();
    assert_eq!((found.open_edges, found.non_manifold_edges, found.misoriented_edges), (4, 0, 0));
    let rim = found.an_open_edge.unwrap().map(|vertex| mesh.vertices[vertex as usize].z);
    assert_eq!(rim, [1.0, 1.0]);
    assert!(!found.is_closed());
}

#[test]
fn two_cubes_are_two_components() {
    let mut mesh = unit_cube();
    mesh.append(&cuboid(Vec3::splat(2.0), Vec3::splat(3.0)));
    assert_eq!(mesh.topology(), Topology { components: 2, ..Topology::default() });
    assert_eq!(mesh.signed_volume_m3(), 2.0);
}

#[test]
fn cubes_that_share_an_edge_are_not_manifold_there() {
    let mut mesh = unit_cube();
    mesh.append(&cuboid(Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, 2.0, 1.0)));
    assert!(mesh.is_closed(), "unwelded, they only touch");
    mesh.weld(0.0);
    let found = mesh.topology();
    assert_eq!((found.open_edges, found.non_manifold_edges, found.components), (0, 1, 1));
    let edge = found.a_non_manifold_edge.unwrap().map(|vertex| mesh.vertices[vertex as usize]);
    assert!(edge.iter().all(|v| v.truncate() == glam::Vec2::ONE), "{edge:?}");
}

#[test]
fn one_turned_triangle_disagrees_with_its_three_neighbours() {
    let mut mesh = unit_cube();
    mesh.triangles[5].swap(0, 1);
    let found = mesh.topology();
    assert_eq!((found.misoriented_edges, found.open_edges), (3, 0));
    assert!(found.a_misoriented_edge.is_some() && !found.is_closed());
}

#[test]
fn moebius_band_cannot_be_oriented() {
    let mesh = moebius_band(12);
    let found = mesh.topology();
    assert_eq!((found.misoriented_edges, found.non_manifold_edges, found.components), (1, 0, 1));
    // One border, twice round.
    assert_eq!(found.open_edges, 24);
}

#[test]
fn triangles_without_area_are_counted() {
    let mut mesh = unit_cube();
    mesh.vertices.push(Vec3::new(2.0, 0.0, 0.0));
    mesh.triangles.extend([[0, 0, 1], [0, 1, 8]]);
    let found = mesh.topology();
    assert_eq!(found.degenerate_triangles, 2);
    // The one with three different vertices takes part in edges: 0-1 becomes its third, its other two hang open.
    assert_eq!((found.non_manifold_edges, found.open_edges), (1, 2));
}

#[test]
fn welding_joins_what_stl_tears_apart() {
    let whole = torus(2.0, 0.5, 24, 12);
    let mut mesh = unshared(&whole);
    assert_eq!(mesh.topology().open_edges, 3 * whole.triangles.len());
    mesh.weld(0.0);
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (whole.vertices.len(), whole.triangles.len()));
    assert!(mesh.is_closed());
    assert_eq!(mesh.signed_volume_m3(), unshared(&whole).signed_volume_m3());
}

#[test]
fn welding_reaches_as_far_as_its_tolerance() {
    // Positions on either side of cell borders, in all directions and far from the origin.
    for offset in [Vec3::ZERO, Vec3::splat(-0.5), Vec3::new(100.0, -200.0, 300.0)] {
        for direction in [Vec3::X, -Vec3::Y, Vec3::new(0.5, 0.5, -0.5)] {
            for (gap, joined) in [(0.009, true), (0.011, false)] {
                let a = offset + Vec3::splat(0.02);
                let mut mesh = TriMesh {
                    vertices: vec![
                        a,
                        a + Vec3::X,
                        a + Vec3::Y,
                        a + direction.normalize() * gap,
                        a - Vec3::X,
                        a - Vec3::Y,
                    ],
                    triangles: vec![[0, 1, 2], [3, 4, 5]],
                };
                mesh.weld(0.01);
                assert_eq!(mesh.vertices.len(), if joined { 5 } else { 6 }, "{offset} {direction} {gap}");
                assert_eq!(mesh.vertices[0], a, "the first of a group stays where it is");
            }
        }
    }
}

#[test]
fn welding_drops_what_collapses_and_what_is_unused() {
    let mut mesh = unit_cube();
    let near_corner = mesh.vertices.len() as u32;
    mesh.vertices.extend([Vec3::new(0.0, 0.0, 1.0e-4), Vec3::splat(50.0)]);
    mesh.triangles.push([0, near_corner, 7]);
    mesh.weld(1.0e-3);
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12));
    assert!(mesh.is_closed());
}

#[test]
fn positive_and_negative_zero_are_one_place() {
    let mut mesh = TriMesh {
        vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(-0.0, 0.0, -0.0), Vec3::Y, Vec3::Z],
        triangles: vec![[0, 1, 2], [3, 4, 5]],
    };
    mesh.weld(0.0);
    assert_eq!(mesh.vertices.len(), 4);
}

#[test]
fn welding_with_a_vanishing_tolerance_is_exact_welding() {
    let mut tiny = unshared(&torus(2.0, 0.5, 12, 8));
    let mut zero = tiny.clone();
    tiny.weld(1.0e-30);
    zero.weld(0.0);
    assert_eq!(tiny, zero);
}

#[test]
fn check_names_what_is_wrong_and_where() {
    let mut mesh = unit_cube();
    assert_eq!(mesh.check(), Ok(()));

    mesh.triangles[7][1] = 8;
    assert_eq!(mesh.check(), Err(MeshError::BadIndex { triangle: 7, index: 8, vertices: 8 }));
    assert_eq!(
        mesh.check().unwrap_err().to_string(),
        "triangle 7 refers to vertex 8, but there are only 8 vertices (counted from 0)"
    );

    for bad in [f32::NAN, f32::INFINITY, -1.1e9] {
        let mut mesh = unit_cube();
        mesh.vertices[3].y = bad;
        let error = mesh.check().unwrap_err().to_string();
        assert!(error.starts_with("vertex 3 is at (1, "), "{error}");
        assert!(error.ends_with("coordinates must be numbers between -1e9 and 1e9"), "{error}");
    }

    let many = TriMesh { triangles: vec![[0; 3]; TriMesh::MAX_COUNT + 1], ..TriMesh::default() };
    assert_eq!(many.check().unwrap_err().to_string(), "20000001 triangles; at most 20000000 are allowed");
}
