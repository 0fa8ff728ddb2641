//! The sandbox: one world, the hands on it, and everything they can do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barchan_files::world_file::load_world;
use barchan_scene::{BuildOptions, RunPlan, load};
use barchan_sim::bodies::{BodyId, BodySpec, Motion};
use barchan_sim::{MaterialId, World};
use barchan_volume::{Pose, Shape};
use glam::Vec3;
use serde_json::{Value, json};

use super::bodies::{BodyView, Role};
use super::history::{History, Snapshot};
use super::probe::{ground_under, pick};
use super::saves::Saves;
use super::statistics::{Meter, Statistics};
use super::strokes::Stroke;
use crate::command::{BodyShape, Command, MachineKind, Tool};
use crate::machines::Machines;
use crate::scenes::parked_machines;

/// Most bodies that hands may bring a world to.
const MOST_BODIES: usize = 512;
/// What is poured when nothing is said.
const USUAL_STRENGTH: f32 = 0.5;

/// Which client a command came from.
pub type ClientId = u64;

/// Where a world comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A built-in scene, or a scene or world file that the program was started with.
    Scene(String),
    /// A saved world.
    Saved(String),
}

/// How to make a sandbox.
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    /// A path to a .toml or .barchan file, or the name of a built-in scene.
    pub scene: String,
    /// The folder that worlds are saved to and loaded from.
    pub files: PathBuf,
    /// Memory that the ground may use (bytes).
    pub memory_limit_bytes: u64,
}

/// A world and the hands on it.
pub struct Sandbox {
    world: World,
    step_s: f64,
    name: String,
    origin: Origin,
    epoch: u32,
    lineage: u32,
    playing: bool,
    speed: f32,
    strokes: BTreeMap<ClientId, Stroke>,
    machines: Machines,
    body_friction: Option<f32>,
    history: History,
    saves: Saves,
    memory_limit_bytes: u64,
    statistics: Statistics,
    meter: Meter,
    /// Grows whenever something that `state` tells has changed.
    revision: u64,
}

impl Sandbox {
    /// Opens the scene of `options`.
    pub fn open(options: SandboxOptions) -> Result<Self, String> {
        let SandboxOptions { scene, files, memory_limit_bytes } = options;
        let (world, plan) = open_scene(&scene, memory_limit_bytes)?;
        let mut sandbox = Self {
            world,
            step_s: plan.step_s,
            name: scene.clone(),
            origin: Origin::Scene(scene),
            epoch: 1,
            lineage: 0,
            playing: true,
            speed: 1.0,
            strokes: BTreeMap::new(),
            machines: Machines::default(),
            body_friction: None,
            history: History::default(),
            saves: Saves::new(files),
            memory_limit_bytes,
            statistics: Statistics::default(),
            meter: Meter::start(),
            revision: 0,
        };
        sandbox.park_machines();
        Ok(sandbox)
    }

