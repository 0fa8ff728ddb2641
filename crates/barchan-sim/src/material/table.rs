//! The table of materials of a world.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::compression::Compression;
use super::density_strength::DensityRow;
use super::retention::Retention;
use super::strength::Strength;
use super::strength_class::DensityBins;
use crate::units::VoidRatio;

/// Standard gravity, at which unit weights are given (m/s²). CGPM 1901.
pub(crate) const STANDARD_GRAVITY: f32 = 9.806_65;

/// Most materials in one world: a voxel names its kinds by a byte each, and a few numbers are kept free.
pub const MOST_MATERIALS: usize = 250;

/// Which material, as a place in [`Materials`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MaterialId(pub u8);

/// Whether a material moves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Loose ground: falls, slides, is pushed.
    Soil,
    /// Solid ground: stays until something breaks it.
    Rock,
}

/// One material. Strengths are those of the natural state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name in scenes: lower case with underscores.
    pub name: String,
    /// Soil or rock.
    pub phase: Phase,
    /// Angle of internal friction phi (rad).
    pub friction_angle: f32,
    /// Cohesion c (Pa).
    pub cohesion_pa: f32,
    /// Unit weight gamma of the natural state at standard gravity (N/m³).
    pub unit_weight_n_m3: f32,
    /// Density of its grains, or of the minerals of rock (kg/m³).
    pub grain_density_kg_m3: f32,
    /// Void ratio when packed as densely as it goes.
    pub void_ratio_dense: f32,
    /// Void ratio as found in the field; what a scene places.
    pub void_ratio_natural: f32,
    /// Void ratio after being moved: what falls or is dug swells to this.
    pub void_ratio_loose: f32,
    /// Angle of repose of a poured heap (rad).
    pub repose_angle: f32,
    /// Colour when dry (sRGB, 0 to 255).
    pub color: [u8; 3],
    /// Resistance to weathering and cutting: unconfined compressive strength (MPa).
    pub hardness_mpa: f32,
    /// How easily water takes it away, relative to loose sand = 1.
    pub erodibility: f32,
    /// Exponent n of the pressure-sinkage law p = (kc / b + kphi) z^n under a plate of smaller side b (-).
    pub sinkage_exponent: f32,
    /// Modulus kc of the pressure-sinkage law, of which narrow plates feel more (N/m^(n+1)).
    pub sinkage_kc: f32,
    /// Modulus kphi of the pressure-sinkage law, which all plates feel alike (N/m^(n+2)).
    pub sinkage_kphi: f32,
    /// How it holds water; none where water makes it no stronger.
    pub retention: Option<Retention>,
    /// Rock: the soil that it becomes when it breaks; none where nothing breaks it.
    pub crumbles_to: Option<String>,
    /// How it gives way under pressure, where that was measured ([`Material::compression`]).
    pub measured_compression: Option<Compression>,
    /// Janosi's K: how far soil is sheared until the greater part (63 %) of its shear strength is called up (m).
    pub shear_displacement_m: f32,
    /// Concentration factor of the stress below a load (-): 3 in an elastic body, more where soil is wetter and looser.
    pub concentration_factor: f32,
    /// Its strength by void ratio, the densest first, where that is known ([`Material::strength_at`]): it rules friction angle and
    /// cohesion of the natural state.
    pub strength_rows: Vec<DensityRow>,
    /// Where the numbers come from (keys of docs/REFERENCES.md).
    pub source: String,
}

impl Material {
    /// Bulk density of the natural state (kg/m³).
    pub fn bulk_density_kg_m3(&self) -> f32 {
        self.unit_weight_n_m3 / STANDARD_GRAVITY
    }

    /// Density of the solid matter itself (kg/m³): bulk density x (1 + e), pore water counted with the solids.
    pub fn solid_density_kg_m3(&self) -> f32 {
        self.bulk_density_kg_m3() * (1.0 + self.void_ratio_natural)
    }

    /// True when it loses its cohesion as it moves: where that does not loosen it, it holds together as it did.
    fn can_break(&self) -> bool {
        self.cohesion_pa > 0.0 && self.void_ratio_loose > self.void_ratio_natural
    }

    /// The same material by another name and in another colour: that is how colour travels with matter.
    pub fn variant(&self, name: impl Into<String>, color: [u8; 3]) -> Self {
        Self { name: name.into(), color, ..self.clone() }
    }

