//! `[[ground]]`: what is placed and cut, in order.

use std::f32::consts::PI;

use barchan_sim::MaterialId;
use barchan_volume::{Aabb, Pose, Region, Shape, Solid};
use glam::Vec3;

use super::files::Files;
use super::materials::{MaterialName, Palette};
use super::packing::read_packing;
use super::ranges::{LENGTH, PLACE, POINT, SHARE};
use super::shapes::{ShapeKind, read_pose, read_shape};
use super::site::Site;
use super::{heightmap, relief, rounded, strata};
use crate::reader::{Number, OneOf, TableReader};
use crate::scene::{Action, Cover, Form, Part};

/// Entries that a scene may have.
const MOST: usize = 10_000;
/// Slope of heaps and slip faces (°): what is steeper is a wall.
pub const SLOPE: Number = Number { min: 1.0, max: 80.0 };

/// Everything that an entry is read with.
pub struct Surroundings<'a, 'f> {
    pub site: &'a Site,
    pub seed: u64,
    pub palette: &'a Palette,
    pub files: &'a mut Files<'f>,
}

/// The kinds of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Layer,
    Strata,
    Terrain,
    Dunes,
    Caves,
    Shape(ShapeKind),
    Heap,
    Heightmap,
    Path,
    RoughBall,
}

const KINDS: OneOf<'static, Kind> = OneOf(&[
    ("layer", Kind::Layer),
    ("strata", Kind::Strata),
    ("terrain", Kind::Terrain),
    ("dunes", Kind::Dunes),
    ("caves", Kind::Caves),
    ("box", Kind::Shape(ShapeKind::Box)),
    ("ball", Kind::Shape(ShapeKind::Ball)),
    ("cylinder", Kind::Shape(ShapeKind::Cylinder)),
    ("cone", Kind::Shape(ShapeKind::Cone)),
    ("heap", Kind::Heap),
    ("heightmap", Kind::Heightmap),
    ("path", Kind::Path),
    ("rough_ball", Kind::RoughBall),
    ("mesh", Kind::Shape(ShapeKind::Mesh)),
]);

/// What an entry does, before its form is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Remove,
}

/// All entries, as far as they are right.
pub fn read(
    scene: &mut TableReader<'_>,
    site: &Site,
    seed: u64,
    palette: &Palette,
    files: &mut Files<'_>,
) -> Vec<Part> {
    let mut around = Surroundings { site, seed, palette, files };
    let tables = scene.tables("ground", MOST);
    tables.into_iter().filter_map(|table| read_part(table, &mut around)).collect()
}

fn read_part(mut table: TableReader<'_>, around: &mut Surroundings<'_, '_>) -> Option<Part> {
    // Without its kind and its operation, nothing can be said about the other keys.
    let kind = table.required("kind", &KINDS)?;
    let action = match kind {
        Kind::Strata => strata::read(&mut table, around).map(Action::Strata),
        _ => match table.or("op", &OneOf(&[("add", Op::Add), ("remove", Op::Remove)]), Op::Add)? {
            Op::Add => read_add(&mut table, kind, around),
            Op::Remove => read_remove(&mut table, kind, around),
        },
    };
    let line = table.line();
    table.finish();
    Some(Part { line, action: action? })
}

fn read_add(table: &mut TableReader<'_>, kind: Kind, around: &mut Surroundings<'_, '_>) -> Option<Action> {
    let material = table.required("material", &MaterialName(around.palette));
    let moisture = table.or("moisture", &SHARE, 0.0);
    let form = read_form(table, kind, material, around);
    let has_surface = matches!(kind, Kind::Terrain | Kind::Caves | Kind::Heightmap);
    let cover = if has_surface { read_cover(table, around.palette) } else { Some(None) };
    let cover_soil = cover.and_then(|cover| cover.map(|cover| cover.material));
    let of_both: Vec<MaterialId> = material.into_iter().chain(cover_soil).collect();
    let soils: Vec<MaterialId> = of_both.iter().copied().filter(|id| around.palette.is_soil(*id)).collect();
    // Where there is no soil, rock says what is wrong.
    let packing = read_packing(table, if soils.is_empty() { &of_both } else { &soils }, around.palette);
    Some(Action::Add {
        form: form?,
        material: material?,
        moisture: moisture?,
        packing: packing?,
        cover: cover?,
    })
}

