//! `[[edit]]`: what a terrain artist's tools do, in order, once ground and bodies are there.

use std::sync::Arc;

use barchan_sim::tools::{Copying, Flood, FloodWork, Growing, Pigment, Reshaping, Surface};
use barchan_sim::weather::{Debris, Weathering};
use barchan_sim::{Edit, MaterialId};
use barchan_volume::{Bubble, Form as BubbleForm, Region, VoxelBox};
use glam::{IVec3, Vec3};
use toml::de::DeValue;

use super::ground::{Kind, Surroundings, read_form};
use super::materials::MaterialName;
use super::ranges::{LENGTH, PLACE, POINT, SHARE};
use super::shapes::ShapeKind;
use crate::reader::{Flag, List, Number, OneOf, Rule, TableReader, Vector, Whole};
use crate::scene::{EditStep, Form};

/// Entries that a scene may have.
const MOST: usize = 10_000;
/// Most weights of a table.
const MOST_WEIGHTS: usize = 129 * 129 * 129;
/// Rounds of sliding after which soil is left as it lies.
const MOST_ROUNDS: u32 = 1 << 20;

/// The tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Add,
    Remove,
    Weather,
    Paint,
    Copy,
    Fill,
    Color,
    Raise,
    Flatten,
    Smooth,
    Grow,
    Shrink,
    Rest,
}

const TOOLS: OneOf<'static, Tool> = OneOf(&[
    ("add", Tool::Add),
    ("remove", Tool::Remove),
    ("weather", Tool::Weather),
    ("paint", Tool::Paint),
    ("copy", Tool::Copy),
    ("fill", Tool::Fill),
    ("color", Tool::Color),
    ("raise", Tool::Raise),
    ("flatten", Tool::Flatten),
    ("smooth", Tool::Smooth),
    ("grow", Tool::Grow),
    ("shrink", Tool::Shrink),
    ("rest", Tool::Rest),
]);

/// Regions that tools work in.
const KINDS: OneOf<'static, Kind> = OneOf(&[
    ("layer", Kind::Layer),
    ("box", Kind::Shape(ShapeKind::Box)),
    ("ball", Kind::Shape(ShapeKind::Ball)),
    ("cylinder", Kind::Shape(ShapeKind::Cylinder)),
    ("cone", Kind::Shape(ShapeKind::Cone)),
    ("path", Kind::Path),
    ("rough_ball", Kind::RoughBall),
    ("mesh", Kind::Shape(ShapeKind::Mesh)),
]);

/// The shapes of bubbles.
pub const FORMS: OneOf<'static, BubbleForm> = OneOf(&[
    ("box", BubbleForm::Box),
    ("ball", BubbleForm::Ball),
    ("flattened_ball", BubbleForm::FlattenedBall),
    ("tall_ball", BubbleForm::TallBall),
    ("teardrop", BubbleForm::Teardrop),
    ("rhombus", BubbleForm::Rhombus),
    ("falloff", BubbleForm::Falloff),
]);

