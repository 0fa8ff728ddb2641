//! What a run writes: pictures, heightmaps, the world and a table, at the end and every so many seconds.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use barchan_files::picture::write_png;
use barchan_files::top_heightmap;
use barchan_files::world_file::save_world;
use barchan_files::write_atomically;
use barchan_scene::{Record, RunPlan};
use barchan_sim::World;
use barchan_surface::{TopSurface, View, picture};

/// Size of recorded pictures (pixels).
const PICTURE_SIZE: [usize; 2] = [960, 540];

/// Writes the outputs of one run into one folder.
pub struct Recorder {
    folder: PathBuf,
    record: Record,
    next_time_s: f64,
    frames: usize,
    table: String,
}

impl Recorder {
    /// A recorder into `folder`, which is made when missing.
    pub fn new(folder: &Path, plan: &RunPlan) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let table = "time_s,steps,rock_units,soil_units,balance_units,awake_bricks,bodies,moving_bodies\n";
        Ok(Self {
            folder: folder.to_owned(),
            record: plan.record,
            next_time_s: 0.0,
            frames: 0,
            table: table.to_owned(),
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
        self.write(world, &suffix).map(drop)
    }

    /// Records the last state under plain names and returns what was written.
    pub fn finish(mut self, world: &World) -> Result<Vec<String>> {
        self.add_table_row(world);
        let mut files = self.write(world, "")?;
        if self.record.table {
            let text = std::mem::take(&mut self.table);
            let path = self.folder.join("table.csv");
            write_atomically(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
            files.push("table.csv".to_owned());
        }
        Ok(files)
    }

    fn write(&self, world: &World, suffix: &str) -> Result<Vec<String>> {
        let mut files = Vec::new();
        let mut name = |stem: &str, ending: &str| {
            files.push(format!("{stem}{suffix}.{ending}"));
            self.folder.join(files.last().expect("just pushed"))
        };
        if self.record.world {
            save_world(&name("world", "barchan"), world)?;
        }
        if self.record.heightmap {
            top_heightmap(&TopSurface::of(world)).write(name("heights", "png"))?;
        }
        if self.record.picture {
            let image = picture(world, &View::whole(world), PICTURE_SIZE);
            write_png(&name("picture", "png"), &image)?;
        }
        Ok(files)
    }

    fn add_table_row(&mut self, world: &World) {
        let (clock, ledger) = (world.clock(), world.ledger());
        let moving = world.bodies().iter().filter(|body| !body.sleeping).count();
        self.table += &format!(
            "{},{},{},{},{},{},{},{}\n",
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