    /// Checks every number against its physical range.
    pub fn check(&self) -> Result<(), MaterialError> {
        let angle_max = 89_f32.to_radians();
        let ranges = [
            ("friction_angle (rad)", self.friction_angle, 0.0, angle_max),
            ("cohesion_pa", self.cohesion_pa, 0.0, 1e9),
            ("unit_weight_n_m3", self.unit_weight_n_m3, 100.0, 250_000.0),
            ("grain_density_kg_m3", self.grain_density_kg_m3, 100.0, 25_000.0),
            ("void_ratio_dense", self.void_ratio_dense, 0.0, VoidRatio::MAX),
            ("void_ratio_natural", self.void_ratio_natural, self.void_ratio_dense, VoidRatio::MAX),
            ("void_ratio_loose", self.void_ratio_loose, self.void_ratio_natural, VoidRatio::MAX),
            ("repose_angle (rad)", self.repose_angle, 0.0, angle_max),
            ("hardness_mpa", self.hardness_mpa, 0.0, 1_000.0),
            ("erodibility", self.erodibility, 0.0, 100.0),
            ("shear_displacement_m", self.shear_displacement_m, 1e-4, 1.0),
            ("concentration_factor", self.concentration_factor, 3.0, 6.0),
            ("sinkage_exponent", self.sinkage_exponent, 0.05, 3.0),
            ("sinkage_kc", self.sinkage_kc, 0.0, 1e12),
            ("sinkage_kphi", self.sinkage_kphi, 0.0, 1e12),
        ];
        let of_retention = self.retention.iter().flat_map(Retention::ranges);
        let of_compression = self.measured_compression.iter().flat_map(Compression::ranges);
        for (field, value, min, max) in ranges.into_iter().chain(of_retention).chain(of_compression) {
            if !(min..=max).contains(&value) {
                return Err(MaterialError::OutOfRange { name: self.name.clone(), field, value, min, max });
            }
        }
        if let Some(problem) = self.rows_problem() {
            return Err(MaterialError::Rows { name: self.name.clone(), problem });
        }
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(word) {
            return Err(MaterialError::BadName { name: self.name.clone() });
        }
        Ok(())
    }
}

/// What can be wrong with a material.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A number outside its range.
    #[error("material '{name}': {field} = {value} is outside {min} to {max}")]
    OutOfRange {
        /// The material.
        name: String,
        /// The field, with its unit.
        field: &'static str,
        /// What it holds.
        value: f32,
        /// Smallest allowed.
        min: f32,
        /// Largest allowed.
        max: f32,
    },
    /// A table of strengths that cannot be read.
    #[error("material '{name}': its table of strengths {problem}")]
    Rows {
        /// The material.
        name: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// A name that scenes could not use.
    #[error("material name '{name}' must be 1 to 64 of a-z, 0-9 and _")]
    BadName {
        /// The name.
        name: String,
    },
    /// Two materials of one name.
    #[error("material '{name}' is there twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// No material of this name.
    #[error("there is no material '{name}'")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Another phase or packing than the ground was made with.
    #[error("material '{name}' must keep its phase and its void ratios: there is ground made of it")]
    Packing {
        /// The name.
        name: String,
    },
    /// A rock that becomes what is no soil of the table.
    #[error("material '{name}' crumbles to '{to}', which is no soil of this world")]
    CrumblesTo {
        /// The rock.
        name: String,
        /// What it should become.
        to: String,
    },
    /// More than a voxel can tell apart.
    #[error("{count} materials; a world holds at most {MOST_MATERIALS}: {names}")]
    TooMany {
        /// How many there were.
        count: usize,
        /// All of them.
        names: String,
    },
}

/// All materials of a world. Voxels refer to them by [`MaterialId`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<Material>", into = "Vec<Material>")]
pub struct Materials {
    list: Vec<Material>,
    /// Natural void ratio of each, kept at hand for the inner loops.
    void_ratios: Vec<VoidRatio>,
    /// What each is like before it is moved, and once it was ([`Materials::is_broken`]).
    broken: Vec<[bool; 2]>,
    /// Void ratio of each once it has moved ([`Materials::loose`]).
    loose: Vec<VoidRatio>,
    /// See [`Materials::strength_class`].
    density_bins: Vec<DensityBins>,
    /// See [`Materials::strengths`].
    pub(super) strength_table: OnceLock<Arc<[Strength]>>,
    /// How often this table was changed since it was made: whoever keeps something derived from it asks.
    revision: u32,
}

impl PartialEq for Materials {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Materials {
    /// The materials that come with Barchan.
    pub fn builtin() -> Self {
        Self::new(super::builtin::materials()).expect("the built-in materials are checked by a test")
    }

    /// A table without any.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new()).expect("nothing is wrong with no materials")
    }

    /// A table of these materials, each checked.
    pub fn new(mut list: Vec<Material>) -> Result<Self, MaterialError> {
        if list.len() > MOST_MATERIALS {
            let names: Vec<_> = list.iter().map(|material| material.name.as_str()).collect();
            return Err(MaterialError::TooMany { count: list.len(), names: names.join(", ") });
        }
        for (i, material) in list.iter().enumerate() {
            material.check()?;
            if list[..i].iter().any(|other| other.name == material.name) {
                return Err(MaterialError::Twice { name: material.name.clone() });
            }
            let is_soil = |name: &String| list.iter().any(|m| m.name == *name && m.phase == Phase::Soil);
            if let Some(to) = material.crumbles_to.as_ref().filter(|to| !is_soil(to)) {
                return Err(MaterialError::CrumblesTo { name: material.name.clone(), to: to.clone() });
            }
        }
        list.iter_mut().for_each(Material::follow_rows);
        let void_ratios = list.iter().map(|m| VoidRatio::from_f32(m.void_ratio_natural)).collect();
        let broken =
            list.iter().map(|m| [m.cohesion_pa == 0.0, m.cohesion_pa == 0.0 || m.can_break()]).collect();
        let loose = list.iter().map(|m| VoidRatio::from_f32(m.void_ratio_loose)).collect();
        let density_bins = list.iter().map(DensityBins::of).collect();
        let strength_table = OnceLock::new();
        Ok(Self { list, void_ratios, broken, loose, density_bins, strength_table, revision: 0 })
    }

