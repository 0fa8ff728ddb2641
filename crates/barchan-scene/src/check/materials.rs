//! `[[material]]`: materials of the scene's own, made from others.

use std::cell::RefCell;

use barchan_sim::material::{DensityRow, Phase, Retention};
use barchan_sim::{Material, MaterialId, Materials, Packing};
use toml::de::DeValue;

use crate::reader::{List, Number, Rule, TableReader, Text, Whole, nearest};

/// Materials that a scene may describe. Only those that its ground is made of take a number in the world.
const MOST: usize = 10_000;

/// Rows of a table of strengths.
const MOST_ROWS: usize = 64;

/// An angle of friction or repose (°).
const ANGLE: Number = Number { min: 0.0, max: 89.0 };
const VOID_RATIO: Number = Number { min: 0.0, max: 3.99 };

/// The built-in materials with those that a scene describes. One of its own takes a number when the ground asks for it.
pub struct Palette {
    described: Vec<Material>,
    numbered: RefCell<Materials>,
}

/// Reads the materials of the scene.
pub fn read(scene: &mut TableReader<'_>) -> Palette {
    let mut palette = Palette::builtin();
    let mut names: Vec<String> = Vec::new();
    for mut table in scene.tables("material", MOST) {
        let known_before = table.problem_count();
        let material = read_material(&mut table, &palette);
        if let Some(material) = material {
            if names.contains(&material.name) {
                table.wrong("name", "is there twice");
            }
            names.push(material.name.clone());
            match material.check() {
                Err(error) if table.problem_count() == known_before => table.wrong_here(error.to_string()),
                // Either nothing is wrong, or the keys have said what is.
                _ => palette.describe(material),
            }
        }
        table.finish();
    }
    palette
}

impl Palette {
    fn builtin() -> Self {
        let numbered = Materials::builtin();
        let described = numbered.iter().map(|(_, material)| material.clone()).collect();
        Self { described, numbered: RefCell::new(numbered) }
    }

    /// The materials of a world.
    pub fn of(materials: &Materials) -> Self {
        let described = materials.iter().map(|(_, material)| material.clone()).collect();
        Self { described, numbered: RefCell::new(materials.clone()) }
    }

    /// True when a material that has a number is a soil.
    pub fn is_soil(&self, id: MaterialId) -> bool {
        self.numbered.borrow()[id].phase == Phase::Soil
    }

    /// The materials that have a number.
    pub fn into_numbered(self) -> Materials {
        self.numbered.into_inner()
    }

    /// Whether a material that has a number is soil or rock.
    pub fn phase(&self, id: MaterialId) -> Phase {
        self.numbered.borrow().get(id).map_or(Phase::Rock, |material| material.phase)
    }

    /// Whether a material that has a number is soil or rock, and the density of its grains (kg/m³).
    pub fn phase_and_grain_density(&self, id: MaterialId) -> (Phase, f32) {
        let numbered = self.numbered.borrow();
        (numbered[id].phase, numbered[id].grain_density_kg_m3)
    }

    /// The angle of repose of a material that has a number (rad).
    pub fn repose_angle(&self, id: MaterialId) -> f32 {
        self.numbered.borrow()[id].repose_angle
    }

    /// What is wrong with a packing for a material that has a number.
    pub fn packing_problem(&self, packing: &Packing, id: MaterialId) -> Option<String> {
        packing.problem(id, &self.numbered.borrow())
    }

    fn find(&self, name: &str) -> Option<&Material> {
        self.described.iter().find(|material| material.name == name)
    }

    /// Adds a material, or puts it in the place of the one with its name.
    fn describe(&mut self, material: Material) {
        let numbered = self.numbered.get_mut();
        if numbered.find(&material.name).is_some()
            && let Ok(with) = numbered.with(material.clone())
        {
            *numbered = with;
        }
        match self.described.iter_mut().find(|known| known.name == material.name) {
            Some(known) => *known = material,
            None => self.described.push(material),
        }
    }

    /// The number of a material and, where it is new, of what it crumbles to.
    fn number(&self, material: &Material) -> Result<MaterialId, String> {
        let known = self.numbered.borrow().find(&material.name);
        if let Some(id) = known {
            return Ok(id);
        }
        if let Some(soil) = material.crumbles_to.as_deref().and_then(|name| self.find(name)) {
            self.number(soil)?;
        }
        let with = self.numbered.borrow().with(material.clone()).map_err(|error| error.to_string())?;
        let id = with.find(&material.name).ok_or("it takes no number")?;
        self.numbered.replace(with);
        Ok(id)
    }
}

