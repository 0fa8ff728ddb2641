//! Settling: the ground is brought to rest without letting time pass.
//!
//! What hangs is let down and what is too steep slides, in turn, until neither finds anything to move. Both are the
//! same rules that the step uses, without time and with little speed, so the slopes they leave are the same. Where gravity does not point
//! mainly down, soil stays where it is, as it does in a step.

use crate::close::Closing;
use crate::columns::downward;
use crate::fall::{Fall, drop_all};
use crate::ground::Changes;
use crate::ledger::{Amounts, Transfers};
use crate::now::now;
use crate::world::World;

/// Rounds of sliding between two looks at what hangs.
const ROUNDS_AT_ONCE: u32 = 16;

/// Rounds after which soil that hardly trickles any more counts as at rest, and how much that is in a round (units): a thousandth of a
/// voxel in the whole world.
const TRICKLES_AFTER: u32 = 128;
const TRICKLE: i64 = 32;

/// What settling did.
#[derive(Clone, Debug, Default)]
pub struct SettleReport {
    /// Soil that fell or slid, as often as it did (units).
    pub moved: i64,
    /// Rounds of sliding.
    pub rounds: u32,
    /// False when `most_rounds` were not enough.
    pub at_rest: bool,
    /// Which bricks of ground changed.
    pub changes: Changes,
    /// What counting the changed bricks found too much, by account and kind (units). Nothing, or there is a bug.
    pub imbalance: Amounts<i64>,
}

impl World {
    /// Brings the ground to rest in at most `most_rounds` rounds of sliding. The clock stands still, and so do bodies; those that
    /// rested on what sank wake up.
    pub fn settle(&mut self, most_rounds: u32) -> SettleReport {
        self.state.fall = Fall::default();
        self.state.slip.stop();
        self.state.ground.wake_all();
        self.come_to_rest(most_rounds)
    }

    /// As [`World::settle`] for the soil that is awake.
    pub(crate) fn come_to_rest(&mut self, most_rounds: u32) -> SettleReport {
        if downward(self.state.gravity_m_s2).is_none() {
            return SettleReport { at_rest: true, ..SettleReport::default() };
        }
        let mut report = SettleReport::default();
        let mut changed = Vec::new();
        loop {
            let (state, shares) = (&mut self.state, self.body_fill.shares());
            let fell = drop_all(shares, &state.materials, &mut state.ground);
            let (rounds, time_s) = (ROUNDS_AT_ONCE.min(most_rounds - report.rounds), self.state.clock.time_s);
            let slid =
                now!(self, 0.0, time_s, |now, state| state.slip.relax(rounds, &now, &mut state.ground));
            report.moved += fell + slid.moved;
            report.rounds += slid.rounds;
            let trickles =
                report.rounds >= TRICKLES_AFTER && slid.moved <= TRICKLE * i64::from(ROUNDS_AT_ONCE);
            let slides = slid.moved > 0 || !self.state.slip.sliding().is_still();
            report.at_rest = fell == 0 && (!slides || trickles);
            self.state.ground.pass_step();
            let Closing { changes, imbalance } = self.close(&Transfers::none());
            report.imbalance.add_all(&imbalance);
            changed.push(changes);
            if report.at_rest || report.rounds >= most_rounds {
                break;
            }
        }
        self.state.slip.stop();
        report.changes = Changes::merged(changed);
        report
    }
}
