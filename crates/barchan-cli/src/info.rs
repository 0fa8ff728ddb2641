//! `barchan info`: what is in a scene, world, heightmap or mesh.

use std::path::Path;

use anyhow::{Result, bail};
use barchan_files::books_json;
use barchan_files::heightmap::Heightmap;
use barchan_files::mesh::read_mesh;
use barchan_scene::{BuildOptions, Laid, RunPlan, load, load_world};
use barchan_sim::World;
use serde_json::{Map, Value, json};

use crate::kind::{Kind, kind_of};
use crate::output::print;

/// Prints what is in `file`.
pub fn info(file: &str, as_json: bool, memory_limit_bytes: u64) -> Result<()> {
    let facts = match kind_of(file) {
        Kind::Scene => scene(file, memory_limit_bytes)?,
        Kind::World => saved(Path::new(file), memory_limit_bytes)?,
        Kind::Heightmap => heightmap(Path::new(file))?,
        Kind::Mesh => mesh(Path::new(file))?,
        Kind::Points => bail!("{file}: particles are written, not read"),
    };
    if as_json {
        return print(&format!("{}\n", Value::Object(facts)));
    }
    let line = |(key, value): (&String, &Value)| match value {
        Value::String(text) => format!("{key}: {}\n", text.replace(char::is_control, " ")),
        other => format!("{key}: {other}\n"),
    };
    print(&facts.iter().map(line).collect::<String>())
}

fn saved(path: &Path, memory_limit_bytes: u64) -> Result<Map<String, Value>> {
    let (saved, plan) = load_world(path, memory_limit_bytes)?;
    let mut facts = world(&saved);
    facts.extend(plan_facts(&plan));
    Ok(facts)
}

fn plan_facts(plan: &RunPlan) -> Map<String, Value> {
    object(json!({ "step_s": plan.step_s, "duration_s": plan.duration_s }))
}

fn scene(name: &str, memory_limit_bytes: u64) -> Result<Map<String, Value>> {
    let scene = load(name)?;
    let mut facts = Map::new();
    facts.insert("kind".into(), json!("scene"));
    facts.insert("title".into(), json!(scene.title));
    let mut entries = Vec::new();
    let mut tell = |_: usize, laid: &[Laid]| entries.push(laid.iter().map(laid_json).collect::<Vec<_>>());
    let (built, plan) = scene.build_telling(&BuildOptions { memory_limit_bytes }, &mut tell)?;
    facts.insert("ground".into(), json!(entries));
    facts.extend(plan_facts(&plan));
    facts.extend(world(&built).into_iter().filter(|(key, _)| key != "kind"));
    Ok(facts)
}

/// What an entry of the ground brought, in amounts that people know.
fn laid_json(laid: &Laid) -> Value {
    json!({ "account": laid.account.name(), "kind": laid.name, "m3": laid.m3, "kg": laid.kg })
}

fn world(world: &World) -> Map<String, Value> {
    let ground = world.ground();
    let bounds = ground.bounds().map(|b| json!({ "min": b.min.to_array(), "max": b.max.to_array() }));
    let bodies: Vec<_> = world.bodies().iter().map(|body| body.spec.name.clone()).collect();
    let facts = json!({
        "kind": "world",
        "voxel_size_m": ground.voxel_size_m(),
        "bounds_voxels": bounds,
        "bricks": ground.voxels().brick_count(),
        "memory_mib": ground.memory_bytes() as f64 / f64::from(1 << 20),
        "awake_bricks": ground.awake().len(),
        "bodies": bodies,
        "gravity_m_s2": world.gravity_m_s2().to_array(),
        "time_s": world.clock().time_s,
        "steps": world.clock().steps,
        "seed": world.seed(),
        "ledger": books_json(world),
        "digest": format!("{:016x}", world.digest()),
    });
    object(facts)
}

fn heightmap(path: &Path) -> Result<Map<String, Value>> {
    let map = Heightmap::read(path)?;
    Ok(object(json!({
        "kind": "heightmap",
        "width": map.width,
        "height": map.height,
        "cell_size_m": map.cell_size_m,
        "origin_m": map.origin_m,
        "scale": format!("{:?}", map.scale).to_lowercase(),
        "lowest": map.range().map(|range| range.0),
        "highest": map.range().map(|range| range.1),
        "cells_without_data": map.samples.iter().filter(|height| height.is_nan()).count(),
    })))
}

fn mesh(path: &Path) -> Result<Map<String, Value>> {
    let mut mesh = read_mesh(path)?;
    let (vertices, bounds) = (mesh.vertices.len(), mesh.bounds());
    // Vertices stand twice where materials or sharp edges meet: that is no hole.
    mesh.weld(0.0);
    let topology = mesh.topology();
    Ok(object(json!({
        "kind": "mesh",
        "vertices": vertices,
        "triangles": mesh.triangles.len(),
        "bounds_m": bounds.map(|b| json!({ "min": b.min.to_array(), "max": b.max.to_array() })),
        "area_m2": mesh.area_m2(),
        "volume_m3": mesh.signed_volume_m3(),
        "closed": topology.is_closed(),
        "open_edges": topology.open_edges,
    })))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => unreachable!("json! of braces is an object"),
    }
}
