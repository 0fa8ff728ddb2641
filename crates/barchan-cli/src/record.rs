//! What a run writes: pictures, heightmaps, the world and a table, at the end and every so many seconds.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use barchan_files::picture::write_png;
use barchan_files::top_heightmap;
use barchan_files::world_file::save_world;
use barchan_files::write_atomically;
use barchan_scene::{Camera, Record, RunPlan};
use barchan_sim::World;
use barchan_sim::bodies::{Body, Motion};
use barchan_surface::{PictureOptions, TopError, TopSurface, render};

use crate::render::in_camera;

/// Size of the picture at the end, and of those on the way (pixels).
const LAST_PICTURE: [usize; 2] = [960, 540];
const FRAME_PICTURE: [usize; 2] = [640, 360];

/// Writes the outputs of one run into one folder.
pub struct Recorder {
    folder: PathBuf,
    record: Record,
    camera: Camera,
    next_time_s: f64,
    frames: usize,
    table: String,
    last_row_steps: Option<u64>,
}

impl Recorder {
    /// A recorder into `folder`, which is made when missing.
    pub fn new(folder: &Path, plan: &RunPlan, world: &World) -> Result<Self> {
        let mut record = plan.record;
        match TopSurface::extent(world) {
            Err(TopError::Empty) => record.heightmap = false,
            Err(error) if record.heightmap => bail!("{error}: set record.heightmap = false in the scene"),
            _ => {}
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        remove_old_frames(folder)?;
        // What cannot be written is better known before the run than after it.
        let probe = folder.join(".barchan-probe");
        write_atomically(&probe, |_| Ok(()))?;
        std::fs::remove_file(&probe)?;
        let table = "time_s,steps,rock_units,soil_units,balance_units,awake_bricks,bodies,moving_bodies\n";
        Ok(Self {
            folder: folder.to_owned(),
            record,
            camera: plan.camera,
            next_time_s: 0.0,
            frames: 0,
            table: table.to_owned(),
            last_row_steps: None,
        })
    }

    /// Records the state before the first step.
    pub fn begin(&mut self, world: &World) -> Result<()> {
        self.next_time_s = world.clock().time_s;
        self.after_step(world)
    }

    /// Records the state after a step, when its time has come.
    pub fn after_step(&mut self, world: &World) -> Result<()> {
        let Some(every_s) = self.record.every_s else { return Ok(()) };
        // Half a microsecond of grace: time is a sum of steps that are rarely exact.
        if world.clock().time_s + 5e-7 < self.next_time_s {
            return Ok(());
        }
        self.next_time_s += every_s;
        self.add_table_row(world);
        let suffix = format!("-{:04}", self.frames);
        self.frames += 1;
        self.write(world, &suffix, FRAME_PICTURE).map(drop)
    }

    /// Records the last state under plain names and returns what was written.
    pub fn finish(mut self, world: &World) -> Result<Vec<String>> {
        if self.last_row_steps != Some(world.clock().steps) {
            self.add_table_row(world);
        }
        let mut files = self.write(world, "", LAST_PICTURE)?;
        if self.record.table {
            let text = std::mem::take(&mut self.table);
            let path = self.folder.join("table.csv");
            write_atomically(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
            files.push("table.csv".to_owned());
        }
        Ok(files)
    }

    fn write(&self, world: &World, suffix: &str, picture_size: [usize; 2]) -> Result<Vec<String>> {
        let mut files = Vec::new();
        let mut name = |stem: &str, ending: &str| {
            files.push(format!("{stem}{suffix}.{ending}"));
            self.folder.join(files.last().expect("just pushed"))
        };
        if self.record.world {
            save_world(&name("world", "barchan"), world)?;
        }
        if self.record.heightmap {
            top_heightmap(&TopSurface::of(world)?).write(name("heights", "png"))?;
        }
        if self.record.picture {
            let (view, options) = in_camera(&self.camera, world, PictureOptions::quick(picture_size));
            write_png(&name("picture", "png"), &render(world, &view, &options))?;
        }
        Ok(files)
    }

    fn add_table_row(&mut self, world: &World) {
        let (clock, ledger) = (world.clock(), world.ledger());
        let moves = |body: &Body<'_>| body.spec.motion != Motion::Fixed && !body.sleeping;
        let moving = world.bodies().iter().filter(moves).count();
        self.last_row_steps = Some(clock.steps);
        self.table += &format!(
            "{:.6},{},{},{},{},{},{},{}\n",
            clock.time_s,
            clock.steps,
            ledger.held.rock,
            ledger.held.soil,
            ledger.balance(),
            world.ground().awake().len(),
            world.bodies().len(),
            moving,
        );
    }
}

/// Removes the numbered files of an earlier run, which would be taken for frames of this one.
fn remove_old_frames(folder: &Path) -> Result<()> {
    let is_frame = |name: &str| {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let of = |kind: &str| {
            let number = stem.strip_prefix(kind).and_then(|rest| rest.strip_prefix('-'));
            number.is_some_and(|n| n.len() >= 4 && n.bytes().all(|digit| digit.is_ascii_digit()))
        };
        match ending {
            "png" => of("picture") || of("heights"),
            "barchan" => of("world"),
            _ => false,
        }
    };
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_frame) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
