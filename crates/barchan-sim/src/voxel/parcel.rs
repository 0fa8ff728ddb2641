//! Soil on its way from one voxel to another.

use crate::material::{MaterialId, Materials};
use crate::units::VoidRatio;

/// An amount of one soil, on its way into a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// Soil (units).
    pub units: u16,
    /// Which soil.
    pub kind: MaterialId,
    /// Its void ratio.
    pub void_ratio: VoidRatio,
    /// True when it has been moved since it was placed.
    pub moved: bool,
    /// The water in it (units).
    pub water: u16,
}

/// Soil of several kinds, in the order in which it was taken: from the top down.
pub type Parcels = Vec<Parcel>;

impl Parcel {
    /// Share of a voxel that it takes (1/32,768, rounded up).
    #[inline]
    pub fn share(&self) -> u32 {
        self.void_ratio.share_of(u32::from(self.units))
    }

    /// The same soil once it has moved: it swells to its loose void ratio, if it was not looser before.
    #[inline]
    pub fn loosened(self, materials: &Materials) -> Self {
        Self { void_ratio: self.void_ratio.max(materials.loose(self.kind)), moved: true, ..self }
    }

    /// Splits off up to `units` of it with their share of the water, rounded down; all of the water goes with the last of
    /// the soil.
    #[inline]
    pub fn split_off(&mut self, units: u32) -> Self {
        let taken = units.min(u32::from(self.units)) as u16;
        let water = share_of_water(self.water, taken.into(), self.units.into());
        self.units -= taken;
        self.water -= water;
        Self { units: taken, water, ..*self }
    }
}

/// The part of `water` that goes with `taken` of `soil` units, rounded down.
#[inline]
pub(super) fn share_of_water(water: u16, taken: u32, soil: u32) -> u16 {
    if water == 0 || soil == 0 {
        return 0;
    }
    (u64::from(water) * u64::from(taken) / u64::from(soil)) as u16
}
