//! `barchan edit FILE undo | redo | log | go | prune`: what a saved world's file holds of its versions.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use barchan_files::world_file::{SavedVersion, WorldFile};
use serde_json::json;

use crate::args::EditArgs;
use crate::output::print;

/// Versions that `prune` keeps unless told otherwise.
const KEPT: usize = 1;

/// True when the operation is about versions and no tool.
pub fn is_about_versions(op: &str) -> bool {
    matches!(op, "undo" | "redo" | "log" | "go" | "prune")
}

/// Goes between the versions of a file, lists them or gives some up.
pub fn versions(args: &EditArgs) -> Result<()> {
    if args.output.is_some() {
        bail!("{} changes which version of FILE is the present one: it knows no --output", args.op);
    }
    let mut file = WorldFile::open(&args.file, args.max_memory.0)?;
    let mut told = String::new();
    match (args.op.as_str(), number(args)?) {
        ("log", None) => {}
        ("undo", None) => drop(file.undo()?),
        ("redo", None) => drop(file.redo()?),
        ("go", Some(("version", id))) => drop(file.go_to(u32::try_from(id).unwrap_or(u32::MAX))?),
        ("go", _) => bail!("go needs the number of a version, as version=3; `log` lists them"),
        ("prune", None | Some(("keep", _))) => {
            let keep = number(args)?.map_or(KEPT, |(_, keep)| keep as usize);
            if keep == 0 {
                bail!("keep = 0 must be 1 or more");
            }
            let _ = writeln!(told, "{} less", amount(file.prune(keep)?));
        }
        (op, Some((key, _))) => bail!("{op} knows no {key}"),
        (op, None) => bail!("there is no {op}"),
    }
    let present = file.present();
    if args.json {
        let all: Vec<_> = file.versions().map(|version| facts(&version, version.id == present.id)).collect();
        return print(&format!("{}\n", json!({ "present": present.id, "versions": all })));
    }
    let log = file.versions().filter(|version| args.op == "log" || version.id == present.id);
    log.for_each(|version| told += &line(&version, version.id == present.id));
    print(&told)
}

/// The one key=number that may stand behind the operation.
fn number(args: &EditArgs) -> Result<Option<(&str, u64)>> {
    let [one] = &args.keys[..] else {
        return if args.keys.is_empty() { Ok(None) } else { bail!("{} takes one key at most", args.op) };
    };
    match one.split_once('=').map(|(key, value)| (key, value.parse())) {
        Some((key, Ok(value))) => Ok(Some((key, value))),
        _ => bail!("{one:?} must be a key and a whole number, as version=3"),
    }
}

fn facts(version: &SavedVersion, is_present: bool) -> serde_json::Value {
    json!({
        "version": version.id,
        "parent": version.parent,
        "label": version.label,
        "time_s": version.time_s,
        "steps": version.steps,
        "box_voxels": { "min": version.region.min.to_array(), "max": version.region.max.to_array() },
        "bytes": version.bytes,
        "digest": format!("{:016x}", version.digest),
        "present": is_present,
    })
}

fn line(version: &SavedVersion, is_present: bool) -> String {
    let mark = if is_present { '*' } else { ' ' };
    let from = version.parent.map_or(String::new(), |parent| format!(" from {parent}"));
    let (id, label, time_s) = (version.id, &version.label, version.time_s);
    let place = match version.region.is_empty() {
        true => "the ground as before".to_owned(),
        false => format!("voxels {} to {}", version.region.min, version.region.max),
    };
    format!("{mark} {id}{from}: {label}; {time_s:.3} s; {place}; {}\n", amount(version.bytes))
}

fn amount(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
