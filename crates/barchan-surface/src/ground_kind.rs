//! Kinds of ground that look alike, and where grass grows: what every picture of the ground agrees on.

use barchan_sim::material::Phase;
use barchan_sim::units::VoidRatio;
use barchan_sim::{Material, Materials, Voxel};

/// How a material looks, which follows from how it behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundKind {
    /// Loose grains, with ripples where it is nearly flat.
    Sand,
    /// Crumbs and clods, with grass where it was never moved.
    Loam,
    /// Smooth and a little glossy.
    Clay,
    /// Pebbles.
    Stones,
    /// Even and dull.
    Dust,
    /// Even and bright.
    Snow,
    /// Rock in beds.
    Bedded,
    /// Rock of crystals.
    Crystalline,
}

impl GroundKind {
    /// The kind that `material` is of.
    pub fn of(material: &Material) -> Self {
        let phi_deg = material.friction_angle.to_degrees();
        match material.phase {
            Phase::Rock if material.hardness_mpa > 150.0 => Self::Crystalline,
            Phase::Rock => Self::Bedded,
            Phase::Soil if material.unit_weight_n_m3 < 6_000.0 => Self::Snow,
            Phase::Soil if phi_deg > 36.0 && material.cohesion_pa < 100.0 => Self::Stones,
            Phase::Soil if phi_deg > 36.0 => Self::Dust,
            Phase::Soil if phi_deg > 28.0 => Self::Sand,
            Phase::Soil if phi_deg < 20.0 => Self::Clay,
            Phase::Soil => Self::Loam,
        }
    }

    /// Its name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sand => "sand",
            Self::Loam => "loam",
            Self::Clay => "clay",
            Self::Stones => "stones",
            Self::Dust => "dust",
            Self::Snow => "snow",
            Self::Bedded => "bedded",
            Self::Crystalline => "crystalline",
        }
    }
}

/// Whether grass grows on the soil of `voxel` where it is nearly flat: on loam that was never moved. Soil that moves is
/// looser than it was laid.
pub fn grows_grass(voxel: &Voxel, materials: &Materials) -> bool {
    materials.get(voxel.soil_kind).is_some_and(|material| {
        let natural = VoidRatio::from_f32(material.void_ratio_natural);
        let undisturbed = voxel.void_ratio.0 <= natural.0.saturating_add(natural.0 / 50);
        voxel.soil > 0 && undisturbed && GroundKind::of(material) == GroundKind::Loam
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn materials_are_of_the_kind_their_names_say() {
        let materials = Materials::builtin();
        for (name, kind) in [
            ("dry_sand", GroundKind::Sand),
            ("wet_sand", GroundKind::Sand),
            ("loam", GroundKind::Loam),
            ("sandy_loam", GroundKind::Loam),
            ("clay", GroundKind::Clay),
            ("gravel", GroundKind::Stones),
            ("snow", GroundKind::Snow),
            ("sandstone", GroundKind::Bedded),
            ("granite", GroundKind::Crystalline),
        ] {
            let material = materials.find(name).and_then(|id| materials.get(id)).expect(name);
            assert_eq!(GroundKind::of(material), kind, "{name}");
        }
    }

    #[test]
    fn grass_grows_on_loam_that_was_never_moved() {
        let materials = Materials::builtin();
        let voxel = |name: &str, void_ratio: fn(&Material) -> f32| {
            let soil_kind = materials.find(name).expect(name);
            let void_ratio = VoidRatio::from_f32(void_ratio(&materials[soil_kind]));
            Voxel { soil: 20_000, soil_kind, void_ratio, ..Voxel::AIR }
        };
        assert!(grows_grass(&voxel("loam", |m| m.void_ratio_natural), &materials));
        assert!(grows_grass(&voxel("sandy_loam", |m| m.void_ratio_dense), &materials));
        assert!(!grows_grass(&voxel("loam", |m| m.void_ratio_loose), &materials));
        assert!(!grows_grass(&voxel("dry_sand", |m| m.void_ratio_natural), &materials));
        assert!(!grows_grass(&Voxel::AIR, &materials));
    }
}