    /// Does what `client` asks. The answer holds what the reply tells beside that it was done.
    pub fn apply(&mut self, client: ClientId, command: Command) -> Result<Value, String> {
        self.revision += 1;
        match command {
            Command::Start { .. } | Command::Ack { .. } | Command::Eye { .. } => {
                self.revision -= 1;
                return Err("that is for the connection, not for the world".to_owned());
            }
            Command::Pick { origin_m, direction } => {
                self.revision -= 1;
                return Ok(self.picked(origin_m, direction));
            }
            Command::Stroke { tool, point_m, radius_m, material, strength } => {
                self.lift(client);
                let material = self.material(material.as_deref(), tool)?;
                self.record();
                let strength = strength.unwrap_or(USUAL_STRENGTH);
                let stroke = Stroke::begin(tool, material, point_m, radius_m, strength, &mut self.world)?;
                self.strokes.insert(client, stroke);
                self.act_if_paused(client)?;
            }
            Command::Move { point_m, radius_m } => {
                self.revision -= 1;
                let stroke = self.strokes.get_mut(&client).ok_or("no stroke is open")?;
                stroke.lead(point_m, radius_m);
                self.act_if_paused(client)?;
            }
            Command::Lift {} => self.lift(client),
            Command::Body { shape, size_m, point_m, velocity_m_s, density_kg_m3 } => {
                return self.add_body(shape, size_m, point_m, velocity_m_s, density_kg_m3);
            }
            Command::RemoveBody { body } => self.remove_body(BodyId(body))?,
            Command::Machine { kind, point_m, heading } => {
                return self.add_machine(kind, point_m, heading.unwrap_or(0.0));
            }
            Command::Drive { machine, controls } => {
                self.revision -= 1;
                self.machines.set_levers(client, machine, &controls)?;
            }
            Command::RemoveMachine { machine } => {
                self.record();
                self.machines.remove(machine, &mut self.world)?;
            }
            Command::Play {} => self.playing = true,
            Command::Pause {} => self.playing = false,
            Command::Step {} if self.playing => return Err("pause first: it is playing".to_owned()),
            Command::Step {} => self.step(),
            Command::Speed { factor } => self.speed = factor,
            Command::Scene { name } => self.change_scene(&name)?,
            Command::Reset {} => self.reset()?,
            Command::Soil { material, friction_angle_deg, cohesion_kpa, unit_weight_kn_m3 } => {
                self.change_soil(&material, friction_angle_deg, cohesion_kpa, unit_weight_kn_m3)?;
            }
            Command::BodyFriction { friction } => {
                self.record();
                self.world.set_body_friction(friction).map_err(|error| error.to_string())?;
                self.body_friction = Some(friction);
            }
            Command::Save { name } => self.saves.save(&name, &self.world)?,
            Command::Load { name } => {
                let world = self.saves.load(&name, self.memory_limit_bytes)?;
                self.enter(world, RunPlan::default().step_s, name.clone(), Origin::Saved(name));
            }
            Command::Undo {} => self.travel(History::undo, "there is nothing to undo")?,
            Command::Redo {} => self.travel(History::redo, "there is nothing to redo")?,
        }
        Ok(json!({}))
    }

    /// One step of the world, with all hands at work.
    pub fn step(&mut self) {
        let dt_s = self.step_s as f32;
        for stroke in self.strokes.values_mut() {
            // Refused when the ground would need more memory than it may have: the stroke then does nothing.
            let _ = stroke.act(&mut self.world, dt_s);
        }
        self.machines.drive(&mut self.world, dt_s);
        let meter = &mut self.meter;
        meter.begin();
        let report = self.world.step_watched(self.step_s, &mut |process| meter.done(process));
        meter.end(&report, &mut self.statistics);
    }

    /// A client has left: its hands let go.
    pub fn leave(&mut self, client: ClientId) {
        self.revision += 1;
        self.lift(client);
        self.machines.release(client);
    }

    fn lift(&mut self, client: ClientId) {
        if let Some(stroke) = self.strokes.remove(&client) {
            stroke.end(&mut self.world);
        }
    }

    /// While time stands still hands go on: a tool acts once for every message.
    fn act_if_paused(&mut self, client: ClientId) -> Result<(), String> {
        match self.strokes.get_mut(&client) {
            Some(stroke) if !self.playing => stroke.act(&mut self.world, self.step_s as f32),
            _ => Ok(()),
        }
    }

    fn material(&self, name: Option<&str>, tool: Tool) -> Result<MaterialId, String> {
        let materials = self.world.materials();
        match name {
            Some(name) => materials.find(name).ok_or_else(|| format!("there is no material '{name}'")),
            None if tool == Tool::Pour => Err("material is missing: what is to be poured?".to_owned()),
            None => Ok(MaterialId(0)),
        }
    }

    fn picked(&self, origin_m: Vec3, direction: Vec3) -> Value {
        let hit = pick(&self.world, origin_m, direction).map(|hit| {
            json!({
                "point_m": hit.point_m.to_array(),
                "normal": hit.normal.to_array(),
                "material": self.world.materials().get(hit.material).map(|material| &material.name),
                "distance_m": hit.distance_m,
            })
        });
        json!({ "hit": hit })
    }

