//! `[flow]`, `[erosion]`, `[[water]]`, `[[source]]`, `[rain]`, `[[drain]]`: water that runs free, where it comes from and where it goes.

use barchan_sim::MaterialId;
use barchan_sim::material::Phase;
use barchan_sim::water::{Drain, ErosionParams, Method, Open, Pour, Rain, Source, WaterParams};
use barchan_volume::{Region, Solid};

use super::files::Files;
use super::ground::read_layer;
use super::materials::{MaterialName, Palette};
use super::ranges::{LENGTH, LENGTH_OR_ZERO, PLACE, POINT};
use super::shapes::{ShapeKind, read_pose, read_shape};
use super::site::Site;
use crate::reader::{Flag, List, Number, OneOf, TableReader, Vector, Vector2, Whole};
use crate::scene::{PouredWater, SceneWater};

/// Entries of each kind that a scene may have.
const MOST: usize = 4_096;

const SPEED: Vector = Vector(Number { min: -400.0, max: 400.0 });
const RATE: Number = Number { min: 0.0, max: 1e6 };
const SEDIMENT: Number = Number { min: 0.0, max: Source::MOST_SEDIMENT as f64 };

const METHODS: OneOf<'static, Method> = OneOf(&[("dfsph", Method::Dfsph), ("muller", Method::Muller)]);

/// Regions of water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Layer,
    Shape(ShapeKind),
}

const KINDS: OneOf<'static, Kind> = OneOf(&[
    ("layer", Kind::Layer),
    ("box", Kind::Shape(ShapeKind::Box)),
    ("ball", Kind::Shape(ShapeKind::Ball)),
    ("cylinder", Kind::Shape(ShapeKind::Cylinder)),
    ("cone", Kind::Shape(ShapeKind::Cone)),
    ("mesh", Kind::Shape(ShapeKind::Mesh)),
]);

/// A border: its axis and whether it is the high end of it.
const SIDES: OneOf<'static, (usize, bool)> = OneOf(&[
    ("x-", (0, false)),
    ("x+", (0, true)),
    ("y-", (1, false)),
    ("y+", (1, true)),
    ("z-", (2, false)),
    ("z+", (2, true)),
]);

/// All about water, as far as it is right.
pub fn read(
    scene: &mut TableReader<'_>,
    site: &Site,
    palette: &Palette,
    files: &mut Files<'_>,
) -> Option<SceneWater> {
    let flow = read_flow(scene, site);
    let tables = scene.tables("water", MOST);
    let poured: Vec<_> = tables.into_iter().map(|table| read_water(table, site, palette, files)).collect();
    let tables = scene.tables("source", MOST);
    let sources: Vec<_> = tables.into_iter().map(|table| read_source(table, palette)).collect();
    let tables = scene.tables("drain", MOST);
    let drains: Vec<_> = tables.into_iter().map(read_drain).collect();
    let rain = read_rain(scene, site);
    let erosion = read_erosion(scene);
    let (params, open) = flow?;
    Some(SceneWater {
        params,
        erosion: erosion?,
        open,
        poured: poured.into_iter().collect::<Option<_>>()?,
        sources: sources.into_iter().collect::<Option<_>>()?,
        drains: drains.into_iter().collect::<Option<_>>()?,
        rain: rain?,
    })
}

