//! How fast ground goes into the archive and comes back, when every voxel of it is another one.

use std::time::Instant;

use barchan_sim::units::VoidRatio;
use barchan_sim::{Ground, MaterialId, Versions, Voxel, World, WorldConfig, WorldState};
use barchan_volume::brick::VOXELS;
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use serde_json::{Value, json};

/// Bricks a side of the ground.
const BRICKS: i32 = 14;
/// Rounds, of which the fastest counts.
const ROUNDS: usize = 3;

/// Million voxels a second that are committed, and that are taken out again; and whether they are the same.
pub(super) fn world_speed() -> Value {
    let mut grid = Grid::new(Voxel::AIR);
    for coord in VoxelBox::new(IVec3::splat(-BRICKS / 2), IVec3::splat(BRICKS / 2)).cells() {
        let voxel = |at: usize| {
            let place = at as i32 + 31 * coord.x + 37 * coord.y + 41 * coord.z;
            let units = 9_000 + place.unsigned_abs().wrapping_mul(2_654_435_761) % 20_000;
            Voxel::of_soil(units as u16, MaterialId(0), VoidRatio::REFERENCE)
        };
        let voxels: [Voxel; VOXELS] = std::array::from_fn(voxel);
        grid.replace(coord, Brick::from_values(&voxels));
    }
    let state = WorldState::entered(Ground::from_parts(grid, [], 0.1, None, []));
    let (Ok(full), Ok(empty)) = (World::from_state(state), World::new(WorldConfig::default())) else {
        return json!(null);
    };
    let (mut commit_s, mut restore_s, mut is_same) = (f64::INFINITY, f64::INFINITY, true);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let Ok((mut versions, first)) = Versions::new(full.clone(), "full", ()) else { return json!(null) };
        commit_s = commit_s.min(start.elapsed().as_secs_f64());
        if versions.commit(empty.clone(), "empty", ()).is_err() {
            return json!(null);
        }
        let start = Instant::now();
        let Ok((again, ())) = versions.go_to(first) else { return json!(null) };
        restore_s = restore_s.min(start.elapsed().as_secs_f64());
        is_same &= again.digest() == full.digest();
    }
    let million = f64::from(BRICKS.pow(3)) * VOXELS as f64 / 1e6;
    json!({
        "commit_mvoxel_per_s": million / commit_s,
        "restore_mvoxel_per_s": million / restore_s,
        "same_digest": is_same,
    })
}
