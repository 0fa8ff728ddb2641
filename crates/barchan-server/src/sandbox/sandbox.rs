//! The sandbox: one world, the hands on it, and everything they can do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use barchan_scene::RunPlan;
use barchan_sim::bodies::BodyId;
use barchan_sim::inventory::off_by;
use barchan_sim::{SeenParticles, World};
use barchan_surface::{TopSurface, View};
use glam::Vec3;
use serde_json::{Value, json};

use super::artist::Work;
use super::bodies::{BodyView, Role};
use super::errand::{Brought, Errand, Opened, Report, open};
use super::history::{History, Snapshot};
use super::saves::Saves;
use super::statistics::{Meter, Statistics};
use super::strokes::Stroke;
use crate::command::MachineKind;
use crate::machines::Machines;
use crate::scenes::parked_machines;
use crate::shown::Hand;

/// Most different things that people are told of one world.
const MOST_NOTICES: usize = 20;

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

impl Origin {
    /// What the world is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Scene(name) | Self::Saved(name) => name,
        }
    }
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
    pub(super) world: World,
    /// How the scene wants it run.
    pub(super) plan: RunPlan,
    pub(super) origin: Origin,
    pub(super) epoch: u32,
    pub(super) lineage: u32,
    /// Where one sees everything from (m).
    home_m: Vec3,
    pub(super) playing: bool,
    pub(super) speed: f32,
    pub(super) strokes: BTreeMap<ClientId, Stroke>,
    pub(super) machines: Machines,
    pub(super) body_friction: Option<f32>,
    pub(super) history: History,
    pub(super) saves: Saves,
    /// The names of saved worlds, as of the last errand.
    saved: Vec<String>,
    pub(super) memory_limit_bytes: u64,
    /// The surface as it was when the world was opened: sinkage is seen against it.
    pub(super) before: Option<TopSurface>,
    pub(super) statistics: Statistics,
    pub(super) meter: Meter,
    /// Grows whenever something that `state` tells has changed.
    pub(super) revision: u64,
    /// Something that is shown has changed since it was last looked at.
    pub(super) moved: bool,
    /// The particles as they were last shown, and whether any was elsewhere the time before.
    particles: Arc<SeenParticles>,
    particles_move: bool,
    /// A hand has just begun something that it wants to see at once.
    pub(super) urgent: bool,
    /// What the people should know and were not told yet.
    pub(super) notices: Vec<String>,
    /// What they were told before and need not hear again.
    pub(super) known: Vec<String>,
    /// The edit that is being carried out, and how many there were.
    pub(super) work: Option<Work>,
    pub(super) works: u64,
}

impl Sandbox {
    /// Opens the scene of `options`.
    pub fn open(options: SandboxOptions) -> Result<Self, String> {
        let SandboxOptions { scene, files, memory_limit_bytes } = options;
        let saves = Saves::new(files);
        let Opened { world, plan, origin } = open(Origin::Scene(scene), memory_limit_bytes, &saves)?;
        let mut sandbox = Self {
            world: *world,
            plan,
            origin,
            epoch: 1,
            lineage: 0,
            home_m: Vec3::ZERO,
            playing: true,
            speed: 1.0,
            strokes: BTreeMap::new(),
            machines: Machines::default(),
            body_friction: None,
            history: History::default(),
            saved: saves.names(),
            saves,
            memory_limit_bytes,
            before: None,
            statistics: Statistics::default(),
            meter: Meter::start(),
            revision: 0,
            moved: true,
            particles: Arc::default(),
            particles_move: false,
            urgent: false,
            notices: Vec::new(),
            known: Vec::new(),
            work: None,
            works: 0,
        };
        sandbox.furnish();
        Ok(sandbox)
    }

    /// One step of the world, with all hands at work.
    pub fn step(&mut self) {
        let dt_s = self.plan.step_s as f32;
        let mut refused = Vec::new();
        for stroke in self.strokes.values_mut() {
            refused.extend(stroke.act(&mut self.world, dt_s).err());
        }
        self.machines.drive(&mut self.world, dt_s);
        let meter = &mut self.meter;
        meter.begin();
        let report = self.world.step_watched(self.plan.step_s, &mut |process| meter.done(process));
        meter.end(&report, &mut self.statistics);
        self.moved |= !report.changes.is_empty() || report.bodies.moved > 0;
        self.moved |= !self.strokes.is_empty() || self.particles_move;
        let off = (!report.imbalance.is_zero()).then(|| "the books are off".to_owned());
        refused.into_iter().chain(report.warnings).chain(off).for_each(|notice| self.notice(notice));
    }

