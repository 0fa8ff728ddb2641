//! Undo and redo: versions of the world, whose ground has its common parts stored once.

use std::collections::VecDeque;

use barchan_sim::{Versions, World};
use barchan_volume::archive::{ArchiveError, VersionId};

use crate::machines::Machines;

/// Most versions that can be gone back to.
const MOST: usize = 50;
/// Memory that the ground of all versions may take (bytes); the oldest are given up first.
const LIMIT_BYTES: u64 = 1 << 30;

/// Everything that a stroke can change.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The world.
    pub world: World,
    /// The vehicles in it.
    pub machines: Machines,
    /// The friction that all bodies were given.
    pub body_friction: Option<f32>,
}

/// What goes with the world of a version.
type Beside = (Machines, Option<f32>);

/// The versions before the last strokes, and those that were gone back from.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// None before the first stroke.
    versions: Option<Versions<Beside>>,
    past: VecDeque<VersionId>,
    future: Vec<VersionId>,
}

impl History {
    /// Keeps the state as it is before something changes it by hand.
    pub fn record(&mut self, before: Snapshot) -> Result<(), ArchiveError> {
        self.future.clear();
        let id = self.commit(before)?;
        self.past.push_back(id);
        if self.past.len() > MOST {
            self.past.pop_front();
        }
        self.forget_others();
        Ok(())
    }

    /// The state before the last change; `now` can be gone forward to. None where there is none.
    pub fn undo(&mut self, now: Snapshot) -> Result<Option<Snapshot>, ArchiveError> {
        let Some(before) = self.past.back().copied() else { return Ok(None) };
        let id = self.commit(now)?;
        // Room for that may have cost the last there was.
        let gone_to = self.go_to(before)?;
        self.past.retain(|kept| *kept != before);
        self.future.push(id);
        self.forget_others();
        Ok(gone_to)
    }

    /// The state that was last gone back from; `now` can be gone back to. None where there is none.
    pub fn redo(&mut self, now: Snapshot) -> Result<Option<Snapshot>, ArchiveError> {
        let Some(after) = self.future.last().copied() else { return Ok(None) };
        let id = self.commit(now)?;
        let gone_to = self.go_to(after)?;
        self.future.retain(|kept| *kept != after);
        self.past.push_back(id);
        self.forget_others();
        Ok(gone_to)
    }

    /// How many times one can go back and forward.
    pub fn depths(&self) -> [usize; 2] {
        [self.past.len(), self.future.len()]
    }

    fn commit(&mut self, state: Snapshot) -> Result<VersionId, ArchiveError> {
        let Snapshot { world, machines, body_friction } = state;
        let beside = (machines, body_friction);
        let id = match &mut self.versions {
            Some(versions) => versions.commit(world, "", beside)?,
            None => {
                let (mut versions, id) = Versions::new(world, "", beside)?;
                versions.limit_memory(Some(LIMIT_BYTES));
                self.versions = Some(versions);
                id
            }
        };
        // What was given up for want of memory is no more.
        if let Some(versions) = &self.versions {
            self.past.retain(|id| versions.has(*id));
            self.future.retain(|id| versions.has(*id));
        }
        Ok(id)
    }

    fn go_to(&mut self, id: VersionId) -> Result<Option<Snapshot>, ArchiveError> {
        let Some(versions) = self.versions.as_mut().filter(|versions| versions.has(id)) else {
            return Ok(None);
        };
        let (world, (machines, body_friction)) = versions.go_to(id)?;
        Ok(Some(Snapshot { world, machines, body_friction }))
    }

    /// Gives up what can neither be gone back to nor forward.
    fn forget_others(&mut self) {
        let Some(versions) = &mut self.versions else { return };
        let others: Vec<VersionId> = (versions.ids())
            .filter(|id| *id != versions.present() && !self.past.contains(id) && !self.future.contains(id))
            .collect();
        for id in others {
            // It is there, and not the present one.
            let _ = versions.forget(id);
        }
    }
}
