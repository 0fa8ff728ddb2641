//! `dag-edit`: balls dug and heaped up on a fractal terrain in the archive: the time of an edit, the worst pause, the memory that a
//! version adds; then copies, undo, rays, and ground that is
//! committed and taken out again. What the terrain is made of stands in the summary; time for its noise is told apart.

use std::time::Instant;

use barchan_volume::VoxelBox;
use barchan_volume::archive::{Act, Archive, Dab, Extent};
use glam::{DVec3, IVec3};
use serde_json::json;

use super::smooth_ball::SmoothBall;
use super::terrain::{Form, SOIL, Terrain};
use super::world_speed::world_speed;
use crate::experiment::{self, Experiment, Outcome, Row};
use crate::experiments::books::Random;
use crate::measure::median;
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "dag-edit",
    about: "balls edited on a fractal terrain in the archive: time, worst pause, memory; copies, undo, rays",
    parameters: &[
        whole("side", "columns a side, a multiple of 64", &[2048.0], (256.0, 16_384.0), false),
        whole("radius", "radii of the balls (voxels)", &[8.0, 32.0, 64.0, 128.0, 256.0], (1.0, 512.0), true),
        whole("edits", "edits of each radius", &[21.0], (1.0, 10_000.0), false),
        whole(
            "octaves",
            "octaves of the terrain, each half as wide as the one before",
            &[8.0],
            (1.0, 16.0),
            false,
        ),
        whole("amplitude", "greatest height over the mean (voxels)", &[256.0], (1.0, 4_096.0), false),
        whole("widest", "wavelength of the first octave (voxels)", &[2048.0], (8.0, 65_536.0), false),
    ],
    run,
};

pub(super) const fn whole(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
    list: bool,
) -> Parameter {
    Parameter { key, about, default, range, whole: true, list }
}

/// Median times that are asked of edits of whole voxels (radius, ms); smooth ones may take three times as long.
const ASKED_MS: [(f64, f64); 5] = [(8.0, 0.1), (32.0, 0.6), (64.0, 2.0), (128.0, 6.0), (256.0, 20.0)];
/// The longest pause that an edit may add to its own work (ms).
const PAUSE_MS: f64 = 10.0;
/// Rays in a bundle that is timed.
const RAYS: usize = 100_000;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    let radii = settings.list("radius");
    for (at, smooth) in [false, true].into_iter().enumerate() {
        let form = form(settings, settings.count("side"), settings.count("octaves") as u32, smooth);
        let start = Instant::now();
        let terrain = Terrain::new(form);
        let noise_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut archive = match terrain.archive() {
            Ok(archive) => archive,
            Err(error) => return refused(outcome, &error.to_string()),
        };
        let build_s = start.elapsed().as_secs_f64();
        let contents = if smooth { "smooth" } else { "whole" };
        let usage = archive.usage();
        outcome.summary.insert(
            contents.to_owned(),
            json!({
                "noise_s": noise_s, "build_s": build_s, "bytes": usage.bytes,
                "reserved_bytes": usage.reserved_bytes, "leaves": usage.leaves, "nodes": usage.nodes,
            }),
        );
        for (number, radius) in radii.iter().enumerate() {
            let row = edits(&mut archive, &terrain, *radius, settings.count("edits"));
            outcome.pass &= row["pass"] == json!(true);
            outcome.rows.push(row);
            progress((at as f64 + (number + 1) as f64 / radii.len() as f64) / 2.0);
        }
        if !smooth {
            beside(&mut archive, &terrain, &mut outcome.summary);
        }
    }
    outcome.summary.insert("world".to_owned(), world_speed());
    let finest = settings.number("widest") / 2_f64.powf(settings.number("octaves") - 1.0);
    outcome.summary.insert("finest_wavelength_voxels".to_owned(), json!(finest));
    outcome
}

pub(super) fn form(settings: &Settings, side: usize, octaves: u32, smooth: bool) -> Form {
    let [amplitude, widest] = ["amplitude", "widest"].map(|key| settings.number(key) as f32);
    Form { side: side / 64 * 64, octaves, amplitude, widest, smooth }
}

pub(super) fn refused(mut outcome: Outcome, why: &str) -> Outcome {
    outcome.summary.insert("refused".to_owned(), json!(why));
    outcome.pass = false;
    outcome
}

