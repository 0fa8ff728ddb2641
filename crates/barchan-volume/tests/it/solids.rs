//! Solids against exact volumes, and against counting points.

use std::collections::BTreeSet;
use std::f32::consts::TAU;
use std::sync::Arc;

use barchan_volume::brick::{EDGE, VOXELS, brick_of};
use barchan_volume::{Aabb, Coverage, Hull, MeshSolid, Pose, Shape, ShapeError, Solid, TriMesh};
use glam::{IVec3, Quat, Vec3};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::value::{Error as ValueError, SeqDeserializer};

/// The bricks that a solid's bounds touch, and one more around them.
fn bricks_around(bounds: &Aabb, voxel: f32) -> Vec<IVec3> {
    let low = brick_of((bounds.min / voxel).floor().as_ivec3()) - 1;
    let high = brick_of((bounds.max / voxel).floor().as_ivec3()) + 1;
    let mut bricks = Vec::new();
    for x in low.x..=high.x {
        for y in low.y..=high.y {
            bricks.extend((low.z..=high.z).map(|z| IVec3::new(x, y, z)));
        }
    }
    bricks
}

/// Calls `visit` with every brick around the solid, after checking that the answer agrees with the fractions.
fn voxelise(solid: &Solid, voxel: f32, mut visit: impl FnMut(IVec3, &[f32; VOXELS])) {
    let bounds = solid.bounds();
    for brick in bricks_around(&bounds, voxel) {
        let mut out = [f32::NAN; VOXELS];
        let answer = solid.coverage(brick, voxel, &mut out);
        assert!(out.iter().all(|f| (0.0..=1.0).contains(f)), "a fraction outside 0..1 in {brick}");
        match answer {
            Coverage::Empty => assert!(out.iter().all(|&f| f == 0.0)),
            Coverage::Full => assert!(out.iter().all(|&f| f == 1.0)),
            Coverage::Partial => assert!(out.iter().any(|&f| f > 0.0) && out.iter().any(|&f| f < 1.0)),
        }
        if answer != Coverage::Empty {
            // A slack of a voxel: cells are bigger than points, and tangent planes reach beyond curved surfaces.
            let low = brick.as_vec3() * EDGE as f32 * voxel;
            let overlap = bounds.intersect(&Aabb::new(low - voxel, low + (EDGE + 1) as f32 * voxel));
            assert!(!overlap.is_empty(), "{brick} is filled but out of bounds");
        }
        visit(brick, &out);
    }
}

fn voxelised_volume(solid: &Solid, voxel: f32) -> f64 {
    let mut sum = 0.0;
    voxelise(solid, voxel, |_, fractions| sum += fractions.iter().map(|&f| f64::from(f)).sum::<f64>());
    sum * f64::from(voxel).powi(3)
}

/// Whether a point of the own frame is inside, for the shapes where that is a line of code.
fn contains(shape: &Shape, p: Vec3) -> bool {
    let across = p.truncate().length();
    match *shape {
        Shape::Box { half_extents } => p.abs().cmple(half_extents).all(),
        Shape::Ball { radius } => p.length() <= radius,
        Shape::Cylinder { radius, half_height } => across <= radius && p.z.abs() <= half_height,
        Shape::Cone { radius, half_height } => {
            p.z >= -half_height && across <= radius * (half_height - p.z) / (2.0 * half_height)
        }
        Shape::Capsule { radius, half_height } => {
            (p - Vec3::Z * p.z.clamp(-half_height, half_height)).length() <= radius
        }
        Shape::Hull(_) | Shape::Mesh(_) => unreachable!("not asked for hulls and meshes"),
    }
}

/// The fraction of a voxel by counting points, of which no two have a coordinate in common: the R3 sequence.
fn counted(solid: &Solid, voxel: IVec3, voxel_size_m: f32, points: i32) -> f32 {
    let steps = Vec3::new(0.819_172_5, 0.671_043_6, 0.549_700_5);
    let inside = |i: &i32| {
        let at = voxel.as_vec3() + (steps * (*i as f32 + 0.5)).fract();
        contains(&solid.shape, solid.pose.inverse_transform_point(at * voxel_size_m))
    };
    (0..points).filter(inside).count() as f32 / points as f32
}

