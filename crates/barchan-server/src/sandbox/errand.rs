//! Errands: saving, loading and building worlds takes long, so it is done beside the steps, from a copy of the world,
//! and what comes of it is brought back.

use std::path::Path;
use std::sync::Arc;

use barchan_scene::{BuildOptions, EditStep, RunPlan, load, load_world};
use barchan_sim::World;
use serde_json::Value;

use super::artist::{Edited, Progress, carry_out, preview};
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
    /// Carries an edit out on a copy of the world.
    Edit {
        /// Which work it is.
        number: u64,
        /// The copy.
        world: Box<World>,
        /// What to do.
        step: EditStep,
        /// Where to tell how far it is.
        progress: Arc<Progress>,
    },
    /// Looks at what an edit would change.
    Preview {
        /// A copy of the world.
        world: Box<World>,
        /// What would be done.
        step: EditStep,
    },
}

/// What came of an errand.
pub struct Report {
    /// The names of all saved worlds; none where nobody looked.
    pub saved: Option<Vec<String>>,
    /// Which work it was, if it was an edit.
    pub work: Option<u64>,
    /// What it brought, or what went wrong.
    pub done: Result<Brought, String>,
}

/// What an errand brings back.
pub enum Brought {
    /// Nothing.
    Nothing,
    /// A world that was opened.
    Opened(Opened),
    /// The world after an edit.
    Edited(Edited),
    /// An answer.
    Told(Value),
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
    /// The work that it carries out, if it is an edit.
    pub fn work(&self) -> Option<u64> {
        if let Self::Edit { number, .. } = self { Some(*number) } else { None }
    }

    /// Does it.
    pub fn run(self) -> Report {
        match self {
            Self::Save { name, world, plan, saves } => {
                let done = saves.save(&name, &world, &plan).map(|()| Brought::Nothing);
                Report { saved: Some(saves.names()), work: None, done }
            }
            Self::Open { origin, memory_limit_bytes, saves } => {
                let done = open(origin, memory_limit_bytes, &saves).map(Brought::Opened);
                Report { saved: Some(saves.names()), work: None, done }
            }
            Self::List(saves) => {
                Report { saved: Some(saves.names()), work: None, done: Ok(Brought::Nothing) }
            }
            Self::Edit { number, world, step, progress } => {
                let done = carry_out(number, world, &step, &progress).map(Brought::Edited);
                Report { saved: None, work: Some(number), done }
            }
            Self::Preview { world, step } => {
                Report { saved: None, work: None, done: preview(world, &step).map(Brought::Told) }
            }
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