    fn add_body(
        &mut self,
        shape: BodyShape,
        size_m: f32,
        point_m: Vec3,
        velocity_m_s: Option<Vec3>,
        density_kg_m3: Option<f32>,
    ) -> Result<Value, String> {
        if self.world.bodies().len() >= MOST_BODIES {
            return Err(format!("there are {MOST_BODIES} bodies; take one away first"));
        }
        let half = size_m / 2.0;
        let (name, shape) = match shape {
            BodyShape::Box => ("box", Shape::Box { half_extents: Vec3::splat(half) }),
            BodyShape::Ball => ("ball", Shape::Ball { radius: half }),
        };
        let resting = || {
            let height = ground_under(&self.world, point_m + Vec3::Z * size_m);
            point_m.with_z(height.unwrap_or(point_m.z) + half + self.world.ground().voxel_size_m())
        };
        let centre = if velocity_m_s.is_some() { point_m } else { resting() };
        let mut spec = BodySpec::new(name, shape, Pose::at(centre), Motion::Dynamic);
        spec.linear_velocity_m_s = velocity_m_s.unwrap_or(Vec3::ZERO);
        spec.density_kg_m3 = density_kg_m3.unwrap_or(1_200.0);
        spec.friction = self.body_friction.unwrap_or(spec.friction);
        self.record();
        let id = self.world.add_body(spec).map_err(|error| error.to_string())?;
        Ok(json!({ "body": id.0 }))
    }

    fn remove_body(&mut self, id: BodyId) -> Result<(), String> {
        if self.world.bodies().get(id).is_none() {
            return Err(format!("there is no body {}", id.0));
        }
        if self.machines.kind_of(id).is_some() || self.strokes.values().any(|stroke| stroke.ball == Some(id))
        {
            return Err(format!("body {} is part of a machine or a tool", id.0));
        }
        self.record();
        self.world.remove_body(id);
        Ok(())
    }

    fn add_machine(&mut self, kind: MachineKind, point_m: Vec3, heading: f32) -> Result<Value, String> {
        self.record();
        let number = self.machines.add(kind, point_m, heading, &mut self.world)?;
        self.keep_friction()?;
        Ok(json!({ "machine": number }))
    }

    /// New bodies get the friction that all bodies were given.
    fn keep_friction(&mut self) -> Result<(), String> {
        let given = self.body_friction.map(|friction| self.world.set_body_friction(friction));
        given.unwrap_or(Ok(())).map_err(|error| error.to_string())
    }

    fn change_soil(
        &mut self,
        name: &str,
        friction_angle_deg: Option<f32>,
        cohesion_kpa: Option<f32>,
        unit_weight_kn_m3: Option<f32>,
    ) -> Result<(), String> {
        let materials = self.world.materials();
        let id = materials.find(name).ok_or_else(|| format!("there is no material '{name}'"))?;
        let mut material = materials[id].clone();
        if let Some(degrees) = friction_angle_deg {
            // A heap of it stands as much steeper or flatter as its friction changes.
            let change = degrees.to_radians() - material.friction_angle;
            material.repose_angle = (material.repose_angle + change).clamp(0.0, 89_f32.to_radians());
            material.friction_angle = degrees.to_radians();
        }
        material.cohesion_pa = cohesion_kpa.map_or(material.cohesion_pa, |kpa| kpa * 1e3);
        material.unit_weight_n_m3 = unit_weight_kn_m3.map_or(material.unit_weight_n_m3, |kn| kn * 1e3);
        self.record();
        self.world.replace_material(material).map_err(|error| error.to_string())
    }

    fn change_scene(&mut self, name: &str) -> Result<(), String> {
        if !barchan_scene::builtin_names().contains(&name) {
            return Err(format!("there is no built-in scene '{name}'"));
        }
        let (world, plan) = open_scene(name, self.memory_limit_bytes)?;
        self.enter(world, plan.step_s, name.to_owned(), Origin::Scene(name.to_owned()));
        Ok(())
    }

    fn reset(&mut self) -> Result<(), String> {
        let (world, step_s) = match &self.origin {
            Origin::Scene(scene) => {
                open_scene(scene, self.memory_limit_bytes).map(|(world, plan)| (world, plan.step_s))?
            }
            Origin::Saved(name) => (self.saves.load(name, self.memory_limit_bytes)?, self.step_s),
        };
        self.enter(world, step_s, self.name.clone(), self.origin.clone());
        Ok(())
    }

