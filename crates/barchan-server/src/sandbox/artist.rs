//! The tools of a terrain artist: edits in the words of scenes. They are carried out beside the steps, on a copy of the world,
//! while time stands still; and one can look at what an edit would change before it does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use barchan_scene::{EditStep, read_tool_line};
use barchan_sim::tools::Stage;
use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Edit, Materials, Voxel, World};
use barchan_volume::brick::{EDGE, VOXELS};
use glam::IVec3;
use serde_json::{Map, Value, json};

use super::errand::Errand;
use super::sandbox::{ClientId, Sandbox};

/// Most rows of voxels that a look at an edit tells of.
const MOST_ROWS: usize = 12_000;

/// An edit that is being carried out.
pub struct Work {
    /// Tells it from those before.
    pub number: u64,
    /// The tool.
    op: String,
    progress: Arc<Progress>,
    /// Stages that had ended when people were last told.
    told: usize,
}

/// How far an edit has come, and whether anybody wants it any more.
#[derive(Default)]
pub struct Progress {
    ended: AtomicUsize,
    cancelled: AtomicBool,
}

/// What came of an edit.
pub struct Edited {
    /// Which work it was.
    pub number: u64,
    /// The world after it.
    pub world: Box<World>,
    /// What the reply tells.
    pub told: Value,
}

impl Sandbox {
    /// Has an edit carried out; time stands still until it is done.
    pub(super) fn work_on(&mut self, op: String, keys: &Map<String, Value>) -> Result<Errand, String> {
        let step = self.tool_line(&op, keys)?;
        let clients: Vec<ClientId> = self.strokes.keys().copied().collect();
        clients.into_iter().for_each(|client| self.lift(client));
        self.works += 1;
        let (number, progress) = (self.works, Arc::new(Progress::default()));
        self.work = Some(Work { number, op, progress: progress.clone(), told: 0 });
        Ok(Errand::Edit { number, world: Box::new(self.world.clone()), step, progress })
    }

    /// A look at what an edit would change.
    pub(super) fn look_at(&self, op: &str, keys: &Map<String, Value>) -> Result<Errand, String> {
        let step = self.tool_line(op, keys)?;
        Ok(Errand::Preview { world: Box::new(self.snapshot().world), step })
    }

    /// Gives up the edit that is being carried out; nothing of it stays.
    pub(super) fn cancel(&mut self) -> Result<(), String> {
        let work = self.work.take().ok_or("no edit is being carried out")?;
        work.progress.cancelled.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// True while an edit is being carried out.
    pub fn is_at_work(&self) -> bool {
        self.work.is_some()
    }

    /// Sees to it that people hear how far an edit has come.
    pub fn follow_work(&mut self) {
        let Some(work) = &mut self.work else { return };
        let ended = work.progress.ended.load(Ordering::Relaxed);
        if work.told != ended {
            work.told = ended;
            self.revision += 1;
        }
    }

    /// The tool at work and the stage it is at, as `state` tells it.
    pub fn work_told(&self) -> Value {
        let Some(work) = &self.work else { return Value::Null };
        let stage = Stage::ALL[work.progress.ended.load(Ordering::Relaxed).min(Stage::ALL.len() - 1)];
        let stages = Stage::ALL.map(Stage::name);
        json!({ "op": work.op, "stage": stage.name(), "stages": stages })
    }

    /// Takes over the world that an edit was carried out on, unless it was cancelled.
    pub(super) fn take_edited(&mut self, edited: Edited) -> Result<Value, String> {
        if self.work.as_ref().is_none_or(|work| work.number != edited.number) {
            return Err("cancelled".to_owned());
        }
        self.work = None;
        self.record();
        self.world = *edited.world;
        (self.moved, self.urgent) = (true, true);
        Ok(edited.told)
    }

    /// Work that failed is over.
    pub fn end_work(&mut self, number: u64) {
        if self.work.as_ref().is_some_and(|work| work.number == number) {
            self.work = None;
        }
    }

    fn tool_line(&self, op: &str, keys: &Map<String, Value>) -> Result<EditStep, String> {
        let keys = keys.iter().map(|(key, value)| written(key, value)).collect::<Result<Vec<_>, _>>()?;
        read_tool_line(op, &keys, &self.world, self.saves.folder()).map_err(|error| error.to_string())
    }
}

/// A key and its value as a scene has them: for what is allowed, JSON is TOML.
fn written(key: &str, value: &Value) -> Result<String, String> {
    let is_key = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if key.is_empty() || !key.chars().all(is_key) {
        return Err(format!("{key:?} is no key of an edit"));
    }
    let is_plain = |value: &Value| value.is_number() || value.is_string() || value.is_boolean();
    let is_list = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(is_plain));
    let is_allowed = is_plain(value)
        || is_list(value)
        || value.as_array().is_some_and(|list| list.iter().all(|item| is_plain(item) || is_list(item)));
    if !is_allowed {
        return Err(format!("{key}: must be a number, a text, true or false, or a list of these"));
    }
    // Files come from the folder of saved worlds and from nowhere else.
    if key == "file" && value.as_str().is_none_or(|name| name.contains(['/', '\\']) || name.starts_with('.'))
    {
        return Err("file: must be the name of a file in the folder for files".to_owned());
    }
    Ok(format!("{key}={value}"))
}