/// The name of a material, which becomes its number.
pub struct MaterialName<'a>(pub &'a Palette);

impl Rule for MaterialName<'_> {
    type Value = MaterialId;

    fn allowed(&self) -> String {
        format!("the name of a material ({})", names(&self.0.described, |_| true))
    }

    fn read(&self, value: &DeValue<'_>) -> Result<MaterialId, String> {
        let name = value.as_str().ok_or_else(|| self.refusal())?;
        match self.0.find(name) {
            Some(material) => self.0.number(material),
            None => Err(not_known(name, &self.0.described, self.refusal())),
        }
    }
}

/// The name of a material to start from.
struct BaseName<'a>(&'a Palette);

impl Rule for BaseName<'_> {
    type Value = Material;

    fn allowed(&self) -> String {
        MaterialName(self.0).allowed()
    }

    fn read(&self, value: &DeValue<'_>) -> Result<Material, String> {
        let name = value.as_str().ok_or_else(|| self.refusal())?;
        self.0.find(name).cloned().ok_or_else(|| not_known(name, &self.0.described, self.refusal()))
    }
}

/// The name of a soil.
struct SoilName<'a>(&'a Palette);

impl Rule for SoilName<'_> {
    type Value = String;

    fn allowed(&self) -> String {
        format!("the name of a soil ({})", names(&self.0.described, |m| m.phase == Phase::Soil))
    }

    fn read(&self, value: &DeValue<'_>) -> Result<String, String> {
        let name = value.as_str().ok_or_else(|| self.refusal())?;
        let is_soil = self.0.find(name).is_some_and(|material| material.phase == Phase::Soil);
        if is_soil { Ok(name.to_owned()) } else { Err(self.refusal()) }
    }
}

fn names(materials: &[Material], counts: impl Fn(&Material) -> bool) -> String {
    let names: Vec<_> = materials.iter().filter(|m| counts(m)).map(|m| m.name.as_str()).collect();
    names.join(", ")
}

fn not_known(name: &str, materials: &[Material], refusal: String) -> String {
    match nearest(name, materials.iter().map(|material| material.name.as_str())) {
        Some(meant) => format!("no such material; did you mean {meant:?}?"),
        None => refusal,
    }
}

/// Reads one material. What is wrong with its numbers is noted, and the material is returned all the same: its name
/// stays good for the ground, so that one slip is reported once.
fn read_material(table: &mut TableReader<'_>, palette: &Palette) -> Option<Material> {
    let name = read_name(table);
    let base = table.required("based_on", &BaseName(palette));
    // Another stands in when the base is wrong; nothing is built then.
    let mut material = base.unwrap_or_else(|| palette.described[0].clone());
    let based_on = material.name.clone();
    read_numbers(table, &mut material);
    if let Some(Some(soil)) = table.optional("crumbles_to", &SoilName(palette)) {
        match material.phase {
            Phase::Rock => material.crumbles_to = Some(soil),
            Phase::Soil => table.wrong("crumbles_to", "is only for rock"),
        }
    }
    read_retention(table, &mut material);
    read_compression(table, &mut material);
    read_strength(table, &mut material);
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
    let grains = Number { min: 100.0, max: 25_000.0 };
    set("grain_density_kg_m3", grains, &mut material.grain_density_kg_m3, 1.0);
    set("void_ratio_dense", VOID_RATIO, &mut material.void_ratio_dense, 1.0);
    set("void_ratio_natural", VOID_RATIO, &mut material.void_ratio_natural, 1.0);
    set("void_ratio_loose", VOID_RATIO, &mut material.void_ratio_loose, 1.0);
    set("repose_angle_deg", ANGLE, &mut material.repose_angle, degree);
    set("hardness_mpa", Number { min: 0.0, max: 1_000.0 }, &mut material.hardness_mpa, 1.0);
    set("erodibility", Number { min: 0.0, max: 100.0 }, &mut material.erodibility, 1.0);
    set("shear_displacement_m", Number { min: 1e-4, max: 1.0 }, &mut material.shear_displacement_m, 1.0);
    set("concentration_factor", Number { min: 3.0, max: 6.0 }, &mut material.concentration_factor, 1.0);
    set("sinkage_exponent", Number { min: 0.05, max: 3.0 }, &mut material.sinkage_exponent, 1.0);
    set("sinkage_kc", Number { min: 0.0, max: 1e12 }, &mut material.sinkage_kc, 1.0);
    set("sinkage_kphi", Number { min: 0.0, max: 1e12 }, &mut material.sinkage_kphi, 1.0);
    let color = List { each: Whole { min: 0, max: 255 }, min: 3, max: 3 };
    if let Some(Some(color)) = table.optional("color", &color) {
        material.color = [color[0], color[1], color[2]].map(|channel| channel as u8);
    }
}

