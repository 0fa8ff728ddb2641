//! Thin bodies, made thick enough for voxels to feel them.
//!
//! A plate that is thinner than a voxel never fills one, so soil would pass it. For the soil every plate, disc and shell
//! is as thick as a voxel is wide along its normal, and half a voxel more: then, as it moves by half a voxel at a time,
//! it fills every voxel it passes at one moment at least, and drives all soil out of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::{Hull, MeshSolid, Shape, Solid, TriMesh};
use glam::Vec3;

/// Furthest that a body may move at a time for no soil to slip through it (voxels).
pub const LONGEST_HOP: f32 = 0.5;

/// Largest width of a voxel along any direction (voxels).
const DIAGONAL: f32 = 1.733;

/// A mesh that fills less than this part of the box around it is a shell.
const SHELL_FILL: f32 = 0.3;

/// Miters at corners sharper than this are cut off: cosine of half the angle (-).
const SHARPEST_MITER: f32 = 0.3;

/// The solid as the soil meets it, in voxels of `voxel_size_m` (m).
pub(super) fn thickened(solid: &Solid, voxel_size_m: f32) -> Solid {
    let across = |axis: Vec3| {
        let normal = solid.pose.rotation * axis;
        (normal.abs().element_sum() + LONGEST_HOP) * voxel_size_m / 2.0
    };
    let widest = (DIAGONAL + LONGEST_HOP) * voxel_size_m;
    let shape = match &solid.shape {
        Shape::Box { half_extents } => Shape::Box { half_extents: thick_box(*half_extents, across) },
        Shape::Cylinder { radius, half_height } => {
            let least = across(Vec3::Z);
            let height = if *radius >= least { half_height.max(least) } else { *half_height };
            Shape::Cylinder { radius: *radius, half_height: height }
        }
        Shape::Hull(hull) => {
            let thick = grown(hull.mesh(), hull.volume_m3(), widest);
            let thick = thick.and_then(|mesh| Hull::new(mesh.vertices).ok());
            thick.map_or_else(|| solid.shape.clone(), |hull| Shape::Hull(Arc::new(hull)))
        }
        Shape::Mesh(mesh) => {
            let thick = grown(mesh.mesh(), mesh.volume_m3(), widest);
            let thick = thick.and_then(|mesh| MeshSolid::new(mesh).ok());
            thick.map_or_else(|| solid.shape.clone(), |mesh| Shape::Mesh(Arc::new(mesh)))
        }
        Shape::Ball { .. } | Shape::Cone { .. } | Shape::Capsule { .. } => solid.shape.clone(),
    };
    Solid { shape, pose: solid.pose }
}

/// A box whose shortest side is long enough, unless two sides are short: soil goes around a rod.
fn thick_box(half: Vec3, across: impl Fn(Vec3) -> f32) -> Vec3 {
    let axis = Vec3::AXES[half.min_position()];
    let least = across(axis);
    let others = half + axis * f32::MAX;
    if others.min_element() < least { half } else { half.max(axis * least) }
}

/// The mesh with walls of at least `least_m` (m), if it is a plate or a shell with thinner ones.
fn grown(mesh: &TriMesh, volume_m3: f32, least_m: f32) -> Option<TriMesh> {
    let bounds = mesh.bounds()?;
    let sides = bounds.max - bounds.min;
    let others = sides + Vec3::AXES[sides.min_position()] * f32::MAX;
    let is_plate = sides.min_element() < least_m;
    let is_shell = volume_m3 < SHELL_FILL * sides.element_product();
    // Of a thin wall, which has two faces.
    let wall_m = (2.0 * f64::from(volume_m3) / mesh.area_m2()) as f32;
    let is_thin = (is_plate || is_shell) && others.min_element() >= least_m && wall_m < least_m;
    is_thin.then(|| inflated(mesh, (least_m - wall_m) / 2.0))
}

/// The mesh with every face moved outwards by `by_m` (m).
fn inflated(mesh: &TriMesh, by_m: f32) -> TriMesh {
    let place = |vertex: u32| mesh.vertices[vertex as usize].to_array().map(f32::to_bits);
    let mut normals: BTreeMap<[u32; 3], Vec<Vec3>> = BTreeMap::new();
    for (index, corners) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(index);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        for vertex in corners {
            let known = normals.entry(place(*vertex)).or_default();
            if known.iter().all(|other| other.dot(normal) < 0.999) {
                known.push(normal);
            }
        }
    }
    let mut grown = mesh.clone();
    for vertex in &mut grown.vertices {
        let Some(around) = normals.get(&vertex.to_array().map(f32::to_bits)) else { continue };
        let mean = around.iter().sum::<Vec3>() / around.len() as f32;
        // The mean is shorter than the normals it is made of: by the cosine to them.
        let miter = mean.length().max(SHARPEST_MITER);
        *vertex += mean.normalize_or_zero() * (by_m / miter);
    }
    grown
}

#[cfg(test)]
mod tests {
    use barchan_volume::Pose;
    use glam::Quat;

    use super::*;

    fn half_extents(half: [f32; 3], rotation: Quat) -> Vec3 {
        let shape = Shape::Box { half_extents: Vec3::from_array(half) };
        let solid = Solid { shape, pose: Pose { translation: Vec3::ZERO, rotation } };
        match thickened(&solid, 0.1).shape {
            Shape::Box { half_extents } => half_extents,
            other => panic!("a box became {other:?}"),
        }
    }

    #[test]
    fn plates_grow_and_everything_else_stays() {
        let level = Quat::IDENTITY;
        assert!((half_extents([0.01, 1.0, 1.0], level) - Vec3::new(0.075, 1.0, 1.0)).length() < 1e-6);
        let tilted = half_extents([1.0, 1.0, 0.01], Quat::from_rotation_x(std::f32::consts::FRAC_PI_4));
        assert!((tilted.z - 0.05 * (2_f32.sqrt() + 0.5)).abs() < 1e-6, "{tilted}");
        for half in [[0.2, 1.0, 1.0], [0.01, 0.01, 1.0], [0.02, 0.02, 0.02]] {
            assert_eq!(half_extents(half, level), Vec3::from_array(half));
        }
    }

    #[test]
    fn thin_hulls_grow_on_all_sides() {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, 0.02 * (i >> 2 & 1) as f32);
        let plate = |scale: Vec3| Hull::new((0..8).map(|i| corner(i) * scale).collect()).unwrap();
        let hull = |hull: Hull| Solid { shape: Shape::Hull(Arc::new(hull)), pose: Pose::IDENTITY };
        let bounds = thickened(&hull(plate(Vec3::ONE)), 0.1).bounds();
        let height = bounds.max.z - bounds.min.z;
        assert!((0.15..0.25).contains(&height), "{height} m");
        let cube = hull(plate(Vec3::new(1.0, 1.0, 50.0)));
        assert_eq!(thickened(&cube, 0.1), cube);
    }
}
