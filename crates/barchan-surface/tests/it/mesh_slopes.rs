//! Slopes have no steps: normals follow the true slope, and volume follows the field.

use barchan_surface::mesh::{MeshOptions, Mesher, Surface, SurfaceMesh, whole_mesh};
use barchan_volume::VoxelBox;
use glam::{IVec3, Vec2, Vec3};

use crate::mesh_world::{Dice, check_closed, world};

const REGION: VoxelBox = VoxelBox::new(IVec3::ZERO, IVec3::new(64, 64, 48));

/// Ground heaped up to `height` in the middle of each column.
fn heaped(height: impl Fn(Vec2) -> f32) -> SurfaceMesh {
    let fill = |p: IVec3| height(p.truncate().as_vec2() + 0.5) - p.z as f32;
    whole_mesh(&world(REGION, Some(REGION), fill), MeshOptions::default())
}

/// Angle between `normal` and the true one (degrees).
fn off_deg(normal: Vec3, truth: Vec3) -> f32 {
    normal.dot(truth).clamp(-1.0, 1.0).acos().to_degrees()
}

fn percentile_95(mut values: Vec<f32>) -> f32 {
    values.sort_unstable_by(f32::total_cmp);
    values[values.len() * 95 / 100]
}

/// Checks the normals of vertices and of triangles where `truth` knows the slope, each against 3 degrees.
fn check_normals(mesh: &SurfaceMesh, what: &str, truth: impl Fn(Vec3) -> Option<Vec3>) {
    let place = |vertex: u32| Vec3::from_array(mesh.positions[vertex as usize]);
    let of_vertices = (0..mesh.positions.len() as u32).filter_map(|vertex| {
        Some(off_deg(Vec3::from_array(mesh.normals[vertex as usize]), truth(place(vertex))?))
    });
    let of_triangles = mesh.triangles.iter().filter_map(|corners| {
        let [a, b, c] = corners.map(place);
        Some(off_deg((b - a).cross(c - a).normalize(), truth((a + b + c) / 3.0)?))
    });
    let (of_vertices, of_triangles): (Vec<f32>, Vec<f32>) = (of_vertices.collect(), of_triangles.collect());
    assert!(of_vertices.len() > 500 && of_triangles.len() > 500, "{what}: too few");
    let (vertices, triangles) = (percentile_95(of_vertices), percentile_95(of_triangles));
    assert!(vertices < 3.0 && triangles < 3.0, "{what}: vertices {vertices}, triangles {triangles} degrees");
}

#[test]
fn planes_of_any_slope_and_direction_are_planes() {
    for slope_deg in [0.0, 5.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0_f32] {
        for azimuth_deg in [0.0, 10.0, 22.5, 37.0, 45.0, 90.0, 200.0_f32] {
            let direction = Vec2::from_angle(azimuth_deg.to_radians());
            let rise = slope_deg.to_radians().tan();
            let height = |at: Vec2| 24.3 + rise * (at - 32.0).dot(direction);
            let normal = (-(direction * rise)).extend(1.0).normalize();
            let mesh = heaped(height);
            let is_slope = |p: Vec3| {
                let margin = p.truncate().min_element().min(64.0 - p.truncate().max_element());
                (margin > 2.0 && p.z > 2.0 && p.z < 46.0).then_some(normal)
            };
            check_normals(&mesh, &format!("{slope_deg} degrees towards {azimuth_deg}"), is_slope);
        }
    }
}

#[test]
fn cones_are_round() {
    for slope_deg in [20.0, 25.0, 30.0, 35.0, 40.0, 45.0_f32] {
        let rise = slope_deg.to_radians().tan();
        let mesh = heaped(|at| (5.2 + rise * (26.0 - at.distance(Vec2::splat(31.7)))).max(5.2));
        let is_slope = |p: Vec3| {
            let out = p.truncate() - 31.7;
            // A cone has no slope at its tip and at its foot.
            (4.0..24.0).contains(&out.length()).then(|| (out.normalize() * rise).extend(1.0).normalize())
        };
        check_normals(&mesh, &format!("{slope_deg} degrees"), is_slope);
    }
}

#[test]
fn walls_stand_and_shelves_stay() {
    // A block with a vertical face at x = 32, and a shelf one voxel thick before it.
    let fill = |p: IVec3| f32::from(u8::from(p.z < 4 || p.x >= 32 && p.z < 30 || p.z == 20 && p.x >= 8));
    let mesh = whole_mesh(&world(REGION, Some(REGION), fill), MeshOptions::default());
    let near =
        |x: f32, z: f32| mesh.positions.iter().any(|p| (p[0] - x).abs() < 0.02 && (p[2] - z).abs() < 0.6);
    assert!(near(32.0, 10.0), "the wall");
    let flat =
        |z: f32| mesh.positions.iter().filter(move |p| p[0] > 10.0 && p[0] < 30.0 && (p[2] - z).abs() < 1e-3);
    assert!(flat(20.0).count() > 500 && flat(21.0).count() > 500, "both faces of the shelf");
}

