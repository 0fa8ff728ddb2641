//! A quick look at single voxels: neighbours come from the brick that was looked at last.

use barchan_volume::Brick;
use barchan_volume::brick::{brick_of, voxel_index};
use glam::{IVec3, Vec3};

use crate::ground::Ground;
use crate::material::Materials;
use crate::voxel::Voxel;

/// The voxel that holds `point` (m), for voxels of `size_m` (m). Points far beyond all ground are brought near enough for
/// integers.
#[inline]
pub(super) fn voxel_at(point: Vec3, size_m: f32) -> IVec3 {
    const FARTHEST: f32 = (1 << 30) as f32;
    let p = (point / size_m).clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
    // Rounds towards zero, which is one too high below zero. Quicker than `floor` in software.
    let cut = p.as_ivec3();
    let above = p.cmplt(cut.as_vec3());
    cut - IVec3::new(i32::from(above.x), i32::from(above.y), i32::from(above.z))
}

/// Reads voxels of the ground, remembering the last brick.
pub(super) struct View<'a> {
    pub ground: &'a Ground,
    pub materials: &'a Materials,
    last: Option<(IVec3, Option<&'a Brick<Voxel>>)>,
}

impl<'a> View<'a> {
    pub fn new(ground: &'a Ground, materials: &'a Materials) -> Self {
        Self { ground, materials, last: None }
    }

    /// Voxel `p`.
    pub fn get(&mut self, p: IVec3) -> Voxel {
        let coord = brick_of(p);
        let brick = match self.last {
            Some((last, brick)) if last == coord => brick,
            _ => {
                let brick = self.ground.voxels().stored(coord);
                self.last = Some((coord, brick));
                brick
            }
        };
        brick.map_or(Voxel::AIR, |brick| brick.get(voxel_index(p)))
    }

    /// Fill of voxel `p`, 0 to 1.
    pub fn fill(&mut self, p: IVec3) -> f32 {
        let voxel = self.get(p);
        if voxel.is_air() { 0.0 } else { voxel.fill(self.materials) }
    }
}
