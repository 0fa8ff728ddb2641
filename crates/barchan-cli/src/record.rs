//! What a run writes: pictures, maps, meshes, the world and a table, at the end and every so many seconds; and a film.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use barchan_files::model::write_model;
use barchan_files::picture::write_png;
use barchan_files::points::write_points;
use barchan_files::top_heightmap;
use barchan_files::{write_atomically, write_material_map};
use barchan_scene::{Camera, Record, RunPlan, save_world};
use barchan_sim::bodies::{Body, Motion};
use barchan_sim::inventory::off_by;
use barchan_sim::{Account, World};
use barchan_surface::{PictureOptions, TopError, TopSurface, render};

use crate::convert::model_of;
use crate::film::{self, Film};
use crate::render::in_camera;
use crate::tool_forces::ToolForces;

/// Size of the picture at the end, and of those on the way (pixels).
const LAST_PICTURE: [usize; 2] = [960, 540];
const FRAME_PICTURE: [usize; 2] = [640, 360];

/// Columns of what acted on bodies: means over the last step.
const FORCES_HEAD: &str =
    "time_s,body,name,cause,force_x_n,force_y_n,force_z_n,torque_x_n_m,torque_y_n_m,torque_z_n_m\n";

/// Writes the outputs of one run into one folder.
pub struct Recorder {
    folder: PathBuf,
    /// Goes with saved worlds, so that they go on as their scene said.
    plan: RunPlan,
    record: Record,
    camera: Camera,
    records: Timer,
    meshes: Timer,
    film: Option<(String, Film)>,
    table: String,
    /// What acted on bodies, by cause.
    forces: String,
    tools: ToolForces,
    last_row_steps: Option<u64>,
    /// What could not be had as the scene wants it.
    pub warnings: Vec<String>,
}

