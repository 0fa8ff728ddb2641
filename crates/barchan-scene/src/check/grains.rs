//! `[[grains]]`, `[grain_laws]`, `[[grain_template]]` and `[[grain_pair]]`: sand as single bodies.

use barchan_sim::grains::{
    Ball, Between, Covering, Drain, Fill, FormSpec, GrainSpec, Law, Laws, Setup, Sizes, Sliding, Source,
    Substance, Template,
};
use barchan_sim::material::Phase;
use glam::{DQuat, DVec3, Vec3};

use super::angles::turned;
use super::files::Files;
use super::grain_walls;
use super::materials::{MaterialName, Palette};
use super::ranges::{PLACE, POINT, SHARE, TURN};
use crate::reader::{Exact, Flag, List, Number, OneOf, Seconds, TableReader, Text, Vector, Vector2, Whole};
use crate::scene::{GrainPour, GrainsPlan, PourAction};

/// Entries that a scene may have of each.
const MOST: usize = 256;
/// Rows of a table of sizes.
const MOST_ROWS: usize = 64;

const NAME: Text = Text { longest: 64 };
/// A diameter (m).
const SIZE: Exact = Exact(Number { min: 1e-5, max: 100.0 });
/// A length in diameters.
const DIAMETERS: Number = Number { min: 0.02, max: 20.0 };
const VELOCITY: Vector = Vector(Number { min: -100.0, max: 100.0 });
const SPIN: Vector = Vector(Number { min: -30_000.0, max: 30_000.0 });
const RESTITUTION: Exact = Exact(Number { min: 0.05, max: 1.0 });
const FRICTION: Exact = Exact(Number { min: 0.0, max: 10.0 });

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Fill,
    Outlet,
    Single,
    File,
}

const WAYS: OneOf<'static, Way> =
    OneOf(&[("fill", Way::Fill), ("outlet", Way::Outlet), ("single", Way::Single), ("file", Way::File)]);

/// All that a scene says of grains; none where it says nothing.
pub fn read(
    scene: &mut TableReader<'_>,
    seed: u64,
    palette: &Palette,
    files: &Files<'_>,
) -> Option<Option<GrainsPlan>> {
    let laws = read_laws(scene);
    let templates: Vec<_> = scene.tables("grain_template", MOST).into_iter().map(read_template).collect();
    // What is wrong in one table must not hide the others.
    let are_templates_right = templates.iter().all(Option::is_some);
    let mut setup = Setup { laws: laws.unwrap_or_default(), ..Setup::default() };
    setup.templates = templates.into_iter().flatten().collect();
    let own_templates = setup.templates.len();
    let mut pours = Vec::new();
    let mut is_right = laws.is_some() && are_templates_right;
    for (index, table) in scene.tables("grains", MOST).into_iter().enumerate() {
        let seed = seed.wrapping_add(1 + index as u64);
        match read_entry(table, seed, palette, files, &mut setup, own_templates) {
            Some(pour) => pours.push(pour),
            None => is_right = false,
        }
    }
    let pairs: Vec<_> =
        scene.tables("grain_pair", MOST).into_iter().map(|table| read_pair(table, &setup)).collect();
    let walls = grain_walls::read(scene);
    let covering = read_covering(scene);
    let drains: Vec<_> = scene.tables("grain_drain", MOST).into_iter().map(read_drain).collect();
    if !is_right {
        return None;
    }
    setup.between = pairs.into_iter().collect::<Option<_>>()?;
    setup.walls = walls?;
    setup.covering = covering?;
    let drains = drains.into_iter().collect::<Option<_>>()?;
    if pours.is_empty() {
        return Some(None);
    }
    if let Err(error) = setup.work_out() {
        scene.wrong("grains", error.to_string());
        return None;
    }
    Some(Some(GrainsPlan { setup, pours, drains }))
}

fn read_laws(scene: &mut TableReader<'_>) -> Option<Laws> {
    let Some(mut table) = scene.table("grain_laws") else { return Some(Laws::default()) };
    let law = table.or("law", &OneOf(&[("hertz", Law::Hertz), ("linear", Law::Linear)]), Law::Hertz);
    let springs = [("springs", Sliding::Springs), ("viscous", Sliding::Viscous)];
    let sliding = table.or("friction", &OneOf(&springs), Sliding::Springs);
    let speed = table.or("restitution_speed_m_s", &Exact(Number { min: 1e-6, max: 1e3 }), 1.0);
    let substeps = table.or("substeps_per_contact", &Exact(Number { min: 8.0, max: 1e4 }), 15.0);
    table.finish();
    Some(Laws {
        law: law?,
        sliding: sliding?,
        restitution_speed_m_s: speed?,
        substeps_per_contact: substeps?,
    })
}

