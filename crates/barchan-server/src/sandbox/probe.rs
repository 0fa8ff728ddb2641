//! Questions to the ground: what lies on a ray, and how high it is.

use barchan_sim::{MaterialId, World};
use glam::Vec3;

/// How far rays go (m).
const FARTHEST_M: f32 = 10_000.0;

/// The first ground on a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Where (m).
    pub point_m: Vec3,
    /// Unit vector out of the ground.
    pub normal: Vec3,
    /// What lies there.
    pub material: MaterialId,
    /// How far from the origin of the ray (m).
    pub distance_m: f32,
}

/// The first ground on the ray from `origin_m` (m) along `direction`.
pub fn pick(world: &World, origin_m: Vec3, direction: Vec3) -> Option<Hit> {
    let (ground, materials) = (world.ground(), world.materials());
    let (size, direction) = (ground.voxel_size_m(), direction.try_normalize()?);
    let hit =
        ground.voxels().cast_ray(origin_m / size, direction, FARTHEST_M / size, |v| v.fill(materials))?;
    let voxel = ground.get(hit.voxel);
    let material = voxel.kind();
    let distance_m = hit.t * size;
    Some(Hit { point_m: origin_m + direction * distance_m, normal: hit.normal, material, distance_m })
}

/// Height (m) of the first ground at or below `point_m` (m).
pub fn ground_under(world: &World, point_m: Vec3) -> Option<f32> {
    pick(world, point_m, Vec3::NEG_Z).map(|hit| hit.point_m.z)
}
