//! Closing the books: the one place where what was said about a change is compared with what is there.

use crate::bearing::wake_near;
use crate::ground::Changes;
use crate::ledger::{Amounts, Transfers};
use crate::world::World;

/// What closing the books found.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// Which bricks of ground changed.
    pub changes: Changes,
    /// What counting found beyond what was said, by account and kind (units). Nothing, or there is a bug.
    pub imbalance: Amounts<i64>,
}

impl World {
    /// Ends an edit, a step or whatever else changed something: counts what changed, books it as held and what was said about it
    /// as entered, left or turned, and wakes what is near.
    pub(crate) fn close(&mut self, transfers: &Transfers) -> Closing {
        let (changes, counted) = self.state.ground.close_changes(&self.state.materials);
        let imbalance = self.state.ledger.book(&counted, transfers);
        wake_near(changes.bricks(), &self.body_fill, &mut self.state.bodies);
        Closing { changes, imbalance }
    }
}
