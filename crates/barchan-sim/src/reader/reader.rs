//! The ground and the share that bodies take of it, voxel by voxel and between voxels.

use barchan_volume::brick::{brick_of, voxel_index};
use barchan_volume::sample::{Cell, corner_offset, locate};
use glam::{DVec3, IVec3, Vec3};

use super::{BARRIER_SHARE, BrickPair};
use crate::bodies::BodyFill;
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Voxel;

/// How many bricks are kept: those around a corner.
const KEPT: usize = 8;

/// The voxel that holds `point` (m), for voxels of `size_m` (m). Points far beyond all ground are brought near enough for
/// integers.
#[inline]
pub fn voxel_at(point: Vec3, size_m: f32) -> IVec3 {
    const FARTHEST: f32 = (1 << 30) as f32;
    let p = (point / size_m).clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
    // Rounds towards zero, which is one too high below zero. Quicker than `floor` in software.
    let cut = p.as_ivec3();
    let above = p.cmplt(cut.as_vec3());
    cut - IVec3::new(i32::from(above.x), i32::from(above.y), i32::from(above.z))
}

/// Reads the ground. Make one for each task: it remembers the bricks that it was in.
pub struct Reader<'a> {
    /// The ground.
    pub ground: &'a Ground,
    /// The materials.
    pub materials: &'a Materials,
    body_fill: &'a BodyFill,
    kept: [(IVec3, BrickPair<'a>); KEPT],
}

impl<'a> Reader<'a> {
    /// A reader of `ground` with bodies that take `body_fill` of it.
    pub fn new(ground: &'a Ground, body_fill: &'a BodyFill, materials: &'a Materials) -> Self {
        // Not a brick of any world, so that the first look fetches one.
        Self { ground, materials, body_fill, kept: [(IVec3::MAX, BrickPair::EMPTY); KEPT] }
    }

    /// Voxel `p`.
    #[inline]
    pub fn voxel(&mut self, p: IVec3) -> Voxel {
        self.pair(brick_of(p)).voxel(voxel_index(p))
    }

    /// What bodies take of voxel `p` (1/32,768).
    #[inline]
    pub fn body_share(&mut self, p: IVec3) -> u16 {
        self.pair(brick_of(p)).body_share(voxel_index(p))
    }

    /// What rock and soil take of voxel `p`, 0 to 1.
    #[inline]
    pub fn fill(&mut self, p: IVec3) -> f32 {
        let voxel = self.voxel(p);
        if voxel.is_air() { 0.0 } else { voxel.fill(self.materials) }
    }

    /// What rock takes of voxel `p`, 0 to 1.
    #[inline]
    pub fn rock_fill(&mut self, p: IVec3) -> f32 {
        rock_fill(self.voxel(p), self.materials)
    }

    /// What rock and bodies take of voxel `p` (1/32,768).
    #[inline]
    pub fn solid_share(&mut self, p: IVec3) -> u32 {
        let (voxel, body) = self.pair(brick_of(p)).get(voxel_index(p));
        (voxel.rock_share(self.materials) + u32::from(body)).min(LOOSE_FULL)
    }

    /// True when rock and bodies take so much of voxel `p` that soil does not pass.
    #[inline]
    pub fn is_barrier(&mut self, p: IVec3) -> bool {
        self.solid_share(p) >= BARRIER_SHARE
    }

    /// What rock and soil take around `point_m` (m): interpolated between the centres of voxels, 0 to 1.
    pub fn fill_at(&mut self, point_m: DVec3) -> f32 {
        let (cell, place) = self.cell(point_m, Self::fill);
        cell.value(place)
    }

    /// How the fill rises at `point_m` (m): the gradient of [`Reader::fill_at`] (1/m). It jumps from cell to cell.
    pub fn gradient_at(&mut self, point_m: DVec3) -> Vec3 {
        let (cell, place) = self.cell(point_m, Self::fill);
        cell.gradient(place) / self.ground.voxel_size_m()
    }

    /// What rock takes around `p` (voxels), interpolated, 0 to 1.
    pub fn rock_fill_at(&mut self, p: Vec3) -> f32 {
        let (base, place) = locate(p);
        self.corners(base, Self::rock_fill).value(place)
    }

    /// The eight voxels around `point_m` (m), and its place between them.
    fn cell(&mut self, point_m: DVec3, fill: fn(&mut Self, IVec3) -> f32) -> (Cell, Vec3) {
        // By whole bricks near the origin, so that nothing is lost far from it.
        let p = point_m / f64::from(self.ground.voxel_size_m());
        let corner = (p / 8.0).floor() * 8.0;
        let (base, place) = locate((p - corner).as_vec3());
        (self.corners(base + corner.as_ivec3(), fill), place)
    }

    fn corners(&mut self, base: IVec3, fill: fn(&mut Self, IVec3) -> f32) -> Cell {
        let mut cell = Cell([0.0; 8]);
        for (i, value) in cell.0.iter_mut().enumerate() {
            *value = fill(self, base + corner_offset(i));
        }
        cell
    }

    #[inline]
    fn pair(&mut self, coord: IVec3) -> &BrickPair<'a> {
        let place = (coord.x & 1 | (coord.y & 1) << 1 | (coord.z & 1) << 2) as usize;
        if self.kept[place].0 != coord {
            let pair = BrickPair::at(coord, self.ground.voxels(), self.body_fill.shares());
            self.kept[place] = (coord, pair);
        }
        &self.kept[place].1
    }
}

/// Share of a voxel that rock takes, 0 to 1.
pub(crate) fn rock_fill(voxel: Voxel, materials: &Materials) -> f32 {
    if voxel.rock == 0 {
        return 0.0;
    }
    let room = 1.0 + materials.rock_void_ratio(voxel.rock_kind).to_f32();
    let full = LOOSE_FULL as f32 * (1.0 + VoidRatio::REFERENCE.to_f32());
    (f32::from(voxel.rock) * room / full).min(1.0)
}
