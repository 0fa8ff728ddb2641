//! `barchan edit`: one tool changes a saved world.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use barchan_files::world_file::WorldFile;
use barchan_scene::{add_version, load_world, read_tool_line, save_world};
use barchan_sim::inventory::off_by;
use barchan_sim::ledger::Transfer;
use barchan_sim::tools::Stage;
use barchan_sim::{EditReport, World};
use serde_json::{Map, Value, json};

use crate::args::EditArgs;
use crate::kind::{Kind, kind_of};
use crate::output::print;
use crate::run::thread_pool;
use crate::versions::{is_about_versions, versions};

/// Carries out the edit of `args` and saves the world: as the next version of its file, unless another file is named.
pub fn edit(args: &EditArgs) -> Result<()> {
    let output = args.output.as_deref().unwrap_or(&args.file);
    for path in [&args.file, output] {
        if kind_of(&path.to_string_lossy()) != Kind::World {
            bail!("{} is no saved world: a .barchan file is needed", path.display());
        }
    }
    let pool = thread_pool(args.threads)?;
    if is_about_versions(&args.op) {
        return pool.install(|| versions(args));
    }
    let (mut world, plan) = pool.install(|| load_world(&args.file, args.max_memory.0))?;
    let step = read_tool_line(&args.op, &args.keys, &world, Path::new(""))?;
    let mut done = Vec::new();
    for edit in &step.edits {
        let (mut stages, mut began) = (Vec::new(), Instant::now());
        let mut watch = |stage| {
            stages.push((stage, began.elapsed().as_secs_f64()));
            began = Instant::now();
            true
        };
        let report = pool.install(|| world.edit_watched(edit, &mut watch))?;
        done.push((report, stages));
    }
    let label = [&args.op].into_iter().chain(&args.keys).map(String::as_str).collect::<Vec<_>>().join(" ");
    if is_same_file(output, &args.file) {
        let mut file = WorldFile::open(output, args.max_memory.0)?;
        pool.install(|| add_version(&mut file, &world, &plan, &label))?;
    } else {
        save_world(output, &world, &plan)?;
    }
    let facts = facts(&args.op, &done, &world);
    if args.json {
        print(&format!("{}\n", Value::Object(facts)))
    } else {
        print(&text(&facts, &world, output))
    }
}

/// True when both names are those of one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
}

/// What each edit did, and how long its stages took (s).
type Done = Vec<(EditReport, Vec<(Stage, f64)>)>;

fn facts(op: &str, done: &Done, world: &World) -> Map<String, Value> {
    let reports = || done.iter().map(|(report, _)| report);
    let units = |is_meant: fn(&Transfer) -> bool| {
        let transfers = reports().flat_map(|report| report.transfers.iter()).filter(|one| is_meant(one));
        transfers.map(|one| one.units).sum::<i64>()
    };
    let mut stages = Map::new();
    for (stage, seconds) in done.iter().flat_map(|(_, stages)| stages) {
        let before = stages.get(stage.name()).and_then(Value::as_f64).unwrap_or(0.0);
        stages.insert(stage.name().into(), json!(before + seconds));
    }
    let facts = json!({
        "op": op,
        "voxels": reports().map(|report| report.voxels).sum::<usize>(),
        "entered_units": units(|one| one.from.is_none()),
        "left_units": units(|one| one.to.is_none()),
        "turned_units": units(|one| one.from.is_some() && one.to.is_some()),
        "bricks": reports().map(|report| report.changes.len()).sum::<usize>(),
        "rounds": reports().map(|report| report.rounds).sum::<u32>(),
        "at_rest": !reports().any(|report| report.restless),
        "balance_units": off_by(&world.ledger().balance()),
        "stages_s": stages,
        "digest": format!("{:016x}", world.digest()),
    });
    let Value::Object(facts) = facts else { unreachable!("written as an object") };
    facts
}

fn text(facts: &Map<String, Value>, world: &World, output: &Path) -> String {
    let op = facts["op"].as_str().unwrap_or("");
    let mut text = format!("{op}: {} voxels chosen, {} bricks changed\n", facts["voxels"], facts["bricks"]);
    let (entered, left, turned) = (&facts["entered_units"], &facts["left_units"], &facts["turned_units"]);
    let _ = writeln!(text, "{entered} units came, {left} left, {turned} became something else");
    for (stage, seconds) in facts["stages_s"].as_object().into_iter().flatten() {
        let _ = writeln!(text, "{stage}: {:.3} s", seconds.as_f64().unwrap_or(0.0));
    }
    text += &crate::run::books_text(world);
    let _ = writeln!(text, "-> {}", output.display());
    text
}