fn read_flow(scene: &mut TableReader<'_>, site: &Site) -> Option<(WaterParams, Open)> {
    let mut params = WaterParams::default();
    if let Some(voxel_size_m) = site.voxel_size_m {
        params.spacing_m = 0.5 * voxel_size_m;
    }
    let is_there = scene.has("flow");
    let Some(mut table) = scene.table("flow") else { return (!is_there).then(|| (params, Open::default())) };
    let known_before = table.problem_count();
    let default = params.clone();
    if let Some(method) = table.or("method", &METHODS, default.method) {
        params.method = method;
    }
    {
        let mut set = |key: &'static str, field: &mut f32| {
            let range = WaterParams::range(key);
            let rule = Number { min: f64::from(range.min), max: f64::from(range.max) };
            if let Some(Some(value)) = table.optional(key, &rule) {
                *field = value;
            }
        };
        set("spacing_m", &mut params.spacing_m);
        set("water_kg_m3", &mut params.water_kg_m3);
        set("sediment_kg_m3", &mut params.sediment_kg_m3);
        set("viscosity_m2_s", &mut params.viscosity_m2_s);
        set("tension_n_m", &mut params.tension_n_m);
        set("tension_threshold", &mut params.tension_threshold);
        set("rock_roughness_m", &mut params.rock_roughness_m);
        set("soil_roughness_m", &mut params.soil_roughness_m);
        set("tolerance", &mut params.tolerance);
        set("stiffness_m2_s2", &mut params.stiffness_m2_s2);
        set("rest_density_kg_m3", &mut params.rest_density_kg_m3);
    }
    if let Some(most) =
        table.or("most_iterations", &Whole { min: 2, max: 1_000 }, default.most_iterations.into())
    {
        params.most_iterations = most as u32;
    }
    if let Some(heavy_is_slow) = table.or("heavy_is_slow", &Flag, default.heavy_is_slow) {
        params.heavy_is_slow = heavy_is_slow;
    }
    if let Some(sleeps) = table.or("sleeps", &Flag, default.sleeps) {
        params.sleeps = sleeps;
    }
    let sides = table.or("open_sides", &List { each: SIDES, min: 0, max: 6 }, Vec::new());
    let mut open = Open::default();
    for (axis, is_high) in sides.into_iter().flatten() {
        if is_high { open.high[axis] = true } else { open.low[axis] = true }
    }
    if let Some(problem) = site.voxel_size_m.and_then(|size| params.problem(size))
        && table.problem_count() == known_before
    {
        table.wrong("spacing_m", problem);
    }
    let is_right = table.problem_count() == known_before;
    table.finish();
    is_right.then_some((params, open))
}

fn read_erosion(scene: &mut TableReader<'_>) -> Option<ErosionParams> {
    let mut params = ErosionParams::default();
    let is_there = scene.has("erosion");
    let Some(mut table) = scene.table("erosion") else { return (!is_there).then_some(params) };
    let known_before = table.problem_count();
    let (is_on, noses) = (table.or("is_on", &Flag, true), table.or("noses", &Flag, false));
    let cone_deg = table.or("cone_deg", &Number { min: 0.0, max: 360.0 }, params.cone.to_degrees());
    {
        let mut set = |key: &'static str, field: &mut f32| {
            let range = ErosionParams::range(key);
            let rule = Number { min: f64::from(range.min), max: f64::from(range.max) };
            if let Some(Some(value)) = table.optional(key, &rule) {
                *field = value;
            }
        };
        set("capacity_s_m", &mut params.capacity_s_m);
        set("dissolve_normal_1_m", &mut params.dissolve_normal_1_m);
        set("dissolve_tangential_1_m", &mut params.dissolve_tangential_1_m);
        set("deposit_1_s", &mut params.deposit_1_s);
        set("least_share", &mut params.least_share);
        set("steep_cosine", &mut params.steep_cosine);
        set("flat_cosine", &mut params.flat_cosine);
        set("touch_m", &mut params.touch_m);
        set("diffusion_m_s", &mut params.diffusion_m_s);
        set("phase", &mut params.phase);
        set("evaporation_m_s", &mut params.evaporation_m_s);
        set("soak_m_s", &mut params.soak_m_s);
        set("time_scale", &mut params.time_scale);
    }
    if table.problem_count() == known_before
        && let Some(problem) = params.problem()
    {
        table.wrong("flat_cosine", problem);
    }
    let is_right = table.problem_count() == known_before;
    table.finish();
    (params.is_on, params.noses, params.cone) = (is_on?, noses?, cone_deg?.to_radians());
    is_right.then_some(params)
}