fn voxel_of(brick: IVec3, index: usize) -> IVec3 {
    let index = index as i32;
    brick * EDGE + IVec3::new(index / 64, index / 8 % 8, index % 8)
}

pub fn rotations() -> impl Strategy<Value = Quat> {
    let turned = prop::array::uniform4(-1.0_f32..1.0)
        .prop_filter("too short to turn", |q| q.iter().map(|c| c * c).sum::<f32>() > 0.01)
        .prop_map(|[x, y, z, w]| Quat::from_xyzw(x, y, z, w).normalize());
    // Aligned and nearly aligned solids are the common ones, and the degenerate ones.
    let nearly = (0..4_i32, -1e-5_f32..1e-5).prop_map(|(quarters, tilt)| {
        Quat::from_rotation_x(tilt) * Quat::from_rotation_y(quarters as f32 * TAU / 4.0 + tilt)
    });
    prop_oneof![3 => turned, 1 => nearly, 1 => Just(Quat::IDENTITY)]
}

fn poses() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-20.0_f32..20.0), rotations())
        .prop_map(|(translation, rotation)| Pose::new(Vec3::from(translation), rotation))
}

/// Half sizes from `low` to `high`: a voxel size of 1 makes them voxels.
fn simple_shapes(low: f32, high: f32) -> impl Strategy<Value = Shape> {
    (0..5, prop::array::uniform3(low..high)).prop_map(|(kind, [a, b, c])| match kind {
        0 => Shape::Box { half_extents: Vec3::new(a, b, c) },
        1 => Shape::Ball { radius: a },
        2 => Shape::Cylinder { radius: a, half_height: b },
        3 => Shape::Cone { radius: a, half_height: b },
        _ => Shape::Capsule { radius: a, half_height: b },
    })
}

fn box_corners(half: Vec3) -> Vec<Vec3> {
    let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
    (0..8).map(|i| half * Vec3::new(sign(i & 1), sign(i & 2), sign(i & 4))).collect()
}

fn box_mesh(half: Vec3) -> TriMesh {
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { vertices: box_corners(half), triangles }
}