impl Recorder {
    /// A recorder into `folder`, which is made when missing.
    pub fn new(folder: &Path, plan: &RunPlan, world: &World) -> Result<Self> {
        let mut record = plan.record.clone();
        match TopSurface::extent(world) {
            Err(TopError::Empty) => (record.heightmap, record.materials) = (false, false),
            Err(error) if record.heightmap => bail!("{error}: set record.heightmap = false in the scene"),
            Err(error) if record.materials => bail!("{error}: set record.materials = false in the scene"),
            _ => {}
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        remove_old_frames(folder)?;
        // What cannot be written is better known before the run than after it.
        let probe = folder.join(".barchan-probe");
        write_atomically(&probe, |_| Ok(()))?;
        std::fs::remove_file(&probe)?;
        let of_account = |account: Account| {
            let name = account.name();
            format!("{name}_units,{name}_m3,{name}_kg,")
        };
        let accounts: String = Account::ALL.map(of_account).concat();
        let table = format!("time_s,steps,{accounts}balance_units,awake_bricks,bodies,moving_bodies\n");
        let start_s = world.clock().time_s;
        Ok(Self {
            folder: folder.to_owned(),
            plan: plan.clone(),
            records: Timer::new(start_s, record.every_s),
            meshes: Timer::new(start_s, record.mesh_every_s.or(record.every_s)),
            film: None,
            record,
            camera: plan.camera,
            table,
            forces: FORCES_HEAD.to_owned(),
            tools: ToolForces::of(world),
            last_row_steps: None,
            warnings: Vec::new(),
        })
    }

    /// Records the state before the first of `steps` steps of `step_s` (s).
    pub fn begin(&mut self, world: &World, steps: u64, step_s: f64) -> Result<()> {
        if let Some(plan) = &self.record.video {
            let (file, warning) = film::file_name(plan);
            let film = Film::begin(&self.folder.join(&file), plan, &self.camera, world, steps, step_s)?;
            self.film = Some((file, film));
            self.warnings.extend(warning);
        }
        self.write_what_is_due(world)
    }

    /// Records the state after a step, when its time has come.
    pub fn after_step(&mut self, world: &World) -> Result<()> {
        if self.record.table {
            self.tools.note(world);
        }
        if let Some((_, film)) = &mut self.film {
            film.after_step(world)?;
        }
        self.write_what_is_due(world)
    }

    /// Records the last state under plain names and returns what was written.
    pub fn finish(mut self, world: &World) -> Result<Vec<String>> {
        if self.last_row_steps != Some(world.clock().steps) {
            self.add_table_row(world);
        }
        let mut files = self.write(world, "", LAST_PICTURE)?;
        files.extend(self.write_mesh(world, "")?);
        if let Some((file, film)) = self.film.take() {
            film.finish()?;
            files.push(file);
        }
        if self.record.table {
            let text = std::mem::take(&mut self.table);
            let path = self.folder.join("table.csv");
            write_atomically(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
            files.push("table.csv".to_owned());
            if self.forces.len() > FORCES_HEAD.len() {
                let text = std::mem::take(&mut self.forces);
                let path = self.folder.join("forces.csv");
                write_atomically(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
                files.push("forces.csv".to_owned());
            }
            let (table, plot) = (self.tools.table(), self.tools.plot());
            for (file, text) in [("tools.csv", table), ("tools.svg", plot.as_deref())] {
                if let Some(text) = text {
                    let path = self.folder.join(file);
                    write_atomically(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
                    files.push(file.to_owned());
                }
            }
        }
        Ok(files)
    }

    fn write_what_is_due(&mut self, world: &World) -> Result<()> {
        let time_s = world.clock().time_s;
        if let Some(suffix) = self.records.due(time_s) {
            self.add_table_row(world);
            self.write(world, &suffix, FRAME_PICTURE)?;
        }
        if let Some(suffix) = self.meshes.due(time_s) {
            self.write_mesh(world, &suffix)?;
        }
        Ok(())
    }

    fn write(&self, world: &World, suffix: &str, picture_size: [usize; 2]) -> Result<Vec<String>> {
        let mut files = Vec::new();
        let mut name = |stem: &str, ending: &str| {
            files.push(format!("{stem}{suffix}.{ending}"));
            self.folder.join(files.last().expect("just pushed"))
        };
        if self.record.world {
            save_world(&name("world", "barchan"), world, &self.plan)?;
        }
        if self.record.heightmap || self.record.materials {
            let top = TopSurface::of(world)?;
            if self.record.heightmap {
                top_heightmap(&top).write(name("heights", self.record.heightmap_format.ending()))?;
            }
            if self.record.materials {
                write_material_map(&name("materials", "png"), &top, world.materials())?;
                name("materials", "csv");
            }
        }
        if self.record.particles {
            let path = name("particles", self.record.particles_format.ending());
            write_points(path, &world.particles(), world.materials())?;
        }
        if self.record.picture {
            let (view, options) = in_camera(&self.camera, world, PictureOptions::quick(picture_size));
            write_png(&name("picture", "png"), &render(world, &view, &options))?;
        }
        Ok(files)
    }

    fn write_mesh(&self, world: &World, suffix: &str) -> Result<Option<String>> {
        if !self.record.mesh {
            return Ok(None);
        }
        let model = model_of(world);
        if model.triangle_count() == 0 {
            return Ok(None);
        }
        let file = format!("surface{suffix}.{}", self.record.mesh_format.ending());
        write_model(self.folder.join(&file), &model)?;
        Ok(Some(file))
    }

    /// One row for each body and cause that acted in the last step.
    fn add_forces(&mut self, world: &World) {
        for body in world.bodies().iter() {
            // As in any file of this kind: quotes are doubled.
            let name = body.spec.name.replace('"', "\"\"");
            for (cause, force, torque) in body.received.mean_forces() {
                let numbers = [force, torque].map(|v| v.to_array()).concat();
                let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:.6e}")).collect();
                let (time_s, id, cause) = (world.clock().time_s, body.id.0, cause.name());
                self.forces += &format!("{time_s:.6},{id},\"{name}\",{cause},{}\n", numbers.join(","));
            }
        }
    }

    fn add_table_row(&mut self, world: &World) {
        self.add_forces(world);
        let (clock, ledger) = (world.clock(), world.ledger());
        let moves = |body: &Body<'_>| body.spec.motion != Motion::Fixed && !body.sleeping;
        let moving = world.bodies().iter().filter(moves).count();
        self.last_row_steps = Some(clock.steps);
        let stocks = world.inventory();
        let of_account = |account: Account| {
            let of = stocks.iter().filter(|stock| stock.account == account);
            let (m3, kg) = of.fold((0.0, 0.0), |(m3, kg), stock| (m3 + stock.m3, kg + stock.kg));
            format!("{},{m3:.6},{kg:.3},", ledger.held.of(account))
        };
        self.table += &format!(
            "{:.6},{},{}{},{},{},{}\n",
            clock.time_s,
            clock.steps,
            Account::ALL.map(of_account).concat(),
            off_by(&ledger.balance()),
            world.ground().awake().len(),
            world.bodies().len(),
            moving,
        );
    }
}

/// Tells when the next of a row of files is due, and numbers them.
struct Timer {
    /// Time between two (s); none: never.
    every_s: Option<f64>,
    next_time_s: f64,
    count: usize,
}

impl Timer {
    fn new(start_s: f64, every_s: Option<f64>) -> Self {
        Self { every_s, next_time_s: start_s, count: 0 }
    }

    /// The end of the next file's name, if its time has come.
    fn due(&mut self, time_s: f64) -> Option<String> {
        // Half a microsecond of grace: time is a sum of steps that are rarely exact.
        let every_s = self.every_s.filter(|_| time_s + 5e-7 >= self.next_time_s)?;
        self.next_time_s += every_s;
        self.count += 1;
        Some(format!("-{:04}", self.count - 1))
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
            "png" => of("picture") || of("heights") || of("materials"),
            "tif" | "asc" => of("heights"),
            "csv" => of("materials"),
            "vtk" => of("particles"),
            "ply" => of("surface") || of("particles"),
            "glb" | "obj" | "stl" => of("surface"),
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