fn read_remove(table: &mut TableReader<'_>, kind: Kind, around: &mut Surroundings<'_, '_>) -> Option<Action> {
    for key in ["material", "moisture", "void_ratio", "soil", "soil_depth_m"] {
        table.refuse(key, r#"has no place with op = "remove""#);
    }
    Some(Action::Remove { form: read_form(table, kind, None, around)? })
}

/// Where an entry of `kind` is.
pub fn read_form(
    table: &mut TableReader<'_>,
    kind: Kind,
    material: Option<MaterialId>,
    around: &mut Surroundings<'_, '_>,
) -> Option<Form> {
    match kind {
        Kind::Layer | Kind::Strata => read_layer(table, around.site).map(Form::Region),
        Kind::Terrain => relief::read_terrain(table, around).map(Form::Relief),
        Kind::Dunes => relief::read_dunes(table, material, around).map(Form::Relief),
        Kind::Caves => relief::read_caves(table, around).map(Form::Region),
        Kind::Heightmap => heightmap::read(table, around).map(Form::Region),
        Kind::Path => rounded::read_path(table, around).map(Form::Region),
        Kind::RoughBall => rounded::read_rough_ball(table, around).map(Form::Region),
        Kind::Heap => {
            let heap = read_heap(table, material, around.palette)?;
            solid_within_reach(table, around.site, heap).map(Form::Region)
        }
        Kind::Shape(kind) => {
            let place = if kind == ShapeKind::Mesh { "position_m" } else { "center_m" };
            let shape = read_shape(table, kind, LENGTH, around.files);
            let pose = read_pose(table, place, &POINT);
            let solid = Solid::new(shape?, pose?);
            solid_within_reach(table, around.site, solid).map(Form::Region)
        }
    }
}

/// The space between two heights within the walls.
pub fn read_layer(table: &mut TableReader<'_>, site: &Site) -> Option<Region> {
    let walls = site.walls(table);
    let bottom = table.required("bottom_m", &PLACE);
    let top = table.required("top_m", &PLACE);
    let (z_min_m, z_max_m) = (bottom?, top?);
    if z_max_m <= z_min_m {
        table.wrong("top_m", format!("must be above bottom_m, {z_min_m}"));
        return None;
    }
    let mut reach = walls?.box_m();
    (reach.min.z, reach.max.z) = (z_min_m, z_max_m);
    site.check_reach(table, &reach);
    Some(Region::Slab { z_min_m, z_max_m })
}

/// A cone on its base.
fn read_heap(table: &mut TableReader<'_>, material: Option<MaterialId>, palette: &Palette) -> Option<Solid> {
    let base = table.required("base_m", &POINT);
    let radius = table.optional("radius_m", &LENGTH);
    let volume = table.optional("volume_m3", &Number { min: 1e-9, max: 1e15 });
    let slope = read_slope(table, material.map(|id| palette.repose_angle(id)));
    let slope = slope?.tan();
    let radius = match (radius?, volume?) {
        (Some(radius), None) => radius,
        (None, Some(volume)) => (3.0 * volume / (PI * slope)).cbrt(),
        (Some(_), Some(_)) => {
            table.wrong("volume_m3", "has no place beside radius_m: one follows from the other");
            return None;
        }
        (None, None) => {
            table.wrong("radius_m", "is missing; give radius_m or volume_m3");
            return None;
        }
    };
    let half_height = 0.5 * radius * slope;
    let shape = Shape::Cone { radius, half_height };
    if let Err(error) = shape.check() {
        table.wrong_here(error.to_string());
        return None;
    }
    Some(Solid::new(shape, Pose::at(base? + Vec3::Z * half_height)))
}

/// The slope of `slope_deg` (rad), which is `repose` (rad) unless the file says otherwise.
pub fn read_slope(table: &mut TableReader<'_>, repose: Option<f32>) -> Option<f32> {
    let repose = repose.filter(|angle| *angle <= (SLOPE.max as f32).to_radians());
    match repose {
        Some(repose) => table.optional("slope_deg", &SLOPE).map(|deg| deg.map_or(repose, f32::to_radians)),
        // Rock has no angle of repose, and nothing at all has none either.
        None => table.required("slope_deg", &SLOPE).map(f32::to_radians),
    }
}

fn read_cover(table: &mut TableReader<'_>, palette: &Palette) -> Option<Option<Cover>> {
    let soil = table.optional("soil", &MaterialName(palette));
    let depth = match soil {
        Some(None) => {
            table.refuse("soil_depth_m", "has no place without soil");
            return Some(None);
        }
        _ => table.required("soil_depth_m", &LENGTH),
    };
    let material = soil.flatten()?;
    Some(Some(Cover { material, depth_m: depth? }))
}

fn solid_within_reach(table: &TableReader<'_>, site: &Site, solid: Solid) -> Option<Region> {
    let reach: Aabb = solid.bounds();
    site.check_reach(table, &reach);
    Some(Region::Solid(solid))
}