/// A ring of `n` x `n` quads, `across` from its centre to the middle of the tube.
fn torus(across: f32, tube: f32, n: u32) -> TriMesh {
    let at = |i: u32, j: u32| (i % n) * n + j % n;
    let mut mesh = TriMesh::default();
    for i in 0..n {
        for j in 0..n {
            let (around, about) = (TAU * i as f32 / n as f32, TAU * j as f32 / n as f32);
            let radius = across + tube * about.cos();
            mesh.vertices.push(Vec3::new(radius * around.cos(), radius * around.sin(), tube * about.sin()));
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// `count` points spread evenly over a ball's surface.
fn ball_points(radius: f32, count: usize) -> Vec<Vec3> {
    let golden_angle = TAU * 0.618_034;
    let on_ball = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f32 / count as f32;
        let (sin, cos) = (golden_angle * i as f32).sin_cos();
        let across = (1.0 - z * z).sqrt();
        radius * Vec3::new(across * cos, across * sin, z)
    };
    (0..count).map(on_ball).collect()
}

fn solid_shapes() -> impl Strategy<Value = Shape> {
    let hull = |points| Shape::Hull(Arc::new(Hull::new(points).expect("a good hull")));
    let mesh = |mesh| Shape::Mesh(Arc::new(MeshSolid::new(mesh).expect("a good mesh")));
    prop_oneof![
        5 => simple_shapes(4.0, 10.0),
        1 => prop::array::uniform3(4.0_f32..10.0).prop_map(move |h| hull(box_corners(Vec3::from(h)))),
        1 => (4.0_f32..10.0, 10_usize..200).prop_map(move |(r, n)| hull(ball_points(r, n))),
        1 => prop::array::uniform3(4.0_f32..10.0).prop_map(move |h| mesh(box_mesh(Vec3::from(h)))),
        1 => (5.0_f32..10.0, 1.0_f32..4.0, 3_u32..20).prop_map(move |(r, t, n)| mesh(torus(r, t, n))),
    ]
}

proptest! {
    #[test]
    fn volumes_are_right_at_any_rotation_and_offset(shape in solid_shapes(), pose in poses()) {
        let exact = f64::from(shape.volume_m3());
        let volume = voxelised_volume(&Solid::new(shape.clone(), pose), 1.0);
        prop_assert!((volume / exact - 1.0).abs() < 0.02, "{volume} instead of {exact} for {shape:?}");
    }

    #[test]
    fn thin_plates_keep_their_volume_and_have_no_holes(
        sides in prop::array::uniform2(4.0_f32..10.0),
        thickness in 0.1_f32..0.9,
        kind in 0..3,
        pose in poses(),
    ) {
        let half = Vec3::new(sides[0], sides[1], thickness / 2.0);
        let shape = match kind {
            0 => Shape::Box { half_extents: half },
            1 => Shape::Cylinder { radius: half.x, half_height: half.z },
            _ => Shape::Hull(Arc::new(Hull::new(box_corners(half)).expect("a good hull"))),
        };
        let exact = f64::from(shape.volume_m3());
        let solid = Solid::new(shape, pose);
        let volume = voxelised_volume(&solid, 1.0);
        prop_assert!((volume / exact - 1.0).abs() < 0.03, "{volume} instead of {exact}");
        let mut filled = BTreeSet::new();
        voxelise(&solid, 1.0, |brick, fractions| {
            let some = (0..VOXELS).filter(|&i| fractions[i] > 0.0);
            filled.extend(some.map(|i| voxel_of(brick, i).to_array()));
        });
        for own in points_of_plate(solid.shape.clone()) {
            let at = pose.transform_point(own);
            // In a corner of a voxel the plate may be too little to count.
            let well_within = (at - at.floor() - 0.5).abs().max_element() < 0.4;
            let voxel = at.floor().as_ivec3();
            prop_assert!(!well_within || filled.contains(&voxel.to_array()), "a hole at {voxel}");
        }
    }
}

/// Points on the middle plane of a plate.
fn points_of_plate(shape: Shape) -> Vec<Vec3> {
    let (half, radius) = match shape {
        Shape::Box { half_extents } => (half_extents, f32::INFINITY),
        Shape::Cylinder { radius, .. } => (Vec3::splat(radius), radius),
        Shape::Hull(hull) => (hull.points()[7], f32::INFINITY),
        other => unreachable!("{other:?} is no plate"),
    };
    let grid = (-20..=20).flat_map(|i| (-20..=20).map(move |j| (i as f32 / 20.5, j as f32 / 20.5)));
    let points = grid.map(|(x, y)| Vec3::new(x * half.x, y * half.y, 0.0));
    points.filter(|p| p.length() < 0.98 * radius).collect()
}

/// The difference of every voxel that is filled in part from counting many points of `same`, which is the same body.
/// Of voxels that are full or empty a few points are looked at, which must agree, but for what touches a corner.
fn errors_against_counting(solid: &Solid, same: &Solid) -> Vec<f32> {
    let mut errors = Vec::new();
    voxelise(solid, 1.0, |brick, fractions| {
        for (index, &fraction) in fractions.iter().enumerate() {
            let voxel = voxel_of(brick, index);
            if fraction > 0.0 && fraction < 1.0 {
                errors.push((fraction - counted(same, voxel, 1.0, 2048)).abs());
            } else {
                let glimpse = counted(same, voxel, 1.0, 16);
                assert!((fraction - glimpse).abs() < 0.1, "{fraction} instead of {glimpse} at {voxel}");
            }
        }
    });
    errors
}

fn mean(errors: &[f32]) -> f32 {
    errors.iter().sum::<f32>() / errors.len().max(1) as f32
}

fn largest(errors: &[f32]) -> f32 {
    errors.iter().copied().fold(0.0, f32::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn fractions_agree_with_counting_points(shape in simple_shapes(3.0, 6.0), pose in poses()) {
        let solid = Solid::new(shape, pose);
        let errors = errors_against_counting(&solid, &solid);
        // Counting itself errs by a few tenths of a percent. A product of fractions is off by more in single voxels at sharp
        // rotated edges.
        prop_assert!(mean(&errors) < 0.02, "mean error {} for {solid:?}", mean(&errors));
        prop_assert!(largest(&errors) < 0.25, "largest error {} for {solid:?}", largest(&errors));
    }

    #[test]
    fn hulls_and_meshes_agree_with_the_box_they_are(half in prop::array::uniform3(3.0_f32..6.0), pose in poses()) {
        let half = Vec3::from(half);
        let same = Solid::new(Shape::Box { half_extents: half }, pose);
        let hull = Shape::Hull(Arc::new(Hull::new(box_corners(half)).expect("a good hull")));
        let mesh = Shape::Mesh(Arc::new(MeshSolid::new(box_mesh(half)).expect("a good mesh")));
        for shape in [hull, mesh] {
            let errors = errors_against_counting(&Solid::new(shape, pose), &same);
            // The fractions are exact: these are the errors of counting.
            prop_assert!(mean(&errors) < 0.005, "mean error {}", mean(&errors));
            prop_assert!(largest(&errors) < 0.03, "largest error {}", largest(&errors));
        }
    }
}

#[test]
fn small_shapes_keep_their_volume() {
    let rotation = Quat::from_euler(glam::EulerRot::XYZ, 0.4, 0.9, 0.2);
    let shapes = [
        (Shape::Ball { radius: 0.5 }, 0.02),
        (Shape::Ball { radius: 1.3 }, 0.02),
        (Shape::Cylinder { radius: 0.5, half_height: 8.0 }, 0.02),
        (Shape::Capsule { radius: 0.6, half_height: 4.0 }, 0.02),
        (Shape::Cone { radius: 1.0, half_height: 3.0 }, 0.02),
        (Shape::Cone { radius: 6.0, half_height: 1.0 }, 0.02),
        (Shape::Box { half_extents: Vec3::new(0.3, 0.2, 6.0) }, 0.02),
    ];
    for (shape, tolerance) in shapes {
        for step in 0..20 {
            let pose = Pose::new(Vec3::new(0.05, 0.13, 0.37) * step as f32, rotation);
            let volume = voxelised_volume(&Solid::new(shape.clone(), pose), 1.0);
            let error = volume / f64::from(shape.volume_m3()) - 1.0;
            assert!(error.abs() < tolerance, "{shape:?} is off by {error} at {pose:?}");
        }
    }
}

/// Points of a shape among which are its furthest, in its own frame, along any axis of the world.
fn extreme_points(shape: &Shape, rotation: Quat) -> Vec<Vec3> {
    let rim = |radius: f32, z: f32| {
        let on_rim =
            move |i: u16| Vec3::from((radius * glam::Vec2::from_angle(TAU * f32::from(i) / 4096.0), z));
        (0..4096).map(on_rim)
    };
    let world_axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| rotation.inverse() * axis);
    let ball = |radius: f32, z: f32| {
        world_axes.into_iter().flat_map(move |a| [z * Vec3::Z + radius * a, z * Vec3::Z - radius * a])
    };
    match *shape {
        Shape::Box { half_extents } => box_corners(half_extents),
        Shape::Ball { radius } => ball(radius, 0.0).collect(),
        Shape::Cylinder { radius, half_height: h } => rim(radius, h).chain(rim(radius, -h)).collect(),
        Shape::Cone { radius, half_height: h } => rim(radius, -h).chain([h * Vec3::Z]).collect(),
        Shape::Capsule { radius, half_height: h } => ball(radius, h).chain(ball(radius, -h)).collect(),
        Shape::Hull(ref hull) => hull.points().to_vec(),
        Shape::Mesh(ref mesh) => mesh.mesh().vertices.clone(),
    }
}

proptest! {
    #[test]
    fn bounds_are_tight(shape in solid_shapes(), pose in poses()) {
        let bounds = Solid::new(shape.clone(), pose).bounds();
        let points = extreme_points(&shape, pose.rotation);
        let tight = Aabb::around(points.into_iter().map(|p| pose.transform_point(p)));
        let off = (bounds.min - tight.min).abs().max((bounds.max - tight.max).abs()).max_element();
        prop_assert!(off < 1e-5 * (20.0 + (tight.max - tight.min).max_element()), "off by {off} for {shape:?}");
    }
}

#[test]
fn nothing_is_covered_by_what_is_nowhere() {
    let ball = Shape::Ball { radius: 2.0 };
    let poses = [
        Pose::at(Vec3::new(f32::NAN, 0.0, 0.0)),
        Pose::at(Vec3::splat(f32::INFINITY)),
        Pose::at(Vec3::splat(f32::MAX)),
        Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        Pose::new(Vec3::ZERO, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)),
    ];
    let mut out = [f32::NAN; VOXELS];
    let meshed = Shape::Mesh(Arc::new(MeshSolid::new(box_mesh(Vec3::ONE)).expect("a good mesh")));
    let all = [
        ball.clone(),
        Shape::Box { half_extents: Vec3::ONE },
        Shape::Cone { radius: 1.0, half_height: 1.0 },
        meshed,
    ];
    for shape in all {
        for pose in poses {
            let solid = Solid::new(shape.clone(), pose);
            for brick in [IVec3::ZERO, IVec3::MIN, IVec3::MAX] {
                assert_eq!(solid.coverage(brick, 0.1, &mut out), Coverage::Empty, "{solid:?}");
                assert!(out.iter().all(|&f| f == 0.0));
            }
        }
        for voxel in [0.0, -1.0, f32::NAN] {
            let solid = Solid::new(shape.clone(), Pose::IDENTITY);
            assert_eq!(solid.coverage(IVec3::ZERO, voxel, &mut out), Coverage::Empty);
        }
    }
    for radius in [f32::NAN, -1.0, f32::INFINITY] {
        let solid = Solid::new(Shape::Ball { radius }, Pose::IDENTITY);
        assert_eq!(solid.coverage(IVec3::ZERO, 0.1, &mut out), Coverage::Empty);
        assert!(solid.bounds().is_empty());
    }
}

#[test]
fn large_solids_are_full_inside_and_empty_outside() {
    let shapes = [
        Shape::Box { half_extents: Vec3::splat(50.0) },
        Shape::Ball { radius: 50.0 },
        Shape::Mesh(Arc::new(MeshSolid::new(torus(30.0, 18.0, 24)).expect("a good mesh"))),
    ];
    let centres = [Vec3::ZERO, Vec3::ZERO, Vec3::new(30.0, 0.0, 0.0)];
    let rotation = Quat::from_rotation_x(0.3);
    let mut out = [0.0; VOXELS];
    for (shape, centre) in shapes.into_iter().zip(centres) {
        let solid = Solid::new(shape, Pose::new(Vec3::splat(-1000.0), rotation));
        let brick = |own: Vec3| brick_of((solid.pose.transform_point(own) / 0.1).floor().as_ivec3());
        assert_eq!(solid.coverage(brick(centre), 0.1, &mut out), Coverage::Full);
        assert_eq!(solid.coverage(brick(Vec3::splat(60.0)), 0.1, &mut out), Coverage::Empty);
    }
}

#[test]
fn a_mesh_inside_out_is_turned_over() {
    let mut mesh = box_mesh(Vec3::splat(5.0));
    mesh.flip();
    let solid = MeshSolid::new(mesh).expect("turned over");
    assert!((solid.mesh().signed_volume_m3() - 1000.0).abs() < 1e-2);
    let solid = Solid::new(Shape::Mesh(Arc::new(solid)), Pose::at(Vec3::splat(0.3)));
    assert!((voxelised_volume(&solid, 1.0) - 1000.0).abs() < 1e-2);
}

#[test]
fn a_cavity_stays_empty() {
    let mut mesh = box_mesh(Vec3::splat(6.0));
    let mut cavity = box_mesh(Vec3::splat(3.0));
    cavity.flip();
    mesh.append(&cavity);
    let shape = Shape::Mesh(Arc::new(MeshSolid::new(mesh).expect("a good mesh")));
    let exact = 12.0_f64.powi(3) - 6.0_f64.powi(3);
    assert!((f64::from(shape.volume_m3()) - exact).abs() < 1e-2);
    let pose = Pose::new(Vec3::new(0.3, 0.7, 0.1), Quat::from_rotation_y(0.6));
    assert!((voxelised_volume(&Solid::new(shape, pose), 1.0) / exact - 1.0).abs() < 1e-4);
}

#[test]
fn bad_shapes_are_named() {
    let says = |error: ShapeError, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    let size = |shape: Shape| shape.check().expect_err("a bad size");
    says(size(Shape::Ball { radius: -1.0 }), &["radius", "-1", "0.0001", "100000"]);
    says(size(Shape::Box { half_extents: Vec3::new(1.0, f32::NAN, 1.0) }), &["half_extents.y", "NaN"]);
    says(size(Shape::Cone { radius: 1.0, half_height: 1e9 }), &["half_height", "1000000000"]);

    let hull = |points: Vec<Vec3>| Hull::new(points).expect_err("a bad hull");
    says(hull(vec![Vec3::ZERO; 3]), &["3 points", "10000"]);
    says(hull(vec![Vec3::X; 10_001]), &["10001 points"]);
    says(hull(ball_points(1.0, 40).into_iter().map(|p| p.with_z(2.0)).collect()), &["hull", "no volume"]);
    says(hull(vec![Vec3::ONE; 9]), &["hull", "no volume"]);
    says(hull(vec![Vec3::X, Vec3::Y, Vec3::splat(f32::NAN), Vec3::Z]), &["point 2", "NaN"]);

    let mesh = |mesh: TriMesh| MeshSolid::new(mesh).expect_err("a bad mesh");
    let mut open = box_mesh(Vec3::ONE);
    open.triangles.pop();
    says(mesh(open), &["3 edges"]);
    let mut dangling = box_mesh(Vec3::ONE);
    dangling.triangles[4][1] = 99;
    says(mesh(dangling), &["triangle 4", "99"]);
    let mut sheet = box_mesh(Vec3::new(1.0, 1.0, 0.0));
    sheet.vertices.iter_mut().for_each(|v| v.z = 0.5);
    says(mesh(sheet), &["mesh", "no volume"]);
    says(mesh(TriMesh::default()), &["mesh", "no volume"]);
}

#[test]
fn hulls_have_the_volume_of_their_points() {
    let cube = Hull::new(box_corners(Vec3::new(1.0, 2.0, 3.0))).expect("a good hull");
    assert!((cube.volume_m3() - 48.0).abs() < 1e-4);
    assert_eq!(cube.vertices().len(), 8);
    // All points of a grid: most are inside, on faces or on edges.
    let grid = (0..512).map(|i| voxel_of(IVec3::ZERO, i).as_vec3() * 0.1).collect();
    let grid = Hull::new(grid).expect("a good hull");
    assert!((grid.volume_m3() - 0.343).abs() < 1e-5, "{}", grid.volume_m3());
    assert!((grid.centroid() - 0.35).length() < 1e-5);
    let turned = Quat::from_rotation_y(0.3) * Quat::from_rotation_x(1.1);
    let grid = (0..512).map(|i| turned * voxel_of(IVec3::ZERO, i).as_vec3() * 0.1 + 7.0).collect();
    let grid = Hull::new(grid).expect("a good hull");
    assert!((grid.volume_m3() - 0.343).abs() < 1e-5, "{}", grid.volume_m3());
    let ball = Hull::new(ball_points(2.0, 10_000)).expect("a good hull");
    assert!((ball.volume_m3() / 33.510_32 - 1.0).abs() < 1e-3, "{}", ball.volume_m3());
}

#[test]
fn hulls_and_meshes_are_stored_as_what_they_are_made_of() {
    let hull = Hull::new(ball_points(1.0, 30)).expect("a good hull");
    let coordinates: Vec<[f32; 3]> = Vec::from(hull.clone()).iter().map(Vec3::to_array).collect();
    let read = |points: Vec<[f32; 3]>| {
        let points = points.into_iter().map(Vec::from);
        Hull::deserialize(SeqDeserializer::<_, ValueError>::new(points))
    };
    assert_eq!(read(coordinates.clone()).expect("the same hull"), hull);
    let error = read(coordinates[..3].to_vec()).expect_err("too few points");
    assert!(error.to_string().contains("3 points"), "{error}");

    let solid = MeshSolid::new(torus(3.0, 1.0, 8)).expect("a good mesh");
    let mesh = TriMesh::from(solid.clone());
    assert_eq!(MeshSolid::try_from(mesh).expect("the same mesh"), solid);
}
