//! Where a point is against rock: how far outside or inside, and which way the rock is.

use barchan_volume::VoxelBox;
use glam::Vec3;

use super::contacts::Spot;
use crate::reader::{Reader, rock_fill};
use crate::voxel::Voxel;

/// As far as a point may be inside rock (half voxels); all that is deeper counts as this deep.
const DEEPEST: usize = 8;

/// Rock this far around a point tells which way the rock is (voxels). Bodies catch on normals that change from voxel to
/// voxel; over this distance those of a plane are right within a degree or two.
const NORMAL_REACH: f32 = 2.5;

/// What is nearer than this counts as touching, whether it moves or not (voxels).
const NEAR: f32 = 0.1;

/// Voxels along the side of the cube around a point whose centres may be that near.
const NORMAL_VOXELS: i32 = 5;

/// Rock near a point of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct RockTouch {
    /// The point (m).
    pub point: Vec3,
    /// The part of the surface it stands for (m²).
    pub area_m2: f32,
    /// Unit vector into the rock.
    pub into: Vec3,
    /// Way to the surface of the rock (m), negative inside.
    pub gap_m: f32,
}

/// The rock within half a voxel of `spot`, if there is any that it may reach within `way_m` (m).
pub(super) fn rock_at(spot: &Spot, way_m: f32, reader: &mut Reader<'_>) -> Option<RockTouch> {
    let &Spot { point, outwards, area_m2 } = spot;
    let size = reader.ground.voxel_size_m();
    let p = point / size;
    let value = reader.rock_fill_at(p);
    // The fill rises from 0 to 1 over at least one voxel.
    if value <= 1e-3 || 0.5 - value > way_m / size + NEAR {
        return None;
    }
    if value < 0.95 {
        let into = direction(p, reader).unwrap_or(outwards);
        // Where the fill passes one half on the way to half a voxel further in or out.
        let way = if value < 0.5 { 0.5 } else { -0.5 };
        let slope = (reader.rock_fill_at(p + into * way) - value) / way;
        if slope > 0.1 {
            let gap = ((0.5 - value) / slope).clamp(-1.0, 1.0);
            return Some(RockTouch { point, area_m2, into, gap_m: gap * size });
        }
        if value < 0.5 {
            return None;
        }
    }
    // Deep inside, the rock does not tell which way is out; the body does.
    let mut outside = |half: &usize| reader.rock_fill_at(p - outwards * (0.5 * *half as f32)) < 0.5;
    let depth = (1..=DEEPEST).find(&mut outside).unwrap_or(DEEPEST);
    Some(RockTouch { point, area_m2, into: outwards, gap_m: -0.5 * depth as f32 * size })
}

/// The direction from `p` (voxels) to the middle of what is around it.
fn direction(p: Vec3, reader: &Reader<'_>) -> Option<Vec3> {
    let low = (p - 3.0).floor().as_ivec3() + 1;
    let cube = VoxelBox::new(low, low + NORMAL_VOXELS);
    let mut around = [Voxel::AIR; (NORMAL_VOXELS * NORMAL_VOXELS * NORMAL_VOXELS) as usize];
    reader.ground.voxels().read_box_into(cube, &mut around);
    let first = low.as_vec3() + 0.5 - p;
    let share = |offset: f32| offset * offset / (NORMAL_REACH * NORMAL_REACH);
    let mut sum = Vec3::ZERO;
    for (at, column) in around.chunks_exact(NORMAL_VOXELS as usize).enumerate() {
        let (x, y) = (at as i32 / NORMAL_VOXELS, at as i32 % NORMAL_VOXELS);
        let (x, y) = (first.x + x as f32, first.y + y as f32);
        let left = 1.0 - share(x) - share(y);
        for (z, voxel) in column.iter().enumerate().filter(|(_, voxel)| voxel.rock > 0) {
            let offset = Vec3::new(x, y, first.z + z as f32);
            let weight = (left - share(offset.z)).max(0.0);
            sum += offset * (rock_fill(*voxel, reader.materials) * weight * weight);
        }
    }
    sum.try_normalize()
}

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Region, Shape, Solid};
    use glam::Quat;

    use super::*;
    use crate::bodies::BodyFill;
    use crate::ground::Edit;
    use crate::world::{World, WorldConfig};

    #[test]
    fn distance_and_direction_of_leaning_planes_are_found() {
        for (i, lean) in [0.0, 0.2, 0.5, 0.79, 1.2_f32].into_iter().enumerate() {
            let turn = Quat::from_rotation_z(0.7 * i as f32) * Quat::from_rotation_y(lean);
            let mut world = World::new(WorldConfig::default()).unwrap();
            let shape = Shape::Box { half_extents: Vec3::new(2.0, 2.0, 1.0) };
            let pose = Pose::new(turn * Vec3::new(0.0, 0.0, -1.0), turn);
            let material = world.materials().find("granite").unwrap();
            let region = Region::Solid(Solid { shape, pose });
            world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
            let size = world.ground().voxel_size_m();
            let none = BodyFill::new();
            let mut reader = Reader::new(world.ground(), &none, world.materials());
            for k in 0..40 {
                let (x, y) = (0.031 * k as f32 - 0.5, 0.017 * k as f32 - 0.3);
                // Up to a quarter of a voxel in and out.
                let gap = size * (0.0125 * k as f32 - 0.25);
                let outwards = turn * Vec3::NEG_Z;
                let spot = Spot { point: turn * Vec3::new(x, y, gap), outwards, area_m2: 0.0 };
                let touch = rock_at(&spot, size, &mut reader).unwrap();
                assert!((touch.gap_m - gap).abs() < 0.1 * size, "{lean} {k}: {} for {gap}", touch.gap_m);
                let off = touch.into.dot(outwards).min(1.0).acos().to_degrees();
                assert!(off < 3.0, "{lean} {k}: {off}° off");
            }
        }
    }
}
