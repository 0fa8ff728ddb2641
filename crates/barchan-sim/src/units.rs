//! Whole units: how solids are counted, and how much room they take.
//!
//! Ground is counted, not measured. One unit is a fixed volume of solid matter; a voxel full of loose soil at the
//! reference void ratio holds [`LOOSE_FULL`] of them. Denser soil holds more, rock the most:
//! capacity(e) = 32,768 (1 + e_ref) / (1 + e). All of it is integer arithmetic, so that sums are exact and do not
//! depend on the order in which they are made.

use serde::{Deserialize, Serialize};

/// Units in a voxel full of soil at the reference void ratio. Also the scale of volume shares: this many parts
/// are one whole voxel.
pub const LOOSE_FULL: u32 = 32_768;

/// Volume of solid matter that one unit stands for, where voxels measure `voxel_size_m` (m³).
pub fn unit_m3(voxel_size_m: f32) -> f64 {
    let voxel_m3 = f64::from(voxel_size_m).powi(3);
    let share = VoidRatio(0).room_of(1) as f64 / VoidRatio::REFERENCE.room_of(1) as f64;
    voxel_m3 / f64::from(LOOSE_FULL) * share
}

/// Void ratio steps per 1.0.
const STEPS_PER_ONE: u32 = 16_384;

/// Void ratio e: volume of voids over volume of solids, from 0 (no pores) to just under 4, in steps of 1/16,384.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VoidRatio(pub u16);

impl VoidRatio {
    /// Loose sand: the void ratio at which a full voxel holds [`LOOSE_FULL`] units.
    pub const REFERENCE: Self = Self(13_107); // 0.8

    /// Largest void ratio that can be stored.
    pub const MAX: f32 = u16::MAX as f32 / STEPS_PER_ONE as f32;

    /// The nearest step to `e`; values outside the range (and NaN) are brought into it.
    pub fn from_f32(e: f32) -> Self {
        Self((e * STEPS_PER_ONE as f32).round() as u16)
    }

    /// The void ratio as a number.
    pub fn to_f32(self) -> f32 {
        f32::from(self.0) / STEPS_PER_ONE as f32
    }

    /// Units that fill one whole voxel at this void ratio.
    #[inline]
    pub fn capacity(self) -> u32 {
        self.units_in(LOOSE_FULL)
    }

    /// Share of a voxel that `units` take at this void ratio (1/32,768), rounded up: never less than the truth.
    #[inline]
    pub fn share_of(self, units: u32) -> u32 {
        (u64::from(units) * self.scale()).div_ceil(Self::REFERENCE.scale()) as u32
    }

    /// Share of a voxel that several amounts of soil take together (1/32,768), rounded up once.
    #[inline]
    pub fn share_of_all(parts: impl IntoIterator<Item = (Self, u32)>) -> u32 {
        Self::room_of_all(parts).div_ceil(Self::REFERENCE.scale()) as u32
    }

    /// The mean of several soils by their units, rounded so that all of them together with `others` take no more of a voxel than
    /// before.
    pub fn mean<const N: usize, const M: usize>(parts: [(Self, u32); N], others: [(Self, u32); M]) -> Self {
        let units: u64 = parts.iter().map(|(_, units)| u64::from(*units)).sum();
        if units == 0 {
            return Self(0);
        }
        let sum: u64 = parts.iter().map(|(e, units)| u64::from(e.0) * u64::from(*units)).sum();
        let nearest = Self(((sum + units / 2) / units) as u16);
        let share = |room: u64| (room + Self::room_of_all(others)).div_ceil(Self::REFERENCE.scale());
        if share(units * nearest.scale()) <= share(Self::room_of_all(parts)) {
            nearest
        } else {
            Self((sum / units) as u16)
        }
    }

    /// The room that these amounts take (steps times units).
    #[inline]
    fn room_of_all(parts: impl IntoIterator<Item = (Self, u32)>) -> u64 {
        parts.into_iter().map(|(e, units)| e.room_of(units)).sum()
    }

    /// The room that `units` take: 16,384 (1 + e) for each. Unlike a share it is exact, and can be added up.
    #[inline]
    pub fn room_of(self, units: u32) -> u64 {
        u64::from(units) * self.scale()
    }

    /// Units that fit into `share` (1/32,768) of a voxel at this void ratio, rounded down: what fits by this count
    /// fits in truth.
    #[inline]
    pub fn units_in(self, share: u32) -> u32 {
        (u64::from(share) * Self::REFERENCE.scale() / self.scale()) as u32
    }

    /// The largest void ratio at which `units` take no more than `share` (1/32,768) of a voxel; none where they would take more
    /// even without pores.
    pub fn fitting(units: u32, share: u32) -> Option<Self> {
        let scale = u64::from(share) * Self::REFERENCE.scale() / u64::from(units.max(1));
        let pores = scale.checked_sub(u64::from(STEPS_PER_ONE))?;
        Some(Self(pores.min(u64::from(u16::MAX)) as u16))
    }

    /// The smallest void ratio at which the pores of `units` hold `water` (units), with a hundredth to spare.
    pub fn holding(units: u64, water: u64) -> Self {
        if water == 0 {
            return Self(0);
        }
        let steps = water as f64 * Self::REFERENCE.scale() as f64 / units.max(1) as f64;
        Self((1.01 * steps).ceil().min(f64::from(u16::MAX)) as u16)
    }

    /// Room of a unit, in steps: 1 + e.
    #[inline]
    fn scale(self) -> u64 {
        u64::from(STEPS_PER_ONE) + u64::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voxel_at_the_reference_holds_the_reference_units() {
        assert_eq!(VoidRatio::REFERENCE.capacity(), LOOSE_FULL);
        assert!((VoidRatio::REFERENCE.to_f32() - 0.8).abs() < 1e-4);
    }

    #[test]
    fn capacity_follows_the_void_ratio_and_fits_sixteen_bits() {
        let mut last = u32::MAX;
        for q in 0..=u16::MAX {
            let capacity = VoidRatio(q).capacity();
            let exact = 32_768.0 * (29_491.0 / 16_384.0) / (1.0 + f64::from(q) / 16_384.0);
            assert!((exact - 1.0..=exact + 1e-3).contains(&f64::from(capacity)), "q = {q}");
            assert!(VoidRatio(q).share_of(capacity) <= LOOSE_FULL);
            assert!(VoidRatio(q).share_of(capacity + 1) > LOOSE_FULL);
            assert!(capacity <= last && capacity <= u32::from(u16::MAX));
            last = capacity;
        }
    }

    #[test]
    fn the_largest_void_ratio_that_fits_is_found() {
        for units in [1, 2, 777, 20_000, 32_768, 58_982, 65_535] {
            for share in [0, 1, 500, 16_384, LOOSE_FULL] {
                match VoidRatio::fitting(units, share) {
                    Some(e) => {
                        assert!(e.share_of(units) <= share, "{units} in {share}: {e:?}");
                        let looser = e.0.checked_add(1).map(VoidRatio);
                        assert!(
                            looser.is_none_or(|e| e.share_of(units) > share),
                            "{units} in {share}: {e:?}"
                        );
                    }
                    None => assert!(VoidRatio(0).share_of(units) > share, "{units} in {share}"),
                }
            }
        }
    }

    #[test]
    fn nonsense_is_brought_into_range() {
        assert_eq!(VoidRatio::from_f32(f32::NAN).0, 0);
        assert_eq!(VoidRatio::from_f32(-1.0).0, 0);
        assert_eq!(VoidRatio::from_f32(1e9).0, u16::MAX);
    }
}
