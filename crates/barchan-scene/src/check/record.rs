//! `[record]`: what a run leaves behind.

use crate::outputs::{HeightmapFormat, MeshFormat, PointFormat, VideoEnding, VideoPlan};
use crate::plan::Record;
use crate::reader::{Flag, List, Number, OneOf, Seconds, TableReader, Text, Whole};

/// Times between records (s).
const INTERVAL: Seconds = Seconds(Number { min: 1e-5, max: 1e6 });
const FPS: Whole = Whole { min: 1, max: 120 };
/// Sides of a film (pixels).
const SIZE: List<Whole> = List { each: Whole { min: 16, max: 4096 }, min: 2, max: 2 };
/// What other outputs are called; a film of that name would replace them.
const TAKEN: [&str; 8] =
    ["world", "heights", "materials", "picture", "surface", "particles", "table", "summary"];

/// Reads `[record]`; without it there is the default.
pub fn read(scene: &mut TableReader<'_>) -> Option<Record> {
    let default = Record::default();
    let is_there = scene.has("record");
    let Some(mut table) = scene.table("record") else { return (!is_there).then_some(default) };
    let every_s = table.optional("every_s", &INTERVAL);
    let world = table.or("world", &Flag, default.world);
    let heightmap = table.or("heightmap", &Flag, default.heightmap);
    let heightmap_format =
        table.or("heightmap_format", &OneOf(&HeightmapFormat::ALL), default.heightmap_format);
    let materials = table.or("materials", &Flag, default.materials);
    let picture = table.or("picture", &Flag, default.picture);
    let numbers = table.or("table", &Flag, default.table);
    let mesh = table.or("mesh", &Flag, default.mesh);
    let mesh_format = table.or("mesh_format", &OneOf(&MeshFormat::ALL), default.mesh_format);
    let mesh_every_s = table.optional("mesh_every_s", &INTERVAL);
    let video = read_video(&mut table);
    let particles = table.or("particles", &Flag, default.particles);
    let particles_format = table.or("particles_format", &OneOf(&PointFormat::ALL), default.particles_format);
    table.finish();
    Some(Record {
        every_s: every_s?,
        world: world?,
        heightmap: heightmap?,
        heightmap_format: heightmap_format?,
        materials: materials?,
        picture: picture?,
        table: numbers?,
        mesh: mesh?,
        mesh_format: mesh_format?,
        mesh_every_s: mesh_every_s?,
        video: video?,
        particles: particles?,
        particles_format: particles_format?,
    })
}

/// Reads `[record.video]`; without it there is no film. The outer option is none when it is there and wrong.
fn read_video(record: &mut TableReader<'_>) -> Option<Option<VideoPlan>> {
    let default = VideoPlan::default();
    let is_there = record.has("video");
    let Some(mut table) = record.table("video") else { return (!is_there).then_some(None) };
    let name = read_name(&mut table, default.name);
    let format = table.or("format", &OneOf(&VideoEnding::ALL), default.format);
    let fps = table.or("fps", &FPS, default.fps.into());
    let size = read_size(&mut table, default.size);
    table.finish();
    Some(Some(VideoPlan { name: name?, format: format?, fps: fps? as u32, size: size? }))
}

fn read_name(table: &mut TableReader<'_>, default: String) -> Option<String> {
    let name = table.or("name", &Text { longest: 64 }, default)?;
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.chars().all(word) {
        table.wrong("name", "must be of a-z, 0-9 and _: the ending is said by format");
        return None;
    }
    if TAKEN.contains(&name.as_str()) {
        table.wrong("name", "must not be the name of another output");
        return None;
    }
    Some(name)
}

fn read_size(table: &mut TableReader<'_>, default: [usize; 2]) -> Option<[usize; 2]> {
    let size = table.or("size", &SIZE, default.map(|side| side as u64).to_vec())?;
    if size.iter().any(|side| side % 2 == 1) {
        table.wrong("size", "must be even, both");
        return None;
    }
    Some([size[0] as usize, size[1] as usize])
}