#[test]
fn volume_is_that_of_the_field() {
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(48));
    let centre = Vec3::splat(24.2);
    let ball = |p: IVec3| 0.5 + 15.0 - (p.as_vec3() + 0.5).distance(centre);
    let wavy = |p: IVec3| {
        let at = (p.as_vec3() + 0.5 - centre) / 16.0;
        let bumps = 0.15 * (5.0 * at.x).sin() * (4.0 * at.y).cos() * (6.0 * at.z).sin();
        0.5 + 16.0 * (0.8 + bumps - at.length())
    };
    let fields: [&dyn Fn(IVec3) -> f32; 2] = [&ball, &wavy];
    for (at, fill) in fields.into_iter().enumerate() {
        let mesh = whole_mesh(&world(region, None, fill), MeshOptions::default());
        check_closed(&mesh, "a smooth field");
        let field: f64 = region.cells().map(|p| f64::from(fill(p).clamp(0.0, 1.0))).sum();
        let meshed = mesh.to_tri_mesh().signed_volume_m3();
        assert!((meshed / field - 1.0).abs() < 0.01, "field {at}: {meshed} m³ meshed, {field} m³ filled");
    }
}

/// Every triangle either lies in a wall or the floor, or is part of the slope: no corner is cut off.
fn check_rim(mesh: &SurfaceMesh, bounds: VoxelBox) {
    let (low, high) = (bounds.min.as_vec3(), bounds.max.as_vec3());
    let slope = Vec3::new(-0.3, 0.0, 1.0).normalize();
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|vertex| Vec3::from_array(mesh.positions[vertex as usize]));
        let in_plane = |axis: usize, at: f32| [a, b, c].iter().all(|corner| corner[axis] == at);
        let in_wall = (0..3).any(|axis| in_plane(axis, low[axis]) || in_plane(axis, high[axis]));
        let off = off_deg((b - a).cross(c - a).normalize(), slope);
        // The last half voxel before a wall is level, which is 16.7 degrees off.
        assert!(in_wall || off < 17.0, "{a} {b} {c}: {off} degrees off the slope");
    }
}

#[test]
fn a_bounded_world_is_closed_or_open_as_asked() {
    let bounds = VoxelBox::new(IVec3::new(3, -5, 0), IVec3::new(40, 31, 30));
    let fill = |p: IVec3| 12.4 + 0.3 * p.x as f32 - p.z as f32;
    let world = world(bounds, Some(bounds), fill);
    let closed = MeshOptions { closed: true, ..MeshOptions::default() };
    let mesh = whole_mesh(&world, closed);
    check_closed(&mesh, "closed at the bounds");
    check_rim(&mesh, bounds);
    // Up to its walls and no further: what the planes of walls, floor and slope enclose.
    let volume = 37.0 * 36.0 * (12.4 + 0.3 * 21.0);
    let meshed = mesh.to_tri_mesh().signed_volume_m3();
    assert!((meshed / volume - 1.0).abs() < 2e-3, "{meshed} m³ for {volume} m³");
    let open = Surface::new(&world, MeshOptions::default()).whole();
    let upward = open.normals.iter().all(|normal| normal[2] > 0.5);
    assert!(upward && !open.is_empty(), "an open world has neither sides nor underside");
    let x = |pick: fn(f32, f32) -> f32| open.positions.iter().map(|p| p[0]).reduce(pick);
    assert_eq!((x(f32::min), x(f32::max)), (Some(3.0), Some(40.0)), "it ends at the bounds");
}

#[test]
fn noise_between_walls_is_closed() {
    let bounds = VoxelBox::new(IVec3::new(-3, 5, 2), IVec3::new(16, 21, 18));
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let full = dice.share();
        let mut roll = || match seed % 3 {
            0 => dice.share(),
            1 => f32::from(u8::from(dice.share() < full)),
            // Exactly on the level, and beside it.
            _ => [0.0, 0.5, 0.499, 1.0][(dice.roll() % 4) as usize],
        };
        let fills: Vec<f32> = bounds.cells().map(|_| roll()).collect();
        let world = world(bounds, Some(bounds), |p| fills[bounds.index(p)]);
        let options = MeshOptions { closed: true, block_edge: 8, ..MeshOptions::default() };
        let mesh = whole_mesh(&world, options);
        check_closed(&mesh, &format!("field {seed}"));
        let (low, high) = (bounds.min.as_vec3(), bounds.max.as_vec3());
        assert!(mesh.positions.iter().all(|p| *p == Vec3::from_array(*p).clamp(low, high).to_array()));
        for key in Surface::new(&world, options).keys() {
            let block = Mesher::default().block(&world, options, key.coord());
            let places = block.core().to_tri_mesh();
            let collapsed = (0..places.triangles.len())
                .map(|at| places.corners(at))
                .filter(|[a, b, c]| a == b || b == c || c == a);
            assert_eq!(collapsed.count(), 0, "field {seed}: {key:?}");
        }
    }
}
