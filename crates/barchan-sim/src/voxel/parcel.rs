//! Soil on its way from one voxel to another.

use crate::material::{DROWNED, MaterialId, Materials};
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

    /// The same soil once it has moved: it swells to its loose void ratio, if it was not looser before. Drowned soil keeps its
    /// volume: only water could fill what would open between its grains.
    #[inline]
    pub fn loosened(self, materials: &Materials) -> Self {
        let void_ratio =
            if self.is_drowned() { self.void_ratio } else { self.void_ratio.max(materials.loose(self.kind)) };
        Self { void_ratio, moved: true, ..self }
    }

    /// True when water fills its pores, but for what rounding took when the parcel was split off.
    #[inline]
    fn is_drowned(&self) -> bool {
        if self.water == 0 {
            return false;
        }
        let units = u32::from(self.units);
        let pores = self.void_ratio.share_of(units).saturating_sub(VoidRatio(0).share_of(units));
        (u64::from(self.water) + 1) * u64::from(u16::MAX) >= u64::from(pores) * u64::from(DROWNED)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::water_in_pores;

    #[test]
    fn soil_swells_as_it_moves_unless_water_fills_it() {
        let materials = Materials::builtin();
        let kind = materials.find("dry_sand").expect("built in");
        let void_ratio = VoidRatio::from_f32(materials[kind].void_ratio_natural);
        let moved = |units, saturation| {
            let water = water_in_pores(units, void_ratio, saturation);
            Parcel { units, kind, void_ratio, moved: false, water }.loosened(&materials)
        };
        for units in [7, 300, 40_000] {
            assert_eq!(moved(units, 0.0).void_ratio, materials.loose(kind), "{units} units, dry");
            assert_eq!(moved(units, 1.0).void_ratio, void_ratio, "{units} units, drowned");
        }
        assert_eq!(moved(300, 0.95).void_ratio, materials.loose(kind), "damp");
        assert!(moved(300, 1.0).moved && moved(300, 0.0).moved);
    }
}
