//! Worlds in files together with how their scene wants them run.

use std::io;
use std::path::Path;

use barchan_files::FileError;
use barchan_files::world_file::{
    self, Attachment, Loaded, WorldFile, load_world_with_attachments, save_world_with,
};
use barchan_sim::World;

use crate::outputs::PointFormat;
use crate::plan::RunPlan;

/// Of which form a plan is in a file.
const PLAN_VERSION: u16 = 2;

/// Saves `world` at `path` with its plan. Whatever happens on the way, the old file stays whole until the new one is.
pub fn save_world(path: &Path, world: &World, plan: &RunPlan) -> Result<(), FileError> {
    save_world_with(path, world, &[attachment(plan)])
}

/// Writes `world` with its plan as a .barchan file.
pub fn write_world(out: &mut impl io::Write, world: &World, plan: &RunPlan) -> io::Result<()> {
    world_file::write_world(out, world, &[attachment(plan)])
}

/// Adds `world` with its plan to `file` as a version that came from the present one; its number.
pub fn add_version(
    file: &mut WorldFile,
    world: &World,
    plan: &RunPlan,
    label: &str,
) -> Result<u32, FileError> {
    file.add(world, &[attachment(plan)], label)
}

/// Saves `world` with its plan at `path`: as one more version where a file is there that can be read, else as the first.
pub fn save_version(
    path: &Path,
    world: &World,
    plan: &RunPlan,
    label: &str,
    memory_limit_bytes: u64,
) -> Result<(), FileError> {
    match WorldFile::open(path, memory_limit_bytes) {
        Ok(mut file) => add_version(&mut file, world, plan, label).map(drop),
        Err(FileError::Read { .. } | FileError::Format { .. }) => save_world(path, world, plan),
        Err(error) => Err(error),
    }
}

fn attachment(plan: &RunPlan) -> Attachment {
    let points = (plan.record.particles, plan.record.particles_format);
    let bytes = postcard::to_stdvec(&(plan, points)).expect("plain data serialises");
    Attachment { tag: Attachment::PLAN, version: PLAN_VERSION, bytes }
}

/// Loads the world saved at `path`, which may not need more than `memory_limit_bytes`, with its plan: how its scene wanted it run, or
/// the default where the file does not say.
pub fn load_world(path: &Path, memory_limit_bytes: u64) -> Result<(World, RunPlan), FileError> {
    with_plan(path, load_world_with_attachments(path, memory_limit_bytes)?)
}

fn with_plan(path: &Path, loaded: Loaded) -> Result<(World, RunPlan), FileError> {
    let plan = loaded.attachments.iter().find(|attachment| attachment.tag == Attachment::PLAN);
    let plan =
        plan.map_or(Ok(RunPlan::default()), read_plan).map_err(|reason| FileError::damaged(path, reason))?;
    Ok((loaded.world, plan))
}

fn read_plan(attachment: &Attachment) -> Result<RunPlan, String> {
    let bytes = &attachment.bytes;
    let read = match attachment.version {
        1 => postcard::take_from_bytes::<RunPlan>(bytes),
        PLAN_VERSION => {
            postcard::take_from_bytes::<(RunPlan, (bool, PointFormat))>(bytes).map(|(read, rest)| {
                let (mut plan, points) = read;
                (plan.record.particles, plan.record.particles_format) = points;
                (plan, rest)
            })
        }
        found => {
            return Err(format!("its plan is of version {found}; this program knows up to {PLAN_VERSION}"));
        }
    };
    match read {
        Ok((plan, [])) if plan.is_sound() => Ok(plan),
        Ok(_) => Err("its plan says what no scene could".to_owned()),
        Err(error) => Err(format!("its plan cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use barchan_sim::WorldConfig;

    use super::*;
    use crate::plan::Record;

    #[test]
    fn a_plan_comes_back_and_a_false_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.barchan");
        let world = World::new(WorldConfig::default()).unwrap();
        let record = Record { particles: true, particles_format: PointFormat::Ply, ..Record::default() };
        let plan = RunPlan { step_s: 0.004, duration_s: 3.0, record, ..RunPlan::default() };
        save_world(&path, &world, &plan).unwrap();
        assert_eq!(load_world(&path, 1 << 20).unwrap().1, plan);
        for wrong in
            [RunPlan { step_s: f64::NAN, ..plan.clone() }, RunPlan { duration_s: -1.0, ..plan.clone() }]
        {
            save_world(&path, &world, &wrong).unwrap();
            let error = load_world(&path, 1 << 20).unwrap_err().to_string();
            assert!(error.contains("a.barchan") && error.contains("no scene could"), "{error}");
        }
        // As the first version wrote it.
        let bytes = postcard::to_stdvec(&plan).unwrap();
        let old = Attachment { tag: Attachment::PLAN, version: 1, bytes };
        save_world_with(&path, &world, &[old]).unwrap();
        let read = load_world(&path, 1 << 20).unwrap().1;
        assert_eq!(read, RunPlan { record: Record::default(), ..plan });
        world_file::save_world(&path, &world).unwrap();
        assert_eq!(load_world(&path, 1 << 20).unwrap().1, RunPlan::default());
    }
}