/// Digs and heaps up balls by turns, each a version of its own.
fn edits(archive: &mut Archive, terrain: &Terrain, radius: f64, count: usize) -> Row {
    let mut random = Random::new(radius.to_bits());
    let (mut times_ms, mut bytes) = (Vec::new(), Vec::new());
    for at in 0..count {
        let centre = place(terrain, &mut random, radius);
        let heaps = at % 2 == 1;
        let start = Instant::now();
        let done = if terrain.form.smooth {
            let ball = SmoothBall { centre, radius, heaps };
            archive.change(ball.region(), &ball)
        } else {
            let act = if heaps { Act::Fill(SOIL) } else { Act::Clear };
            archive.dab(&Dab { extent: Extent::Ball { centre, radius }, act })
        };
        times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        let id = archive.commit("ball", ());
        let added = archive.version(id).map_or(0, |version| version.bytes);
        if done.is_ok() {
            bytes.push(added as f64);
        }
    }
    let (median_ms, worst_ms) =
        (median(&times_ms).unwrap_or(f64::NAN), times_ms.iter().copied().fold(0.0, f64::max));
    let asked = ASKED_MS.iter().find(|(known, _)| *known == radius).map(|(_, ms)| *ms);
    let asked_ms = asked.map(|ms| if terrain.form.smooth { 3.0 * ms } else { ms });
    let pass = asked_ms.is_none_or(|asked| median_ms <= asked && worst_ms <= 2.0 * asked + PAUSE_MS);
    experiment::row(json!({
        "radius": radius,
        "contents": if terrain.form.smooth { "smooth" } else { "whole" },
        "median_ms": median_ms,
        "worst_ms": worst_ms,
        "bytes": median(&bytes),
        "expected": asked_ms,
        "pass": pass && bytes.len() == count,
    }))
}

/// A place on the surface, all around which there is terrain.
fn place(terrain: &Terrain, random: &mut Random, radius: f64) -> DVec3 {
    let free = (terrain.form.side as f64 - 2.0 * radius - 2.0).max(1.0);
    let mut along = || ((f64::from(random.unit()) - 0.5) * free) as i32;
    let (x, y) = (along(), along());
    DVec3::new(f64::from(x) + 0.25, f64::from(y) + 0.5, f64::from(terrain.height(x, y)))
}

/// What is timed beside edits: undo and redo, a copy of 80 million voxels, rays.
fn beside(archive: &mut Archive, terrain: &Terrain, summary: &mut Row) {
    let start = Instant::now();
    let gone = (0..10).filter(|_| archive.undo().is_ok() && archive.redo().is_ok()).count().max(1);
    summary.insert("undo_redo_us".to_owned(), json!(start.elapsed().as_secs_f64() * 1e6 / gone as f64));

    let half = terrain.form.side as i32 / 2;
    let edge = 432.min(terrain.form.side as i32);
    let from =
        VoxelBox::new(IVec3::new(-half, -half, -edge / 2), IVec3::new(edge - half, edge - half, edge / 2));
    let start = Instant::now();
    let copied = archive.copy(from, from.min + IVec3::new(0, 0, 1 << 12)).is_ok();
    summary.insert("copy_ms".to_owned(), json!(start.elapsed().as_secs_f64() * 1e3));
    summary.insert("copy_voxels".to_owned(), json!(if copied { from.volume() as u64 } else { 0 }));

    let (view, mut random) = (archive.now(), Random::new(5));
    let high = 2.0 * f64::from(terrain.form.amplitude);
    let mut along = || f64::from(random.unit()) * 2.0 - 1.0;
    let reach = 0.4 * terrain.form.side as f64;
    let rays: Vec<(DVec3, DVec3)> = (0..RAYS)
        .map(|_| {
            let eye = DVec3::new(0.0, 0.0, high);
            let to = DVec3::new(reach * along(), reach * along(), -0.5 * high);
            (eye, (to - eye).normalize())
        })
        .collect();
    // A picture of 1280 pixels over 60 degrees.
    for (name, pixel) in [("rays_per_s", 1e-3), ("exact_rays_per_s", 0.0)] {
        let start = Instant::now();
        let hits = rays.iter().filter(|(eye, way)| view.cast_ray(*eye, *way, 1e6, pixel).is_some()).count();
        summary.insert(name.to_owned(), json!(RAYS as f64 / start.elapsed().as_secs_f64()));
        summary.insert(name.replace("per_s", "hit"), json!(hits as f64 / RAYS as f64));
    }
}