fn read_covering(scene: &mut TableReader<'_>) -> Option<Covering> {
    let Some(mut table) = scene.table("grain_cover") else { return Some(Covering::default()) };
    let radius = table.optional("radius_m", &SIZE);
    let grid = table.or("grid", &Whole { min: 4, max: 256 }, u64::from(Covering::default().grid));
    let thickness = table.optional("thickness_m", &SIZE);
    table.finish();
    Some(Covering { radius_m: radius?, grid: grid? as u32, thickness_m: thickness? })
}

fn read_template(mut table: TableReader<'_>) -> Option<Template> {
    let name = table.required("name", &NAME);
    let balls: Vec<_> = table.tables("balls", 64).into_iter().map(read_ball).collect();
    let balls: Option<Vec<_>> = balls.into_iter().collect();
    let template = name.zip(balls).map(|(name, balls)| Template { name, balls });
    if let Some(Err(error)) = template.as_ref().map(Template::check) {
        table.wrong_here(error.to_string());
    }
    table.finish();
    template
}

fn read_ball(mut table: TableReader<'_>) -> Option<Ball> {
    let centre = table.or("centre", &Vector(Number { min: -20.0, max: 20.0 }), Vec3::ZERO);
    let radius = table.or("radius", &Exact(Number { min: 0.02, max: 10.0 }), 0.5);
    table.finish();
    Some(Ball { centre: centre?.as_dvec3(), radius: radius? })
}

fn read_pair(mut table: TableReader<'_>, setup: &Setup) -> Option<Between> {
    let names: Vec<(&str, u16)> =
        setup.substances.iter().enumerate().map(|(at, s)| (s.name.as_str(), at as u16)).collect();
    let a = table.required("a", &OneOf(&names));
    let b = table.required("b", &OneOf(&names));
    let friction = table.required("friction", &FRICTION);
    let restitution = table.or("restitution", &RESTITUTION, 0.5);
    table.finish();
    Some(Between { a: a?, b: b?, friction: friction?, restitution: restitution? })
}

/// One entry: what the grains are, and how they come.
fn read_entry(
    mut table: TableReader<'_>,
    seed: u64,
    palette: &Palette,
    files: &Files<'_>,
    setup: &mut Setup,
    own_templates: usize,
) -> Option<GrainPour> {
    let line = table.line();
    let way = table.required("kind", &WAYS);
    let substance = read_substance(&mut table, palette, setup);
    if way == Some(Way::File) {
        let action = read_file(&mut table, files, setup, substance);
        table.finish();
        return Some(GrainPour { line, action: action? });
    }
    let template = read_template_of(&mut table, setup, own_templates);
    let sizes = read_sizes(&mut table);
    let action = match way? {
        Way::Fill => read_fill(&mut table, seed),
        Way::Outlet => read_outlet(&mut table, seed),
        Way::Single | Way::File => read_single(&mut table),
    };
    table.finish();
    let (substance, template, sizes, mut action) = (substance?, template?, sizes?, action?);
    let first = setup.forms.len();
    let specs = sizes.steps().into_iter().map(|size_m| FormSpec { template, size_m, substance });
    setup.forms.extend(specs);
    let mix: Vec<(u16, f64)> = (first..setup.forms.len()).map(|form| (form as u16, 1.0)).collect();
    match &mut action {
        PourAction::Fill(fill) => fill.mix = mix,
        PourAction::Outlet(source) => source.mix = mix,
        PourAction::Single(spec) => spec.form = first as u16,
        PourAction::Many(_) => {}
    }
    Some(GrainPour { line, action })
}

