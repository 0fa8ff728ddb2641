//! `dag-memory`: memory of terrains in the archive for each solid voxel: smooth, rough and carved, of whole voxels and of partly
//! filled ones; and of a scene 131,072 voxels wide on a base, of which only what is dug is stored.

use std::time::Instant;

use barchan_volume::Density;
use barchan_volume::archive::{Act, Archive, Base, Dab, Extent, SPAN, Stratum};
use glam::DVec3;
use serde_json::{Value, json};

use super::dag_edit::{form, refused, whole};
use super::smooth_ball::SmoothBall;
use super::terrain::{ROCK, SOIL, Terrain};
use crate::experiment::{self, Experiment, Outcome};
use crate::experiments::books::Random;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "dag-memory",
    about: "memory of terrains in the archive: smooth, rough, carved, and a scene 131,072 voxels wide",
    parameters: &[
        whole("side", "columns a side, multiples of 64", &[1024.0, 2048.0], (256.0, 16_384.0), true),
        whole(
            "octaves",
            "octaves of rough terrain, each half as wide as the one before",
            &[8.0],
            (1.0, 16.0),
            false,
        ),
        whole("smooth_octaves", "octaves of smooth and carved terrain", &[4.0], (1.0, 16.0), false),
        whole("amplitude", "greatest height over the mean (voxels)", &[256.0], (1.0, 4_096.0), false),
        whole("widest", "wavelength of the first octave (voxels)", &[2048.0], (8.0, 65_536.0), false),
        whole(
            "balls",
            "balls dug into carved terrain for every million columns",
            &[200.0],
            (0.0, 10_000.0),
            false,
        ),
    ],
    run,
};

/// Memory asked of a terrain 8,192 voxels wide (bytes for each column): 250 MB whole, 500 MB smooth.
const ASKED_BYTES: [f64; 2] = [250e6 / 67_108_864.0, 500e6 / 67_108_864.0];
/// Balls dug into the widest scene.
const DIGS: usize = 100;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    let sides = settings.list("side");
    for (at, side) in sides.iter().enumerate() {
        for (scene, octaves) in
            [("smooth", "smooth_octaves"), ("rough", "octaves"), ("carved", "smooth_octaves")]
        {
            for smooth in [false, true] {
                let octaves = settings.count(octaves) as u32;
                let terrain = Terrain::new(form(settings, *side as usize, octaves, smooth));
                match measure(scene, &terrain, settings.number("balls")) {
                    Ok(row) => {
                        outcome.pass &= row["pass"] == json!(true);
                        outcome.rows.push(experiment::row(row));
                    }
                    Err(error) => return refused(outcome, &error.to_string()),
                }
            }
        }
        progress((at + 1) as f64 / (sides.len() + 1) as f64);
    }
    match widest() {
        Ok(row) => outcome.rows.push(experiment::row(row)),
        Err(error) => return refused(outcome, &error.to_string()),
    }
    outcome
}

fn measure(
    scene: &str,
    terrain: &Terrain,
    balls: f64,
) -> Result<Value, barchan_volume::archive::ArchiveError> {
    let start = Instant::now();
    let mut archive = terrain.archive()?;
    let columns = (terrain.form.side * terrain.form.side) as f64;
    if scene == "carved" {
        let mut random = Random::new(3);
        for _ in 0..(balls * columns / 1e6) as usize {
            let half = terrain.form.side as f64 / 2.0 - 32.0;
            let mut along = || ((2.0 * f64::from(random.unit()) - 1.0) * half) as i32;
            let (x, y) = (along(), along());
            let radius = 4.0 + 20.0 * f64::from(random.unit());
            let depth = f64::from(random.unit()) * 40.0;
            let centre = DVec3::new(f64::from(x), f64::from(y), f64::from(terrain.height(x, y)) - depth);
            if terrain.form.smooth {
                let ball = SmoothBall { centre, radius, heaps: false };
                archive.change(ball.region(), &ball)?;
            } else {
                archive.dab(&Dab { extent: Extent::Ball { centre, radius }, act: Act::Clear })?;
            }
        }
        let before = archive.present();
        archive.commit("carved", ());
        archive.forget(before)?;
        while archive.collect(1 << 20) {}
    }
    let seconds = start.elapsed().as_secs_f64();
    let (usage, counts) = (archive.usage(), archive.now().count());
    let expected = ASKED_BYTES[usize::from(terrain.form.smooth)] * columns;
    Ok(json!({
        "scene": scene,
        "side": terrain.form.side,
        "contents": if terrain.form.smooth { "smooth" } else { "whole" },
        "bytes": usage.bytes,
        "reserved_bytes": usage.reserved_bytes,
        "solid_voxels": counts.solid(),
        "bytes_per_solid_voxel": usage.bytes as f64 / counts.solid() as f64,
        "bytes_per_column": usage.bytes as f64 / columns,
        "leaves": usage.leaves,
        "nodes": usage.nodes,
        "build_s": seconds,
        "expected": expected,
        "pass": usage.bytes as f64 <= expected,
    }))
}

/// A scene as wide as an archive can be, dug into at a hundred places from one end to the other.
fn widest() -> Result<Value, barchan_volume::archive::ArchiveError> {
    let terrain = Density { overhang_m: 0.0, relief_m: 40.0, ..Density::default() };
    let strata = vec![Stratum { material: SOIL, down_to_m: 2.0 }];
    let base = Base { terrain, voxel_size_m: 0.1, strata, rock: ROCK };
    let start = Instant::now();
    let mut archive: Archive = Archive::new(Some(base), "terrain", ());
    let opened_s = start.elapsed().as_secs_f64();
    let reach = f64::from(SPAN / 2 - 200);
    let mut dug = 0;
    for at in 0..DIGS {
        let along = (2.0 * at as f64 / (DIGS - 1) as f64 - 1.0) * reach;
        let from = DVec3::new(along, -0.7 * along, 10_000.0);
        let Some(hit) = archive.now().cast_ray(from, DVec3::NEG_Z, 1e5, 0.0) else { continue };
        let centre = hit.cube.min.as_dvec3() + 0.5;
        archive.dab(&Dab { extent: Extent::Ball { centre, radius: 20.0 }, act: Act::Clear })?;
        dug += 1;
    }
    let (usage, counts) = (archive.usage(), archive.now().count());
    Ok(json!({
        "scene": "base",
        "side": SPAN,
        "contents": "whole",
        "bytes": usage.bytes,
        "reserved_bytes": usage.reserved_bytes,
        "solid_voxels": counts.solid(),
        "leaves": usage.leaves,
        "nodes": usage.nodes,
        "places_dug": dug,
        "build_s": opened_s,
        "edits_s": start.elapsed().as_secs_f64() - opened_s,
        "pass": dug == DIGS && counts.lacks_base,
    }))
}
