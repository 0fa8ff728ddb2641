//! Which bricks are awake. Work follows motion: a process looks only at bricks that are awake.
//!
//! This is the one place that says what wakes a brick and what lets it sleep:
//! - a brick wakes when its ground changes, when the ground of one of its 26 neighbours changes, or when a body
//!   comes, goes, moves or gets another friction in it;
//! - only bricks that hold soil are kept awake: rock and air have nothing to move;
//! - a brick falls asleep after [`QUIET_STEPS`] steps in which none of this happened.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

/// Steps without change after which a brick sleeps.
pub const QUIET_STEPS: u8 = 4;

/// The awake bricks in order of x, y, z, each with the steps since something last changed there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awake {
    quiet_steps: BTreeMap<[i32; 3], u8>,
}

impl Awake {
    /// Brick coordinates of the awake, in order of x, y, z.
    pub fn bricks(&self) -> impl ExactSizeIterator<Item = IVec3> + '_ {
        self.quiet_steps.keys().map(|&coord| IVec3::from_array(coord))
    }

    /// The awake bricks with the steps each has been quiet.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (IVec3, u8)> + '_ {
        self.quiet_steps.iter().map(|(&coord, &quiet)| (IVec3::from_array(coord), quiet))
    }

    /// The awake set with these entries, as [`Awake::entries`] gives them.
    pub(super) fn from_entries(entries: impl IntoIterator<Item = (IVec3, u8)>) -> Self {
        let quiet_steps = entries.into_iter().map(|(coord, quiet)| (coord.to_array(), quiet)).collect();
        Self { quiet_steps }
    }

    /// Number of awake bricks.
    pub fn len(&self) -> usize {
        self.quiet_steps.len()
    }

    /// True when brick `coord` is awake.
    pub fn contains(&self, coord: IVec3) -> bool {
        self.quiet_steps.contains_key(&coord.to_array())
    }

    /// True when all the ground sleeps.
    pub fn is_empty(&self) -> bool {
        self.quiet_steps.is_empty()
    }

    /// Wakes brick `coord`, or keeps it awake.
    pub(super) fn wake(&mut self, coord: IVec3) {
        self.quiet_steps.insert(coord.to_array(), 0);
    }

    /// Lets one step pass: everyone was quiet for one step more, and who was quiet long enough sleeps.
    /// Called before the step's changes wake those that were not quiet.
    pub(super) fn pass_step(&mut self) {
        self.quiet_steps.retain(|_, quiet| {
            *quiet = quiet.saturating_add(1);
            *quiet < QUIET_STEPS
        });
    }
}
