//! Checks of ground that comes from outside: whatever a file holds, only sound voxels become ground.

use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use barchan_volume::{Brick, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;

use super::ground::Ground;
use crate::material::{MaterialId, Materials, Phase};
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;
use crate::world::WorldError;

impl Ground {
    /// Finds the first voxel (by x, y, z) that breaks a rule of the ground.
    pub(crate) fn check(&self, materials: &Materials) -> Result<(), WorldError> {
        let bricks = self.voxels().bricks_in_order();
        let bad = bricks
            .par_iter()
            .find_map_first(|(coord, brick)| check_brick(*coord, brick, self.bounds(), materials));
        match bad {
            Some((p, problem)) => Err(WorldError::BadVoxel { x: p.x, y: p.y, z: p.z, problem }),
            None => Ok(()),
        }
    }
}

fn check_brick(
    coord: IVec3,
    brick: &Brick<Voxel>,
    bounds: Option<VoxelBox>,
    materials: &Materials,
) -> Option<(IVec3, &'static str)> {
    let origin = brick_box(coord).min;
    let all_inside = bounds.is_none_or(|b| b.contains_box(&brick_box(coord)));
    let count = if brick.uniform().is_some() && all_inside { 1 } else { VOXELS };
    (0..count).find_map(|at| {
        let (x, rest) = (at as i32 / (EDGE * EDGE), at as i32 % (EDGE * EDGE));
        let p = origin + IVec3::new(x, rest / EDGE, rest % EDGE);
        let voxel = brick.get(at);
        let outside = !voxel.is_air() && bounds.is_some_and(|b| !b.contains(p));
        let problem = if outside { Some("ground outside the bounds") } else { problem(&voxel, materials) };
        problem.map(|problem| (p, problem))
    })
}

fn problem(voxel: &Voxel, materials: &Materials) -> Option<&'static str> {
    let is = |kind: MaterialId, phase| materials.get(kind).is_some_and(|m| m.phase == phase);
    if voxel.rock > 0 && !is(voxel.rock_kind, Phase::Rock) {
        return Some("its rock is of no kind of rock");
    }
    if voxel.soil > 0 && !is(voxel.soil_kind, Phase::Soil) {
        return Some("its soil is of no kind of soil");
    }
    let mut tidy = *voxel;
    tidy.clear_absent();
    if tidy != *voxel {
        return Some("it describes rock or soil that is not there");
    }
    if voxel.rock_share(materials) + voxel.soil_share() > LOOSE_FULL {
        return Some("it holds more than fits into a voxel");
    }
    None
}
