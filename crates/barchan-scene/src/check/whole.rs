//! The whole scene: every table in turn, then what nobody asked for.

use barchan_sim::World;
use glam::Vec3;

use super::files::Files;
use super::ground::Surroundings;
use super::materials::Palette;
use super::site::Site;
use super::{bodies, camera, carve, edits, grains, ground, hardness, materials, record, water, weather};
use crate::error::SceneError;
use crate::folder::Folder;
use crate::plan::RunPlan;
use crate::reader::{Number, Seconds, Source, TableReader, Text, Vector, Whole};
use crate::scene::{EditStep, Scene};

/// Steps and whole runs (s).
const STEP: Seconds = Seconds(Number { min: 1e-5, max: 1.0 });
const DURATION: Seconds = Seconds(Number { min: 0.0, max: 1e6 });
/// Per axis, and in all (m/s²).
const GRAVITY: Number = Number { min: -1_000.0, max: 1_000.0 };

/// Checks `text`, which came from the file `name` in `folder`. Either a scene, or everything that is wrong with it.
pub(crate) fn check(name: &str, text: &str, folder: &Folder) -> Result<Scene, SceneError> {
    if text.len() > Scene::MAX_BYTES {
        let reason = format!("has {} bytes; a scene has at most {}", text.len(), Scene::MAX_BYTES);
        return Err(SceneError::Unreadable { file: name.to_owned(), reason });
    }
    let source = Source::new(name, text);
    let table = source.parse();
    let scene = table.as_ref().and_then(|table| read(name, text, TableReader::root(&source, table), folder));
    let problems = source.into_problems();
    match scene {
        Some(scene) if problems.list.is_empty() => Ok(scene),
        _ => Err(SceneError::Problems(problems)),
    }
}

fn read(name: &str, text: &str, mut scene: TableReader<'_>, folder: &Folder) -> Option<Scene> {
    let title = scene.or("title", &Text { longest: 200 }, name.to_owned());
    let site = Site::read(&mut scene);
    let seed = scene.or("seed", &Whole { min: 0, max: u64::MAX }, 0);
    let gravity_m_s2 = read_gravity(&mut scene);
    let step_s = scene.or("step_s", &STEP, 1.0 / 60.0);
    let duration_s = scene.or("duration_s", &DURATION, 10.0);
    let palette = materials::read(&mut scene);
    let mut files = Files::new(folder);
    let ground = ground::read(&mut scene, &site, seed.unwrap_or_default(), &palette, &mut files);
    let hardness = hardness::read(&mut scene, seed.unwrap_or_default(), &palette);
    let grains = grains::read(&mut scene, seed.unwrap_or_default(), &palette, &files);
    let mut around =
        Surroundings { site: &site, seed: seed.unwrap_or_default(), palette: &palette, files: &mut files };
    let edits = edits::read(&mut scene, &mut around);
    let weather = weather::read(&mut scene, &around);
    let bodies = bodies::read(&mut scene, &mut files);
    let digging = carve::read(&mut scene, &site, bodies.iter().any(|body| body.carves == Some(true)));
    let water = water::read(&mut scene, &site, &palette, &mut files);
    let record = record::read(&mut scene);
    let camera = camera::read(&mut scene);
    scene.finish();
    Some(Scene {
        name: name.to_owned(),
        source: text.to_owned(),
        title: title?,
        voxel_size_m: site.voxel_size_m?,
        bounds: site.bounds,
        gravity_m_s2: gravity_m_s2?,
        seed: seed?,
        materials: palette.into_numbered(),
        hardness: hardness?,
        grains: grains?,
        ground,
        edits,
        weather: weather?,
        bodies,
        digging: digging?,
        water: water?,
        plan: RunPlan { step_s: step_s?, duration_s: duration_s?, record: record?, camera: camera? },
    })
}

fn read_gravity(scene: &mut TableReader<'_>) -> Option<Vec3> {
    let gravity = scene.or("gravity_m_s2", &Vector(GRAVITY), Vec3::new(0.0, 0.0, -9.81))?;
    if f64::from(gravity.length()) > GRAVITY.max {
        scene.wrong("gravity_m_s2", format!("must be at most {} long", GRAVITY.max));
        return None;
    }
    Some(gravity)
}

/// Checks `text`, which tells one edit of `world` as a scene would.
pub(crate) fn check_edits(
    name: &str,
    text: &str,
    world: &World,
    folder: &Folder,
) -> Result<EditStep, SceneError> {
    let source = Source::new(name, text);
    let table = source.parse();
    let step = table.as_ref().and_then(|table| {
        let mut table = TableReader::root(&source, table);
        let (palette, mut files) = (Palette::of(world.materials()), Files::new(folder));
        let ground = world.ground();
        let site = Site {
            voxel_size_m: Some(ground.voxel_size_m()),
            bounds: ground.bounds(),
            is_bounded: ground.bounds().is_some(),
        };
        let mut around =
            Surroundings { site: &site, seed: world.seed(), palette: &palette, files: &mut files };
        let steps = edits::read(&mut table, &mut around);
        table.finish();
        steps.into_iter().next()
    });
    let problems = source.into_problems();
    match step {
        Some(step) if problems.list.is_empty() => Ok(step),
        _ => Err(SceneError::Problems(problems)),
    }
}