/// The substance of an entry; those of entries that are the same are the same.
fn read_substance(table: &mut TableReader<'_>, palette: &Palette, setup: &mut Setup) -> Option<u16> {
    let material = table.required("material", &MaterialName(palette));
    let name = table.or("name", &NAME, "grains".to_owned());
    let density = table.optional("density_kg_m3", &Exact(Number { min: 1.0, max: 1e5 }));
    let young = table.or("young_pa", &Exact(Number { min: 1e3, max: 1e12 }), 5e6);
    let poisson = table.or("poisson", &Exact(Number { min: 0.0, max: 0.49 }), 0.3);
    let restitution = table.or("restitution", &RESTITUTION, 0.5);
    let friction = table.or("friction", &FRICTION, 0.5);
    let rolling = table.or("rolling_friction", &FRICTION, 0.0);
    let adhesion = table.or("adhesion_pa", &Exact(Number { min: 0.0, max: 1e9 }), 0.0);
    let soil = material?;
    let (phase, grain_density) = palette.phase_and_grain_density(soil);
    if phase != Phase::Soil {
        table.wrong("material", "must be a soil: grains count as one");
        return None;
    }
    let substance = Substance {
        name: name?,
        soil,
        density_kg_m3: density?.unwrap_or(f64::from(grain_density)),
        young_pa: young?,
        poisson: poisson?,
        restitution: restitution?,
        friction: friction?,
        rolling_friction: rolling?,
        adhesion_pa: adhesion?,
    };
    let at = setup.substances.iter().position(|known| *known == substance).unwrap_or_else(|| {
        setup.substances.push(substance);
        setup.substances.len() - 1
    });
    Some(at as u16)
}

fn read_template_of(table: &mut TableReader<'_>, setup: &mut Setup, own: usize) -> Option<u16> {
    const BUILT_IN: [&str; 4] = ["sphere", "dimer", "trefoil", "tetrahedron"];
    let own_names: Vec<String> = setup.templates[..own].iter().map(|t| t.name.clone()).collect();
    let names: Vec<(&str, usize)> = BUILT_IN
        .into_iter()
        .chain(own_names.iter().map(String::as_str))
        .enumerate()
        .map(|(at, name)| (name, at))
        .collect();
    let which = table.or("template", &OneOf(&names), 0);
    let spacing = f64::from(table.or("spacing", &DIAMETERS, 1.0)?);
    let template = match which? {
        0 => Template::sphere(),
        1 => Template::dimer(spacing),
        2 => Template::trefoil(spacing),
        3 => Template::tetrahedron(spacing),
        at => return Some((at - BUILT_IN.len()) as u16),
    };
    let at = setup.templates.iter().position(|known| *known == template).unwrap_or_else(|| {
        setup.templates.push(template);
        setup.templates.len() - 1
    });
    Some(at as u16)
}

fn read_sizes(table: &mut TableReader<'_>) -> Option<Sizes> {
    let diameter = table.optional("diameter_m", &SIZE);
    let to = table.optional("diameter_to_m", &SIZE);
    let deviation = table.optional("diameter_deviation_m", &SIZE);
    let row = Vector2(Number { min: 0.0, max: 100.0 });
    let rows = table.optional("diameters", &List { each: row, min: 2, max: MOST_ROWS });
    let (diameter, to, deviation, rows) = (diameter?, to?, deviation?, rows?);
    let sizes = match (diameter, to, deviation, rows) {
        (Some(size), None, None, None) => Sizes::One(size),
        (Some(low_m), Some(high_m), None, None) if high_m >= low_m => Sizes::Uniform { low_m, high_m },
        (Some(mean_m), None, Some(deviation_m), None) => Sizes::Normal { mean_m, deviation_m },
        (None, None, None, Some(rows)) => {
            Sizes::Table(rows.iter().map(|row| [f64::from(row.x), f64::from(row.y)]).collect())
        }
        _ => {
            table.wrong(
                "diameter_m",
                "must be given alone, or with a larger diameter_to_m, or with diameter_deviation_m; or diameters alone",
            );
            return None;
        }
    };
    if let Some(problem) = sizes.problem() {
        table.wrong(if diameter.is_some() { "diameter_deviation_m" } else { "diameters" }, problem);
        return None;
    }
    Some(sizes)
}

fn read_box(table: &mut TableReader<'_>) -> Option<[DVec3; 2]> {
    let low = table.required("min_m", &POINT);
    let high = table.required("max_m", &POINT);
    let (low, high) = (low?, high?);
    if low.cmpgt(high).any() {
        table.wrong("max_m", "must be above min_m along every axis");
        return None;
    }
    Some([low.as_dvec3(), high.as_dvec3()])
}