    /// Puts another world in the place of this one.
    fn enter(&mut self, world: World, step_s: f64, name: String, origin: Origin) {
        self.strokes.clear();
        self.machines = Machines::default();
        self.history = History::default();
        self.body_friction = None;
        (self.world, self.step_s, self.name, self.origin) = (world, step_s, name, origin);
        self.epoch += 1;
        self.park_machines();
    }

    /// Some scenes come with vehicles.
    fn park_machines(&mut self) {
        let Origin::Scene(scene) = &self.origin else { return };
        for (kind, point_m, heading) in parked_machines(scene) {
            // A scene that has no room for them is shown without.
            let _ = self.machines.add(kind, point_m, heading, &mut self.world);
        }
    }

    fn record(&mut self) {
        self.history.record(self.snapshot());
    }

    fn snapshot(&self) -> Snapshot {
        let (mut world, mut machines) = (self.world.clone(), self.machines.clone());
        for ball in self.strokes.values().filter_map(|stroke| stroke.ball) {
            world.remove_body(ball);
        }
        self.strokes.keys().for_each(|client| machines.release(*client));
        Snapshot { world, machines, body_friction: self.body_friction }
    }

    /// Goes back or forward. Hands that hold something let go: it may not be there.
    fn travel(
        &mut self,
        way: fn(&mut History, Snapshot) -> Option<Snapshot>,
        nothing: &str,
    ) -> Result<(), String> {
        let clients: Vec<_> = self.strokes.keys().copied().collect();
        clients.into_iter().for_each(|client| self.lift(client));
        let now = self.snapshot();
        let Snapshot { world, machines, body_friction } = way(&mut self.history, now).ok_or(nothing)?;
        (self.world, self.machines, self.body_friction) = (world, machines, body_friction);
        self.lineage += 1;
        Ok(())
    }
}

impl Sandbox {
    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The vehicles.
    pub fn machines(&self) -> &Machines {
        &self.machines
    }

    /// Every body as clients see it.
    pub fn bodies(&self) -> Vec<BodyView> {
        let is_ball = |id: BodyId| self.strokes.values().any(|stroke| stroke.ball == Some(id));
        let role = |id: BodyId| match self.machines.kind_of(id) {
            Some(MachineKind::Excavator) => Some(Role::Excavator),
            Some(MachineKind::Bulldozer) => Some(Role::Bulldozer),
            None => is_ball(id).then_some(Role::PushBall),
        };
        self.world.bodies().iter().map(|body| BodyView::of(&body, role(body.id))).collect()
    }

    /// Numbers in view, as of now.
    pub fn statistics(&mut self) -> Statistics {
        self.meter.look(&mut self.statistics);
        self.statistics.ledger = self.world.ledger();
        self.statistics.clone()
    }

    /// Grows by one when the world is another one.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Grows by one when the world went back or forward in its history: numbers of bodies may mean others since.
    pub fn lineage(&self) -> u32 {
        self.lineage
    }

    /// Grows whenever something that `state` tells has changed.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Time that one step passes (s).
    pub fn step_s(&self) -> f64 {
        self.step_s
    }

    /// Whether time passes, and how fast.
    pub fn pace(&self) -> (bool, f32) {
        (self.playing, self.speed)
    }

    /// The name of the scene or saved world.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The friction that all bodies were given.
    pub fn body_friction(&self) -> Option<f32> {
        self.body_friction
    }

    /// How many times one can undo and redo.
    pub fn depths(&self) -> [usize; 2] {
        self.history.depths()
    }

    /// The names of saved worlds.
    pub fn saves(&self) -> Vec<String> {
        self.saves.names()
    }
}

fn open_scene(name: &str, memory_limit_bytes: u64) -> Result<(World, RunPlan), String> {
    let path = Path::new(name);
    if path.extension().is_some_and(|ending| ending == "barchan") {
        let world = load_world(path, memory_limit_bytes).map_err(|error| error.to_string())?;
        return Ok((world, RunPlan::default()));
    }
    let scene = load(name).map_err(|error| error.to_string())?;
    scene.build(&BuildOptions { memory_limit_bytes }).map_err(|error| error.to_string())
}
