//! Soils that are about equally strong, and a table of their strengths for inner loops.

use super::strength::{Skeleton, Strength};
use super::table::{Material, MaterialId, Materials};
use crate::units::VoidRatio;

/// Soils that are equally strong: a kind in one of `DENSITIES` bins of void ratio, moved or not, in one of `WETNESSES` bins
/// of moisture. Tables over all classes ([`Materials::strengths`]) hold what inner loops need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StrengthClass(u32);

/// Bins of void ratio: the first is as dense as the soil goes, the last as loose as once it was moved, and in
/// the middle one it is as it was placed.
/// Cohesion of most soils changes by a tenth from one bin to the next.
const DENSITIES: u32 = 64;

/// The bin of the natural void ratio.
const NATURAL: u32 = 32;

/// Bins of moisture: the first is dry, in the last all pores are full.
const WETNESSES: u32 = 16;

/// From here on all pores count as full (1/65,535): what rounding leaves of them holds nothing together.
pub(crate) const DROWNED: u16 = 65_000;

impl StrengthClass {
    /// That of no soil at all.
    pub(crate) const NONE: Self = Self(0);
    const WET_BITS: u32 = WETNESSES.ilog2();
    const MOVED_BIT: u32 = 1 << Self::WET_BITS;
    const DENSITY_SHIFT: u32 = Self::WET_BITS + 1;
    const KIND_SHIFT: u32 = Self::DENSITY_SHIFT + DENSITIES.ilog2();

    /// Its place in tables over all classes.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The same soil before anything moved it.
    #[inline]
    pub fn unmoved(self) -> Self {
        Self(self.0 & !Self::MOVED_BIT)
    }

    /// Saturation of the middle of its bin (-).
    fn saturation(self) -> f32 {
        match self.0 & (WETNESSES - 1) {
            0 => 0.0,
            full if full == WETNESSES - 1 => 1.0,
            bin => (bin as f32 - 0.5) / (WETNESSES - 2) as f32,
        }
    }
}

/// Which bin a moisture lies in (1/65,535).
#[inline]
fn wet_bin(wetness: u16) -> u32 {
    match wetness {
        0 => 0,
        DROWNED.. => WETNESSES - 1,
        _ => 1 + u32::from(wetness) * (WETNESSES - 2) / u32::from(u16::MAX),
    }
}

/// The void ratios that the bins of one kind stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct DensityBins {
    natural: f32,
    /// Bins per step of void ratio, on the dense side and on the loose side.
    per_step: [f32; 2],
    /// Void ratio of the densest and the loosest (steps).
    ends: [f32; 2],
}

impl DensityBins {
    pub(super) fn of(material: &Material) -> Self {
        let steps = |e: f32| f32::from(VoidRatio::from_f32(e).0);
        let natural = steps(material.void_ratio_natural);
        let ends = [steps(material.void_ratio_dense), steps(material.void_ratio_loose)];
        let per_step = [
            NATURAL as f32 / (natural - ends[0]).max(1.0),
            (DENSITIES - 1 - NATURAL) as f32 / (ends[1] - natural).max(1.0),
        ];
        Self { natural, per_step, ends }
    }

    /// The bin that a void ratio is nearest to.
    #[inline]
    fn bin(&self, void_ratio: VoidRatio) -> u32 {
        let off = f32::from(void_ratio.0).clamp(self.ends[0], self.ends[1]) - self.natural;
        let bins = off * self.per_step[usize::from(off > 0.0)];
        // Rounded by hand: `round` is a call on most machines. Never below zero.
        (bins + NATURAL as f32 + 0.5) as u32
    }

    /// The void ratio that a bin stands for.
    fn void_ratio(&self, bin: u32) -> VoidRatio {
        let bins = bin as f32 - NATURAL as f32;
        let steps = self.natural + bins / self.per_step[usize::from(bins > 0.0)];
        VoidRatio(steps.clamp(self.ends[0], self.ends[1]) as u16)
    }
}

impl Materials {
    /// The class of such soil; its moisture as [`Voxel::wetness`](crate::Voxel::wetness) tells it (1/65,535).
    #[inline]
    pub fn strength_class(
        &self,
        kind: MaterialId,
        void_ratio: VoidRatio,
        moved: bool,
        wetness: u16,
    ) -> StrengthClass {
        let density = self.density_bins(kind).bin(void_ratio);
        let moved = if moved { StrengthClass::MOVED_BIT } else { 0 };
        let bins = density << StrengthClass::DENSITY_SHIFT | moved | wet_bin(wetness);
        StrengthClass(u32::from(kind.0) << StrengthClass::KIND_SHIFT | bins)
    }

    /// [`Materials::strength`] of every class, by [`StrengthClass::index`]: that of the middle of its bins.
    pub fn strengths(&self) -> &[Strength] {
        self.strength_table
            .get_or_init(|| self.iter().flat_map(|(kind, _)| self.strengths_of(kind)).collect())
    }

    fn strengths_of(&self, kind: MaterialId) -> impl Iterator<Item = Strength> + use<'_> {
        // Powers take a while, and few of them differ.
        let suction: Vec<f32> =
            (0..WETNESSES).map(|wet| self[kind].suction_stress_pa(StrengthClass(wet).saturation())).collect();
        let skeletons: Vec<Skeleton<'_>> = (0..DENSITIES)
            .map(|bin| Skeleton::of(&self[kind], self.density_bins(kind).void_ratio(bin)))
            .collect();
        (0..1 << StrengthClass::KIND_SHIFT).map(move |bins| {
            let class = StrengthClass(bins);
            let is_broken = bins & StrengthClass::MOVED_BIT != 0 && self.can_break(kind);
            let suction_pa = suction[(bins & (WETNESSES - 1)) as usize];
            let skeleton = &skeletons[(bins >> StrengthClass::DENSITY_SHIFT) as usize];
            skeleton.with_water(suction_pa, class.saturation(), is_broken)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_class_is_nearly_the_soil_that_is_in_it(
            kind in 0..9_u8, e in 0.0_f32..4.0, moved: bool, wetness: u16,
        ) {
            let (materials, kind) = (Materials::builtin(), MaterialId(kind));
            let material = &materials[kind];
            // Denser and looser soil than there is counts as the densest and the loosest.
            let e = VoidRatio::from_f32(e.clamp(material.void_ratio_dense, material.void_ratio_loose));
            let class = materials.strength_class(kind, e, moved, wetness);
            let (found, exact) = (
                materials.strengths()[class.index()],
                materials.strength(kind, e, moved, f32::from(wetness) / f32::from(u16::MAX)),
            );
            // Half a bin of void ratio and of moisture; suction takes no even steps.
            prop_assert!((found.tan_phi - exact.tan_phi).abs() < 0.03 * exact.tan_phi);
            prop_assert!(moved || wetness > 0 || (found.cohesion_pa - exact.cohesion_pa).abs() < 0.12 * exact.cohesion_pa);
            prop_assert!((found.gamma_n_m3 - exact.gamma_n_m3).abs() < 0.01 * exact.gamma_n_m3 + 350.0);
            prop_assert_eq!(
                materials.strengths()[class.unmoved().index()],
                materials.strengths()[materials.strength_class(kind, e, false, wetness).index()]
            );
        }
    }
}