fn read_fill(table: &mut TableReader<'_>, seed: u64) -> Option<PourAction> {
    let corners = read_box(table);
    let pitch = table.optional("pitch_m", &SIZE);
    let jitter = table.or("jitter", &SHARE, 1.0);
    let count = table.or("count", &Whole { min: 1, max: 10_000_000 }, 10_000_000);
    let is_turned = table.or("turned", &Flag, true);
    let velocity = table.or("velocity_m_s", &VELOCITY, Vec3::ZERO);
    let [low_m, high_m] = corners?;
    Some(PourAction::Fill(Fill {
        mix: Vec::new(),
        low_m,
        high_m,
        pitch_m: pitch?,
        jitter: f64::from(jitter?),
        count: count? as usize,
        turned: is_turned?,
        velocity_m_s: velocity?.as_dvec3(),
        seed,
    }))
}

fn read_outlet(table: &mut TableReader<'_>, seed: u64) -> Option<PourAction> {
    let corners = read_box(table);
    let rate = table.required("rate_per_s", &Exact(Number { min: 1e-6, max: 1e7 }));
    let from = table.or("from_s", &Seconds(Number { min: 0.0, max: 1e6 }), 0.0);
    let count = table.or("count", &Whole { min: 1, max: 10_000_000 }, 10_000_000);
    let velocity = table.or("velocity_m_s", &VELOCITY, Vec3::ZERO);
    let jitter = table.or("jitter", &SHARE, 0.1);
    let [low_m, high_m] = corners?;
    Some(PourAction::Outlet(Source {
        mix: Vec::new(),
        low_m,
        high_m,
        rate_per_s: rate?,
        from_s: from?,
        count: count?,
        velocity_m_s: velocity?.as_dvec3(),
        jitter: f64::from(jitter?),
        seed,
    }))
}

/// Grains of a file: templates and sizes are the file's, all else is that of the entry.
fn read_file(
    table: &mut TableReader<'_>,
    files: &Files<'_>,
    setup: &mut Setup,
    substance: Option<u16>,
) -> Option<PourAction> {
    let name = table.required("file", &Text { longest: 1024 })?;
    let move_m = table.or("position_m", &Vector(PLACE), Vec3::ZERO)?.as_dvec3();
    let substance = substance?;
    let clumps = match files.grains(&name) {
        Ok(clumps) => clumps,
        Err(problem) => {
            table.wrong("file", problem);
            return None;
        }
    };
    let (first_template, first_form) = (setup.templates.len(), setup.forms.len());
    for (at, (template, size_m)) in clumps.forms.into_iter().enumerate() {
        setup.templates.push(template);
        setup.forms.push(FormSpec { template: (first_template + at) as u16, size_m, substance });
    }
    let moved = clumps.grains.into_iter().map(|spec| GrainSpec {
        form: (first_form + usize::from(spec.form)) as u16,
        position_m: spec.position_m + move_m,
        ..spec
    });
    Some(PourAction::Many(moved.collect()))
}

fn read_drain(mut table: TableReader<'_>) -> Option<Drain> {
    let corners = read_box(&mut table);
    let time = Seconds(Number { min: 0.0, max: 1e6 });
    let from = table.or("from_s", &time, 0.0);
    let until = table.optional("until_s", &time);
    let is_early = matches!((from, until), (Some(from_s), Some(Some(until_s))) if until_s < from_s);
    if is_early {
        table.wrong("until_s", "must be after from_s");
    }
    table.finish();
    let ([low_m, high_m], from_s, until_s) = (corners?, from?, until?);
    if is_early {
        return None;
    }
    Some(Drain { low_m, high_m, from_s, until_s })
}

fn read_single(table: &mut TableReader<'_>) -> Option<PourAction> {
    let position = table.required("position_m", &Vector(PLACE));
    let rotation = table.or("rotation_deg", &Vector(TURN), Vec3::ZERO);
    let velocity = table.or("velocity_m_s", &VELOCITY, Vec3::ZERO);
    let spin = table.or("spin_deg_s", &SPIN, Vec3::ZERO);
    let turn: DQuat = turned(rotation?).as_dquat();
    Some(PourAction::Single(GrainSpec {
        turn,
        velocity_m_s: velocity?.as_dvec3(),
        spin_rad_s: spin?.as_dvec3() * (std::f64::consts::PI / 180.0),
        ..GrainSpec::at(0, position?.as_dvec3())
    }))
}
