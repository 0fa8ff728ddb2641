//! What commands do to a sandbox.

use barchan_sim::MaterialId;
use barchan_sim::bodies::{BodyId, BodySpec, Motion};
use barchan_volume::archive::ArchiveError;
use barchan_volume::{Pose, Shape};
use glam::Vec3;
use serde_json::{Value, json};

use super::errand::Errand;
use super::history::{History, Snapshot};
use super::probe::{ground_under, pick};
use super::sandbox::{ClientId, Origin, Sandbox};
use super::strokes::Stroke;
use crate::command::{BodyShape, Command, MachineKind, Tool};

/// Most bodies that hands may bring a world to.
const MOST_BODIES: usize = 2048;
/// How strongly tools act when nothing is said.
const USUAL_STRENGTH: f32 = 0.5;

/// What becomes of a command that is not refused.
pub enum Answer {
    /// It is done; this is what the reply tells beside that.
    Done(Value),
    /// It takes long: it is done when this is, and [`Sandbox::receive`] has got what comes of it.
    Takes(Errand),
}

impl Sandbox {
    /// Does what `client` asks.
    pub fn apply(&mut self, client: ClientId, command: Command) -> Result<Answer, String> {
        self.revision += 1;
        self.moved = true;
        match command {
            Command::Start { .. } | Command::Ack { .. } | Command::Eye { .. } => {
                self.revision -= 1;
                return Err("that is for the connection, not for the world".to_owned());
            }
            Command::Scene { name } => return self.change_scene(name).map(Answer::Takes),
            Command::Reset {} => return Ok(Answer::Takes(self.opening(self.origin.clone()))),
            Command::Load { name } => {
                self.saves.check(&name)?;
                return Ok(Answer::Takes(self.opening(Origin::Saved(name))));
            }
            Command::Save { name } => {
                self.saves.check(&name)?;
                let (world, saves) = (Box::new(self.snapshot().world), self.saves.clone());
                return Ok(Answer::Takes(Errand::Save { name, world, plan: self.plan.clone(), saves }));
            }
            Command::Pick { origin_m, direction } => {
                self.revision -= 1;
                return Ok(Answer::Done(self.picked(origin_m, direction)));
            }
            Command::Stroke { tool, point_m, radius_m, material, strength } => {
                self.lift(client);
                let material = self.material(material.as_deref(), tool)?;
                self.record();
                let strength = strength.unwrap_or(USUAL_STRENGTH);
                let stroke = Stroke::begin(tool, material, point_m, radius_m, strength, &mut self.world)?;
                self.strokes.insert(client, stroke);
                self.act(client)?;
                self.urgent = true;
            }
            Command::Move { point_m, radius_m } => {
                self.revision -= 1;
                let stroke = self.strokes.get_mut(&client).ok_or("no stroke is open")?;
                stroke.lead(point_m, radius_m);
                // While time stands still hands go on: a tool acts once for every message.
                if !self.playing {
                    self.act(client)?;
                }
            }
            Command::Lift {} => self.lift(client),
            Command::Body { shape, size_m, point_m, velocity_m_s, density_kg_m3 } => {
                let added = self.add_body(shape, size_m, point_m, velocity_m_s, density_kg_m3);
                return added.map(Answer::Done);
            }
            Command::RemoveBody { body } => self.remove_body(BodyId(body))?,
            Command::Machine { kind, point_m, heading } => {
                return self.add_machine(kind, point_m, heading.unwrap_or(0.0)).map(Answer::Done);
            }
            Command::Drive { machine, controls } => {
                self.revision -= 1;
                self.machines.set_levers(client, machine, &controls)?;
            }
            Command::RemoveMachine { machine } => {
                self.record();
                self.machines.remove(machine, &mut self.world)?;
            }
            Command::Carve { on } => {
                self.record();
                self.machines.set_carve(on, &mut self.world);
            }
            Command::Rain { rate_mm_h } => self.rain(rate_mm_h)?,
            Command::Source { point_m, radius_m, rate_m3_s, sediment } => {
                let added = self.add_source(point_m, radius_m, rate_m3_s, sediment.unwrap_or(0.0));
                return added.map(Answer::Done);
            }
            Command::ChangeSource { source, point_m, rate_m3_s, sediment } => {
                self.change_source(source, point_m, rate_m3_s, sediment)?;
            }
            Command::RemoveSource { source } => self.remove_source(source)?,
            Command::Play {} => self.playing = true,
            Command::Pause {} => self.playing = false,
            Command::Step {} if self.playing => return Err("pause first: it is playing".to_owned()),
            Command::Step {} => self.step(),
            Command::Speed { factor } => self.speed = factor,
            Command::Soil { material, friction_angle_deg, cohesion_kpa, unit_weight_kn_m3 } => {
                self.change_soil(&material, friction_angle_deg, cohesion_kpa, unit_weight_kn_m3)?;
            }
            Command::BodyFriction { friction } => {
                self.record();
                self.world.set_body_friction(friction).map_err(|error| error.to_string())?;
                self.body_friction = Some(friction);
            }
            Command::Undo {} => self.travel(History::undo, "there is nothing to undo")?,
            Command::Redo {} => self.travel(History::redo, "there is nothing to redo")?,
        }
        Ok(Answer::Done(json!({})))
    }

    fn opening(&self, origin: Origin) -> Errand {
        let (memory_limit_bytes, saves) = (self.memory_limit_bytes, self.saves.clone());
        Errand::Open { origin, memory_limit_bytes, saves }
    }

    /// Lets the tool of a client act once.
    fn act(&mut self, client: ClientId) -> Result<(), String> {
        let stroke = self.strokes.get_mut(&client);
        stroke.map_or(Ok(()), |stroke| stroke.act(&mut self.world, self.plan.step_s as f32))
    }

    fn material(&self, name: Option<&str>, tool: Tool) -> Result<MaterialId, String> {
        let materials = self.world.materials();
        match name {
            Some(name) => materials.find(name).ok_or_else(|| format!("there is no material '{name}'")),
            None if matches!(tool, Tool::Pour | Tool::Grains) => {
                Err("material is missing: what is to be poured?".to_owned())
            }
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

    fn change_scene(&self, name: String) -> Result<Errand, String> {
        if !barchan_scene::builtin_names().contains(&name.as_str()) {
            return Err(format!("there is no built-in scene '{name}'"));
        }
        Ok(self.opening(Origin::Scene(name)))
    }

    /// Goes back or forward. Hands that hold something let go: it may not be there.
    fn travel(
        &mut self,
        way: fn(&mut History, Snapshot) -> Result<Option<Snapshot>, ArchiveError>,
        nothing: &str,
    ) -> Result<(), String> {
        let clients: Vec<_> = self.strokes.keys().copied().collect();
        clients.into_iter().for_each(|client| self.lift(client));
        let now = self.snapshot();
        let Snapshot { world, machines, body_friction } =
            way(&mut self.history, now).map_err(|error| error.to_string())?.ok_or(nothing)?;
        (self.world, self.machines, self.body_friction) = (world, machines, body_friction);
        self.lineage += 1;
        Ok(())
    }
}
