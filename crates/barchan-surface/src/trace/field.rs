//! The field that pictures are taken of: the fill of the ground, smoothed by a voxel or so, as 16-bit samples.
//!
//! The fill itself is one where a column is full and nought above, with one voxel between: its 0.5 level shows every
//! step. Smoothed, planes are planes again, and edges are round by less than a voxel.

use barchan_sim::World;
use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3, Vec3A, Vec4};
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
/// Bricks of a chunk.
pub(super) const BRICKS: usize = 512;
/// Voxels along the edge of the cubes that rays leap by.
pub(super) const LEAP_EDGE: i32 = 4;
/// Such cubes of a chunk.
pub(super) const LEAPS: usize = 16 * 16 * 16;
/// Added to this, a number within four million is rounded to a whole one, which then stands in the lowest bits. `floor`
/// is a call where machines may lack the instruction, and is needed in the innermost loops.
const ROUNDER: f32 = 12_582_912.0;

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
}

/// 8x8x8 bricks, x slowest.
pub(super) struct Chunk {
    /// What is in each brick.
    pub slots: Box<[Slot; BRICKS]>,
    /// One bit for each 2x2x2 cells of each brick that the surface goes through, x slowest.
    pub surface: Box<[u64; BRICKS]>,
    /// For each cube of [`LEAP_EDGE`], how many of them away the nearest with surface is: 0 for those that have it.
    pub leaps: Box<[u8; LEAPS]>,
    /// The bricks that are stored.
    pub bricks: Vec<FieldBrick>,
}

/// What is in a brick of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Nothing.
    Air,
    /// Ground everywhere.
    Full,
    /// The stored brick of this number in the chunk.
    Stored(u16),
}

/// Samples of one brick, x slowest.
pub(super) struct FieldBrick(pub [u16; SAMPLES]);

/// The samples of a brick, stored or not.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    Even(u16),
    Mixed(&'a FieldBrick),
}

impl FieldBrick {
    /// The sample between samples, at a place counted from the brick's first; 0 to 65,535.
    #[inline]
    pub fn at(&self, place: Vec3A) -> f32 {
        let place = place.clamp(Vec3A::ZERO, Vec3A::splat(7.9999));
        let cell = cell_of(place);
        let first = ((cell.x * SIDE as i32 + cell.y) * SIDE as i32 + cell.z) as usize;
        let s = &self.0[first..first + SIDE * SIDE + SIDE + 2];
        // The corners of a side of the cell: z fastest, then y.
        let side =
            |at: usize| Vec4::from_array([at, at + 1, at + SIDE, at + SIDE + 1].map(|at| f32::from(s[at])));
        let (near, far) = (side(0), side(SIDE * SIDE));
        let [fx, fy, fz] = (place - cell.as_vec3a()).to_array();
        let [a, b, c, d] = (near + (far - near) * fx).to_array();
        mix(mix(a, b, fz), mix(c, d, fz), fy)
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
        match self.content(cell) {
            Content::Even(sample) => f32::from(sample) / f32::from(FULL_SAMPLE),
            Content::Mixed(brick) => brick.at(place - (cell & !7).as_vec3a()) / f32::from(FULL_SAMPLE),
        }
    }

    /// What is in the brick of a cell.
    #[inline]
    pub(super) fn content(&self, cell: IVec3) -> Content<'_> {
        let Some(chunk) = self.chunks.get(&(cell >> CHUNK_LOG)) else { return Content::Even(0) };
        match chunk.slots[slot_index(cell)] {
            Slot::Air => Content::Even(0),
            Slot::Full => Content::Even(FULL_SAMPLE),
            Slot::Stored(number) => Content::Mixed(&chunk.bricks[usize::from(number)]),
        }
    }

    /// Corners of the walls or of what is stored (voxels).
    pub fn extent(&self) -> VoxelBox {
        let corner = |place: Vec3A| (place + 0.5).round().as_ivec3() + self.base;
        VoxelBox::new(corner(self.low), corner(self.high))
    }
}

/// The whole numbers below a place within four million; of a whole number itself, either side.
#[inline]
pub(super) fn cell_of(place: Vec3A) -> IVec3 {
    let whole = |x: f32| (x.to_bits() as i32).wrapping_sub(ROUNDER.to_bits() as i32);
    IVec3::from_array((place - 0.5 + ROUNDER).to_array().map(whole))
}

/// The same as numbers that are not counted with.
#[inline]
pub(super) fn whole(place: Vec3A) -> Vec3A {
    place - 0.5 + ROUNDER - ROUNDER
}

/// Where a cell's brick is in its chunk.
#[inline]
pub(super) fn slot_index(cell: IVec3) -> usize {
    let brick: IVec3 = (cell >> 3) & 7;
    ((brick.x << 6) | (brick.y << 3) | brick.z) as usize
}

/// Where the cube that a cell leaps by is in its chunk.
#[inline]
pub(super) fn leap_index(cell: IVec3) -> usize {
    let cube: IVec3 = (cell >> 2) & 15;
    ((cube.x << 8) | (cube.y << 4) | cube.z) as usize
}
