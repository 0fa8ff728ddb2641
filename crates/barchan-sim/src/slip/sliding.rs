//! Soil that slides and keeps its velocity: what is remembered from one step to the next.

use glam::{IVec2, Vec2};
use serde::{Deserialize, Serialize};

/// Faster than this nothing slides (m/s): what is faster is slowed down to it.
pub(super) const FASTEST_M_S: f32 = 300.0;

/// Slower than this nothing slides (m/s): in a day it comes no further than a grain.
pub(super) const SLOWEST_M_S: f32 = 1e-9;

/// Which pile, whatever is found beside it: its tile, its column, and the lowest voxel of its opening. In the order of nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PileKey {
    tile: [i32; 2],
    /// Column of voxels.
    pub column: [i32; 2],
    /// The lowest voxel of its opening.
    pub bottom_z: i32,
}

impl PileKey {
    /// The pile of a column whose opening begins at this voxel.
    pub fn new(column: IVec2, bottom_z: i32) -> Self {
        let tile: IVec2 = column >> 3;
        Self { tile: tile.to_array(), column: column.to_array(), bottom_z }
    }

    /// The tile that it lies in.
    pub fn tile(&self) -> IVec2 {
        IVec2::from_array(self.column) >> 3
    }
}

/// The bed on which the soil of a pile moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bed {
    /// Which pile.
    pub at: PileKey,
    /// Height of the bed (1/32,768 voxel).
    pub height: i64,
}

/// Soil that moves from one pile to the next, or back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// The pile behind.
    pub at: PileKey,
    /// 0: the pile ahead is the next along x, 1: along y.
    pub axis: u8,
    /// The lowest voxel of the opening ahead.
    pub to_z: i32,
    /// Its velocity ahead (m/s).
    pub velocity_m_s: f32,
    /// What has yet to go and is less than a unit (units).
    pub rest_units: f32,
}

impl Stream {
    pub(super) fn key(&self) -> (PileKey, u8, i32) {
        (self.at, self.axis, self.to_z)
    }
}

/// All soil that slides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sliding {
    /// In order.
    pub(super) beds: Vec<Bed>,
    /// In order.
    pub(super) streams: Vec<Stream>,
}

impl Sliding {
    /// The beds that soil moves on, in the order of tiles, columns and openings.
    pub fn beds(&self) -> &[Bed] {
        &self.beds
    }

    /// The soil that moves, in the order of where it comes from.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// True when nothing slides.
    pub fn is_still(&self) -> bool {
        self.streams.is_empty()
    }

    /// True when all numbers are numbers, no height is out of reach, and all is in order and once.
    pub fn is_sound(&self) -> bool {
        let is_at = |at: &PileKey| at.tile == at.tile().to_array() && at.bottom_z.unsigned_abs() < 1 << 30;
        let is_bed = |bed: &Bed| is_at(&bed.at) && bed.height.unsigned_abs() < 1 << 46;
        let is_stream = |s: &Stream| {
            is_at(&s.at) && s.axis < 2 && s.velocity_m_s.is_finite() && (0.0..=1.0).contains(&s.rest_units)
        };
        self.beds.iter().all(is_bed)
            && self.streams.iter().all(is_stream)
            && self.beds.is_sorted_by(|a, b| a.at < b.at)
            && self.streams.is_sorted_by(|a, b| a.key() < b.key())
    }

    /// The tiles in which something moves, in order.
    pub(super) fn tiles(&self) -> impl Iterator<Item = IVec2> + '_ {
        let beds = self.beds.iter().map(|bed| bed.at.tile());
        beds.chain(self.streams.iter().map(|stream| stream.at.tile()))
    }
}

/// A pile that slides with others as a block, along a plane on which cohesive soil has failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub at: PileKey,
    /// Height of the plane (1/32,768 voxel).
    pub bed: i64,
    /// What the block gains sideways (m/s²).
    pub gain_m_s2: Vec2,
}
