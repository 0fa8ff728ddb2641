//! Undo and redo: whole states, which share all bricks that they have in common.

use std::collections::VecDeque;

use barchan_sim::World;

use crate::machines::Machines;

/// Most states that can be gone back to.
const MOST: usize = 50;

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

/// The states before the last strokes, and those that were gone back from.
#[derive(Clone, Debug, Default)]
pub struct History {
    past: VecDeque<Snapshot>,
    future: Vec<Snapshot>,
}

impl History {
    /// Keeps the state as it is before something changes it by hand.
    pub fn record(&mut self, before: Snapshot) {
        self.future.clear();
        self.past.push_back(before);
        if self.past.len() > MOST {
            self.past.pop_front();
        }
    }

    /// The state before the last change; `now` can be gone forward to.
    pub fn undo(&mut self, now: Snapshot) -> Option<Snapshot> {
        let before = self.past.pop_back()?;
        self.future.push(now);
        Some(before)
    }

    /// The state that was last gone back from; `now` can be gone back to.
    pub fn redo(&mut self, now: Snapshot) -> Option<Snapshot> {
        let after = self.future.pop()?;
        self.past.push_back(now);
        Some(after)
    }

    /// How many times one can go back and forward.
    pub fn depths(&self) -> [usize; 2] {
        [self.past.len(), self.future.len()]
    }
}
