//! Errands: saving, loading and building worlds takes long, so it is done beside the steps, from a copy of the world,
//! and what comes of it is brought back.

use std::path::Path;

use barchan_scene::{BuildOptions, RunPlan, load, load_world};
use barchan_sim::World;

use super::sandbox::Origin;
use super::saves::Saves;

/// Something to be done beside the steps.
pub enum Errand {
    /// Writes a world.
    Save {
        /// Under this name.
        name: String,
        /// The world as it was when it was asked for.
        world: Box<World>,
        /// How its scene wants it run.
        plan: RunPlan,
        /// Where to.
        saves: Saves,
    },
    /// Opens a world, to be put in the place of the one that is there.
    Open {
        /// Which one.
        origin: Origin,
        /// Memory that it may use (bytes).
        memory_limit_bytes: u64,
        /// Where saved worlds are.
        saves: Saves,
    },
    /// Looks which worlds are saved.
    List(Saves),
}

/// What came of an errand.
pub struct Report {
    /// The names of all saved worlds.
    pub saved: Vec<String>,
    /// The world that was opened, if one was to be; or what went wrong.
    pub done: Result<Option<Opened>, String>,
}

/// A world that was opened.
pub struct Opened {
    /// The world.
    pub world: Box<World>,
    /// How its scene wants it run.
    pub plan: RunPlan,
    /// Where it comes from.
    pub origin: Origin,
}

impl Errand {
    /// Does it.
    pub fn run(self) -> Report {
        match self {
            Self::Save { name, world, plan, saves } => {
                let done = saves.save(&name, &world, &plan).map(|()| None);
                Report { saved: saves.names(), done }
            }
            Self::Open { origin, memory_limit_bytes, saves } => {
                let done = open(origin, memory_limit_bytes, &saves).map(Some);
                Report { saved: saves.names(), done }
            }
            Self::List(saves) => Report { saved: saves.names(), done: Ok(None) },
        }
    }
}

/// Opens the world of `origin`.
pub fn open(origin: Origin, memory_limit_bytes: u64, saves: &Saves) -> Result<Opened, String> {
    let (world, plan) = match &origin {
        Origin::Saved(name) => saves.load(name, memory_limit_bytes)?,
        Origin::Scene(name) if Path::new(name).extension().is_some_and(|ending| ending == "barchan") => {
            load_world(Path::new(name), memory_limit_bytes).map_err(|error| error.to_string())?
        }
        Origin::Scene(name) => {
            let scene = load(name).map_err(|error| error.to_string())?;
            scene.build(&BuildOptions { memory_limit_bytes }).map_err(|error| error.to_string())?
        }
    };
    Ok(Opened { world: Box::new(world), plan, origin })
}
