//! One opening of a column and the soil piled in it.

use crate::material::{MaterialId, Materials, StrengthClass};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// One voxel of height. Heights are counted in the same parts as shares of a voxel (1/32,768 voxel).
pub(crate) const HEIGHT_ONE: i64 = LOOSE_FULL as i64;

/// The height of the lower side of layer `z` (1/32,768 voxel).
#[inline]
pub(crate) fn height_of(z: i32) -> i64 {
    i64::from(z) * HEIGHT_ONE
}

/// A floor, the soil on it and the opening above. Heights are absolute, in 1/32,768 voxel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pile {
    /// Upper side of the rock, body or wall below.
    pub floor: i64,
    /// Upper side of the soil; the floor where there is none.
    pub top: i64,
    /// Upper side of the uppermost soil that has kept the cohesion of its structure; far down where there is none.
    pub hold: i64,
    /// How strong that is.
    pub hold_strength: StrengthClass,
    /// Lower side of what is above; far up when that is the sky.
    pub ceiling: i64,
    /// The lowest voxel of the opening.
    pub bottom_z: i32,
    /// The voxel in which the upper side of the soil lies.
    pub top_z: i32,
    /// Soil of one kind, either broken or not, from the top down (units).
    pub movable: u32,
    /// That kind.
    pub kind: MaterialId,
    /// True when that soil has been moved and the cohesion of its structure is gone.
    pub is_broken: bool,
    /// How strong that soil is; half a voxel of it, or all where there is less, says how dense and how wet.
    pub strength: StrengthClass,
    /// Its column in its tile, x * 8 + y.
    pub column: u8,
    /// All soil of the pile (units).
    pub soil: u32,
    /// Void ratio of the uppermost soil.
    pub void_ratio: VoidRatio,
    /// True when there is more in what may move than dry soil of that kind: dust of others, or water.
    pub is_mixed: bool,
}

impl Pile {
    /// Ceiling of a pile under the sky.
    pub const SKY: i64 = i64::MAX / 4;

    /// True when most of its soil has kept its cohesion, whatever lies on top.
    pub fn is_mostly_intact(&self) -> bool {
        !self.is_broken || self.movable < self.soil / 2
    }

    /// How strong the pile is as a whole.
    #[inline]
    pub fn whole_strength(&self) -> StrengthClass {
        if self.is_mostly_intact() { self.strength.unmoved() } else { self.strength }
    }

    /// True when there is no soil in it.
    #[inline]
    pub fn is_bare(&self) -> bool {
        self.movable == 0
    }

    /// What loose soil lies on: the floor, or soil that holds together where that counts for its strength.
    #[inline]
    pub fn firm(&self, is_cohesive: &[bool]) -> i64 {
        let holds = self.hold > self.floor && is_cohesive[self.hold_strength.index()];
        if holds { self.hold.min(self.top) } else { self.floor }
    }

    /// The first layer above the opening.
    pub fn ceiling_z(&self) -> i32 {
        if self.ceiling == Self::SKY { i32::MAX } else { self.ceiling.div_euclid(HEIGHT_ONE) as i32 }
    }

    /// Its uppermost soil as it is once it has moved, of no amount.
    pub fn parcel(&self, materials: &Materials) -> Parcel {
        let &Self { kind, void_ratio, .. } = self;
        Parcel { kind, void_ratio, ..Parcel::default() }.loosened(materials)
    }
}
