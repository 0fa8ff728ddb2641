//! Where a point is against rock: how far outside or inside, and which way the rock is.

use barchan_volume::Grid;
use glam::Vec3;

use crate::ground::Ground;
use crate::material::Materials;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// As far as a point may be inside rock (half voxels); all that is deeper counts as this deep.
const DEEPEST: usize = 8;

/// Rock near a point of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct RockTouch {
    /// The point (m).
    pub point: Vec3,
    /// Unit vector into the rock.
    pub into: Vec3,
    /// Way to the surface of the rock (m), negative inside.
    pub gap_m: f32,
}

/// The rock within half a voxel of `point` (m) on a body that faces `outwards` there, if there is any.
pub(super) fn rock_at(
    point: Vec3,
    outwards: Vec3,
    ground: &Ground,
    materials: &Materials,
) -> Option<RockTouch> {
    let size = ground.voxel_size_m();
    let voxels: &Grid<Voxel> = ground.voxels();
    let fill = |voxel: Voxel| voxel.rock_share(materials) as f32 / LOOSE_FULL as f32;
    let (value, gradient) = voxels.sample_with_gradient(point / size, fill);
    let steepness = gradient.length();
    if value <= 1e-3 {
        return None;
    }
    if value < 0.95 && steepness > 0.1 {
        let gap = ((0.5 - value) / steepness).clamp(-1.0, 1.0);
        return Some(RockTouch { point, into: gradient / steepness, gap_m: gap * size });
    }
    // Deep inside, the rock does not tell which way is out; the body does.
    let outside = |half: &usize| voxels.sample((point / size) - outwards * (0.5 * *half as f32), fill) < 0.5;
    let depth = (1..=DEEPEST).find(outside).unwrap_or(DEEPEST);
    Some(RockTouch { point, into: outwards, gap_m: -0.5 * depth as f32 * size })
}
