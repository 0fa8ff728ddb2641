//! Tables of materials as earlier versions of this program wrote them. What they did not know is that of the built-in material of
//! the same name.

use serde::{Deserialize, Serialize};

use super::compression::Compression;
use super::density_strength::DensityRow;
use super::retention::Retention;
use super::table::{Material, Materials, Phase};

/// Concentration factor and shear displacement (m) of a material that nobody knows: those of firm, dry soil.
const UNKNOWN_CONCENTRATION: f32 = 4.0;
const UNKNOWN_SHEAR_DISPLACEMENT_M: f32 = 0.025;

/// What all versions know, in their order.
#[derive(Serialize, Deserialize)]
struct Common {
    name: String,
    phase: Phase,
    friction_angle: f32,
    cohesion_pa: f32,
    unit_weight_n_m3: f32,
    grain_density_kg_m3: f32,
    void_ratio_dense: f32,
    void_ratio_natural: f32,
    void_ratio_loose: f32,
    repose_angle: f32,
    color: [u8; 3],
    hardness_mpa: f32,
    erodibility: f32,
    sinkage_exponent: f32,
    sinkage_kc: f32,
    sinkage_kphi: f32,
    retention: Option<Retention>,
    crumbles_to: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Version1 {
    common: Common,
    source: String,
}

#[derive(Serialize, Deserialize)]
struct Version2 {
    common: Common,
    measured_compression: Option<Compression>,
    concentration_factor: f32,
    strength_rows: Vec<DensityRow>,
    source: String,
}

impl Materials {
    /// The bytes of a table of this version as those of today; none where they are no such table, or of a version that never was.
    pub(crate) fn brought_up(version: u16, bytes: &[u8]) -> Option<Vec<u8>> {
        let list: Vec<Material> = match version {
            1 => all(bytes)?.into_iter().map(Version1::material).collect(),
            2 => all(bytes)?.into_iter().map(Version2::material).collect(),
            _ => return None,
        };
        postcard::to_stdvec(&list).ok()
    }
}

fn all<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<Vec<T>> {
    postcard::take_from_bytes(bytes).ok().filter(|(_, rest)| rest.is_empty()).map(|(list, _)| list)
}

impl Version1 {
    fn material(self) -> Material {
        let like = self.common.like();
        let material = self.common.material(self.source);
        match like {
            Some(Material { measured_compression, concentration_factor, .. }) => {
                Material { measured_compression, concentration_factor, ..material }
            }
            None => material,
        }
    }
}

impl Version2 {
    fn material(self) -> Material {
        let Self { common, measured_compression, concentration_factor, strength_rows, source } = self;
        let material = common.material(source);
        Material { measured_compression, concentration_factor, strength_rows, ..material }
    }
}

impl Common {
    /// The built-in material of its name.
    fn like(&self) -> Option<Material> {
        let builtin = Materials::builtin();
        builtin.find(&self.name).map(|id| builtin[id].clone())
    }

    fn material(self, source: String) -> Material {
        let like = self.like();
        Material {
            shear_displacement_m: like
                .map_or(UNKNOWN_SHEAR_DISPLACEMENT_M, |material| material.shear_displacement_m),
            name: self.name,
            phase: self.phase,
            friction_angle: self.friction_angle,
            cohesion_pa: self.cohesion_pa,
            unit_weight_n_m3: self.unit_weight_n_m3,
            grain_density_kg_m3: self.grain_density_kg_m3,
            void_ratio_dense: self.void_ratio_dense,
            void_ratio_natural: self.void_ratio_natural,
            void_ratio_loose: self.void_ratio_loose,
            repose_angle: self.repose_angle,
            color: self.color,
            hardness_mpa: self.hardness_mpa,
            erodibility: self.erodibility,
            sinkage_exponent: self.sinkage_exponent,
            sinkage_kc: self.sinkage_kc,
            sinkage_kphi: self.sinkage_kphi,
            retention: self.retention,
            crumbles_to: self.crumbles_to,
            measured_compression: None,
            concentration_factor: UNKNOWN_CONCENTRATION,
            strength_rows: Vec::new(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(material: &Material) -> Common {
        let m = material.clone();
        Common {
            name: m.name,
            phase: m.phase,
            friction_angle: m.friction_angle,
            cohesion_pa: m.cohesion_pa,
            unit_weight_n_m3: m.unit_weight_n_m3,
            grain_density_kg_m3: m.grain_density_kg_m3,
            void_ratio_dense: m.void_ratio_dense,
            void_ratio_natural: m.void_ratio_natural,
            void_ratio_loose: m.void_ratio_loose,
            repose_angle: m.repose_angle,
            color: m.color,
            hardness_mpa: m.hardness_mpa,
            erodibility: m.erodibility,
            sinkage_exponent: m.sinkage_exponent,
            sinkage_kc: m.sinkage_kc,
            sinkage_kphi: m.sinkage_kphi,
            retention: m.retention,
            crumbles_to: m.crumbles_to,
        }
    }

    #[test]
    fn tables_of_earlier_versions_are_read() {
        let builtin = Materials::builtin();
        let first: Vec<Version1> =
            builtin.iter().map(|(_, m)| Version1 { common: common(m), source: m.source.clone() }).collect();
        let second: Vec<Version2> = builtin
            .iter()
            .map(|(_, m)| Version2 {
                common: common(m),
                measured_compression: m.measured_compression,
                concentration_factor: m.concentration_factor,
                strength_rows: m.strength_rows.clone(),
                source: m.source.clone(),
            })
            .collect();
        let rows = [(1, postcard::to_stdvec(&first).unwrap()), (2, postcard::to_stdvec(&second).unwrap())];
        for (version, bytes) in rows {
            let today = Materials::brought_up(version, &bytes).expect("it is such a table");
            let read: Materials = postcard::from_bytes(&today).unwrap();
            assert_eq!(read, builtin, "version {version}");
            assert_eq!(Materials::brought_up(version, &bytes[1..]), None);
            assert_eq!(Materials::brought_up(9, &bytes), None);
        }
    }
}
