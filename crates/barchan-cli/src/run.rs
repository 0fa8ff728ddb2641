//! `barchan run`: builds a world, steps it, writes what the scene wants recorded, and closes the books.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use barchan_files::books_json;
use barchan_scene::{BuildOptions, RunPlan, load, load_world};
use barchan_sim::World;
use barchan_sim::inventory::off_by;
use rayon::ThreadPool;
use serde_json::{Value, json};

use crate::args::RunArgs;
use crate::kind::{Kind, kind_of};
use crate::output::print;
use crate::progress;
use crate::record::Recorder;
use crate::tool_forces::reactions_json;

/// Distinct warnings that are kept; more of the same kind would only repeat them.
const MOST_WARNINGS: usize = 20;

/// Runs the scene of `args`.
pub fn run(args: &RunArgs) -> Result<()> {
    let pool = thread_pool(args.options.threads)?;
    let (mut world, mut plan) = pool.install(|| open(&args.scene, args.max_memory.0))?;
    plan.step_s = args.step_s.unwrap_or(plan.step_s);
    let duration_s = args.seconds.unwrap_or(plan.duration_s);
    let steps = args.steps.unwrap_or_else(|| RunPlan { duration_s, ..plan.clone() }.steps());
    let recorder =
        args.options.out.as_deref().map(|folder| Recorder::new(folder, &plan, &world)).transpose()?;
    let outcome = pool.install(|| simulate(&mut world, &plan, steps, recorder))?;
    let summary = summary(&args.scene, &world, steps, plan.step_s, &outcome);
    if let Some(folder) = &args.options.out {
        write_summary(folder, &summary)?;
    }
    if args.options.json {
        print(&format!("{summary}\n"))
    } else {
        print_summary(&world, &summary, &outcome, args.options.out.as_deref())
    }
}

/// What there is of everything, in amounts that people know, and whether the books balance.
pub fn books_text(world: &World) -> String {
    let stocks = world.inventory();
    let width = stocks.iter().map(|stock| stock.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for stock in stocks {
        let (account, name) = (stock.account.name(), &stock.name);
        let _ = writeln!(text, "{account:<6} {name:<width$} {:>12.3} m³ {:>14.0} kg", stock.m3, stock.kg);
    }
    let balance = world.ledger().balance();
    match balance.is_zero() {
        true => text += "the books balance\n",
        false => {
            let _ = writeln!(text, "the books are off by {} units", off_by(&balance));
        }
    }
    text
}

/// The threads that work is done on.
pub fn thread_pool(threads: Option<u16>) -> Result<ThreadPool> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0).into());
    builder.build().context("cannot start threads")
}

/// The world and plan of a scene, or a saved world with the plan of the scene that it came from.
pub fn open(name: &str, memory_limit_bytes: u64) -> Result<(World, RunPlan)> {
    match kind_of(name) {
        Kind::World => Ok(load_world(Path::new(name), memory_limit_bytes)?),
        Kind::Scene => Ok(load(name)?.build(&BuildOptions { memory_limit_bytes })?),
        Kind::Heightmap | Kind::Mesh | Kind::Points => {
            bail!(
                "{name} is no scene: a .toml file, a .barchan file or the name of a built-in scene is needed"
            )
        }
    }
}

/// What a run showed beyond the world it left.
struct Outcome {
    /// Time spent on steps (s).
    wall_seconds: f64,
    /// Time spent on writing what is recorded (s).
    recording_seconds: f64,
    files: Vec<String>,
    warnings: Vec<String>,
}

fn simulate(
    world: &mut World,
    plan: &RunPlan,
    steps: u64,
    mut recorder: Option<Recorder>,
) -> Result<Outcome> {
    let bar = progress::bar(steps, "simulating");
    let mut warnings: Vec<String> = Vec::new();
    let (began, mut stepping) = (Instant::now(), 0.0);
    if let Some(recorder) = &mut recorder {
        recorder.begin(world, steps, plan.step_s)?;
        warnings.append(&mut recorder.warnings);
    }
    for _ in 0..steps {
        let started = Instant::now();
        let report = world.step(plan.step_s);
        stepping += started.elapsed().as_secs_f64();
        let off = (!report.imbalance.is_zero())
            .then(|| format!("step {}: the books are off by {:?}", world.clock().steps, report.imbalance));
        for warning in report.warnings.into_iter().chain(off) {
            if warnings.len() < MOST_WARNINGS && !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        if let Some(recorder) = &mut recorder {
            recorder.after_step(world)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let files = recorder.map_or(Ok(Vec::new()), |recorder| recorder.finish(world))?;
    let recording_seconds = began.elapsed().as_secs_f64() - stepping;
    Ok(Outcome { wall_seconds: stepping, recording_seconds, files, warnings })
}

fn summary(scene: &str, world: &World, steps: u64, step_s: f64, outcome: &Outcome) -> Value {
    json!({
        "scene": scene,
        "steps": steps,
        "sim_seconds": steps as f64 * step_s,
        "wall_seconds": outcome.wall_seconds,
        "steps_per_second": if outcome.wall_seconds > 0.0 { steps as f64 / outcome.wall_seconds } else { 0.0 },
        "ledger": books_json(world),
        "reactions": reactions_json(world),
        "digest": format!("{:016x}", world.digest()),
        "warnings": outcome.warnings,
    })
}

fn write_summary(folder: &Path, summary: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(summary)? + "\n";
    barchan_files::write_atomically(&folder.join("summary.json"), |file| {
        std::io::Write::write_all(file, text.as_bytes())
    })?;
    Ok(())
}

fn print_summary(world: &World, summary: &Value, outcome: &Outcome, out: Option<&Path>) -> Result<()> {
    let number = |key: &str| summary[key].as_f64().unwrap_or(0.0);
    let mut text = format!(
        "{}: {} steps, {:.2} s simulated in {:.2} s ({:.0} steps/s)\n{}bodies: {}, awake bricks: {}\ndigest: {}\n",
        summary["scene"].as_str().unwrap_or(""),
        summary["steps"],
        number("sim_seconds"),
        number("wall_seconds"),
        number("steps_per_second"),
        books_text(world),
        world.bodies().len(),
        world.ground().awake().len(),
        summary["digest"].as_str().unwrap_or(""),
    );
    for warning in &outcome.warnings {
        writeln!(text, "warning: {warning}")?;
    }
    match out {
        Some(folder) => {
            let (files, seconds) = (outcome.files.join(", "), outcome.recording_seconds);
            writeln!(text, "results in {}: {files}, summary.json ({seconds:.1} s)", folder.display())?;
        }
        None => text += "nothing was written; --out DIR keeps the results\n",
    }
    print(&text)
}
