//! From our shapes to rapier's: what a body collides with, and how its mass is spread.
//!
//! Our axis is z, rapier's is y: cylinders and cones are turned on the way. A convex hull stays one. A mesh that does
//! not move by forces collides as its triangles. A dynamic mesh must not: triangles have no inside, and a body that
//! has sunk through one is never pushed out again. It collides as convex parts instead: as its hull when that is
//! nearly the same, otherwise as the parts of an approximate convex decomposition. Its mass is that of the mesh.

use std::f32::consts::{FRAC_1_SQRT_2, PI};
use std::panic::{AssertUnwindSafe, catch_unwind};

use barchan_volume::{Hull, MeshSolid, Shape, TriMesh};
use glam::{Mat3, Quat, Vec3};
use rapier3d::parry::transformation::vhacd::{VHACD, VHACDParameters};
use rapier3d::prelude::{
    Collider, ColliderBuilder, MassProperties, Pose as RapierPose, SharedShape, TriMeshFlags,
};

use super::{BodyError, BodySpec, Motion};

/// A mesh that fills this share of its hull collides as the hull (-): a boulder does, a horseshoe does not.
const NEARLY_CONVEX: f32 = 0.95;

/// Voxels along the longest side of a mesh that is split into convex parts (-); fine enough for a hollow of a tenth of
/// the size, and done in a fraction of a second.
const DECOMPOSITION_RESOLUTION: u32 = 32;

/// Most corners of a convex collider, or nearly: contacts slow down with their number.
const HULL_DIRECTIONS: usize = 512;

/// How the mass of a body is spread, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mass {
    /// Mass (kg).
    pub mass_kg: f32,
    /// Centre of mass (m).
    pub centre_m: Vec3,
    /// Inverse of the moment of inertia about the centre of mass (1/(kg m²)).
    pub inverse_inertia: Mat3,
}

/// The collider of a body, and the mass that goes with it.
pub(super) fn collider(spec: &BodySpec) -> Result<(Collider, Mass), BodyError> {
    let refuse = |reason: String| BodyError::Collider { body: spec.name.clone(), reason };
    let shape = match &spec.shape {
        Shape::Mesh(mesh) if spec.motion != Motion::Dynamic => triangles(mesh.mesh()).map_err(refuse)?,
        Shape::Mesh(mesh) => convex_parts(mesh).ok_or_else(|| refuse("it has no convex hull".into()))?,
        Shape::Hull(hull) => convex(hull.vertices()).ok_or_else(|| refuse("it is too flat".into()))?,
        simple => primitive(simple).ok_or_else(|| refuse("it is of an unknown kind".into()))?,
    };
    let properties = mass_properties(spec);
    let mass = in_own_frame(&spec.shape, &properties);
    if !(mass.mass_kg > 0.0 && mass.mass_kg.is_finite() && mass.inverse_inertia.is_finite()) {
        return Err(refuse(format!("its mass is {} kg", mass.mass_kg)));
    }
    let collider = ColliderBuilder::new(shape)
        .position(axis_pose(&spec.shape))
        .mass_properties(properties)
        .friction(spec.friction)
        .restitution(spec.restitution)
        .build();
    Ok((collider, mass))
}

/// The mass of a body that has a collider already.
pub(super) fn mass(spec: &BodySpec) -> Mass {
    in_own_frame(&spec.shape, &mass_properties(spec))
}

/// The shapes that are simple in rapier too, about rapier's own axis.
fn primitive(shape: &Shape) -> Option<SharedShape> {
    Some(match *shape {
        Shape::Box { half_extents: h } => SharedShape::cuboid(h.x, h.y, h.z),
        Shape::Ball { radius } => SharedShape::ball(radius),
        Shape::Cylinder { radius, half_height } => SharedShape::cylinder(half_height, radius),
        Shape::Cone { radius, half_height } => SharedShape::cone(half_height, radius),
        Shape::Capsule { radius, half_height } => SharedShape::capsule_z(half_height, radius),
        Shape::Hull(_) | Shape::Mesh(_) => return None,
    })
}