fn read_water(
    mut table: TableReader<'_>,
    site: &Site,
    palette: &Palette,
    files: &mut Files<'_>,
) -> Option<PouredWater> {
    let kind = table.required("kind", &KINDS)?;
    let region = match kind {
        Kind::Layer => read_layer(&mut table, site),
        Kind::Shape(kind) => {
            let place = if kind == ShapeKind::Mesh { "position_m" } else { "center_m" };
            let shape = read_shape(&mut table, kind, LENGTH, files);
            let pose = read_pose(&mut table, place, &POINT);
            let solid = shape.zip(pose).map(|(shape, pose)| Solid::new(shape, pose));
            solid.map(|solid| {
                site.check_reach(&table, &solid.bounds());
                Region::Solid(solid)
            })
        }
    };
    let level_m = table.optional("level_m", &PLACE);
    let velocity_m_s = table.or("velocity_m_s", &SPEED, glam::Vec3::ZERO);
    let carried = read_sediment(&mut table, palette);
    let line = table.line();
    table.finish();
    let (sediment, kind) = carried?;
    let pour = Pour { region: region?, level_m: level_m?, velocity_m_s: velocity_m_s?, sediment, kind };
    Some(PouredWater { line, pour })
}

/// The share of sediment in water, and of which soil.
fn read_sediment(table: &mut TableReader<'_>, palette: &Palette) -> Option<(f32, MaterialId)> {
    let sediment = table.or("sediment", &SEDIMENT, 0.0);
    if sediment == Some(0.0) {
        table.refuse("material", "has no place without sediment");
        return Some((0.0, MaterialId(0)));
    }
    let material = table.required("material", &MaterialName(palette))?;
    if palette.phase(material) != Phase::Soil {
        table.wrong("material", "must be a soil: water carries grains");
        return None;
    }
    Some((sediment?, material))
}

fn read_source(mut table: TableReader<'_>, palette: &Palette) -> Option<Source> {
    let center_m = table.required("center_m", &POINT);
    let size_m = table.required("size_m", &Vector(LENGTH_OR_ZERO));
    let velocity_m_s = table.or("velocity_m_s", &SPEED, glam::Vec3::ZERO);
    let rate_m3_s = table.required("rate_m3_s", &RATE);
    let carried = read_sediment(&mut table, palette);
    table.finish();
    let mut source = Source::new(center_m?, size_m?, velocity_m_s?, rate_m3_s?);
    (source.sediment, source.kind) = carried?;
    Some(source)
}

fn read_drain(mut table: TableReader<'_>) -> Option<Drain> {
    let min_m = table.required("min_m", &POINT);
    let max_m = table.required("max_m", &POINT);
    let rate_m3_s = table.optional("rate_m3_s", &RATE);
    let corners = min_m.zip(max_m).filter(|(min, max)| {
        let is_above = min.cmplt(*max).all();
        if !is_above {
            table.wrong("max_m", "must be above min_m along each axis");
        }
        is_above
    });
    table.finish();
    let (min_m, max_m) = corners?;
    Some(Drain::new(min_m, max_m, rate_m3_s?))
}

fn read_rain(scene: &mut TableReader<'_>, site: &Site) -> Option<Rain> {
    let is_there = scene.has("rain");
    let Some(mut table) = scene.table("rain") else { return (!is_there).then(Rain::default) };
    let rate_mm_h = table.required("rate_mm_h", &Number { min: 0.0, max: 1e6 });
    let min_m = table.optional("min_m", &Vector2(PLACE));
    let max_m = table.optional("max_m", &Vector2(PLACE));
    let area_m = match (min_m.flatten(), max_m.flatten()) {
        (Some(min), Some(max)) if min.cmplt(max).all() => Some([min, max]),
        (Some(_), Some(_)) => {
            table.wrong("max_m", "must be above min_m along each axis");
            None
        }
        (None, None) => None,
        _ => {
            table.wrong("min_m", "and max_m are there both or not at all");
            None
        }
    };
    if area_m.is_none() && !site.is_bounded {
        table.wrong_here("needs min_m and max_m in a scene without [bounds]");
    }
    table.finish();
    let mut rain = Rain::everywhere(rate_mm_h?);
    rain.area_m = area_m;
    Some(rain)
}
