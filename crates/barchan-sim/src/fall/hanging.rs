//! Which soil hangs in the air.

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use glam::IVec3;
use rayon::prelude::*;

use crate::columns::{FULL_SLACK, LEDGE_SHARE, Space};
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// All voxels of awake bricks whose soil hangs in the air, from the lowest up.
pub(super) fn hanging(space: &Space<'_>) -> Vec<IVec3> {
    let awake: Vec<IVec3> = space.ground.awake().bricks().collect();
    let in_brick = |coord: &IVec3| hanging_in(*coord, space);
    let mut found: Vec<IVec3> = awake.par_iter().with_min_len(8).flat_map_iter(in_brick).collect();
    found.sort_unstable_by_key(|p| (p.z, p.x, p.y));
    found
}

fn hanging_in(coord: IVec3, space: &Space<'_>) -> Vec<IVec3> {
    let mut found = Vec::new();
    let Some(brick) = space.ground.voxels().stored(coord) else { return found };
    let bodies = space.body_shares.stored(coord);
    let cells = brick_box(coord);
    let free = |voxel: &Voxel, body: u16| {
        LOOSE_FULL.saturating_sub(voxel.rock_share(space.materials) + voxel.soil_share() + u32::from(body))
    };
    // In a brick of one full soil only the lowest layer can hang.
    let is_solid_soil = matches!(brick, Brick::Uniform(voxel) if free(voxel, 0) < FULL_SLACK);
    let layers = if is_solid_soil && bodies.is_none() { 1 } else { EDGE };
    for column in (0..VOXELS as i32).step_by(EDGE as usize) {
        for z in 0..layers {
            let at = (column + z) as usize;
            let voxel = brick.get(at);
            if voxel.soil == 0 {
                continue;
            }
            let p = cells.min + IVec3::new(column / (EDGE * EDGE), column / EDGE % EDGE, z);
            let body = |at: usize| bodies.map_or(0, |shares| shares.get(at));
            let hangs = if z == 0 {
                space.hangs(p)
            } else if free(&brick.get(at - 1), body(at - 1)) < FULL_SLACK {
                false
            } else {
                // Only where rock or a body shares the voxel can it be a ledge.
                let solid = voxel.rock_share(space.materials) + u32::from(body(at));
                solid < LEDGE_SHARE || space.hangs(p)
            };
            if hangs {
                found.push(p);
            }
        }
    }
    found
}