    /// Has the people told, unless they know already.
    fn notice(&mut self, notice: String) {
        if self.known.len() < MOST_NOTICES && !self.known.contains(&notice) {
            self.known.push(notice.clone());
            self.notices.push(notice);
        }
    }

    /// A client has left: its hands let go.
    pub fn leave(&mut self, client: ClientId) {
        self.revision += 1;
        self.moved = true;
        self.lift(client);
        self.machines.release(client);
    }

    pub(super) fn lift(&mut self, client: ClientId) {
        if let Some(stroke) = self.strokes.remove(&client) {
            stroke.end(&mut self.world);
        }
    }

    /// Has what came of an errand. Returns what the reply tells.
    pub fn receive(&mut self, report: Report) -> Result<Value, String> {
        if let Some(saved) = report.saved {
            self.saved = saved;
        }
        let done = report.done.inspect_err(|_| report.work.into_iter().for_each(|work| self.end_work(work)));
        self.revision += u64::from(!matches!(done, Ok(Brought::Told(_))));
        match done? {
            Brought::Nothing => Ok(json!({})),
            Brought::Told(told) => Ok(told),
            Brought::Edited(edited) => self.take_edited(edited),
            Brought::Opened(opened) => {
                self.enter(opened);
                Ok(json!({}))
            }
        }
    }

    /// Puts another world in the place of this one.
    fn enter(&mut self, opened: Opened) {
        self.strokes.clear();
        self.work = None;
        self.history = History::default();
        self.body_friction = None;
        self.known.clear();
        (self.world, self.plan, self.origin) = (*opened.world, opened.plan, opened.origin);
        self.epoch += 1;
        self.moved = true;
        self.furnish();
    }

    /// Finds a place to look from and the vehicles that are there. Some scenes come with vehicles.
    fn furnish(&mut self) {
        self.home_m = View::whole(&self.world).eye_m;
        self.before = TopSurface::of(&self.world).ok();
        self.machines = Machines::found_in(&self.world);
        let Origin::Scene(scene) = &self.origin else { return };
        for (kind, point_m, heading) in parked_machines(scene) {
            // A scene that has no room for them is shown without.
            let _ = self.machines.add(kind, point_m, heading, &mut self.world);
        }
    }

    pub(super) fn record(&mut self) {
        if let Err(error) = self.history.record(self.snapshot()) {
            self.notice(format!("this cannot be undone: {error}"));
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let (mut world, mut machines) = (self.world.clone(), self.machines.clone());
        self.strokes.values().for_each(|stroke| stroke.withdraw(&mut world));
        self.strokes.keys().for_each(|client| machines.release(*client));
        Snapshot { world, machines, body_friction: self.body_friction }
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

    /// Where hands are at work.
    pub fn hands(&self) -> Vec<Hand> {
        self.strokes.values().map(Stroke::hand).collect()
    }

    /// Where one looks from who has not said otherwise (m).
    pub fn home_m(&self) -> Vec3 {
        self.home_m
    }

    /// True when something that is shown has changed since the last time this was asked.
    pub fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// True when a hand has begun something since the last time this was asked.
    pub fn take_urgent(&mut self) -> bool {
        std::mem::take(&mut self.urgent)
    }

    /// What the people should know, once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
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

    /// Every particle; the same list as before when none of them moved.
    pub fn particles(&mut self) -> Arc<SeenParticles> {
        let now = self.world.particles();
        self.particles_move = now != *self.particles;
        if self.particles_move {
            self.particles = Arc::new(now);
        }
        self.particles.clone()
    }

    /// Numbers in view, as of now.
    pub fn statistics(&mut self) -> Statistics {
        self.meter.look(&mut self.statistics);
        self.statistics.inventory = self.world.inventory();
        self.statistics.off_by = off_by(&self.world.ledger().balance());
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

    /// How the scene wants it run.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// Time that one step passes (s).
    pub fn step_s(&self) -> f64 {
        self.plan.step_s
    }

    /// Whether time passes, and how fast.
    pub fn pace(&self) -> (bool, f32) {
        (self.playing, self.speed)
    }

    /// The name of the scene or saved world.
    pub fn name(&self) -> &str {
        self.origin.name()
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
    pub fn saves(&self) -> &[String] {
        &self.saved
    }

    /// What it takes to know which worlds are saved by now.
    pub fn list_saves(&self) -> Errand {
        Errand::List(self.saves.clone())
    }
}
