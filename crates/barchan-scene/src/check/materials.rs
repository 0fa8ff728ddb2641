//! `[[material]]`: materials of the scene's own, made from others.

use barchan_sim::{Material, MaterialId, Materials};
use toml::de::DeValue;

use crate::reader::{List, Number, Rule, TableReader, Text, Whole, nearest};

/// Materials that a scene may add to the built-in ones.
const MOST: usize = 200;

/// An angle of friction or repose (°).
const ANGLE: Number = Number { min: 0.0, max: 89.0 };
const VOID_RATIO: Number = Number { min: 0.0, max: 3.99 };

/// The built-in materials with those of the scene.
pub fn read(scene: &mut TableReader<'_>) -> Materials {
    let mut materials = Materials::builtin();
    let mut names: Vec<String> = Vec::new();
    for mut table in scene.tables("material", MOST) {
        let known_before = table.problem_count();
        let material = read_material(&mut table, &materials);
        if let Some(material) = material {
            if names.contains(&material.name) {
                table.wrong("name", "is there twice");
            }
            names.push(material.name.clone());
            match materials.with(material) {
                Ok(with) => materials = with,
                Err(error) if table.problem_count() == known_before => table.wrong_here(error.to_string()),
                // The keys have said what is wrong.
                Err(_) => {}
            }
        }
        table.finish();
    }
    materials
}

/// The name of a material, which becomes its number.
pub struct MaterialName<'a>(pub &'a Materials);

impl Rule for MaterialName<'_> {
    type Value = MaterialId;

    fn allowed(&self) -> String {
        let names: Vec<_> = self.0.iter().map(|(_, material)| material.name.as_str()).collect();
        format!("the name of a material ({})", names.join(", "))
    }

    fn read(&self, value: &DeValue<'_>) -> Result<MaterialId, String> {
        let name = value.as_str().ok_or_else(|| self.refusal())?;
        self.0.find(name).ok_or_else(|| {
            let names = self.0.iter().map(|(_, material)| material.name.as_str());
            match nearest(name, names) {
                Some(meant) => format!("no such material; did you mean {meant:?}?"),
                None => self.refusal(),
            }
        })
    }
}

/// Reads one material. What is wrong with its numbers is noted, and the material is returned all the same: its name
/// stays good for the ground, so that one slip is reported once.
fn read_material(table: &mut TableReader<'_>, materials: &Materials) -> Option<Material> {
    let name = read_name(table);
    let base = table.required("based_on", &MaterialName(materials));
    // Stands in when the base is wrong; nothing is built then.
    let mut material = materials[base.unwrap_or_default()].clone();
    let based_on = material.name.clone();
    read_numbers(table, &mut material);
    check_void_ratios(table, &material);
    material.name = name?;
    material.source = format!("scene, based on {based_on}");
    Some(material)
}

fn read_name(table: &mut TableReader<'_>) -> Option<String> {
    let name = table.required("name", &Text { longest: 64 })?;
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.chars().all(is_word) {
        table.wrong("name", "must be made of a-z, 0-9 and _");
        return None;
    }
    Some(name)
}

fn read_numbers(table: &mut TableReader<'_>, material: &mut Material) {
    let mut set = |key, range: Number, target: &mut f32, factor: f32| {
        if let Some(Some(value)) = table.optional(key, &range) {
            *target = value * factor;
        }
    };
    let degree = std::f32::consts::PI / 180.0;
    set("friction_angle_deg", ANGLE, &mut material.friction_angle, degree);
    set("cohesion_pa", Number { min: 0.0, max: 1e9 }, &mut material.cohesion_pa, 1.0);
    set("unit_weight_n_m3", Number { min: 100.0, max: 250_000.0 }, &mut material.unit_weight_n_m3, 1.0);
    set("void_ratio_dense", VOID_RATIO, &mut material.void_ratio_dense, 1.0);
    set("void_ratio_natural", VOID_RATIO, &mut material.void_ratio_natural, 1.0);
    set("void_ratio_loose", VOID_RATIO, &mut material.void_ratio_loose, 1.0);
    set("repose_angle_deg", ANGLE, &mut material.repose_angle, degree);
    set("hardness_mpa", Number { min: 0.0, max: 1_000.0 }, &mut material.hardness_mpa, 1.0);
    set("erodibility", Number { min: 0.0, max: 100.0 }, &mut material.erodibility, 1.0);
    set("sinkage_exponent", Number { min: 0.05, max: 3.0 }, &mut material.sinkage_exponent, 1.0);
    set("sinkage_kc", Number { min: 0.0, max: 1e12 }, &mut material.sinkage_kc, 1.0);
    set("sinkage_kphi", Number { min: 0.0, max: 1e12 }, &mut material.sinkage_kphi, 1.0);
    let color = List { each: Whole { min: 0, max: 255 }, min: 3, max: 3 };
    if let Some(Some(color)) = table.optional("color", &color) {
        material.color = [color[0], color[1], color[2]].map(|channel| channel as u8);
    }
}

/// Dense, natural and loose must follow each other.
fn check_void_ratios(table: &TableReader<'_>, material: &Material) {
    let Material { void_ratio_dense: dense, void_ratio_natural: natural, void_ratio_loose: loose, .. } =
        *material;
    if natural < dense {
        table.wrong("void_ratio_natural", format!("must be at least void_ratio_dense, {dense}"));
    }
    if loose < natural {
        table.wrong("void_ratio_loose", format!("must be at least void_ratio_natural, {natural}"));
    }
}