/// How it holds water: as the base does but for what is said, or all of it anew.
fn read_retention(table: &mut TableReader<'_>, material: &mut Material) {
    let mut number = |key, min, max| table.optional(key, &Number { min, max }).flatten();
    let alpha_per_m = number("retention_alpha_per_m", 0.01, 1_000.0);
    let n = number("retention_n", 1.01, 20.0);
    let residual = number("residual_saturation", 0.0, 0.9);
    match (&mut material.retention, alpha_per_m, n) {
        (Some(retention), ..) => {
            retention.alpha_per_m = alpha_per_m.unwrap_or(retention.alpha_per_m);
            retention.n = n.unwrap_or(retention.n);
            retention.residual_saturation = residual.unwrap_or(retention.residual_saturation);
        }
        (none, Some(alpha_per_m), Some(n)) => {
            *none = Some(Retention { alpha_per_m, n, residual_saturation: residual.unwrap_or(0.0) });
        }
        (None, None, None) if residual.is_none() => {}
        (None, ..) => {
            table.wrong_here("retention_alpha_per_m and retention_n must both be given: the base has none")
        }
    }
}

/// How it gives way under pressure: as the base does but for what is said. Where the base has no measured lines and not all three
/// numbers are given, the others are those that follow from its loosest and densest states.
fn read_compression(table: &mut TableReader<'_>, material: &mut Material) {
    let mut number = |key, min, max| table.optional(key, &Number { min, max }).flatten();
    let volume = number("volume_at_1_kpa", 1.0, 10.0);
    let lambda = number("lambda", 1e-6, 2.0);
    let kappa = number("kappa", 0.0, 1.98);
    if volume.is_none() && lambda.is_none() && kappa.is_none() {
        return;
    }
    let mut lines = material.compression();
    lines.volume_at_1_kpa = volume.unwrap_or(lines.volume_at_1_kpa);
    lines.lambda = lambda.unwrap_or(lines.lambda);
    lines.kappa = kappa.unwrap_or(lines.kappa);
    if lines.kappa > 0.99 * lines.lambda {
        table.wrong("kappa", format!("must be less than lambda, {}", lines.lambda));
    }
    material.measured_compression = Some(lines);
}

/// Its strength by void ratio. Without a table of its own, a soil whose friction or cohesion is said has none.
fn read_strength(table: &mut TableReader<'_>, material: &mut Material) {
    let has_rows = table.has("strength");
    let rows = table.tables("strength", MOST_ROWS).into_iter().map(read_row).collect();
    for key in ["friction_angle_deg", "cohesion_pa"] {
        if !table.has(key) {
            continue;
        }
        if has_rows {
            table.wrong(key, "has no place beside strength, which says it for every void ratio");
        }
        material.strength_rows.clear();
    }
    let rows: Option<Vec<_>> = rows;
    if let Some(rows) = rows.filter(|_| has_rows) {
        match material.phase {
            Phase::Soil => material.strength_rows = rows,
            Phase::Rock => table.wrong("strength", "is only for soil"),
        }
    }
}

fn read_row(mut row: TableReader<'_>) -> Option<DensityRow> {
    let void_ratio = row.required("void_ratio", &VOID_RATIO);
    let angle = row.required("friction_angle_deg", &ANGLE);
    let cohesion_pa = row.required("cohesion_pa", &Number { min: 0.0, max: 1e9 });
    row.finish();
    Some(DensityRow {
        void_ratio: void_ratio?,
        friction_angle: angle?.to_radians(),
        cohesion_pa: cohesion_pa?,
    })
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