/// Carries an edit out, telling how far it is.
pub fn carry_out(
    number: u64,
    mut world: Box<World>,
    step: &EditStep,
    progress: &Progress,
) -> Result<Edited, String> {
    let (mut seconds, mut last) = ([0.0; Stage::ALL.len()], Instant::now());
    let (mut voxels, mut rounds, mut restless, mut off) = (0, 0, false, false);
    for edit in &step.edits {
        let report = world.edit_watched(edit, &mut |stage| {
            let (now, at) = (Instant::now(), stage as usize);
            seconds[at] += (now - last).as_secs_f64();
            last = now;
            progress.ended.store(at + 1, Ordering::Relaxed);
            !progress.cancelled.load(Ordering::Relaxed)
        });
        let report = report.map_err(|error| error.to_string())?;
        voxels += report.voxels;
        rounds += report.rounds;
        restless |= report.restless;
        off |= !report.imbalance.is_zero();
    }
    if progress.cancelled.load(Ordering::Relaxed) {
        return Err("cancelled".to_owned());
    }
    let stages: Map<String, Value> =
        Stage::ALL.iter().map(|stage| (stage.name().to_owned(), json!(seconds[*stage as usize]))).collect();
    let told = json!({
        "voxels": voxels, "rounds": rounds, "at_rest": !restless, "balances": !off,
        "seconds": seconds.iter().sum::<f64>(), "stages": stages,
    });
    Ok(Edited { number, world, told })
}

/// What an edit would change, before anything falls: rows of voxels along z, each x, y, z of the lowest and how many.
pub fn preview(mut world: Box<World>, step: &EditStep) -> Result<Value, String> {
    let Some(first) = step.edits.first() else { return Err("there is nothing to look at".to_owned()) };
    let mut edit = first.clone();
    if let Edit::Weather(weathering) = &mut edit {
        weathering.rest_rounds = 0;
    }
    if matches!(edit, Edit::Rest { .. }) {
        return Err("what comes to rest shows only then".to_owned());
    }
    let report = world.edit(&edit).map_err(|error| error.to_string())?;
    let mut rows = [const { Vec::new() }; 3];
    let mut count = [0_usize; 3];
    for (coord, before) in report.changes.before() {
        let now = world.ground().voxels().brick(*coord);
        for at in 0..VOXELS {
            let (was, is) = (before.voxels.get(at), now.get(at));
            let Some(change) = change(&was, &is, world.materials()) else { continue };
            count[change as usize] += 1;
            let p = *coord * EDGE + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, (at & 7) as i32);
            extend(&mut rows[change as usize], p);
        }
    }
    let is_more = rows.iter().any(|rows| rows.len() > MOST_ROWS);
    rows.iter_mut().for_each(|rows| rows.truncate(MOST_ROWS));
    let [gone, come, turned] = rows;
    Ok(json!({ "preview": {
        "gone": gone, "come": come, "turned": turned, "voxels": count, "more": is_more,
    }}))
}

/// How a voxel changes.
#[derive(Clone, Copy)]
enum Change {
    Gone,
    Come,
    Turned,
}

fn change(was: &Voxel, is: &Voxel, materials: &Materials) -> Option<Change> {
    let half = LOOSE_FULL / 2;
    let rock = |voxel: &Voxel| voxel.rock_share(materials) >= half;
    let solid = |voxel: &Voxel| voxel.rock_share(materials) + voxel.soil_share() >= half;
    if rock(was) && !rock(is) || solid(was) && !solid(is) {
        return Some(Change::Gone);
    }
    if !solid(was) && solid(is) {
        return Some(Change::Come);
    }
    let kinds = |voxel: &Voxel| {
        (voxel.rock > 0).then_some(voxel.rock_kind).or((voxel.top > 0).then_some(voxel.top_kind))
    };
    (solid(is) && kinds(was) != kinds(is)).then_some(Change::Turned)
}

/// Adds a voxel to the last row if it continues it.
fn extend(rows: &mut Vec<[i32; 4]>, p: IVec3) {
    let has_room = rows.len() <= MOST_ROWS;
    match rows.last_mut() {
        Some([x, y, z, n]) if (*x, *y, *z + *n) == (p.x, p.y, p.z) => *n += 1,
        _ if has_room => rows.push([p.x, p.y, p.z, 1]),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_cannot_leave_their_place() {
        assert_eq!(written("radius_m", &json!(1.5)).unwrap(), "radius_m=1.5");
        assert_eq!(written("material", &json!("a\"b\nop = 3")).unwrap(), r#"material="a\"b\nop = 3""#);
        assert_eq!(written("center_m", &json!([1, 2.5, -3])).unwrap(), "center_m=[1,2.5,-3]");
        assert_eq!(
            written("points_m", &json!([[1, 2, 3], [4, 5, 6]])).unwrap(),
            "points_m=[[1,2,3],[4,5,6]]"
        );
        for (key, value) in [
            ("a = 1\nb", json!(1)),
            ("", json!(1)),
            ("x", json!(null)),
            ("x", json!({"y": 1})),
            ("file", json!("../secret.obj")),
            ("file", json!("/etc/passwd")),
            ("file", json!(3)),
        ] {
            assert!(written(key, &value).is_err(), "{key} {value}");
        }
    }

    #[test]
    fn rows_grow_along_z() {
        let mut rows = Vec::new();
        for p in [IVec3::new(1, 2, 3), IVec3::new(1, 2, 4), IVec3::new(1, 3, 5)] {
            extend(&mut rows, p);
        }
        assert_eq!(rows, [[1, 2, 3, 2], [1, 3, 5, 1]]);
    }
}
