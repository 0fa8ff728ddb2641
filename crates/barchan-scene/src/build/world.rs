//! Building a world from a scene.

use barchan_sim::grains::GrainsError;
use barchan_sim::inventory::Stock;
use barchan_sim::{Account, DEFAULT_MEMORY_LIMIT_BYTES, EditError, World, WorldConfig};

use super::edits::for_each_edit;
use super::memory;
use crate::error::{Problem, Problems, SceneError};
use crate::plan::RunPlan;
use crate::scene::{PourAction, Scene};

/// How a scene may be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// Memory that the ground may use (bytes).
    pub memory_limit_bytes: u64,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { memory_limit_bytes: DEFAULT_MEMORY_LIMIT_BYTES }
    }
}

/// What one entry of the ground brought into the world of one kind, or took out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Laid {
    /// On which account.
    pub account: Account,
    /// What the kind is called.
    pub name: String,
    /// How many units more there are than before (units).
    pub units: i128,
    /// The room that they take as they lie, pores included (m³).
    pub m3: f64,
    /// Their mass, dry (kg).
    pub kg: f64,
}

impl Scene {
    /// Builds the world, and says how to run it. A scene that is too large is refused before any of it is built.
    pub fn build(&self, options: &BuildOptions) -> Result<(World, RunPlan), SceneError> {
        self.build_telling(options, &mut |_, _| ())
    }

    /// As [`Scene::build`]; `told` hears of every entry of the ground, by its place in the scene, what it changed.
    pub fn build_telling(
        &self,
        options: &BuildOptions,
        told: &mut dyn FnMut(usize, &[Laid]),
    ) -> Result<(World, RunPlan), SceneError> {
        let limit_bytes = options.memory_limit_bytes;
        let needed_bytes = memory::needed_bytes(self, limit_bytes);
        if needed_bytes > limit_bytes {
            return Err(self.too_large(needed_bytes, limit_bytes));
        }
        let config = WorldConfig {
            voxel_size_m: self.voxel_size_m,
            bounds: self.bounds,
            gravity_m_s2: self.gravity_m_s2,
            seed: self.seed,
            materials: self.materials.clone(),
            memory_limit_bytes: limit_bytes,
        };
        let mut world =
            World::new(config).map_err(|error| self.problem(1, String::new(), error.to_string()))?;
        world
            .set_hardness(self.hardness.clone())
            .map_err(|error| self.problem(1, "hardness".to_owned(), error.to_string()))?;
        // Bodies first: ground is placed beside what is already there.
        let first_line = self.bodies.first().map_or(1, |body| body.line);
        world
            .add_bodies(self.bodies.iter().map(|body| body.spec.clone()))
            .map_err(|error| self.problem(first_line, "body".to_owned(), error.to_string()))?;
        let mut before = world.inventory();
        for (i, part) in self.ground.iter().enumerate() {
            for_each_edit(part, self, |edit| world.edit(&edit).map(drop)).map_err(|error| match error {
                EditError::TooLarge { needed_mib, .. } => self.too_large(needed_mib << 20, limit_bytes),
                error => self.problem(part.line, format!("ground[{i}]"), error.to_string()),
            })?;
            let after = world.inventory();
            told(i, &laid_between(&before, &after));
            before = after;
        }
        for (i, step) in self.edits.iter().enumerate() {
            for edit in &step.edits {
                world.edit(edit).map_err(|error| match error {
                    EditError::TooLarge { needed_mib, .. } => self.too_large(needed_mib << 20, limit_bytes),
                    error => self.problem(step.line, format!("edit[{i}]"), error.to_string()),
                })?;
            }
        }
        world
            .set_weather(self.weather.clone())
            .map_err(|error| self.problem(1, "weather".to_owned(), error.to_string()))?;
        self.add_water(&mut world)?;
        self.pour_grains(&mut world)?;
        Ok((world, self.plan.clone()))
    }

