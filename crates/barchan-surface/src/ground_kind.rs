//! Kinds of ground that look alike, and where grass grows: what every picture of the ground agrees on.

use barchan_sim::material::Phase;
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

/// Whether grass grows on the soil of `voxel` where it is nearly flat: on loam that was never moved.
pub fn grows_grass(voxel: &Voxel, materials: &Materials) -> bool {
    let soil = voxel.surface();
    let is_loam = |material| GroundKind::of(material) == GroundKind::Loam;
    soil.units > 0 && !soil.moved && materials.get(soil.kind).is_some_and(is_loam)
}

#[cfg(test)]
mod tests {
    use barchan_sim::units::VoidRatio;
    use barchan_sim::voxel::Marks;

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
        let voxel = |name: &str, marks: u8| {
            let kind = materials.find(name).expect(name);
            Voxel { marks: Marks(marks), ..Voxel::of_soil(20_000, kind, VoidRatio::REFERENCE) }
        };
        assert!(grows_grass(&voxel("loam", 0), &materials));
        assert!(grows_grass(&voxel("sandy_loam", 0), &materials));
        assert!(!grows_grass(&voxel("loam", Marks::TOP_MOVED), &materials));
        assert!(!grows_grass(&voxel("dry_sand", 0), &materials));
        assert!(!grows_grass(&Voxel::AIR, &materials));
    }
}