    /// The material with this name.
    pub fn find(&self, name: &str) -> Option<MaterialId> {
        self.list.iter().position(|m| m.name == name).map(|at| MaterialId(at as u8))
    }

    /// The material `id`, if the table has it.
    pub fn get(&self, id: MaterialId) -> Option<&Material> {
        self.list.get(usize::from(id.0))
    }

    /// All of them, in order of id.
    pub fn iter(&self) -> impl Iterator<Item = (MaterialId, &Material)> {
        self.list.iter().enumerate().map(|(at, material)| (MaterialId(at as u8), material))
    }

    /// Void ratio of rock `id`: rock has only its natural one.
    #[inline]
    pub fn rock_void_ratio(&self, id: MaterialId) -> VoidRatio {
        self.void_ratios[usize::from(id.0)]
    }

    /// True when soil `id` has no cohesion: it never had any, or it was moved and lost it.
    #[inline]
    pub fn is_broken(&self, id: MaterialId, moved: bool) -> bool {
        self.broken[usize::from(id.0)][usize::from(moved)]
    }

    /// True when soil `id` loses cohesion as it moves.
    #[inline]
    pub fn can_break(&self, id: MaterialId) -> bool {
        let [before, after] = self.broken[usize::from(id.0)];
        before != after
    }

    /// Void ratio of soil `id` that has just moved.
    #[inline]
    pub fn loose(&self, id: MaterialId) -> VoidRatio {
        self.loose[usize::from(id.0)]
    }

    /// The void ratios that the classes of strength of material `id` stand for.
    #[inline]
    pub(super) fn density_bins(&self, id: MaterialId) -> &DensityBins {
        &self.density_bins[usize::from(id.0)]
    }

    /// The table with `material` added, or in the place of the one with its name.
    pub fn with(&self, material: Material) -> Result<Self, MaterialError> {
        let mut list = self.list.clone();
        match self.find(&material.name) {
            Some(id) => list[usize::from(id.0)] = material,
            None => list.push(material),
        }
        Ok(Self { revision: self.revision + 1, ..Self::new(list)? })
    }

    /// How often this table was changed since it was made or loaded.
    pub(crate) fn revision(&self) -> u32 {
        self.revision
    }
}

impl std::ops::Index<MaterialId> for Materials {
    type Output = Material;
    fn index(&self, id: MaterialId) -> &Material {
        &self.list[usize::from(id.0)]
    }
}

impl TryFrom<Vec<Material>> for Materials {
    type Error = MaterialError;
    fn try_from(list: Vec<Material>) -> Result<Self, MaterialError> {
        Self::new(list)
    }
}

impl From<Materials> for Vec<Material> {
    fn from(materials: Materials) -> Self {
        materials.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_table_is_sound_and_complete() {
        let materials = Materials::builtin();
        for name in [
            "dry_sand",
            "wet_sand",
            "gravel",
            "scree",
            "sandy_loam",
            "loam",
            "clay",
            "snow",
            "lunar_regolith",
            "sandstone",
            "limestone",
            "granite",
        ] {
            let id = materials.find(name).unwrap_or_else(|| panic!("no {name}"));
            assert!(!materials[id].source.is_empty(), "{name} has no source");
            // Solids of snow are ice, of everything else minerals.
            let solid = materials[id].solid_density_kg_m3();
            let expected = if name == "snow" { 700.0..1_100.0 } else { 2_300.0..3_700.0 };
            assert!(expected.contains(&solid), "{name}: solid density {solid}");
        }
    }

    #[test]
    fn rock_holds_more_than_any_soil() {
        let materials = Materials::builtin();
        let densest_soil = materials
            .iter()
            .filter(|(_, m)| m.phase == Phase::Soil)
            .map(|(_, m)| VoidRatio::from_f32(m.void_ratio_dense).capacity())
            .max();
        for (id, material) in materials.iter().filter(|(_, m)| m.phase == Phase::Rock) {
            assert!(Some(materials.rock_void_ratio(id).capacity()) > densest_soil, "{}", material.name);
        }
    }

    #[test]
    fn bad_materials_are_named() {
        let sand = Materials::builtin()[MaterialId(0)].clone();
        let error = Materials::new(vec![Material { cohesion_pa: f32::NAN, ..sand.clone() }]).unwrap_err();
        assert!(error.to_string().contains("cohesion_pa = NaN"), "{error}");
        let error = Materials::new(vec![sand.clone(), sand.clone()]).unwrap_err();
        assert_eq!(error, MaterialError::Twice { name: "dry_sand".into() });
        let error = Materials::new(vec![Material { name: "Dry Sand".into(), ..sand }]).unwrap_err();
        assert!(matches!(error, MaterialError::BadName { .. }));
    }
}