    /// Water comes after the bodies: it fills what is free.
    fn add_water(&self, world: &mut World) -> Result<(), SceneError> {
        let problem = |key: &str, message| self.problem(1, key.to_owned(), message);
        let water = &self.water;
        world.set_water(water.params.clone()).map_err(|message| problem("flow", message))?;
        world.set_erosion(water.erosion.clone()).map_err(|message| problem("erosion", message))?;
        let sources = world.set_water_sources(water.sources.clone(), water.rain.clone());
        sources.map_err(|message| problem("source", message))?;
        let drains = world.set_water_drains(water.drains.clone(), water.open);
        drains.map_err(|message| problem("drain", message))?;
        for (i, poured) in water.poured.iter().enumerate() {
            world
                .pour(&poured.pour)
                .map_err(|error| self.problem(poured.line, format!("water[{i}]"), error.to_string()))?;
        }
        Ok(())
    }

    /// Grains last: they find room beside all else.
    fn pour_grains(&self, world: &mut World) -> Result<(), SceneError> {
        let Some(plan) = &self.grains else { return self.add_digging(world) };
        let wrong = |line, i: usize, error: GrainsError| {
            self.problem(line, format!("grains[{i}]"), error.to_string())
        };
        world.set_up_grains(plan.setup.clone()).map_err(|error| wrong(1, 0, error))?;
        self.add_digging(world)?;
        for (i, pour) in plan.pours.iter().enumerate() {
            let done = match &pour.action {
                PourAction::Fill(fill) => world.fill_with_grains(fill).map(drop),
                PourAction::Outlet(source) => world.add_grain_source(source.clone()),
                PourAction::Single(spec) => world.add_grains(&[*spec]),
                PourAction::Many(specs) => world.add_grains(specs),
            };
            done.map_err(|error| wrong(pour.line, i, error))?;
        }
        for drain in &plan.drains {
            world.add_grain_drain(*drain).map_err(|error| wrong(1, 0, error))?;
        }
        Ok(())
    }

    /// What soil comes off as is said beside what other grains there can be, before the first of them comes.
    fn add_digging(&self, world: &mut World) -> Result<(), SceneError> {
        let problem = |key: &str, message| self.problem(1, key.to_owned(), message);
        world.set_merge(self.digging.merge).map_err(|message| problem("merge", message))?;
        let Some(carve) = self.digging.carve else { return Ok(()) };
        let done = if self.digging.by_all { world.set_carve(Some(carve)) } else { world.ready_carve(carve) };
        done.map_err(|error| problem("carve", error.to_string()))?;
        // Bodies were added in the order of the scene.
        let ids: Vec<_> = world.bodies().iter().map(|body| body.id).collect();
        for (id, body) in ids.into_iter().zip(&self.bodies) {
            if let Some(carves) = body.carves {
                world.set_body_carves(id, carves);
            }
        }
        Ok(())
    }

    fn too_large(&self, needed_bytes: u64, limit_bytes: u64) -> SceneError {
        SceneError::TooLarge { file: self.name.clone(), needed_bytes, limit_bytes }
    }

    fn problem(&self, line: usize, key: String, message: String) -> SceneError {
        let problem =
            Problem { file: self.name.clone(), line, column: None, key, value: String::new(), message };
        SceneError::Problems(Problems { list: vec![problem], more: 0 })
    }
}

/// By how much each stock changed, where it did.
fn laid_between(before: &[Stock], after: &[Stock]) -> Vec<Laid> {
    let change = |now: &Stock| {
        let then = before.iter().find(|then| (then.account, then.kind) == (now.account, now.kind));
        let (units, m3, kg) = then.map_or((0, 0.0, 0.0), |then| (then.held, then.m3, then.kg));
        let name = now.name.clone();
        Laid { account: now.account, name, units: now.held - units, m3: now.m3 - m3, kg: now.kg - kg }
    };
    after.iter().map(change).filter(|laid| laid.units != 0).collect()
}
