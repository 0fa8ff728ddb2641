//! The field that pictures are taken of: the fill of the ground, smoothed by a voxel or so, as 16-bit samples.
//!
//! The fill itself is one where a column is full and nought above, with one voxel between: its 0.5 level shows every
//! step. Smoothed, planes are planes again, and edges are round by less than a voxel.

use barchan_sim::World;
use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3, Vec3A};
use rustc_hash::FxHashMap;

use super::build;

/// Samples along the edge of a stored brick: its own eight and the first of the next, so that a cell needs one brick.
pub(super) const SIDE: usize = 9;
/// Samples of a stored brick.
pub(super) const SAMPLES: usize = SIDE * SIDE * SIDE;
/// What a sample holds where the field is 1.
pub(super) const FULL_SAMPLE: u16 = u16::MAX;
/// The level that is the surface, as a sample.
pub(super) const LEVEL_SAMPLE: f32 = 32_767.5;

/// Voxels along the edge of a chunk, as a power of two.
pub(super) const CHUNK_LOG: i32 = 6;

/// The smoothed fill. Places are voxel centres counted from [`Field::base`]: sample `p` lies at `p`.
pub(super) struct Field {
    /// The voxel that places are counted from: near the ground, so that f32 is exact enough anywhere.
    pub base: IVec3,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Where ground can be: from the faces of the outermost voxels.
    pub low: Vec3A,
    /// The other corner.
    pub high: Vec3A,
    pub(super) chunks: FxHashMap<IVec3, Chunk>,
    pub(super) bricks: Vec<FieldBrick>,
}

/// 8x8x8 bricks.
pub(super) struct Chunk {
    /// What is in each brick, x slowest.
    pub slots: Box<[Slot; 512]>,
    /// One bit for each 2x2x2 bricks that have any surface, x slowest.
    pub pairs: u64,
    /// One bit for each 4x4x4 bricks.
    pub quads: u8,
}

/// What is in a brick of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Nothing.
    Air,
    /// Ground everywhere.
    Full,
    /// The stored brick of this number.
    Stored(u32),
}

/// Samples of one brick.
pub(super) struct FieldBrick {
    /// One bit for each 2x2x2 cells that the surface goes through, x slowest.
    pub surface: u64,
    /// Samples, x slowest.
    pub samples: [u16; SAMPLES],
}

impl FieldBrick {
    /// The sample between samples, at a place counted from the brick's first; 0 to 65,535.
    #[inline]
    pub fn at(&self, place: Vec3A) -> f32 {
        let ([near, far], [fx, fy, fz]) = self.cell(place);
        let side = |[a, b, c, d]: [f32; 4]| mix(mix(a, b, fz), mix(c, d, fz), fy);
        mix(side(near), side(far), fx)
    }

    /// The corners of the cell around a place, z fastest and x slowest, and where between them it lies.
    #[inline]
    fn cell(&self, place: Vec3A) -> ([[f32; 4]; 2], [f32; 3]) {
        let [x, y, z] = place.clamp(Vec3A::ZERO, Vec3A::splat(7.9999)).to_array();
        let [ix, iy, iz] = [x as usize, y as usize, z as usize];
        let first = (ix * SIDE + iy) * SIDE + iz;
        let s = &self.samples[first..first + SIDE * SIDE + SIDE + 2];
        let side = |at: usize| [at, at + 1, at + SIDE, at + SIDE + 1].map(|at| f32::from(s[at]));
        ([side(0), side(SIDE * SIDE)], [x - ix as f32, y - iy as f32, z - iz as f32])
    }
}

#[inline]
fn mix(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

impl Field {
    /// The field of all ground in `world`.
    pub fn of(world: &World) -> Self {
        build::field(world)
    }

    /// A point of the world (m) as a place in the field.
    pub fn place(&self, point_m: Vec3) -> Vec3A {
        let voxels = point_m.as_dvec3() / f64::from(self.voxel_size_m) - 0.5 - self.base.as_dvec3();
        voxels.as_vec3a()
    }

    /// The voxel at a place.
    pub fn voxel(&self, place: Vec3A) -> IVec3 {
        cell_of(place + 0.5) + self.base
    }

    /// Whether there is any ground.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The smoothed fill at a place, 0 to 1. Beyond the walls it goes on as at the wall.
    pub fn at(&self, place: Vec3A) -> f32 {
        let place = place.clamp(self.low, self.high - 1e-3);
        let cell = cell_of(place);
        match self.slot(cell, &mut None) {
            Slot::Air => 0.0,
            Slot::Full => 1.0,
            Slot::Stored(number) => {
                let corner = (cell & !7).as_vec3a();
                self.bricks[number as usize].at(place - corner) / f32::from(FULL_SAMPLE)
            }
        }
    }

    /// What is in the brick of a cell; `last`: the chunk that was looked into last.
    #[inline]
    pub(super) fn slot<'a>(&'a self, cell: IVec3, last: &mut Option<(IVec3, &'a Chunk)>) -> Slot {
        let key = cell >> CHUNK_LOG;
        if last.is_none_or(|(of, _)| of != key) {
            *last = self.chunks.get(&key).map(|chunk| (key, chunk));
        }
        last.map_or(Slot::Air, |(_, chunk)| chunk.slots[slot_index(cell)])
    }

    /// Corners of the walls or of what is stored (voxels).
    pub fn extent(&self) -> VoxelBox {
        let corner = |place: Vec3A| (place + 0.5).round().as_ivec3() + self.base;
        VoxelBox::new(corner(self.low), corner(self.high))
    }
}

/// The whole numbers below a place within four million; of a whole number itself, either side.
///
/// Added to 1.5 x 2^23 a number is rounded to a whole one, which then stands in its lowest bits. `floor` is a call
/// where machines may lack the instruction, and this is in the innermost loop.
#[inline]
pub(super) fn cell_of(place: Vec3A) -> IVec3 {
    const ROUNDER: f32 = 12_582_912.0;
    let whole = |x: f32| (x.to_bits() as i32).wrapping_sub(ROUNDER.to_bits() as i32);
    IVec3::from_array((place - 0.5 + ROUNDER).to_array().map(whole))
}

/// Where a cell's brick is in its chunk.
#[inline]
pub(super) fn slot_index(cell: IVec3) -> usize {
    let brick: IVec3 = (cell >> 3) & 7;
    ((brick.x << 6) | (brick.y << 3) | brick.z) as usize
}