/// Where the collider sits in the frame of the body: turned from rapier's axis y to our axis z where it has one.
fn axis_pose(shape: &Shape) -> RapierPose {
    match shape {
        Shape::Cylinder { .. } | Shape::Cone { .. } => {
            RapierPose::from_rotation(Quat::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2))
        }
        _ => RapierPose::IDENTITY,
    }
}

fn triangles(mesh: &TriMesh) -> Result<SharedShape, String> {
    // Contacts with the edge between two triangles of a plane must not catch.
    let flags =
        TriMeshFlags::ORIENTED | TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::DELETE_DEGENERATE_TRIANGLES;
    SharedShape::trimesh_with_flags(mesh.vertices.clone(), mesh.triangles.clone(), flags)
        .map_err(|error| error.to_string())
}

fn convex_parts(solid: &MeshSolid) -> Option<SharedShape> {
    let mesh = solid.mesh();
    let hull = convex(&mesh.vertices)?;
    if solid.volume_m3() >= NEARLY_CONVEX * hull.mass_properties(1.0).mass() {
        return Some(hull);
    }
    // The decomposition takes the hulls of slivers, and panics where a sliver is flat.
    let parts = catch_unwind(AssertUnwindSafe(|| decompose(mesh))).ok().flatten();
    Some(parts.unwrap_or(hull))
}

/// Convex parts that make up the mesh; `None` when there is one without a hull.
fn decompose(mesh: &TriMesh) -> Option<SharedShape> {
    let parameters = VHACDParameters { resolution: DECOMPOSITION_RESOLUTION, ..Default::default() };
    let parts = VHACD::decompose(&parameters, &mesh.vertices, &mesh.triangles, true);
    let points = parts.compute_primitive_intersections(&mesh.vertices, &mesh.triangles);
    let hulls = points.iter().map(|points| Some((RapierPose::IDENTITY, convex(points)?)));
    let hulls: Vec<_> = hulls.collect::<Option<_>>()?;
    (!hulls.is_empty()).then(|| SharedShape::compound(hulls))
}

/// The convex hull of points, by our own algorithm: rapier's loses whole sides of a hull of thousands of points.
fn convex(points: &[Vec3]) -> Option<SharedShape> {
    let hull = Hull::new(outermost(points)).ok()?;
    let mesh = hull.mesh();
    SharedShape::convex_mesh(mesh.vertices.clone(), &mesh.triangles)
        .or_else(|| SharedShape::convex_hull(&mesh.vertices))
}

/// The points themselves when they are few; otherwise those that reach furthest in [`HULL_DIRECTIONS`] directions, in
/// the order in which they are given. A ball loses less than a hundredth of its radius.
fn outermost(points: &[Vec3]) -> Vec<Vec3> {
    if points.len() <= HULL_DIRECTIONS {
        return points.to_vec();
    }
    let furthest = |direction: Vec3| {
        let reach = |&i: &usize| points[i].dot(direction);
        (0..points.len()).max_by(|a, b| reach(a).total_cmp(&reach(b)))
    };
    let mut chosen: Vec<usize> = directions().filter_map(furthest).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| points[i]).collect()
}

/// The six axes, and directions evenly spread over the sphere along a golden spiral.
fn directions() -> impl Iterator<Item = Vec3> {
    let golden_angle = PI * (3.0 - 5f32.sqrt());
    let spiral = (0..HULL_DIRECTIONS).map(move |i| {
        let z = 1.0 - (2 * i + 1) as f32 / HULL_DIRECTIONS as f32;
        let around = Quat::from_rotation_z(golden_angle * i as f32) * Vec3::X;
        around * (1.0 - z * z).sqrt() + Vec3::Z * z
    });
    Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).chain(spiral)
}

/// In the frame of the collider. The mass is exactly that of our own volume.
fn mass_properties(spec: &BodySpec) -> MassProperties {
    let density = spec.density_kg_m3;
    let of_mesh = |mesh: &TriMesh| MassProperties::from_trimesh(density, &mesh.vertices, &mesh.triangles);
    let mut properties = match &spec.shape {
        Shape::Mesh(solid) => of_mesh(solid.mesh()),
        Shape::Hull(hull) => of_mesh(hull.mesh()),
        simple => primitive(simple).map(|shape| shape.mass_properties(density)).unwrap_or_default(),
    };
    properties.set_mass(density * spec.shape.volume_m3(), true);
    properties
}