/// All entries, as far as they are right.
pub fn read(scene: &mut TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Vec<EditStep> {
    let tables = scene.tables("edit", MOST);
    tables.into_iter().filter_map(|table| read_step(table, around)).collect()
}

fn read_step(mut table: TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<EditStep> {
    let tool = table.required("op", &TOOLS)?;
    let edit = match tool {
        Tool::Add => read_add(&mut table, around),
        Tool::Remove => read_region(&mut table, around).map(|region| Edit::Remove { region }),
        Tool::Weather => read_weather(&mut table, around),
        Tool::Paint => {
            let (region, pigment) = (read_region(&mut table, around), read_pigment(&mut table, around));
            region.zip(pigment).map(|(region, pigment)| Edit::Paint { region, pigment })
        }
        Tool::Copy => read_copy(&mut table, around),
        Tool::Fill | Tool::Color => read_flood(&mut table, tool == Tool::Color, around),
        Tool::Raise | Tool::Flatten | Tool::Smooth => read_reshape(&mut table, tool, around),
        Tool::Grow | Tool::Shrink => read_grow(&mut table, tool == Tool::Shrink, around),
        Tool::Rest => {
            let rounds = table.or("rounds", &Whole { min: 1, max: MOST_ROUNDS.into() }, MOST_ROUNDS.into());
            rounds.map(|rounds| Edit::Rest { most_rounds: rounds as u32 })
        }
    };
    let rests = match tool {
        Tool::Weather | Tool::Rest => Some(false),
        _ => table.or("rest", &Flag, false),
    };
    let line = table.line();
    table.finish();
    let rest = rests?.then_some(Edit::Rest { most_rounds: MOST_ROUNDS });
    Some(EditStep { line, edits: std::iter::once(edit?).chain(rest).collect() })
}

fn read_add(table: &mut TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<Edit> {
    let material = table.required("material", &MaterialName(around.palette));
    let moisture = table.or("moisture", &SHARE, 0.0);
    let region = read_region(table, around);
    Some(Edit::Place { region: region?, material: material?, moisture: moisture? })
}

/// The region of a tool, which must be said.
fn read_region(table: &mut TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<Region> {
    let kind = table.required("kind", &KINDS)?;
    region_of(table, kind, around)
}

/// The region of a tool; everywhere where none is said. The outer option is none where something is wrong.
fn read_region_or_all(
    table: &mut TableReader<'_>,
    around: &mut Surroundings<'_, '_>,
) -> Option<Option<Region>> {
    match table.optional("kind", &KINDS)? {
        None => Some(None),
        Some(kind) => region_of(table, kind, around).map(Some),
    }
}

fn region_of(table: &mut TableReader<'_>, kind: Kind, around: &mut Surroundings<'_, '_>) -> Option<Region> {
    let origin = read_origin(table);
    let Form::Region(region) = read_form(table, kind, None, around)? else { return None };
    match origin? {
        IVec3::ZERO => Some(region),
        origin => {
            let brick_m = 8.0 * around.site.voxel_size_m?;
            Some(Region::Moved { origin, brick_m, region: Arc::new(region) })
        }
    }
}

/// From which brick on places are told.
fn read_origin(table: &mut TableReader<'_>) -> Option<IVec3> {
    const VOXELS: Number = Number { min: -65_536.0, max: 65_536.0 };
    let voxels = table.or("origin_voxels", &Vector(VOXELS), Vec3::ZERO)?;
    if voxels % 8.0 != Vec3::ZERO {
        table.wrong("origin_voxels", "must be multiples of 8: the corner of a brick");
        return None;
    }
    Some(voxels.as_ivec3() / 8)
}

fn read_weather(table: &mut TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<Edit> {
    let region = read_region_or_all(table, around);
    let bubble = read_bubble(table, around);
    let threshold = table.or("threshold", &Number { min: 0.0, max: 1.0 }, 0.5);
    let smooth = table.or("smooth", &Flag, false);
    let soil_shields = table.or("soil_shields", &Flag, true);
    let fill_hollows = table.or("fill_hollows", &Flag, false);
    let drop_pieces = table.or("drop_pieces", &Flag, false);
    let debris = read_debris(table, around);
    let rests = table.or("rest", &Flag, true);
    // A share of 0.3 means three tenths, not the nearest number of 32 bits.
    let threshold = (f64::from(threshold?) * 1e7).round() / 1e7;
    let weathering = Weathering::new(region?, bubble?, threshold);
    Some(Edit::Weather(Weathering {
        smooth: smooth?,
        soil_shields: soil_shields?,
        fill_hollows: fill_hollows?,
        drop_pieces: drop_pieces?,
        debris: debris?,
        rest_rounds: if rests? { MOST_ROUNDS } else { 0 },
        ..weathering
    }))
}

/// What becomes of rock; the outer option is none where something is wrong.
pub fn read_debris(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Option<Debris>> {
    let kind = table.optional("debris", &MaterialName(around.palette));
    let share = table.or("debris_share", &SHARE, 1.0);
    let keeps_color = table.or("debris_color", &Flag, true);
    let debris = Debris { kind: kind?, share: share?, keeps_color: keeps_color? };
    if debris.kind.is_some_and(|kind| !around.palette.is_soil(kind)) {
        table.wrong("debris", "must be a soil");
        return None;
    }
    Some((debris.share > 0.0).then_some(debris))
}

/// The bubble of weathering.
pub fn read_bubble(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Bubble> {
    let form = table.or("bubble", &FORMS, BubbleForm::Ball);
    let radii = read_radii(table, around);
    let each = Number { min: 0.0, max: 1.0 };
    let weights = table.optional("bubble_weights", &List { each, min: 27, max: MOST_WEIGHTS });
    let (radii, form) = (radii?, form?);
    let bubble = match weights? {
        None => Bubble::new(form, radii),
        Some(weights) => {
            let side = radii * 2 + 1;
            let expected = side.as_i64vec3().element_product();
            if weights.len() as i64 != expected {
                let message = format!("has {}; a bubble of radii {radii} has {expected}", weights.len());
                table.wrong("bubble_weights", message);
                return None;
            }
            let at = |d: IVec3| {
                let d = d + radii;
                ((d.x * side.y + d.y) * side.z + d.z) as usize
            };
            Bubble::from_fn(radii, |d| f64::from(weights[at(d)]))
        }
    };
    bubble.map_err(|error| table.wrong_here(error.to_string())).ok()
}

/// The radii of a bubble (voxels).
pub fn read_radii(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<IVec3> {
    let in_voxels = table.optional("bubble_radius_voxels", &Radii(Number { min: 1.0, max: 64.0 }));
    let in_metres = table.optional("bubble_radius_m", &Radii(LENGTH));
    let voxel_size_m = around.site.voxel_size_m?;
    match (in_voxels?, in_metres?) {
        (Some(_), Some(_)) => {
            table.wrong("bubble_radius_voxels", "has no place beside bubble_radius_m");
            None
        }
        (Some(radii), None) => Some(radii.round().as_ivec3()),
        (None, Some(radii_m)) => Some((radii_m / voxel_size_m).round().as_ivec3().max(IVec3::ONE)),
        (None, None) => Some(IVec3::splat(4)),
    }
}

/// A length for all axes, or one for each.
struct Radii(Number);

impl Rule for Radii {
    type Value = Vec3;

    fn allowed(&self) -> String {
        format!("{}, or three of them [x, y, z]", self.0.allowed())
    }

    fn read(&self, value: &DeValue<'_>) -> Result<Vec3, String> {
        match value {
            DeValue::Array(_) => Vector(self.0).read(value),
            _ => self.0.read(value).map(Vec3::splat),
        }
    }
}

fn read_pigment(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Pigment> {
    let kind = table.optional("material", &MaterialName(around.palette));
    let each = Whole { min: 0, max: 255 };
    let color = table.optional("color", &List { each, min: 3, max: 3 });
    match (kind?, color?) {
        (Some(kind), None) => Some(Pigment::Kind(kind)),
        (None, Some(rgb)) => Some(Pigment::Color([rgb[0] as u8, rgb[1] as u8, rgb[2] as u8])),
        (Some(_), Some(_)) => {
            table.wrong("color", "has no place beside material");
            None
        }
        (None, None) => {
            table.wrong_here("needs material or color");
            None
        }
    }
}

fn read_copy(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let (from, to) = (read_box(table, around), table.required("to_m", &POINT));
    let turns = table.or("turns", &Whole { min: 0, max: 3 }, 0);
    let mirror = table.or("mirror", &OneOf(&[("x", 0), ("y", 1), ("z", 2), ("none", 3)]), 3);
    let voxel_size_m = around.site.voxel_size_m?;
    let mirror = mirror?;
    let Some(from) = from? else {
        table.wrong("min_m", "is missing; min_m and max_m say what is copied");
        return None;
    };
    Some(Edit::Copy(Copying {
        from,
        to: (to? / voxel_size_m).round().as_ivec3(),
        turns: turns? as u8,
        mirror: [0, 1, 2].map(|axis| axis == mirror),
    }))
}

/// The box from `min_m` to `max_m` in whole voxels; the outer option is none where something is wrong.
fn read_box(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Option<VoxelBox>> {
    let (min, max) = (table.optional("min_m", &POINT), table.optional("max_m", &POINT));
    let voxel_size_m = around.site.voxel_size_m?;
    match (min?, max?) {
        (None, None) => Some(None),
        (Some(min), Some(max)) => {
            let corner = |m: Vec3| (m / voxel_size_m).round().as_ivec3();
            let found = VoxelBox::new(corner(min), corner(max));
            if found.is_empty() {
                table.wrong("max_m", "must be at least a voxel above min_m along every axis");
                return None;
            }
            Some(Some(found))
        }
        _ => {
            table.wrong("max_m", "min_m and max_m come together");
            None
        }
    }
}

fn read_flood(table: &mut TableReader<'_>, paints: bool, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let from = table.required("from_m", &POINT);
    let within = read_box(table, around);
    let work = if paints {
        read_pigment(table, around).map(FloodWork::Paint)
    } else {
        let material: Option<MaterialId> = table.required("material", &MaterialName(around.palette));
        let moisture = table.or("moisture", &SHARE, 0.0);
        material.zip(moisture).map(|(material, moisture)| FloodWork::Fill { material, moisture })
    };
    let voxel_size_m = around.site.voxel_size_m?;
    let from = (from? / voxel_size_m).floor().as_ivec3();
    Some(Edit::Flood(Flood { from, within: within?, work: work? }))
}

fn read_reshape(table: &mut TableReader<'_>, tool: Tool, around: &Surroundings<'_, '_>) -> Option<Edit> {
    let center_m = table.required("center_m", &POINT);
    let radius_m = table.required("radius_m", &LENGTH);
    let material = table.optional("material", &MaterialName(around.palette));
    let surface = match tool {
        Tool::Raise => table.required("height_m", &PLACE).map(Surface::Raised),
        Tool::Smooth => table.or("strength", &SHARE, 1.0).map(Surface::Smooth),
        _ => Some(Surface::Flat),
    };
    Some(Edit::Reshape(Reshaping {
        center_m: center_m?,
        radius_m: radius_m?,
        surface: surface?,
        material: material?,
    }))
}

fn read_grow(table: &mut TableReader<'_>, shrinks: bool, around: &mut Surroundings<'_, '_>) -> Option<Edit> {
    let region = read_region_or_all(table, around);
    let voxels = table.or("voxels", &Whole { min: 1, max: 64 }, 1);
    let material =
        if shrinks { Some(None) } else { table.optional("material", &MaterialName(around.palette)) };
    let voxels = voxels? as i32;
    let voxels = if shrinks { -voxels } else { voxels };
    Some(Edit::Grow(Growing { region: region?, voxels, material: material? }))
}