fn in_own_frame(shape: &Shape, properties: &MassProperties) -> Mass {
    let own = properties.transform_by(&axis_pose(shape));
    Mass {
        mass_kg: own.mass(),
        centre_m: own.local_com,
        inverse_inertia: own.reconstruct_inverse_inertia_matrix(),
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::*;

    /// A ring of radius 1 m and thickness 0.6 m, of `around` times `across` quads.
    fn ring(around: u32, across: u32) -> TriMesh {
        let angle = |i: u32, of: u32| i as f32 / of as f32 * TAU;
        let corner = |i: u32| {
            let (a, b) = (angle(i / across, around), angle(i % across, across));
            let radius = 1.0 + 0.3 * b.cos();
            Vec3::new(radius * a.cos(), radius * a.sin(), 0.3 * b.sin())
        };
        let quad = |i: u32| {
            let at = |u: u32, v: u32| (u % around) * across + v % across;
            let (u, v) = (i / across, i % across);
            let [a, b, c, d] = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)];
            [[a, b, c], [a, c, d]]
        };
        let count = around * across;
        TriMesh { vertices: (0..count).map(corner).collect(), triangles: (0..count).flat_map(quad).collect() }
    }

    #[test]
    fn a_ring_is_split_into_convex_parts() {
        for (around, across) in [(12, 8), (200, 100)] {
            let solid = MeshSolid::new(ring(around, across)).unwrap();
            let shape = convex_parts(&solid).unwrap();
            let parts = shape.as_compound().expect("a ring is not nearly convex").shapes();
            let volume: f32 = parts.iter().map(|(_, part)| part.mass_properties(1.0).mass()).sum();
            let excess = volume / solid.volume_m3() - 1.0;
            // Every part bridges a bow of the inner rim; what lies beyond the outer rim is cut off.
            assert!((-0.02..0.15).contains(&excess), "{around} x {across}: {excess}");
            let bounds = shape.compute_local_aabb();
            assert!((bounds.mins.z + 0.3).abs() < 0.01 && (bounds.maxs.z - 0.3).abs() < 0.01);
            assert!((bounds.extents().x - 2.6).abs() < 0.03);
        }
    }

    #[test]
    fn a_hull_of_many_points_keeps_its_size() {
        let ring = ring(200, 100);
        // The hull of a ring: the slab under both rims, and the outer half of the ring.
        let hull = Hull::new(outermost(&ring.vertices)).unwrap();
        let expected = PI * 0.6 + PI * PI * 0.3 * 0.3 + 4.0 / 3.0 * PI * 0.3f32.powi(3);
        assert!(hull.vertices().len() <= HULL_DIRECTIONS + 6);
        let volume = convex(&ring.vertices).unwrap().mass_properties(1.0).mass();
        assert!((volume / expected - 1.0).abs() < 0.03, "{volume} m³ against {expected} m³");
    }

    #[test]
    fn mass_is_spread_as_in_the_books() {
        // Shape, moments of inertia about x and z over the mass (m²).
        let (r, h) = (0.4f32, 0.3f32);
        let rows = [
            (Shape::Box { half_extents: Vec3::new(h, h, r) }, (h * h + r * r) / 3.0, 2.0 * h * h / 3.0),
            (Shape::Ball { radius: r }, 0.4 * r * r, 0.4 * r * r),
            (Shape::Cylinder { radius: r, half_height: h }, r * r / 4.0 + h * h / 3.0, r * r / 2.0),
            (Shape::Cone { radius: r, half_height: h }, 0.15 * r * r + 0.15 * h * h, 0.3 * r * r),
        ];
        for (shape, x, z) in rows {
            let spec = BodySpec::new("body", shape, Default::default(), Motion::Dynamic);
            let (_, mass) = collider(&spec).unwrap();
            let inertia = mass.inverse_inertia.inverse() / mass.mass_kg;
            let diagonal = Vec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
            assert!((diagonal - Vec3::new(x, x, z)).length() < 1e-4, "{:?}: {diagonal}", spec.shape);
            assert!((mass.centre_m - spec.shape.centroid()).length() < 1e-6);
        }
    }
}
